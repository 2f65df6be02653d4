"""The t-test of one probability against a count of positives.

T = sqrt(n) |ybar - p| / sqrt(ybar (1 - ybar)) with n - 1 degrees of freedom, two-sided. Where all labels are equal the
deviation is 0: any p but ybar is rejected. A single row has no degree of freedom and rejects nothing.
"""

import numpy as np
from scipy.special import stdtr, stdtrit

from fitontest.typing import ArrayInput, BoolArray, FloatArray, IntArray


def p_values(k: ArrayInput, n: ArrayInput, p: ArrayInput) -> FloatArray:
    """Return the two-sided p-values of the t-test; arguments as in the binomial test."""
    k, n, p = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (k, n, p)))
    out: FloatArray = np.ones(p.shape)
    able = n > 1
    away, spread = _away(k[able], n[able], p[able])
    t = np.full(away.shape, np.inf)
    t[away == 0] = 0.0
    np.divide(away, spread, out=t, where=spread > 0)
    out[able] = 2.0 * stdtr(n[able] - 1.0, -t)
    return out


def rejected(k: FloatArray, n: FloatArray, p: FloatArray, starts: IntArray, alpha: float) -> BoolArray:
    """Return whether each prediction is rejected: p-value <= alpha; arguments as in the binomial test."""
    able = n > 1
    critical = np.full(n.shape, np.inf)
    critical[able] = stdtrit(n[able] - 1.0, 1.0 - alpha / 2.0)
    size = np.diff(starts)
    k, n, critical, able = (np.repeat(column, size) for column in (k, n, critical, able))
    out = np.zeros(p.size, dtype=bool)
    away, spread = _away(k[able], n[able], p[able])
    out[able] = (away > 0) & (away >= critical[able] * spread)
    return out


def _away(k: FloatArray, n: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sqrt(n) |ybar - p| and the standard deviation of a label."""
    ybar = k / n
    return np.sqrt(n) * np.abs(ybar - p), np.sqrt(ybar * (1.0 - ybar))
