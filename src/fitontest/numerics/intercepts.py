"""The intercept at which probabilities have a given mean."""

import numpy as np
from scipy.optimize import brentq

from fitontest.numerics.links import sigmoid
from fitontest.results.typing import FloatArray


def intercept_at(x: FloatArray, w: FloatArray, share: float) -> float:
    """Return the a with sum w sigma(a + x) = share sum w.

    Parameters
    ----------
    x : array of shape (m,)
        In increasing order.
    w : array of shape (m,)
        Weights.
    share : float in (0, 1)

    Examples
    --------
    >>> import numpy as np
    >>> round(intercept_at(np.zeros(2), np.ones(2), 0.8), 6)
    1.386294
    """
    total, start = float(w.sum()), float(np.log(share) - np.log1p(-share))
    low, high = start - float(x[-1]), start - float(x[0])

    def excess(a: float) -> float:
        return float(w @ sigmoid(a + x)) / total - share

    if excess(low) >= 0.0 or excess(high) <= 0.0:  # one distinct x, or distinct ones by rounding alone
        return (low + high) / 2.0
    return float(brentq(excess, low, high, xtol=1e-15, rtol=1e-15))
