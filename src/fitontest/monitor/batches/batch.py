"""A batch: the rows of one update by cell of the score, which is all that the monitor sees of them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.numerics.links import logit
from fitontest.results.typing import BoolArray, FloatArray

EPS = 1e-16  # logits are cut off at 36.8; rows whose score is exactly 0 or 1 are told apart all the same
OF_BATCH = Resolution(coarse=16)  # cells of 1/64 in probability and in logit


@dataclass(frozen=True, eq=False)
class Batch:
    """The rows of one update, by cell of the score.

    A factor at the mean score of a cell has a mean of at most 1 if it has so at every row (the inequality of arithmetic
    and geometric means), so that cells are exactly valid; the mean must be that of this batch, never of several.

    Attributes
    ----------
    sums : CellSums of C cells
        Their weights are the exponents of the rows: 1, or 1 / size of the group of a row.
    left_out : int
        Rows that are not in it, since a batch before had their groups.
    per_row : int
        Entries that share a row: 1, or the number of classes where all of them are together.
    """

    sums: CellSums
    left_out: int = 0
    per_row: int = 1

    @classmethod
    def of(cls, sums: CellSums, *, exact: bool = False, left_out: int = 0, per_row: int = 1) -> "Batch":
        """Return the batch of cells of any resolution; with `exact` they stay as they are."""
        return cls(sums if exact else sums.pooled(OF_BATCH), left_out, per_row)

    @classmethod
    def empty(cls) -> "Batch":
        """Return a batch without rows."""
        return cls(CellSums.none())

    def __len__(self) -> int:
        return len(self.sums)

    def at(self, cells: BoolArray) -> "Batch":
        """Return the batch of the chosen cells."""
        return self if cells.all() else replace(self, sums=self.sums.at(cells))

    @property
    def n(self) -> int:
        """Rows."""
        return self.sums.n // self.per_row

    @property
    def events(self) -> int | None:
        """Rows that are positive; None of all classes together, where every row is so for one of them."""
        return round(float(self.sums.rows[:, 1].sum())) if self.per_row == 1 else None

    @property
    def expected(self) -> float | None:
        """The sum of the scores of the rows, of which those of a cell count its mean score each; None as `events`."""
        if self.per_row > 1:
            return None
        return float(self.p @ self.sums.rows.sum(axis=1)) if len(self) else 0.0

    @cached_property
    def p(self) -> FloatArray:
        """The mean score of each cell, shape (C,)."""
        return self.sums.p

    @cached_property
    def z(self) -> FloatArray:
        """The logit of the mean score of each cell, within 36.8 of 0."""
        return logit(self.p, EPS)

    @property
    def low(self) -> FloatArray:
        """The lowest score of each cell."""
        return self.sums.low

    @property
    def high(self) -> FloatArray:
        """The highest score of each cell."""
        return self.sums.high

    @property
    def negatives(self) -> FloatArray:
        """The sum of the exponents of the rows with label 0, of each cell."""
        return self.sums.w[:, 0]

    @property
    def positives(self) -> FloatArray:
        """The sum of the exponents of the rows with label 1, of each cell."""
        return self.sums.w[:, 1]

    @cached_property
    def total(self) -> FloatArray:
        """The sum of the exponents of each cell."""
        return np.asarray(self.sums.w.sum(axis=1))

    @property
    def weight(self) -> float:
        """The sum of the exponents of all rows."""
        return float(self.total.sum())

    @property
    def uncertain(self) -> BoolArray:
        """Whether the score of each cell is neither 0 nor 1."""
        return np.asarray((self.p > 0.0) & (self.p < 1.0))
