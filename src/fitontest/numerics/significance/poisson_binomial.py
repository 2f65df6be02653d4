"""How many labels of unequal probabilities are positive: the law of Poisson and the binomial one."""

from typing import Any

import numpy as np
from scipy.special import betainc

from fitontest.numerics.significance.binomial_law import pmf
from fitontest.results.typing import FloatArray

ALMOST = 1.0 - 1e-12  # the largest probability of the binomial law that stands in for another


def tails(positives: int, count: FloatArray, c: FloatArray) -> tuple[float, float]:
    """Return P(K >= k) and P(K <= k) of the number K of positives among independent labels.

    Parameters
    ----------
    positives : int
        k.
    count : array of shape (m,)
        Labels of each probability.
    c : array of shape (m,)
        Probabilities.

    References
    ----------
    Hong (2013), On computing the distribution function for the Poisson binomial distribution, Computational Statistics
    & Data Analysis 59. https://doi.org/10.1016/j.csda.2012.10.006

    Examples
    --------
    >>> at_least, at_most = tails(1, np.array([1.0, 1.0]), np.array([0.1, 0.5]))
    >>> round(at_least, 3), round(at_most, 3)
    (0.55, 0.95)
    """
    k = np.arange(positives + 1.0)[:, None]
    parts = np.where(k <= count, pmf(np.minimum(k, count), count, c), 0.0).T
    while parts.shape[0] > 1:  # products of neighbouring generating functions, of which terms beyond k are not needed
        if parts.shape[0] % 2:
            parts = np.concatenate((parts, np.eye(1, k.size)))
        spectra = np.fft.rfft(parts, 2 * k.size)
        parts = np.fft.irfft(spectra[::2] * spectra[1::2], 2 * k.size)[:, : k.size]
    each = np.clip(parts[0], 0.0, 1.0)
    return float(np.clip(1.0 - each[:-1].sum(), 0.0, 1.0)), float(min(each.sum(), 1.0))


def matched_tails(positives: float, rows: float, share: FloatArray, squares: FloatArray, c: FloatArray) -> Any:
    """Return P(K >= k) and P(K <= k) of a weighted count K, in units of an effective row, which need not be whole.

    By the law of u B with a binomial count B of the probability sum s c^2 / sum s c, s the squared weights, and with
    the mean and the variance of K: u is the weight of a positive.

    Parameters
    ----------
    positives : float
        k >= 0.
    rows : float
        n, effective rows.
    share, squares : arrays of shape (m,)
        Shares of the weight and of the squared weights: K has the mean n sum share c, and the variance
        n sum squares c (1 - c).
    c : array of shape (m,)
        Probabilities.

    References
    ----------
    Ehm (1991), Binomial approximation to the Poisson binomial distribution, Statistics & Probability Letters 11(1).
    https://doi.org/10.1016/0167-7152(91)90170-V

    Examples
    --------
    >>> equal = np.full(10, 0.1)
    >>> at_least, at_most = matched_tails(3.0, 10.0, equal, equal, np.full(10, 0.5))
    >>> round(at_least, 4), round(at_most, 4)
    (0.9453, 0.1719)
    """
    of_positives = float(squares @ c)
    probability = min(float(squares @ (c * c)) / of_positives, ALMOST)
    unit = of_positives / float(share @ c)
    k, n = positives / unit, rows * float(share @ c) / (unit * probability)
    at_least = 1.0 if k <= 0.0 else 0.0
    if 0.0 < k < n + 1.0:
        at_least = float(betainc(k, n - k + 1.0, probability))
    at_most = 1.0 if k >= n else float(betainc(n - k, k + 1.0, 1.0 - probability))
    return at_least, at_most
