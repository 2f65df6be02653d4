"""Matrix scaling: a full matrix and a bias for each class."""

import numpy as np

from fitontest.families.docstrings import take_descriptions
from fitontest.families.multiclass.fitting import full_identity
from fitontest.families.multiclass.softmax_full import full_objective
from fitontest.families.multiclass.structured import StructuredFamily
from fitontest.families.registry import register
from fitontest.typing import FloatArray


@register("matrix")
@take_descriptions(StructuredFamily, "Attributes", "Warns", "Notes", "References")
class Matrix(StructuredFamily):
    """Fit matrix scaling: a linear layer and a softmax on the scores of several classes.

    The map is softmax(W x + b), by maximum likelihood, with a penalty that draws it towards temperature scaling.

    With a penalty, x = ln q, where q is p scaled by the best temperature and then mixed with the uniform distribution
    by 1 / (n + 1), and W and b minimise

        mean(-ln g_y(p)) + penalty [K (K - 1) / n sum_{j != k} W_jk^2 + K / n (sum_k (W_kk - 1)^2 + sum_k b_k^2)]

    Without one x = ln p, and W and b minimise the mean log loss alone: matrix scaling, which is Dirichlet calibration.
    It follows the rows fitted to far too closely unless there are very many of them for K^2 numbers.

    Attributes
    ----------
    map_ : SoftmaxMap
        Without a penalty a column added to all classes alike changes nothing: the columns of W have the sum 1.

    Warns
    -----
    CalibrationWarning
        A class has a slope of 0 or less, so that it becomes no likelier as its scores rise: its diagonal entry of W is
        at most the mean of the others in its column.

    Notes
    -----
    It is the map to try first with many rows, as it is the only one here that mends classes which are taken for one
    another. A pass over the rows takes n K^2 operations: above some 200 classes `Vector` is the one to use.

    Solved by Newton's method to a gradient of 1e-9, in memory of n times K.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> matrix = fot.families.make("matrix", penalty=1.0).fit(P, y)
    >>> matrix.map_.W.shape, matrix.predict_proba([[0.6, 0.3, 0.1]]).sum().round(12)
    ((3, 3), np.float64(1.0))
    """

    noun = "matrix"

    def _count_parameters(self) -> float:
        """Return K^2 - 1: a column added to all classes alike changes nothing."""
        return float(self.classes_.size**2 - 1)

    _objective = staticmethod(full_objective)
    _identity = staticmethod(full_identity)

    def _strength(self, K: int, n: float) -> FloatArray:
        strength = np.full((K, K + 1), K * (K - 1) / n)
        strength[np.arange(K), np.arange(K)] = K / n
        strength[:, -1] = K / n
        return strength

    def _weights(self, theta: FloatArray) -> FloatArray:
        return theta[:, :-1]
