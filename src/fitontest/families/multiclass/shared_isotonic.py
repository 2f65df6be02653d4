"""One isotonic map for the probabilities of all classes."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.data.weights import Weights
from fitontest.families.base import Solution
from fitontest.families.cutting import Eps, read_eps
from fitontest.families.isotonic import Isotonic
from fitontest.families.multiclass.base import Input, MulticlassFamily
from fitontest.families.multiclass.fitting import problem_of
from fitontest.families.multiclass.softmax_slope import fit_slope
from fitontest.families.registry import register
from fitontest.maps.multiclass.first_step import first_step
from fitontest.maps.multiclass.shared import SharedMap
from fitontest.results.checks import check_flag


@register("shared_isotonic")
@dataclass(eq=False, repr=False)
class SharedIsotonic(MulticlassFamily):
    """Fit one isotonic calibration map that all classes share, then rescale so that the probabilities add up to 1.

    It is fitted to all n K probabilities and whether their classes are the labels.

    The order within a row stays, and with it the class that is predicted. Each row counts for K pairs, so that far
    fewer rows are needed than for an isotonic map of each class.

    Parameters
    ----------
    temperature : bool, default=True
        Whether the probabilities are scaled by the best temperature before.
    eps : float or "auto", default="auto"
        Smaller probabilities are taken for it by the temperature; not used with logits. "auto" is 1e-16 where no
        probability is exactly 0; otherwise exp(-L), where -L is one below the smallest logit of the others. The map
        holds the number.
    input : {"probabilities", "logits"}, default="probabilities"
        What `fit` and `predict_proba` are given. Of logits p is their softmax.

    Attributes
    ----------
    map_ : SharedMap
        The isotonic map of all classes, divided by its sum in each row.
    classes_ : array of shape (K,)
        The class of each column.
    temperature_ : float
        1 without scaling.
    n_blocks_ : int
        Of the isotonic map.

    References
    ----------
    Zhang, Kailkhura, Han (2020), Mix-n-match: ensemble and compositional methods for uncertainty calibration in deep
    learning, ICML (IRM, without the temperature). https://doi.org/10.48550/arXiv.2003.07329

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]] * 20
    >>> y = [0, 1, 1, 2] * 10 + [1, 1, 0, 2] * 10
    >>> family = fot.families.make("shared_isotonic", temperature=False).fit(P, y)
    >>> family.predict_proba([[0.8, 0.1, 0.1]]).round(2)
    array([[0.68, 0.16, 0.16]])
    """

    calibrator = True

    temperature: bool = True
    eps: Eps = "auto"
    input: Input = "probabilities"

    def _count_parameters(self) -> float:
        """Return a level for each block and where it ends, and the temperature."""
        return float(2 * self.n_blocks_ - 1 + bool(self.temperature))

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map and its temperature."""
        read_eps(self.eps)
        check_flag(self.temperature, "temperature")
        eps, beta, q = self._smallest(rows), 1.0, rows.p
        if self.temperature:
            problem = problem_of(rows, eps)
            beta = fit_slope(problem).beta
            q = np.exp(first_step(problem.x, beta, 0.0)) if beta != 1.0 else q
        hits = np.zeros(q.shape, dtype=bool)
        hits[np.arange(rows.codes.size), rows.codes] = True
        w = None if rows.weights is None else Weights(np.repeat(rows.w, rows.n_classes), rows.whole)
        # a softmax may be rounded past 1
        isotonic = Isotonic().fit_sample(ScoreSample(hits.ravel(), np.minimum(q, 1.0).ravel(), w))
        attributes = {"temperature_": 1.0 / beta if beta > 0 else np.inf, "n_blocks_": isotonic.n_bins_}
        return Solution(SharedMap(isotonic.map_, beta, eps), None, attributes)
