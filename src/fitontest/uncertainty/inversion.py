"""From redrawn labels to an interval: the true errors under which the observed one would be ordinary.

At each of a few truths the error is known, and redrawn labels show which errors are then observed: their mean m and
standard deviation s. With z = (T - m) / s of the observed error T, as a function of the true error,

    debiased error: z = 0        low end: z = +q        high end: z = -q

q is the quantile of Student's t with as many degrees of freedom as draws less one, times sqrt(1 + 1 / draws).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from fitontest.typing import FloatArray

STEEP = 0.25  # the least fall of z beyond the grid, in standard deviations at its last truth
LEAST_SPREAD = 0.1  # of the largest: labels of scores of 0 and 1 do not vary at all if these are the truth
MISREAD = 0.15  # of the true error, by which a measure that sees more or less of it does not follow the truths
ROUNDING = 1e-12  # relative spread of values that are all the same


@dataclass(frozen=True)
class Inverted:
    """The debiased error and the ends of its interval."""

    estimate: float
    low: float
    high: float


def invert(observed: float, errors: FloatArray, redrawn: FloatArray, level: float) -> Inverted | None:
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

    References
    ----------
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
    q = float(student.ppf((1.0 + level) / 2.0, draws - 1) * np.sqrt(1.0 + 1.0 / draws))
    curve = _Curve(errors, np.minimum.accumulate((observed - mean) / spread), STEEP / spread[-1])
    high = curve.error_at(-q)
    lucky = mean[0] - spread[0]
    if observed < lucky:  # labels that fit better than calibrated ones do tell little of large errors
        bounded = _Curve(errors, np.minimum.accumulate((lucky - mean) / spread), STEEP / spread[-1])
        high = max(high, bounded.error_at(-q))
    return Inverted(curve.error_at(0.0), curve.error_at(q), high)


def chain_of_truths(p: FloatArray, g: FloatArray, lengths: Iterable[float]) -> list[FloatArray]:
    """Return the truths p + t (g - p), within [0, 1], for lengths t of the way from calibrated scores to g."""
    return [np.clip(p + t * (g - p), 0.0, 1.0) for t in lengths]


def growing(errors: FloatArray) -> list[int]:
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


@dataclass(frozen=True, eq=False)
class _Curve:
    """z as a non-increasing function of the true error, straight between the truths and beyond the last."""

    errors: FloatArray
    z: FloatArray
    least_fall: float

    def error_at(self, z: float) -> float:
        """Return the smallest true error at which the curve is no more than z, 0 if it is below there already."""
        if self.z[0] <= z:
            return 0.0
        below = np.flatnonzero(self.z <= z)
        if below.size == 0:
            return float(self.errors[-1] + (self.z[-1] - z) / self._fall_beyond)
        k = int(below[0])
        share = (self.z[k - 1] - z) / (self.z[k - 1] - self.z[k])
        return float(self.errors[k - 1] + share * (self.errors[k] - self.errors[k - 1]))

    @property
    def _fall_beyond(self) -> float:
        if self.z.size < 2:
            return self.least_fall
        last = (self.z[-2] - self.z[-1]) / (self.errors[-1] - self.errors[-2])
        return float(max(last, self.least_fall))
