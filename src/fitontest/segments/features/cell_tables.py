"""Sums over the cells of two columns: of them all conditions and pairs of conditions are sums.

With many labellings at once this is where the time goes. Rows are taken in blocks, so that a block of labels and a
table of sums stay in the cache, and each row adds its labels to one cell of each pair of columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.cuts import CutColumn, CutColumns

Pair = tuple[int, int]
PACKED = np.float32(4096.0)  # by which the second of two labels counts: both sums together are below 2^24, and exact


@dataclass(frozen=True, eq=False)
class CellTables:
    """Sums of values over the cells of each pair of columns, and of each column by itself.

    Attributes
    ----------
    cut : CutColumns
    tables : dict
        From the places of two columns, or of one twice, to an array of shape (cells, cells of the other or 1, B).
    """

    cut: CutColumns
    tables: dict[Pair, NDArray[np.floating]] = field(default_factory=dict)

    @classmethod
    def of(cls, cut: CutColumns, values: FloatArray, rows: IntArray | None = None) -> "CellTables":
        """Return the sums of a few columns of values.

        Parameters
        ----------
        cut : CutColumns
        values : array of shape (n, B)
        rows : int array of shape (n,), optional
            Which rows of the cut columns they are of; by default all.
        """
        tables: dict[Pair, NDArray[np.floating]] = {}
        columns = (cut if rows is None else cut.take(rows)).columns
        for a, b in pairs_of(cut):
            code, shape = _codes(columns[a], None if a == b else columns[b])
            size = shape[0] * shape[1]
            sums = np.stack([np.bincount(code, each, size) for each in values.T], axis=1)
            tables[a, b] = sums.reshape(*shape, -1).astype(np.float64, copy=False)
        return cls(cut, tables)

    @classmethod
    def zeros(cls, cut: CutColumns, columns: int) -> "CellTables":
        """Return tables to which blocks of labels are added."""
        tables: dict[Pair, NDArray[np.floating]] = {}
        for a, b in pairs_of(cut):
            other = 1 if a == b else cut.columns[b].cells
            tables[a, b] = np.zeros((cut.columns[a].cells, other, columns), dtype=np.float32)
        return cls(cut, tables)

    def add(self, labels: NDArray[np.float32], rows: slice, *, single: bool = False) -> None:
        """Add the labels of a block of rows.

        Parameters
        ----------
        labels : array of shape (m, B)
        rows : slice
            Where they stand in the cut columns.
        single : bool, default=False
            Whether labels are 0 or 1, of less than 4,096 rows: then two of them share a number while they are summed.
        """
        m = labels.shape[0]
        ones, places = np.ones(m, dtype=np.float32), np.arange(m + 1, dtype=np.int32)
        cells = [column.cell[rows].astype(np.int32) for column in self.cut.columns]
        half = labels.shape[1] // 2
        together = single and labels.shape[1] == 2 * half
        summed = labels[:, :half] + PACKED * labels[:, half:] if together else labels
        for (a, b), table in self.tables.items():
            code = cells[a] if a == b else cells[a] * np.int32(self.cut.columns[b].cells) + cells[b]
            shape = table.shape[0] * table.shape[1], m
            sums = (csc_array((ones, code, places), shape=shape) @ summed).reshape(*table.shape[:2], -1)
            if together:
                others = np.floor(sums * np.float32(1.0 / PACKED))
                table[..., half:] += others
                table[..., :half] += sums - PACKED * others
            else:
                table += sums

    def change(self, other: "CellTables") -> None:
        """Add other sums."""
        for pair, table in self.tables.items():
            table += other.tables[pair]

    def of_condition(self, column: int, condition: int) -> NDArray[np.floating]:
        """Return the sums over the rows that meet one condition of one column, shape (B,)."""
        table = self.tables[column, column][:, 0]
        return np.asarray(self.cut.columns[column].holds[condition].astype(table.dtype) @ table)

    def conditions(self) -> Iterator[tuple[Pair, NDArray[np.floating]]]:
        """Yield for each pair of columns the sums over the rows that meet both conditions, shape (k, l or 1, B)."""
        for (a, b), table in self.tables.items():
            one, other = self.cut.columns[a], self.cut.columns[b]
            holds = one.holds.astype(table.dtype)
            half = (holds @ table.reshape(one.cells, -1)).reshape(len(one.conditions), *table.shape[1:])
            yield (a, b), half if a == b else np.matmul(other.holds.astype(table.dtype), half)


def pairs_of(cut: CutColumns) -> list[Pair]:
    """Return the places of two columns each, and of one twice for its conditions by themselves."""
    size = len(cut.columns)
    return [(a, b) for a in range(size) for b in range(a, size)]


def _codes(one: CutColumn, other: CutColumn | None) -> tuple[IntArray, tuple[int, int]]:
    """Return the cell of each row in the table of two columns, or of one, and the shape of that table."""
    if other is None:
        return one.cell.astype(np.intp), (one.cells, 1)
    return one.cell * np.intp(other.cells) + other.cell, (one.cells, other.cells)
