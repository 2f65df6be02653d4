"""Counts and sums of rows by score cell: what one pass over any number of rows keeps of them.

A cell is a small interval of scores, of about a thousandth in probability and in logit. Its key is one whole number

    key = ((floor(1024 logit p) + 2^20) 2048 + floor(1024 p)) (m + 1) + #{j : p >= e_j},

e_1 < ... < e_m being further edges, where a cell must end too; the logits of 0 and 1 count as -1024 and 1024, with 1/2
as the second p. Or every distinct score is a cell of its own (`exact`), and the key is the bits of the score.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fitontest.typing import BoolArray, FloatArray, IntArray

FINE = 1024  # cells per unit of probability, and of logit
FLOOR = 2**20  # more than 1024 times the logit of any float
WIDTH = 2048  # more than the cells of [0, 1]
MOST_EDGES = 1000
NEGLIGIBLE = 1e-30  # share of the total weight below which rows are absent
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
    """

    exact: bool = False
    edges: tuple[float, ...] = ()

    def keys(self, p: FloatArray) -> IntArray:
        """Return the key of the cell of each score; keys are ordered as the scores."""
        if self.exact:
            return np.asarray((p + 0.0).view(np.int64))  # floats >= 0 are ordered as their bits
        inside = (p > 0.0) & (p < 1.0)
        q = np.where(inside, p, 0.5)
        logit = np.floor(FINE * np.log(q / (1.0 - q)))
        logit = np.where(inside, logit, np.where(p <= 0.0, -FLOOR, FLOOR))
        key = (logit.astype(np.int64) + FLOOR) * WIDTH + np.floor(FINE * q).astype(np.int64)
        if self.edges:
            key *= len(self.edges) + 1
            key += np.searchsorted(self.edges, p, side="right")
        return np.asarray(key)


@dataclass(frozen=True, eq=False)
class CellSums:
    """Counts and sums of C cells in the order of their scores.

    Attributes
    ----------
    key : int array of shape (C,)
        Strictly increasing.
    low, high : arrays of shape (C,)
        The lowest and the highest score of each cell.
    rows : int array of shape (C, 2)
        Rows of positive weight with label 0 and with label 1.
    w, w2 : arrays of shape (C, 2)
        The sum of their weights, and of the squares of these.
    wp : array of shape (C,)
        The sum of weight times score.
    whole : bool
        Whether every weight is a whole number, so that weights count rows.
    """

    key: IntArray
    low: FloatArray
    high: FloatArray
    rows: IntArray
    w: FloatArray
    w2: FloatArray
    wp: FloatArray
    whole: bool

    @classmethod
    def none(cls) -> "CellSums":
        """Return no cells."""
        count, number = np.empty(0, dtype=np.int64), np.empty(0)
        two = number.reshape(0, 2)
        return cls(count, number, number, count.reshape(0, 2), two, two, number, True)

    @classmethod
    def of_rows(cls, p: FloatArray, y: FloatArray, w: FloatArray | None, resolution: Resolution) -> "CellSums":
        """Return the cells of checked rows; without weights all are one, and rows of weight 0 are absent."""
        if w is not None:
            present = w > 0
            if not present.all():
                p, y, w = p[present], y[present], w[present]
        if not p.size:
            return cls.none()
        key = resolution.keys(p)
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.concatenate(([True], np.diff(key[order]) > 0)))
        p, y = p[order], y[order]

        def summed(column: FloatArray) -> FloatArray:
            """Return the sums for both labels, shape (C, 2)."""
            positive = np.add.reduceat(column * y, first)
            return np.stack((np.add.reduceat(column * (1.0 - y), first), positive), axis=1)

        rows = summed(np.ones_like(p))
        if w is None:
            weight, squares, wp, whole = rows, rows, np.add.reduceat(p, first), True
        else:
            w = w[order]
            weight, squares, wp = summed(w), summed(w * w), np.add.reduceat(w * p, first)
            whole = bool(np.all(w == np.floor(w)))
        low, high = (reduce.reduceat(p, first) + 0.0 for reduce in (np.minimum, np.maximum))
        return cls(key[order[first]], low, high, rows.astype(np.int64), weight, squares, wp, whole)

    def __len__(self) -> int:
        return self.key.size

    @classmethod
    def added(cls, tables: Sequence["CellSums"]) -> "CellSums":
        """Return the cells of all tables, which have one resolution."""
        if len(tables) == 1:
            return tables[0]

        def joined(name: str) -> Any:
            return np.concatenate([getattr(table, name) for table in tables])

        key = joined("key")
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.concatenate(([True], np.diff(key[order]) > 0))) if key.size else order
        if not key.size:
            return cls.none()
        sums = {name: np.add.reduceat(joined(name)[order], first, axis=0) for name in ("rows", "w", "w2", "wp")}
        return cls(
            key=key[order[first]],
            low=np.minimum.reduceat(joined("low")[order], first),
            high=np.maximum.reduceat(joined("high")[order], first),
            whole=all(table.whole for table in tables),
            **sums,
        )

    @property
    def p(self) -> FloatArray:
        """The mean score of each cell: the score itself where all of the cell are one."""
        mean = self.wp / self.w.sum(axis=1)
        return np.asarray(np.clip(mean, self.low, self.high))

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

    def at(self, cells: BoolArray) -> "CellSums":
        """Return the chosen cells."""
        columns = ("key", "low", "high", "rows", "w", "w2", "wp")
        return replace(self, **{name: getattr(self, name)[cells] for name in columns})


def added_up(pieces: Iterable[CellSums]) -> CellSums:
    """Return the sum of many pieces, of which few are kept at a time."""
    waiting: list[CellSums] = [CellSums.none()]
    for piece in pieces:
        waiting.append(piece)
        if sum(map(len, waiting)) > max(MOST_PENDING, 4 * len(waiting[0])):
            waiting = [CellSums.added(waiting)]
    return CellSums.added(waiting)
