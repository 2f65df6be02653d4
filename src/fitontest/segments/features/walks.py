"""Walks of residuals within a condition: an error of any shape along the score, where a scan sees the level alone.

Residuals of the rows that meet a condition are summed in the order of the scores, at 64 nodes of equal weight, and the
statistic is the range of the sums in units of their standard deviation at the end: the ECCE on the nodes. Observed and
redrawn labels are summed at the same nodes, so that its p-value is exact whatever they are.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fitontest.results.typing import FloatArray
from fitontest.segments.features.cuts import CutColumn, CutColumns, Segment
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.scan import Largest

NODES = 64


@dataclass(frozen=True, eq=False)
class WalkNodes:
    """The nodes at which walks are known.

    Attributes
    ----------
    cut : CutColumns
    node : int array of shape (n,)
        From 0 to `nodes` - 1, rising with the score; rows of one score share it.
    nodes : int
    """

    cut: CutColumns
    node: NDArray[np.int16]
    nodes: int

    @classmethod
    def of(cls, cut: CutColumns, rows: FeatureRows, nodes: int = NODES) -> "WalkNodes":
        """Return the nodes of rows in the order of their scores.

        Parameters
        ----------
        cut : CutColumns
        rows : FeatureRows
        nodes : int
            At most.
        """
        order = np.argsort(rows.logits, kind="stable")
        ordered, reached = rows.logits[order], np.cumsum(rows.w[order])
        last = np.append(ordered[1:] != ordered[:-1], [True])
        share = reached[last] / reached[-1]  # of the weight, up to each distinct score
        of_score = np.minimum((np.append([0.0], share[:-1]) * nodes).astype(np.intp), nodes - 1)
        _, of_score = np.unique(of_score, return_inverse=True)
        node = np.empty(ordered.size, dtype=np.int16)
        node[order] = of_score[np.cumsum(last) - last]
        return cls(cut, node, int(of_score.max()) + 1)

    def codes(self, column: CutColumn, rows: slice = slice(None)) -> NDArray[np.int32]:
        """Return the cell and the node of each row as one number."""
        return column.cell[rows].astype(np.int32) * np.int32(self.nodes) + self.node[rows]

    def sums(self, column: CutColumn, values: FloatArray) -> FloatArray:
        """Return the sums of values over cells and nodes, shape (cells, nodes, 1)."""
        size = column.cells * self.nodes
        sums = np.bincount(self.codes(column), values, size).reshape(column.cells, self.nodes, 1)
        return sums.astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Walks:
    """The walks of all conditions, as the labels are.

    Attributes
    ----------
    at : WalkNodes
    """

    at: WalkNodes

    def largest(self, rows: FeatureRows, named: Collection[Segment] = ()) -> Largest | None:
        """Return the condition of the largest range in its units; None where there is no condition.

        Parameters
        ----------
        rows : FeatureRows
        named : collection of segments, optional
            That are not looked at again.
        """
        best: tuple[float, Segment] | None = None
        for number, column in enumerate(self.at.cut.columns):
            ranges = _ranges(column, self.at.sums(column, rows.residuals))[:, 0] / np.sqrt(column.sums(rows.variances))
            ranges[[((number, place),) in named for place in range(ranges.size)]] = -np.inf
            place = int(ranges.argmax())
            if ranges[place] < 0.0:
                continue
            if best is None or ranges[place] > best[0]:
                best = float(ranges[place]), ((number, place),)
        return None if best is None else Largest(best[1], best[0], self.at.cut.conditions)


@dataclass(frozen=True, eq=False)
class RedrawnWalks:
    """Sums of redrawn labels over cells and nodes, and what turns them into ranges.

    Attributes
    ----------
    at : WalkNodes
    rows : FeatureRows
        With the probabilities that labels are drawn from.
    """

    at: WalkNodes
    rows: FeatureRows

    @cached_property
    def _expected(self) -> list[FloatArray]:
        wq = self.rows.w * self.rows.q
        return [self.at.sums(column, wq) for column in self.at.cut.columns]

    @cached_property
    def _spread(self) -> list[FloatArray]:
        return [np.sqrt(column.sums(self.rows.variances)) for column in self.at.cut.columns]

    def zeros(self, columns: int) -> list[NDArray[np.float32]]:
        """Return tables to which blocks of labels are added."""
        shapes = [(column.cells * self.at.nodes, columns) for column in self.at.cut.columns]
        return [np.zeros(shape, dtype=np.float32) for shape in shapes]

    def add(self, tables: list[NDArray[np.float32]], labels: NDArray[np.float32], rows: slice) -> None:
        """Add the labels of a block of rows."""
        m = labels.shape[0]
        ones, places = np.ones(m, dtype=np.float32), np.arange(m + 1, dtype=np.int32)
        for column, table in zip(self.at.cut.columns, tables, strict=True):
            table += csc_array((ones, self.at.codes(column, rows), places), shape=(table.shape[0], m)) @ labels

    def maxima(self, tables: list[NDArray[np.float32]]) -> FloatArray:
        """Return the largest range of each labelling in its units, shape (B,)."""
        largest = np.zeros(tables[0].shape[1])
        for column, table, expected, spread in zip(
            self.at.cut.columns, tables, self._expected, self._spread, strict=True
        ):
            residuals = table.reshape(column.cells, self.at.nodes, -1) - expected.astype(np.float32)
            ranges = _ranges(column, residuals) / spread[:, None]
            np.maximum(largest, ranges.max(axis=0), out=largest)
        return largest


def _ranges(column: CutColumn, sums: NDArray[np.floating]) -> FloatArray:
    """Return the range of the walk of each condition, of sums over cells and nodes, shape (conditions, B)."""
    flat = column.holds.astype(sums.dtype) @ sums.reshape(column.cells, -1)
    steps = flat.reshape(len(column.conditions), *sums.shape[1:])
    walk = np.zeros((steps.shape[0], steps.shape[2]), dtype=steps.dtype)
    high, low = np.zeros_like(walk), np.zeros_like(walk)
    for node in range(steps.shape[1]):  # a step of all walks at once: cumulated sums of whole tables leave the cache
        walk += steps[:, node]
        np.maximum(high, walk, out=high)
        np.minimum(low, walk, out=low)
    return np.asarray(high - low, dtype=np.float64)
