"""Quantiles of values with weights: of counts as of the repeated rows, of other weights of the step function.

Of counts it is type 7 of R and numpy: with n rows in increasing order, x_0 to x_(n-1), and h = (n - 1) q it lies
between the two rows around h, x_k + (h - k) (x_(k+1) - x_k) with k the whole part of h. The rows are not repeated.

Of weights whose scale means nothing it is the inverse of the weighted step function F(x) = sum of the weights of the
values up to x, over all: the smallest value with F(x) >= q.

Values of weight 0 do not count, and equal values may be pooled into one of their added weights.
"""

import numpy as np

from fitontest.results.typing import FloatArray

ROUNDING = 1e-12  # of the total weight, by which sums of weights may fall short of a share that they are equal to


def quantiles_of_columns(values: FloatArray, w: FloatArray, share: float, *, counts: bool) -> FloatArray:
    """Return the quantile of each column of values.

    Parameters
    ----------
    values : array of shape (m, B)
    w : array of shape (m,)
        Weights >= 0 of positive sum, of the rows of `values`.
    share : float in (0, 1)
        q, the share of the rows with smaller values.
    counts : bool
        Whether weights are whole numbers that count rows.

    Returns
    -------
    array of shape (B,)

    References
    ----------
    Hyndman, Fan (1996), Sample quantiles in statistical packages, The American Statistician 50(4), 361-365.
    https://doi.org/10.1080/00031305.1996.10473566

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[3.0], [1.0], [2.0]])
    >>> quantiles_of_columns(x, np.array([1.0, 2.0, 2.0]), 0.9, counts=True), np.quantile([1, 1, 2, 2, 3], 0.9)
    (array([2.6]), np.float64(2.6))
    >>> quantiles_of_columns(x, np.array([0.1, 0.2, 0.2]), 0.9, counts=False)
    array([3.])
    """
    present = w > 0
    if not present.all():
        values, w = values[present], w[present]
    if counts and bool(np.all(w == 1.0)):
        return np.asarray(np.quantile(values, share, axis=0))
    return np.array([_weighted(column, w, share, counts=counts) for column in values.T])


def _weighted(x: FloatArray, w: FloatArray, share: float, *, counts: bool) -> float:
    order = np.argsort(x, kind="stable")
    x, up_to = x[order], np.cumsum(w[order])
    if not counts:
        return float(x[min(int(np.searchsorted(up_to, (share - ROUNDING) * up_to[-1])), x.size - 1)])
    h = (up_to[-1] - 1.0) * share
    k = np.floor(h)
    low, high = x[np.minimum(np.searchsorted(up_to, [k, k + 1.0], side="right"), x.size - 1)]
    return float(low + (h - k) * (high - low))
