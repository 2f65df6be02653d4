"""Rows in order and ties pooled: the two views of a sample that order-dependent estimators work on.

Rows are sorted by (p, y, w), so both views are functions of the multiset of rows: nothing that is computed from
them, not even its rounding, can depend on the order in which the rows arrived.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of positive weight sorted by (p, y, w): a function of the multiset of rows, not of their order."""

    p: FloatArray
    y: FloatArray
    w: FloatArray

    def __post_init__(self) -> None:
        _freeze(self.p, self.y, self.w)

    def __len__(self) -> int:
        return self.p.size


@dataclass(frozen=True, eq=False)
class Groups:
    """The distinct scores of positive weight, in increasing order, with what stands at each of them.

    Attributes
    ----------
    p : array of shape (G,)
        Strictly increasing scores.
    n : array of shape (G,)
        Number of rows at each score.
    w, wy : arrays of shape (G,)
        Total weight and weight of the positives at each score.
    first : array of shape (G,)
        Position in `Rows` of the first row of each group.
    """

    p: FloatArray
    n: IntArray
    w: FloatArray
    wy: FloatArray
    first: IntArray

    def __post_init__(self) -> None:
        _freeze(self.p, self.n, self.w, self.wy, self.first)

    def __len__(self) -> int:
        return self.p.size


def sorted_rows(p: FloatArray, labels: NDArray[Any], w: FloatArray | None) -> Rows:
    """Return the rows sorted by (p, y, w); without weights all are one."""
    key = _sort_key(p, labels)
    if w is None:
        key.sort()
        w = np.broadcast_to(np.float64(1.0), key.shape)
    else:
        key, w = _sort_weighted(key, w)
    y = (key & np.uint64(1)).astype(np.float64)
    key >>= np.uint64(1)
    return Rows(key.view(np.float64), y, w)


def pooled(rows: Rows, *, unit: bool) -> Groups:
    """Return the groups of tied scores; without ties they share the arrays of the rows."""
    first = np.flatnonzero(np.concatenate(([True], rows.p[1:] != rows.p[:-1])))
    if first.size == len(rows):
        one = np.broadcast_to(np.intp(1), first.shape)
        return Groups(rows.p, one, rows.w, rows.y if unit else rows.w * rows.y, first)
    n = np.diff(first, append=len(rows))
    w = n.astype(np.float64) if unit else np.add.reduceat(rows.w, first)
    wy = np.add.reduceat(rows.y if unit else rows.w * rows.y, first)
    return Groups(rows.p[first], n, w, wy, first)


def _sort_key(p: FloatArray, labels: NDArray[Any]) -> NDArray[np.uint64]:
    """Return integers that sort as (p, y) does.

    The bit patterns of floats >= 0 are ordered as the floats; below 2 they leave the top two bits free, so the
    label fits under the score. One sort of integers replaces an argsort and two gathers. Adding 0.0 turns -0.0
    into 0.0.
    """
    key = (p + 0.0).view(np.uint64)
    key <<= np.uint64(1)
    key |= labels.astype(np.uint64)
    return key


def _sort_weighted(key: NDArray[np.uint64], w: FloatArray) -> tuple[NDArray[np.uint64], FloatArray]:
    order = np.argsort(key)
    ordered = key[order]
    if np.any(ordered[1:] == ordered[:-1]):  # equal (p, y): order them by weight, or the row order would show
        order = np.lexsort((w, key))
    return key[order], w[order]


def _freeze(*arrays: NDArray[Any]) -> None:
    for array in arrays:
        array.flags.writeable = False
