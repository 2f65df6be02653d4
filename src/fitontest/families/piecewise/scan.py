"""Where a single inner knot may stand: places worth trying, chosen by a quadratic approximation of the loss.

With one knot t the polygons are the lines a + b x + g (x - t)_+. Next to a map f with the derivatives r = dL/df and
W = d2L/df2 at the nodes, the loss is the weighted sum of squares sum W (f_new - z)^2 / 2 with z = f - r / W, up to a
constant. A bend at t lowers twice the least such sum of a straight line by

    U(t)^2 / I(t),  U = sum W (z - line) h,  I = sum W h^2 - (its projection on 1 and x),  h = (x - t)_+,

for all t at once, by sums from one end. These gains rank the places; the loss itself, with the best values at each
place that is tried, decides (`families.piecewise.fitting`).
"""

import numpy as np

from fitontest.families.piecewise.tasks import TINY
from fitontest.results.typing import FloatArray, IntArray

SPECK = 1e-9  # share of a bend that must not be a straight line, or the gain would be rounding


def places_between(x: FloatArray, low: float, high: float) -> FloatArray:
    """Return the nodes inside (low, high), and the middles between neighbours of all of these."""
    inner = x[(x > low) & (x < high)]
    middles = np.diff(np.concatenate(([low], inner, [high]))) / 2 + np.concatenate(([low], inner))
    places = np.unique(np.concatenate((inner, middles)))
    return places[(places > low) & (places < high)]


def promising(gains: FloatArray, size: int) -> IntArray:
    """Return in each row the indices of `size` places, ascending: half of them spread, the others peaks of the gain.

    The approximation is poor where a bend changes much. That is so next to the ends, where a segment may hold few rows
    and a place farther changes their share: there the spread places are close.

    Parameters
    ----------
    gains : array of shape (B, C)
    size : int
        All of them where C is no larger.
    """
    size = min(size, gains.shape[1])
    beside = np.pad(gains, ((0, 0), (1, 1)), constant_values=-np.inf)
    peaks = (gains >= beside[:, :-2]) & (gains >= beside[:, 2:])
    rank = np.where(peaks, gains, -1.0 / (1.0 + gains))  # what is no peak comes after all that are
    from_an_end = np.geomspace(1, (gains.shape[1] + 1) / 2, size // 4).round().astype(np.intp)
    rank[:, from_an_end - 1] = rank[:, -from_an_end] = np.inf
    return np.sort(np.argsort(-rank, axis=1, kind="stable")[:, :size], axis=1)


def gains_of_a_bend(at: FloatArray, x: FloatArray, w: FloatArray, wz: FloatArray) -> FloatArray:
    """Return by how much a bend at each place lowers the least sum of w (z - line)^2, shape (B, C).

    Parameters
    ----------
    at : array of shape (C,)
    x : array of shape (M,)
        Nodes, ascending.
    w, wz : arrays of shape (B, M)
        Weights, and weights times what is to be fitted.
    """
    total = np.maximum(w.sum(axis=1, keepdims=True), TINY)
    mean = (w @ x)[:, None] / total
    above = _gains_from_the_right(at - mean, x - mean, w, wz, total)
    below = _gains_from_the_right(mean - at[::-1], mean - x[::-1], w[:, ::-1], wz[:, ::-1], total)
    return np.where(at > mean, above, below[:, ::-1])  # few nodes beyond the bend: less is lost to rounding


def _gains_from_the_right(
    at: FloatArray, x: FloatArray, w: FloatArray, wz: FloatArray, total: FloatArray
) -> FloatArray:
    """Return the gains of h = (x - t)_+ for `at` of shape (B, C) and x of shape (B, M), both about the mean of x."""
    first = np.stack([np.searchsorted(nodes, places, side="right") for nodes, places in zip(x, at, strict=True)])

    def beyond(terms: FloatArray) -> FloatArray:
        sums = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
        return np.take_along_axis(np.pad(sums, ((0, 0), (0, 1))), first, axis=1)

    square = np.maximum((w * x * x).sum(axis=1, keepdims=True), TINY)
    line = wz.sum(axis=1, keepdims=True) / total + (wz * x).sum(axis=1, keepdims=True) / square * x
    rest = wz - w * line
    s0, s1, s2 = beyond(w), beyond(w * x), beyond(w * x * x)
    own = s2 - 2.0 * at * s1 + at * at * s0
    level, slope = s1 - at * s0, s2 - at * s1
    information = own - level**2 / total - slope**2 / square
    score = beyond(rest * x) - at * beyond(rest)
    bends = information > SPECK * own
    return np.where(bends, score**2 / np.where(bends, information, 1.0), 0.0)
