"""Vector scaling: a slope and a bias for each class."""

import numpy as np

from fitontest.families.docstrings import take_descriptions
from fitontest.families.multiclass.fitting import diagonal_identity
from fitontest.families.multiclass.softmax_diagonal import diagonal_objective
from fitontest.families.multiclass.structured import StructuredFamily
from fitontest.families.registry import register
from fitontest.typing import FloatArray


@register("vector")
@take_descriptions(StructuredFamily, "Attributes", "Warns", "Notes", "References")
class Vector(StructuredFamily):
    """Fit vector scaling: a slope and a bias for each class, then a softmax.

    The map is softmax(v * x + b), by maximum likelihood, with a penalty that draws it towards temperature scaling.

    With a penalty, x = ln q, where q is p scaled by the best temperature and then mixed with the uniform distribution
    by 1 / (n + 1), and v and b minimise

        mean(-ln g_y(p)) + penalty K / n [sum_k (v_k - 1)^2 + sum_k b_k^2]

    Without one x = ln p, and v and b minimise the mean log loss alone: vector scaling, which is Dirichlet calibration
    with a diagonal matrix. With few rows it is then worse than doing nothing. Of two classes it is beta calibration,
    the signs of whose slopes are free.

    Attributes
    ----------
    map_ : SoftmaxMap
        Its ``W`` is a diagonal.

    Warns
    -----
    CalibrationWarning
        A class has a slope of 0 or less: it becomes no likelier as its scores rise.

    Notes
    -----
    Solved by Newton's method to a gradient of 1e-9.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> vector = fot.families.make("vector").fit(P, y)
    >>> vector.predict_proba([[0.6, 0.3, 0.1]]).round(2)
    array([[0.82, 0.17, 0.01]])
    """

    noun = "vector"

    def _count_parameters(self) -> float:
        """Return 2K - 1: a constant added to all biases changes nothing."""
        return float(2 * self.classes_.size - 1)

    _objective = staticmethod(diagonal_objective)
    _identity = staticmethod(diagonal_identity)

    def _strength(self, K: int, n: float) -> FloatArray:
        return np.full((K, 2), K / n)

    def _weights(self, theta: FloatArray) -> FloatArray:
        return theta[:, 0]
