"""Strata of scores in which two tables of cells are compared: how many rows and positives each has there."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import CellSums
from fitontest.monitor.drift.hypergeometric import variance_of_dealt
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.results.typing import FloatArray, IntArray

STRATA = 4.0  # times the cube root of the rows
WIDEST = 2.0  # in logits, over the cube root of the rows
ENDS = 1024.0  # beyond the logit of any float inside (0, 1)


@dataclass(frozen=True, eq=False)
class ScoreStrata:
    """Rows and positives of two tables by stratum, in the order of the scores.

    Attributes
    ----------
    low, high : arrays of shape (S,)
        The lowest and the highest score.
    rows, positives : int arrays of shape (S, 2)
        Of the table before and the one after.
    scores : array of shape (S, 2)
        The sum of the scores.
    region : int array of shape (S,)
        Non-decreasing: in which of the R regions of about as many rows each stratum lies.
    key : int array of shape (S,)
        The key of the first cell.
    """

    low: FloatArray
    high: FloatArray
    rows: IntArray
    positives: IntArray
    scores: FloatArray
    region: IntArray
    key: IntArray

    @classmethod
    def of(cls, before: CellSums, after: CellSums, regions: int) -> "ScoreStrata":
        """Return the strata of two tables of cells of one resolution and of whole weights.

        Neighbouring cells are pooled to about 4 N^(1/3) strata of as many rows, N being the rows of both tables; a cell
        of twice as many is a stratum of its own. Where scores are sparse a stratum ends earlier: it is at most
        2 N^(-1/3) wide in logits. So scores that drift within a stratum change its share of positives by less than
        chance does, and scores on both sides of a gap share none. A stratum without rows of one table tells nothing.
        """
        key = np.union1d(before.key, after.key)
        place = [np.searchsorted(key, table.key) for table in (before, after)]
        low, high = np.ones(key.size), np.zeros(key.size)
        rows, positives, scores = (np.zeros((key.size, 2)) for _ in range(3))
        for side, (table, at) in enumerate(zip((before, after), place, strict=True)):
            low[at], high[at] = np.minimum(low[at], table.low), np.maximum(high[at], table.high)
            rows[at, side], positives[at, side], scores[at, side] = table.w.sum(axis=1), table.w[:, 1], table.wp
        total = rows.sum(axis=1)
        root = total.sum() ** (1 / 3)
        first = _narrow_starts(equal_mass_cells(total, int(np.ceil(STRATA * root))), low, WIDEST / root)

        def pooled(column: Any) -> Any:
            return np.add.reduceat(column, first, axis=0)

        rows = pooled(rows)
        region = equal_mass_cells(rows.sum(axis=1), regions)
        return cls(
            np.minimum.reduceat(low, first),
            np.maximum.reduceat(high, first),
            np.rint(rows).astype(np.int64),
            np.rint(pooled(positives)).astype(np.int64),
            pooled(scores),
            np.cumsum(np.diff(region, prepend=region[0]) > 0),
            key[first],
        )

    def __len__(self) -> int:
        return self.low.size

    @cached_property
    def total(self) -> IntArray:
        """Rows of both tables, shape (S,)."""
        return np.asarray(self.rows.sum(axis=1))

    @cached_property
    def p(self) -> FloatArray:
        """Mean score of the rows of both tables, shape (S,)."""
        return np.asarray(np.clip(self.scores.sum(axis=1) / self.total, self.low, self.high))

    @cached_property
    def first(self) -> IntArray:
        """At which stratum each region begins, shape (R,)."""
        return cell_starts(self.region)

    @cached_property
    def expected(self) -> FloatArray:
        """The positives that the table before would have if those of both were dealt out by chance, shape (S,)."""
        return np.asarray(self.positives.sum(axis=1) * (self.rows[:, 0] / self.total))

    @cached_property
    def variance(self) -> FloatArray:
        """The variance of their number, shape (S,)."""
        return variance_of_dealt(self.positives.sum(axis=1), self.rows[:, 0], self.rows[:, 1])

    def of_keys(self, key: IntArray) -> IntArray:
        """Return the stratum of cells of the tables, by their keys."""
        return np.searchsorted(self.key, key, side="right") - 1

    def by_region(self, column: Any) -> Any:
        """Return the sums over the strata of each region, shape (R, ...)."""
        return np.add.reduceat(column, self.first, axis=0)


def _narrow_starts(of_cell: IntArray, low: FloatArray, widest: float) -> IntArray:
    """Return the first cell of each stratum, where those of equal mass are cut into pieces of a width in logits."""
    first = cell_starts(of_cell)
    p = np.maximum.accumulate(low)  # cells of engines whose logarithms differ in the last bit may overlap
    with np.errstate(divide="ignore"):
        logit = np.clip(np.log(p) - np.log1p(-p), -ENDS, ENDS)
    begin = np.repeat(logit[first], np.diff(first, append=p.size))
    piece = np.floor((logit - begin) / widest)
    return np.flatnonzero((np.diff(of_cell, prepend=-1) != 0) | (np.diff(piece, prepend=-1.0) != 0))
