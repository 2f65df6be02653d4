"""The exact interval of a probability, of Clopper and Pearson: all that an exact binomial test does not reject."""

import numpy as np
from scipy.special import betaincinv

from fitontest.results.typing import FloatArray


def share_interval(positives: float, rows: float, level: float) -> tuple[float, float]:
    """Return between which values the probability of a positive lies, with a confidence of at least `level`.

    With k positives among n rows the ends are the (1 - level) / 2 quantile of Beta(k, n - k + 1) and the
    (1 + level) / 2 quantile of Beta(k + 1, n - k); 0 for k = 0, and 1 for k = n. Numbers need not be whole.

    References
    ----------
    Clopper, Pearson (1934), The use of confidence or fiducial limits, Biometrika 26.
    https://doi.org/10.1093/biomet/26.4.404

    Examples
    --------
    >>> low, high = share_interval(0, 200, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0183)
    """
    tail = (1.0 - level) / 2.0
    low = 0.0 if positives <= 0 else float(betaincinv(positives, rows - positives + 1.0, tail))
    high = 1.0 if positives >= rows else float(betaincinv(positives + 1.0, rows - positives, 1.0 - tail))
    return low, high


def share_limits(positives: FloatArray, rows: FloatArray, tail: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper limit of each of many probabilities, each with a confidence of 1 - `tail`.

    They are the ends of `share_interval` at the level 1 - 2 tail. They hold for the mean of probabilities that differ
    from row to row too, with a `tail` below 1/4: no count of independent labels of that mean has heavier tails than the
    binomial one (Hoeffding, 1956, https://doi.org/10.1214/aoms/1177728178).

    Parameters
    ----------
    positives, rows : arrays of shape (M,)
        With 0 <= positives <= rows and rows >= 1.
    tail : float

    Examples
    --------
    >>> low, high = share_limits(np.array([0.0, 5.0]), np.array([200.0, 10.0]), 0.025)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.187]), array([0.018, 0.813]))
    """
    some, others = np.maximum(positives, 0.5), np.maximum(rows - positives, 0.5)  # 1/2 where the limit is 0 or 1 anyway
    low = np.where(positives > 0, betaincinv(some, rows - positives + 1.0, tail), 0.0)
    high = np.where(positives < rows, betaincinv(positives + 1.0, others, 1.0 - tail), 1.0)
    return low, high
