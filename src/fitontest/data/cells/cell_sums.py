"""Counts and sums of rows by score cell: what one pass over any number of rows keeps of them.

A cell is a small interval of scores, of about a thousandth in probability and in logit. Its key is one whole number

    key = ((floor(1024 logit p) + 2^20) 2048 + floor(1024 p)) (m + 1) + #{j : p >= e_j},

e_1 < ... < e_m being further edges, where a cell must end too; the logits of 0 and 1 count as -1024 and 1024, with 1/2
as the second p. Or every distinct score is a cell of its own (`exact`), and the key is the bits of the score.

Where rows belong to groups the rows of each group have cells of their own. Their intervals of scores are eight times as
wide, with 128 for 1024 in the key, since there may be as many cells as groups times intervals.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.cells.group_ids import joined_ids, used_ids
from fitontest.data.class_rows import NOT_OF_CLASSES, ClassRows
from fitontest.results.typing import BoolArray, FloatArray, IntArray

FINE = 1024  # cells per unit of probability, and of logit
BY_GROUP = 128  # the same where each group has cells of its own
FLOOR = 2**20  # more than 1024 times the logit of any float
WIDTH = 2048  # more than the cells of [0, 1]
MOST_EDGES = 1000
NEGLIGIBLE = 1e-30  # share of the total weight below which rows are absent
MOST_JOINT = 2**62  # numbers of key and group in one
MIXED = (
    "cells must all be by group, or none of them, to be added: rows of cells without groups cannot be told apart any "
    "more; make these by Cells.of(..., groups=...) or Cells.of_frame(..., groups=...)"
)
MOST_PENDING = 1_000_000  # cells of pieces that wait to be added up


@dataclass(frozen=True)
class Resolution:
    """Which scores share a cell.

    Attributes
    ----------
    exact : bool
        Whether each distinct score has a cell of its own.
    edges : tuple of float
        Increasing, inside (0, 1): no cell has scores on both sides; one that equals an edge is above it.
    by_group : bool
        Whether each group of rows has cells of its own.
    coarse : int
        How many times as wide as usual cells are: a power of two, so that the usual ones lie inside them.
    """

    exact: bool = False
    edges: tuple[float, ...] = ()
    by_group: bool = False
    coarse: int = 1

    @property
    def fine(self) -> int:
        """Cells per unit of probability, and of logit."""
        return (BY_GROUP if self.by_group else FINE) // self.coarse

    def keys(self, p: FloatArray) -> IntArray:
        """Return the key of the cell of each score; keys are ordered as the scores."""
        if self.exact:
            return np.asarray((p + 0.0).view(np.int64))  # floats >= 0 are ordered as their bits
        inside = (p > 0.0) & (p < 1.0)
        q = np.where(inside, p, 0.5)
        logit = np.floor(self.fine * np.log(q / (1.0 - q)))
        logit = np.where(inside, logit, np.where(p <= 0.0, -FLOOR, FLOOR))
        key = (logit.astype(np.int64) + FLOOR) * WIDTH + np.floor(self.fine * q).astype(np.int64)
        if self.edges:
            key *= len(self.edges) + 1
            key += np.searchsorted(self.edges, p, side="right")
        return np.asarray(key)


@dataclass(frozen=True, eq=False)
class CellSums:
    """Counts and sums of C cells in the order of their scores, and those of one key in the order of their groups.

    Attributes
    ----------
    key : int array of shape (C,)
        Strictly increasing, or, of cells by group, not decreasing.
    low, high : arrays of shape (C,)
        The lowest and the highest score of each cell.
    rows : int array of shape (C, 2)
        Rows of positive weight with label 0 and with label 1. Rows that are split between tied classes have a share in
        both, and the array is of floats.
    w, w2 : arrays of shape (C, 2)
        The sum of their weights, and of the squares of these.
    wp : array of shape (C,)
        The sum of weight times score.
    whole : bool
        Whether every weight is a whole number, so that weights count rows.
    group : int array of shape (C,), optional
        The place of the group of each cell among `ids`, strictly increasing among the cells of one key; None where rows
        have no groups.
    ids : array of shape (K,), optional
        What the groups are called, in the order of `ordered_ids`; each has cells.
    class_rows : ClassRows
        What is to be known of the rows of a score for each class that they were made of; nothing of other rows.
    """

    key: IntArray
    low: FloatArray
    high: FloatArray
    rows: IntArray | FloatArray
    w: FloatArray
    w2: FloatArray
    wp: FloatArray
    whole: bool
    group: IntArray | None = None
    ids: NDArray[Any] | None = None
    class_rows: ClassRows = NOT_OF_CLASSES

    @classmethod
    def none(cls) -> "CellSums":
        """Return no cells."""
        count, number = np.empty(0, dtype=np.int64), np.empty(0)
        two = number.reshape(0, 2)
        return cls(count, number, number, count.reshape(0, 2), two, two, number, True)

    @classmethod
    def of_rows(
        cls,
        p: FloatArray,
        y: FloatArray,
        w: FloatArray | None,
        resolution: Resolution,
        groups: tuple[NDArray[Any], IntArray] | None = None,
        share: FloatArray | None = None,
    ) -> "CellSums":
        """Return the cells of checked rows; without weights all are one, and rows of weight 0 are absent.

        `groups` has the ids in order, and the place of each row's among them; `share` the share of a row that each is.
        """
        ids, group = (None, None) if groups is None else groups
        if w is not None:
            present = w > 0
            if not present.all():
                p, y, w = p[present], y[present], w[present]
                group = None if group is None else group[present]
                share = None if share is None else share[present]
        if not p.size:
            return cls.none()
        key = resolution.keys(p)
        order, first = _runs(key, group)
        p, y = p[order], y[order]

        def summed(column: FloatArray) -> FloatArray:
            """Return the sums for both labels, shape (C, 2)."""
            positive = np.add.reduceat(column * y, first)
            return np.stack((np.add.reduceat(column * (1.0 - y), first), positive), axis=1)

        rows = summed(np.ones_like(p)) if share is None else summed(share[order])
        if w is None:
            weight, squares, wp, whole = rows, rows, np.add.reduceat(p, first), True
        else:
            w = w[order]
            weight, squares, wp = summed(w), summed(w * w), np.add.reduceat(w * p, first)
            whole = bool(np.all(w == np.floor(w)))
        low, high = (reduce.reduceat(p, first) + 0.0 for reduce in (np.minimum, np.maximum))
        at = order[first]
        made = cls(key[at], low, high, rows if share is not None else rows.astype(np.int64), weight, squares, wp, whole)
        return made if ids is None or group is None else made.in_groups(ids, group[at])

    def __len__(self) -> int:
        return self.key.size

    @property
    def n(self) -> int:
        """Rows."""
        return round(float(self.rows.sum()))

    @property
    def parts(self) -> IntArray:
        """How many rows or parts of rows of each label there are, shape (C, 2): as many as vary alike, or more."""
        if not self.class_rows.split and self.rows.dtype.kind != "f":
            return np.asarray(self.rows, dtype=np.int64)
        squares = np.divide(self.w**2, self.w2, out=np.zeros_like(self.w), where=self.w2 > 0.0)
        return np.asarray(np.maximum(np.ceil(self.rows), np.rint(squares)), dtype=np.int64)

    def in_groups(self, ids: NDArray[Any], group: IntArray) -> "CellSums":
        """Return the cells with the groups that they belong to, by the places of these among ids that are in order."""
        ids, group = used_ids(ids, group)
        return replace(self, ids=ids, group=group)

    @classmethod
    def added(cls, tables: Sequence["CellSums"]) -> "CellSums":
        """Return the cells of all tables, which have one resolution."""
        tables = [table for table in tables if len(table)]
        if not tables:
            return cls.none()
        if len({table.ids is None for table in tables}) > 1:
            raise ValueError(MIXED)
        return tables[0] if len(tables) == 1 else cls.joined(tables)

    @classmethod
    def joined(cls, tables: Sequence["CellSums"]) -> "CellSums":
        """Return the sums of cells of one key and group."""

        def joined(name: str) -> Any:
            return np.concatenate([getattr(table, name) for table in tables])

        key, ids, group = joined("key"), None, None
        if tables[0].ids is not None:
            ids, places = joined_ids([table.ids for table in tables])  # type: ignore[misc]
            codes = [table.group for table in tables]
            group = np.concatenate(
                [code if place is None else place[code] for code, place in zip(codes, places, strict=True)]
            )
        order, first = _runs(key, group)
        sums = {name: np.add.reduceat(joined(name)[order], first, axis=0) for name in ("rows", "w", "w2", "wp")}
        return cls(
            key=key[order[first]],
            low=np.minimum.reduceat(joined("low")[order], first),
            high=np.maximum.reduceat(joined("high")[order], first),
            whole=all(table.whole for table in tables),
            group=None if group is None else group[order[first]],
            ids=ids,
            class_rows=sum((table.class_rows for table in tables), NOT_OF_CLASSES),
            **sums,
        )

    def pooled(self, resolution: Resolution) -> "CellSums":
        """Return the sums over the wider cells of another resolution, of all groups together."""
        if not len(self):
            return self
        return CellSums.joined([replace(self, key=resolution.keys(self.low), group=None, ids=None)])

    @cached_property
    def ungrouped(self) -> "CellSums":
        """The cells of all groups together."""
        return self if self.group is None else CellSums.joined([replace(self, group=None, ids=None)])

    @property
    def p(self) -> FloatArray:
        """The mean score of each cell: the score itself where all of the cell are one.

        Cells by group of one key have one mean score, that of all their groups, so that groups change no score.
        """
        if self.group is not None:
            return self.ungrouped.p[self.place]
        mean = self.wp / self.w.sum(axis=1)
        return np.asarray(np.clip(mean, self.low, self.high))

    @property
    def place(self) -> IntArray:
        """The place of the key of each cell among the keys, shape (C,)."""
        return np.cumsum(np.diff(self.key, prepend=self.key[:1]) != 0)

    def scaled(self, factor: float) -> "CellSums":
        """Return the cells with all weights multiplied, without rows whose weight is a negligible share of the total.

        Weights that are multiplied again and again would be rounded to 0 some day, with rows that weigh nothing.
        """
        kept = self.w >= NEGLIGIBLE * self.w.sum()
        rows, w, w2 = (np.where(kept, column, 0) for column in (self.rows, self.w, self.w2))
        weight = w.sum(axis=1)
        made = replace(
            self,
            rows=rows,
            w=w * factor,
            w2=w2 * factor**2,
            wp=np.where(kept.all(axis=1), self.wp, self.p * weight) * factor,
            whole=False,
        )
        return made if kept.all() else made.at(weight > 0)

    def at(self, cells: BoolArray | IntArray) -> "CellSums":
        """Return the chosen cells."""
        columns = ("key", "low", "high", "rows", "w", "w2", "wp")
        made = replace(self, group=None, ids=None, **{name: getattr(self, name)[cells] for name in columns})
        return made if self.ids is None or self.group is None else made.in_groups(self.ids, self.group[cells])


def _runs(key: IntArray, group: IntArray | None) -> tuple[IntArray, IntArray]:
    """Return the order of the cells, by key and group, and where in it those of another key or group begin."""
    if group is None:
        order = np.argsort(key, kind="stable")
        return order, np.flatnonzero(np.diff(key[order], prepend=key[order[0]] - 1) != 0)
    groups = int(group.max()) + 1
    if int(key.max()) < MOST_JOINT // groups and int(key.min()) >= 0:
        joint = key * groups + group
        order = np.argsort(joint, kind="stable")
        new = np.diff(joint[order]) != 0
    else:
        order = np.lexsort((group, key))
        new = (np.diff(key[order]) != 0) | (np.diff(group[order]) != 0)
    return order, np.flatnonzero(np.concatenate(([True], new)))


def added_up(pieces: Iterable[CellSums]) -> CellSums:
    """Return the sum of many pieces, of which few are kept at a time."""
    waiting: list[CellSums] = [CellSums.none()]
    for piece in pieces:
        waiting.append(piece)
        if sum(map(len, waiting)) > max(MOST_PENDING, 4 * len(waiting[0])):
            waiting = [CellSums.added(waiting)]
    return CellSums.added(waiting)
