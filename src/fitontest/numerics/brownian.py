"""The laws of the range of Brownian motion on [0, 1], and of its largest size: those of cumulated residuals.

With many distinct scores the range of the cumulated residuals, in units of their standard deviation at the end, has
the law of the range R of Brownian motion (Kuiper's statistic), and their largest absolute value that of max|B|. Each
has two series: one that converges fast below 1, and one of tails, without cancellation, above.
"""

import numpy as np
from scipy.special import ndtr

from fitontest.results.typing import FloatArray

TERMS = 60  # of the series, of which a few matter


def range_tail(x: FloatArray | float) -> FloatArray:
    """Return P(R > x) of the range R of Brownian motion on [0, 1].

    Parameters
    ----------
    x : array or float

    References
    ----------
    Feller (1951), The asymptotic distribution of the range of sums of independent random variables, Annals of
    Mathematical Statistics 22. https://doi.org/10.1214/aoms/1177729589

    Examples
    --------
    >>> round(float(range_tail(2.497672)), 6)
    0.05
    """
    x = np.asarray(x, dtype=np.float64)
    size = np.maximum(x, 1e-100)[..., None]
    k = np.arange(TERMS)
    half = (k + 0.5) * np.pi
    with np.errstate(under="ignore", over="ignore"):
        below = ((8.0 / size**2 + 2.0 / half**2) * np.exp(-2.0 * half**2 / size**2)).sum(axis=-1)
        above = 8.0 * ((-1.0) ** k * (k + 1.0) * ndtr(-(k + 1.0) * size)).sum(axis=-1)
    return np.asarray(np.where(x <= 0.0, 1.0, np.where(x <= 1.0, 1.0 - below, above)))


def maximum_tail(x: FloatArray | float) -> FloatArray:
    """Return P(max|B| > x) of Brownian motion on [0, 1].

    Parameters
    ----------
    x : array or float

    Examples
    --------
    >>> round(float(maximum_tail(2.241403)), 6)
    0.05
    """
    x = np.asarray(x, dtype=np.float64)
    size = np.maximum(x, 1e-100)[..., None]
    k = np.arange(TERMS)
    odd, sign = 2.0 * k + 1.0, (-1.0) ** k
    with np.errstate(under="ignore", over="ignore"):
        below = 4.0 / np.pi * (sign / odd * np.exp(-((odd * np.pi / size) ** 2) / 8.0)).sum(axis=-1)
        above = 4.0 * (sign * ndtr(-odd * size)).sum(axis=-1)
    return np.asarray(np.where(x <= 0.0, 1.0, np.where(x <= 1.0, 1.0 - below, above)))
