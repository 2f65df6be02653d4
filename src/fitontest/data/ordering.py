"""Rows in order and ties pooled: the two views of a sample that order-dependent estimators work on.

Rows are sorted by (p, y, w), so both views are functions of the multiset of rows: nothing that is computed from
them, not even its rounding, can depend on the order in which the rows arrived.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.results.typing import BoolArray, FloatArray, IntArray

FEW_TO_SORT = 10_000  # of which an argsort takes a moment
MOST_WRONG = 1_000  # that are sorted one by one after the others


@dataclass(frozen=True, eq=False)
class Rows:
    """Entries of positive weight sorted by (p, y, w): a function of the multiset of rows, not of their order.

    Attributes
    ----------
    p, y, w : arrays of shape (m,)
        Scores, labels and weights.
    n : int array of shape (m,)
        Rows behind each entry: 1, unless an entry sums up many rows of one score and label.
    w2 : array of shape (m,)
        Sum of the squared weights of these rows. Whole weights count rows, and a row of weight 2 is two rows of
        squared weight 1: there w2 is w.
    """

    p: FloatArray
    y: FloatArray
    w: FloatArray
    n: IntArray
    w2: FloatArray

    def __post_init__(self) -> None:
        _freeze(self.p, self.y, self.w, self.n, self.w2)

    def __len__(self) -> int:
        return self.p.size

    @classmethod
    def of(cls, p: FloatArray, y: FloatArray, w: FloatArray, *, whole: bool) -> "Rows":
        """Return entries that are one row each; `whole` says whether the weights count rows."""
        return cls(p, y, w, np.broadcast_to(np.intp(1), p.shape), w if whole else w * w)

    @property
    def single(self) -> bool:
        """Whether every entry is one row."""
        return self.n.strides == (0,) or bool(np.all(self.n == 1))

    def at(self, chosen: BoolArray | IntArray) -> "Rows":
        """Return the chosen entries; positions must ascend."""
        return Rows(self.p[chosen], self.y[chosen], self.w[chosen], self.n[chosen], self.w2[chosen])


@dataclass(frozen=True, eq=False)
class DistinctScores:
    """The distinct scores of positive weight, in increasing order, with what stands at each of them.

    Attributes
    ----------
    p : array of shape (G,)
        Strictly increasing scores.
    n : array of shape (G,)
        Number of rows at each score.
    w, wy, w2 : arrays of shape (G,)
        Total weight, weight of the positives, and sum of the squared weights (see `Rows`) at each score.
    first : array of shape (G,)
        Position in `Rows` of the first row of each group.
    """

    p: FloatArray
    n: IntArray
    w: FloatArray
    wy: FloatArray
    w2: FloatArray
    first: IntArray

    def __post_init__(self) -> None:
        _freeze(self.p, self.n, self.w, self.wy, self.w2, self.first)

    def __len__(self) -> int:
        return self.p.size


def sorted_rows(p: FloatArray, labels: NDArray[Any], w: FloatArray | None, *, whole: bool) -> Rows:
    """Return the rows sorted by (p, y, w); without weights all are one. `whole`: whether weights count rows."""
    key = _sort_key(p, labels)
    if w is None:
        key.sort()
        w = np.broadcast_to(np.float64(1.0), key.shape)
    else:
        key, w = _sort_weighted(key, w)
    y = (key & np.uint64(1)).astype(np.float64)
    key >>= np.uint64(1)
    return Rows.of(key.view(np.float64), y, w, whole=whole)


def pooled(rows: Rows, *, unit: bool, apart: IntArray | None = None) -> DistinctScores:
    """Return the groups of tied scores; without ties they share the arrays of the rows.

    `apart` has a number for each row, and rows of different numbers are not pooled.
    """
    begins = rows.p[1:] != rows.p[:-1]
    if apart is not None:
        begins |= apart[1:] != apart[:-1]
    first = np.flatnonzero(np.concatenate(([True], begins)))
    if first.size == len(rows):
        return DistinctScores(rows.p, rows.n, rows.w, rows.y if unit else rows.w * rows.y, rows.w2, first)
    n = np.diff(first, append=len(rows)) if rows.single else np.add.reduceat(rows.n, first)
    w = n.astype(np.float64) if unit else np.add.reduceat(rows.w, first)
    wy = np.add.reduceat(rows.y if unit else rows.w * rows.y, first)
    w2 = w if rows.w2 is rows.w else np.add.reduceat(rows.w2, first)
    return DistinctScores(rows.p[first], n, w, wy, w2, first)


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
    order, ordered = _argsorted(key)
    if np.any(ordered[1:] == ordered[:-1]):  # equal (p, y): order them by weight, or the row order would show
        order = np.lexsort((w, key))
    return ordered, w[order]


def _argsorted(key: NDArray[np.uint64]) -> tuple[IntArray, NDArray[np.uint64]]:
    """Return an order that sorts the integers of `_sort_key`, and the sorted ones.

    The place of each takes the bits of the last digits of its score, below the label: one sort of such integers is
    faster than an argsort. The few that differ in those digits alone are sorted afterwards; where they are many, as of
    scores that are nearly equal, an argsort takes over.
    """
    if key.size < FEW_TO_SORT:
        order = np.argsort(key)
        return order, key[order]
    one, bits = np.uint64(1), np.uint64((key.size - 1).bit_length())
    packed = (key >> (bits + one)) << one
    packed |= key & one
    packed <<= bits
    packed |= np.arange(key.size, dtype=np.uint64)
    packed.sort()
    order = (packed & ((one << bits) - one)).astype(np.intp)
    ordered = key[order]
    wrong = np.flatnonzero(ordered[1:] < ordered[:-1])
    if wrong.size > MOST_WRONG:
        order = np.argsort(key)
        return order, key[order]
    packed >>= bits + one
    for place in wrong.tolist():
        start = int(np.searchsorted(packed, packed[place], side="left"))
        stop = int(np.searchsorted(packed, packed[place], side="right"))
        again = order[start:stop]
        again = again[np.argsort(key[again])]
        order[start:stop], ordered[start:stop] = again, key[again]
    return order, ordered


def _freeze(*arrays: NDArray[Any]) -> None:
    for array in arrays:
        array.flags.writeable = False
