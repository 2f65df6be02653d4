"""Bias-corrected temperature scaling: one slope for all scores, and a bias for each class."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Solution
from fitontest.families.cutting import Eps, read_eps
from fitontest.families.docstrings import take_descriptions
from fitontest.families.multiclass.base import Input, MulticlassFamily
from fitontest.families.multiclass.fitting import Scores, diagonal_identity, find_optimum, one_slope
from fitontest.families.multiclass.penalties import read_penalty
from fitontest.families.multiclass.softmax_objective import Penalty
from fitontest.families.multiclass.structured import StructuredFamily
from fitontest.families.registry import register


@register("bias_corrected")
@take_descriptions(StructuredFamily)
@dataclass(eq=False, repr=False)
class BiasCorrected(MulticlassFamily):
    """Fit temperature scaling with a bias for each class, for several classes.

    The map is softmax(s ln p + b) with one slope s, by maximum likelihood; a penalty draws the biases towards 0.

    It minimises mean(-ln g_y(p)) + penalty K / n sum_k b_k^2. Without the penalty it is Platt scaling where K = 2.

    Parameters
    ----------
    penalty : float or None, default=1.0
        A multiple.

    Attributes
    ----------
    map_ : SoftmaxMap
        Its ``W`` is s on the diagonal.
    classes_ : array of shape (K,)
        The class of each column.
    slope_ : float
        s.
    biases_ : array of shape (K,)
        b, of sum 0.
    objective_ : float
        What is minimised, at the optimum.
    n_iter_ : int
        Newton steps.

    Warns
    -----
    SeparableDataWarning
        The scores separate the classes; or, without a penalty, a class has no rows.

    Notes
    -----
    A whole weight repeats its row, so that n is the sum of whole weights; of others it is the number of rows.

    References
    ----------
    Alexandari, Kundaje, Shrikumar (2020), Maximum likelihood with bias-corrected calibration is hard-to-beat at label
    shift adaptation, ICML (without the penalty). https://doi.org/10.48550/arXiv.1901.06852

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]] * 20
    >>> y = [0, 1, 1, 2] * 10 + [1, 1, 0, 2] * 10
    >>> family = fot.families.make("bias_corrected", penalty=None).fit(P, y)
    >>> round(family.slope_, 3), family.biases_.round(2)
    (0.643, array([-0.5 ,  0.46,  0.03]))
    """

    calibrator = True

    penalty: float | None = 1.0
    eps: Eps = "auto"
    input: Input = "probabilities"

    def _count_parameters(self) -> float:
        """Return K: a constant added to all biases changes nothing."""
        return float(self.classes_.size)

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map and its parameters."""
        multiple = read_penalty(self.penalty, "penalty", cv=False)
        read_eps(self.eps)
        scores, K = Scores.of_differences(rows, self._smallest(rows)), rows.n_classes
        identity = diagonal_identity(K)
        strength = np.zeros(identity.shape)
        strength[:, 1] = 0.0 if multiple is None else multiple * K / scores.n
        optimum = find_optimum(
            one_slope, scores, Penalty(strength, identity), scores.start * identity, "bias_corrected"
        )
        fitted = scores.map(optimum.theta[:, 0], optimum.theta[:, 1])
        attributes = {"slope_": float(fitted.W[0]), "biases_": fitted.b, "objective_": optimum.objective}
        return Solution(fitted, None, {**attributes, "n_iter_": optimum.n_iter})
