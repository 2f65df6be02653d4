"""The t-test of one probability against a count of positives.

T = sqrt(n) |ybar - p| / sqrt(ybar (1 - ybar)) with n - 1 degrees of freedom, two-sided. Where all labels are equal the
deviation is 0: any p but ybar is rejected. A single row has no degree of freedom and rejects nothing.
"""

import numpy as np
from scipy.special import stdtr, stdtrit

from fitontest.results.typing import ArrayInput, BoolArray, FloatArray, IntArray

LEAST_LEVEL = 1e-100  # below it scipy before 1.17 has quantiles that are too far out
CLOSE = 1e-9  # relative distance from the critical value within which the p-value decides


def p_values(k: ArrayInput, n: ArrayInput, p: ArrayInput) -> FloatArray:
    """Return the two-sided p-values of the t-test; arguments as in the binomial test."""
    counts, rows, tested = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (k, n, p)))
    out: FloatArray = np.ones(tested.shape)
    able = rows > 1
    away, spread = _away(counts[able], rows[able], tested[able])
    t = np.full(away.shape, np.inf)
    t[away == 0] = 0.0
    np.divide(away, spread, out=t, where=spread > 0)
    out[able] = 2.0 * stdtr(rows[able] - 1.0, -t)
    return out


def rejected(k: FloatArray, n: FloatArray, p: FloatArray, starts: IntArray, alpha: float) -> BoolArray:
    """Return whether each prediction is rejected: p-value <= alpha; arguments as in the binomial test."""
    if alpha < LEAST_LEVEL:
        at = np.repeat(np.arange(n.size), np.diff(starts))
        return p_values(k[at], n[at], p) <= alpha
    able = n > 1
    critical = np.full(n.shape, np.inf)
    critical[able] = -stdtrit(n[able] - 1.0, alpha / 2.0)
    size = np.diff(starts)
    tested = np.repeat(able, size)
    out = np.zeros(p.size, dtype=bool)
    away, spread = _away(np.repeat(k, size)[tested], np.repeat(n, size)[tested], p[tested])
    limit = np.zeros(away.shape)
    np.multiply(np.repeat(critical, size)[tested], spread, out=limit, where=spread > 0)
    out[tested] = (away > 0) & (away >= limit)
    close = np.flatnonzero(tested)[np.abs(away - limit) <= CLOSE * limit]  # within rounding: compare the p-value
    at = np.searchsorted(starts, close, side="right") - 1
    out[close] = p_values(k[at], n[at], p[close]) <= alpha
    return out


def _away(k: FloatArray, n: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sqrt(n) |ybar - p| and the standard deviation of a label."""
    ybar = k / n
    return np.sqrt(n) * np.abs(ybar - p), np.sqrt(ybar * (1.0 - ybar))
