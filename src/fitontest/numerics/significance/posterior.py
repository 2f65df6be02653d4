"""Scores beyond the credible interval of the probability of a label, with a uniform prior.

With k positives of n rows the posterior of their probability is Beta(k + 1, n - k + 1), with the density f, and of a
score p

    P(f(X) <= f(p)),   X of that distribution,

is at most alpha exactly if p lies outside of the shortest credible interval of level 1 - alpha, or on its border. The
interval between two quantiles would leave out 0 where no label is positive.
"""

import numpy as np
from scipy.special import betainc, betaincc, xlog1py, xlogy

from fitontest.results.typing import ArrayInput, BoolArray, FloatArray, IntArray

HALVINGS = 60  # of an interval of length 1: below the spacing of doubles near 1


def p_values(k: ArrayInput, n: ArrayInput, p: ArrayInput) -> FloatArray:
    """Return the posterior probability of values at most as likely as p; 1 of no rows.

    Parameters
    ----------
    k, n, p : array-like of one shape
        Positives, rows and scores.
    """
    counts, rows, tested = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (k, n, p)))
    out: FloatArray = np.ones(tested.shape)
    some = rows > 0
    k, n, p = counts[some], rows[some], tested[some]
    other = _as_likely(k, n, p)
    low, high = np.minimum(p, other), np.maximum(p, other)
    out[some] = np.minimum(1.0, betainc(k + 1.0, n - k + 1.0, low) + betaincc(k + 1.0, n - k + 1.0, high))
    return out


def rejected(k: FloatArray, n: FloatArray, p: FloatArray, starts: IntArray, alpha: float) -> BoolArray:
    """Return whether each score is rejected: p-value <= alpha; arguments as in the binomial test.

    In each bin p-values grow up to the share of positives and fall from there, so that halving finds where they pass
    alpha.
    """
    share = np.divide(k, n, out=np.zeros(k.shape), where=n > 0)
    begin, end = starts[:-1], starts[1:]
    middle = np.clip(np.searchsorted(p, share), begin, end)
    kept_from = _first(k, n, p, alpha, begin, middle, rejects=False)
    kept_to = _first(k, n, p, alpha, middle, end, rejects=True)
    turns = np.zeros(p.size + 1, dtype=np.int64)
    np.add.at(turns, kept_from, 1)
    np.add.at(turns, kept_to, -1)
    return np.asarray(np.cumsum(turns[:-1]) == 0)


def _first(
    k: FloatArray, n: FloatArray, p: FloatArray, alpha: float, begin: IntArray, end: IntArray, *, rejects: bool
) -> IntArray:
    """Return the first place of each bin from begin to end whose score is rejected, or is not; else the end."""
    low, high = begin.copy(), end.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        passed = (p_values(k[open_], n[open_], p[middle]) <= alpha) == rejects
        high[open_] = np.where(passed, middle, high[open_])
        low[open_] = np.where(passed, low[open_], middle + 1)
    return low


def _as_likely(k: FloatArray, n: FloatArray, p: FloatArray) -> FloatArray:
    """Return the value beyond the mode k / n whose density is that of p; the end of [0, 1] where there is none."""
    mode = k / n
    level = _log_density(k, n, p)
    near, far = mode.copy(), np.where(p < mode, 1.0, 0.0)
    for _ in range(HALVINGS):
        middle = (near + far) / 2.0
        likelier = _log_density(k, n, middle) > level
        near, far = np.where(likelier, middle, near), np.where(likelier, far, middle)
    ends = np.where(p < mode, 1.0, 0.0)
    return np.where(_log_density(k, n, ends) > level, ends, far)


def _log_density(k: FloatArray, n: FloatArray, p: FloatArray) -> FloatArray:
    """Return log f(p) up to a constant."""
    return np.asarray(xlogy(k, p) + xlog1py(n - k, -p))
