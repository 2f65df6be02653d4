"""From redrawn labels to an interval: the true errors under which the observed one would be ordinary.

At each of a few truths the error is known, and redrawn labels show which errors are then observed: their mean m and
standard deviation s, functions of the true error that are straight between the truths. With T the observed error,

    debiased error: m = T        low end: m + q s = T        high end: m - q s = T

q is the quantile of Student's t with as many degrees of freedom as draws less one, times sqrt(1 + 1 / draws). The
quotient (T - m) / s must not be taken as straight: where labels vary less under one truth than under the next, as where
events are nearly ruled out, it would move the error by many standard deviations.

Quantiles and maxima of distances are skewed to the right, so that m + q s is too often exceeded. For their low ends q
is corrected for the skewness g of the redrawn values, q + g (q^2 - 1) / 6. The high ends stay as they are: corrected
too they were too low where truths do not lie on the chain.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from fitontest.results.typing import FloatArray

STEPS = (0.0, 0.35, 0.7, 1.1, 1.8)  # true errors of the chain, in units of the observed error
BITE = 0.01  # share of an error that is lost at the ends of [0, 1], from which on the way to g is looked at itself
STEEP = 0.25  # the least growth of the observed error with the true one, beyond the grid
LEAST_SPREAD = 0.1  # of the largest: labels of scores of 0 and 1 do not vary at all if these are the truth
MOST_SKEWED = 1.5  # skewness that is corrected for, at most
MISREAD = 0.15  # of the true error, by which a measure that sees more or less of it does not follow the truths
ROUNDING = 1e-12  # relative spread of values that are all the same


@dataclass(frozen=True)
class Inverted:
    """The debiased error and the ends of its interval."""

    estimate: float
    low: float
    high: float


def invert(
    observed: float,
    errors: FloatArray,
    redrawn: FloatArray,
    level: float,
    degrees: float = np.inf,
    *,
    skewed: bool = False,
) -> Inverted | None:
    """Return debiased error and interval, or None where redrawn labels do not vary.

    Parameters
    ----------
    observed : float
        T, the error of the real labels.
    errors : array of shape (R,)
        The true error of each truth, increasing from 0.
    redrawn : array of shape (R, B)
        What is observed of labels drawn from each truth.
    level : float
        Of the interval.
    degrees : float, optional
        Degrees of freedom of Student's t that the data leave, at most those of the draws: of rows that belong together
        the groups less one.
    skewed : bool, default=False
        Whether values are skewed to the right, as quantiles and maxima of distances are, and the low end allows for it.

    References
    ----------
    Cornish, Fisher (1938), Moments and cumulants in the specification of distributions, Revue de l'Institut
    International de Statistique 5(4). https://doi.org/10.2307/1400905
    Hansen (1999), The grid bootstrap and the autoregressive model, Review of Economics and Statistics 81(4).
    https://doi.org/10.1162/003465399558463
    Carpenter (1999), Test inversion bootstrap confidence intervals, Journal of the Royal Statistical Society B 61(1).
    https://doi.org/10.1111/1467-9868.00169

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.linspace(-0.01, 0.01, 50)
    >>> errors = np.array([0.0, 0.05, 0.1])
    >>> inverted = invert(0.06, errors, errors[:, None] + 0.02 + noise, 0.95)
    >>> round(inverted.estimate, 6), round(inverted.low, 4), round(inverted.high, 4)
    (0.04, 0.0279, 0.0521)
    """
    draws = redrawn.shape[1]
    mean, spread = redrawn.mean(axis=1), redrawn.std(axis=1, ddof=1)
    if not spread.max() > ROUNDING * np.abs(redrawn).max():
        return None
    spread = np.maximum(spread, LEAST_SPREAD * spread.max())
    q = float(student.ppf((1.0 + level) / 2.0, min(draws - 1.0, degrees)) * np.sqrt(1.0 + 1.0 / draws))
    lucky = mean[0] - spread[0]  # labels that fit better than calibrated ones do tell little of large errors
    growth = _last_growth(errors, mean)
    above = q + _skewness(redrawn) * (q * q - 1.0) / 6.0 if skewed else q
    upper, lower = mean + above * spread, mean - q * spread
    # beyond the grid no end may cross the estimate: the low one grows as fast as that at least, the high one at most
    low = _first_error(observed, errors, upper, max(growth, _last_growth(errors, upper)))
    high = _first_error(max(observed, lucky), errors, lower, min(growth, _last_growth(errors, lower)))
    return Inverted(_first_error(observed, errors, mean, growth), low, high)


def _skewness(redrawn: FloatArray) -> float:
    """Return the skewness of the values of all truths together, each truth about its own mean in its own spread."""
    deviations = redrawn - redrawn.mean(axis=1, keepdims=True)
    spread = redrawn.std(axis=1, ddof=1, keepdims=True)
    standardised = np.divide(deviations, spread, out=np.zeros_like(deviations), where=spread > 0)
    return float(np.clip(np.mean(standardised**3), 0.0, MOST_SKEWED))


def chain_lengths(scale: float, whole_way: float, error_at: Callable[[float], float]) -> list[float]:
    """Return how far the truths of a chain go, in units of the way to g, so that errors are `STEPS` times the scale.

    Where the ends of [0, 1] keep truths from that, as where events are rare and scores too high, the errors beyond g
    are hardly larger than that of g, and labels vary ever less. Then g itself is one of the truths.

    Parameters
    ----------
    scale : float
        The unit of the errors.
    whole_way : float
        The error of g.
    error_at : callable
        The error of the truth of a length.
    """
    lengths = [step * scale / whole_way for step in STEPS]
    bitten = any(error_at(t) < (1.0 - BITE) * t * whole_way for t in lengths)
    return sorted({*lengths, 1.0}) if bitten else lengths


def find_growing(errors: FloatArray) -> list[int]:
    """Return which truths of a chain have a larger error than all before them; at the ends of [0, 1] it may stop."""
    return [0, *(k for k in range(1, errors.size) if errors[k] > errors[:k].max())]


def misreads(errors: FloatArray, redrawn: FloatArray, scale: float) -> bool:
    """Return whether the measure sees much more or less than the true error, where that is as large as `scale`.

    Its noise at calibration is taken off in the square, sqrt(m^2 - m_0^2): what is left is nearly the same for a family
    that can follow the truths, however few the rows.
    """
    mean = redrawn.mean(axis=1)
    k = int(np.argmax(errors >= scale)) if errors[-1] >= scale else errors.size - 1
    seen = float(np.sqrt(max(mean[k] ** 2 - mean[0] ** 2, 0.0)))
    return bool(abs(seen - errors[k]) > MISREAD * errors[k])


def _last_growth(errors: FloatArray, bound: FloatArray) -> float:
    """Return how fast the bound grows with the true error between the last truths, and is taken to beyond them."""
    last = np.maximum.accumulate(bound)[-2:]
    return max(float((last[-1] - last[0]) / (errors[-1] - errors[-2])) if errors.size > 1 else 0.0, STEEP)


def _first_error(observed: float, errors: FloatArray, bound: FloatArray, growth: float) -> float:
    """Return the smallest true error at which the bound reaches the observed error, 0 if it is there already.

    The bound is straight between the truths, beyond the last it grows as given, and it does not fall.
    """
    bound = np.maximum.accumulate(bound)
    if bound[0] >= observed:
        return 0.0
    reached = np.flatnonzero(bound >= observed)
    if reached.size == 0:
        return float(errors[-1] + (observed - bound[-1]) / growth)
    k = int(reached[0])
    share = (observed - bound[k - 1]) / (bound[k] - bound[k - 1])
    return float(errors[k - 1] + share * (errors[k] - errors[k - 1]))
