"""The exact two-sided binomial test: p-values for many triples (k, n, p) at once.

Given k positives among n, X ~ Bin(n, p) is tested by the minimum-likelihood rule: the p-value is the probability of
all outcomes that are at most as likely as k,

    P{x : pmf(x) <= pmf(k) (1 + 1e-7)},

and 1 where k = n p. These outcomes are two tails. The near one starts at k; the far one ends at an index on the other
side of the mode, found by bisection because the pmf rises up to the mode. The definition and every comparison are those
of ``scipy.stats.binomtest``, which takes one triple per call.
"""

import numpy as np

from fitontest.numerics.significance.binomial_law import cdf, pmf, sf
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray

SMALLEST = 1e-300
LIKELY = 1.0 + 1e-7  # outcomes as likely as k up to rounding belong to the tails


def p_values(k: ArrayInput, n: ArrayInput, p: ArrayInput) -> FloatArray:
    """Return the two-sided p-values of the exact binomial test.

    Parameters
    ----------
    k, n : arrays of whole numbers, 0 <= k <= n
        Positives and rows; with n = 0 the p-value is 1.
    p : array in [0, 1]
        Probabilities to test. The three arrays are broadcast.
    """
    k, n, p = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in (k, n, p)))
    out = np.ones(p.shape)
    p = representable(p)
    mean = n * p
    for high in (False, True):  # p above the share of positives: the near tail is the lower one
        chosen = k < mean if high else k > mean
        out[chosen] = _two_tails(k[chosen], n[chosen], p[chosen], high=high)
    return out


def representable(p: FloatArray) -> FloatArray:
    """Return the probabilities with those in (0, 1e-300) raised to 1e-300, at which scipy's pmf does not overflow.

    With k = 0 the p-value is 1 at either; with k > 0 it is below 1e-290 at either.
    """
    tiny = (p > 0) & (p < SMALLEST)
    return np.where(tiny, SMALLEST, p) if tiny.any() else p


def _two_tails(k: FloatArray, n: FloatArray, p: FloatArray, *, high: bool) -> FloatArray:
    if k.size == 0:
        return np.empty(0)
    far = far_index(k, n, p, high=high)
    near_tail = cdf(k, n, p) if high else sf(k - 1.0, n, p)
    far_tail = sf(n - far - 1.0, n, p) if high else cdf(far, n, p)
    return np.asarray(np.minimum(near_tail + far_tail, 1.0))


def far_index(k: FloatArray, n: FloatArray, p: FloatArray, *, high: bool) -> FloatArray:
    """Return the last index of the far tail, -1 where it is empty; counted from the far end, so from n if `high`.

    Indices are those of min-likelihood: pmf <= pmf(k) (1 + 1e-7) at all of 0..i, and not at i + 1.
    """

    def in_tail(i: FloatArray, at: BoolArray | slice) -> BoolArray:
        x = n[at] - i if high else i
        return np.asarray(pmf(x, n[at], p[at]) <= limit[at], dtype=bool)

    limit = np.asarray(pmf(k, n, p)) * LIKELY
    last = n - np.ceil(p * n) if high else np.floor(p * n)
    low, beyond = _guess(n - k if high else k, n, 1.0 - p if high else p, last)
    every = slice(None)
    low = np.where((low < 0) | in_tail(np.maximum(low, 0.0), every), low, -1.0)
    beyond = np.where((beyond > last) | ~in_tail(np.minimum(beyond, last), every), beyond, last + 1.0)
    while (wide := beyond - low > 1).any():
        middle = np.floor((low[wide] + beyond[wide]) / 2)
        inside = in_tail(middle, wide)
        low[wide] = np.where(inside, middle, low[wide])
        beyond[wide] = np.where(inside, beyond[wide], middle)
    return low


def _guess(k: FloatArray, n: FloatArray, p: FloatArray, last: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bracket the end of the far tail: as far below the mean as k is above it, give or take the skewness."""
    mean = n * p
    away = k - mean
    width = 4.0 + away * away / np.maximum(mean * (1.0 - p), 1.0)
    middle = np.floor(mean - away)
    return np.clip(middle - width, -1.0, last).round(), np.clip(middle + width, 0.0, last + 1.0).round()
