"""Finding where scores lie among sorted knots: the same results as numpy's, several times faster for many scores.

numpy's binary search is quick where the scores are sorted, since it starts from the previous position. Where they are
in no order, each search misses the cache and the branch prediction. So [0, 1] is cut into equal cells, a table holds
how many knots lie before each cell, and a score steps over the few knots within its own cell. 4096 is a power of two:
the cell of a score is exact.
"""

import numpy as np

from fitontest.results.typing import FloatArray, IntArray

BLOCK = 65_536  # scores per block of a pass over many: its temporaries stay in the cache
CELLS = 4096
MOST_STEPS = 8  # knots in one cell: with more, stepping would take longer than searching
FEW = 20_000  # scores for which the table is not worth its making


def positions(knots: FloatArray, p: FloatArray, side: str) -> IntArray:
    """Return ``np.searchsorted(knots, p, side)`` of scores p among increasing knots, quickly for p in [0, 1]."""
    table = _table(knots, p)
    if table is None:
        return np.asarray(np.searchsorted(knots, p, side=side))  # type: ignore[call-overload]
    return _stepped(table, knots, p, side)


def _stepped(table: tuple[IntArray, int], knots: FloatArray, p: FloatArray, side: str) -> IntArray:
    """Return the positions by stepping from the first knot of each score's cell."""
    before, steps = table
    following = np.append(knots, np.inf)
    flat, indices = p.reshape(-1), np.empty(p.size, dtype=np.intp)
    for start in range(0, flat.size, BLOCK):
        q = flat[start : start + BLOCK]
        at = before[(q * CELLS).astype(np.intp)]
        for _ in range(steps):
            at += following[at] <= q if side == "right" else following[at] < q
        indices[start : start + BLOCK] = at
    return indices.reshape(p.shape)


def interpolated(p: FloatArray, knots: FloatArray, values: FloatArray) -> FloatArray:
    """Return ``np.interp(p, knots, values)`` of scores p, quickly for p in [0, 1], by the same arithmetic.

    Between knots so close that the slope overflows numpy's value is infinite: it is then that of one of the ends.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.append(np.diff(values) / np.diff(knots), 0.0)  # flat beyond the last knot
    if not np.isfinite(slopes).all():
        return _between_ends(p, knots, values)
    table = _table(knots, p) if knots.size > 1 else None
    if table is None:
        return np.interp(p, knots, values)
    left = _stepped(table, knots, p, "right") - 1
    inside = np.maximum(left, 0)
    heights = slopes[inside]
    heights *= p - knots[inside]
    heights += values[inside]
    return np.where(left < 0, values[0], heights)


def _between_ends(p: FloatArray, knots: FloatArray, values: FloatArray) -> FloatArray:
    """Return the interpolated values, none beyond those at the two knots around its score."""
    left = np.clip(np.searchsorted(knots, p, side="right") - 1, 0, knots.size - 2)
    ends = values[left], values[left + 1]
    return np.asarray(np.clip(np.interp(p, knots, values), np.minimum(*ends), np.maximum(*ends)))


def _table(knots: FloatArray, p: FloatArray) -> tuple[IntArray, int] | None:
    """Return how many knots lie before each cell, and the most in a cell; None where a search is quicker."""
    if p.size < FEW or knots.size == 0 or _sorted(p.reshape(-1)):
        return None
    if not (p.min() >= 0.0 and p.max() <= 1.0):  # also where there are NaN: there are no cells for them
        return None
    before = np.searchsorted(knots, np.arange(CELLS + 1) / CELLS)
    steps = int(np.diff(before, append=knots.size).max())
    return (before, steps) if steps <= MOST_STEPS else None


def _sorted(p: FloatArray) -> bool:
    head = p[:1000]  # nearly always enough to see that scores are in no order
    return bool(np.all(head[1:] >= head[:-1]) and np.all(p[1:] >= p[:-1]))
