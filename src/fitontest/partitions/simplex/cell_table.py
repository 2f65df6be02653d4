"""What stands in each cell of a partition of the simplex: weights, mean predictions and mean labels."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.simplex_sample import Labelling, SimplexSample
from fitontest.data.weights import Weights
from fitontest.partitions.simplex.median_variance import MedianVariance
from fitontest.partitions.simplex.partitioner import (
    RowCells,
    SimplexPartition,
    SimplexPartitioner,
    located,
)
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class CellTable:
    """Cells that hold rows of positive weight, in the order of their numbers.

    Attributes
    ----------
    number : int array of shape (B,)
        The cell in the partition.
    n : int array of shape (B,)
        Rows of positive weight; whole weights count rows.
    w : array of shape (B,)
        Sums of the weights.
    mean_p, mean_y : arrays of shape (B, K)
        Mean predictions and mean labels as distributions.
    """

    number: IntArray
    n: IntArray
    w: FloatArray
    mean_p: FloatArray
    mean_y: FloatArray

    def __len__(self) -> int:
        return self.number.size


@dataclass(frozen=True, eq=False)
class CellSums:
    """Rows put into cells: all of a table but the labels, which may be drawn anew.

    Attributes
    ----------
    number, n, w, mean_p
        See `CellTable`.
    at : int array of shape (n,)
        The position of each row's cell among these; that of a row of weight 0 means nothing.
    """

    number: IntArray
    n: IntArray
    w: FloatArray
    mean_p: FloatArray
    at: IntArray
    row_w: FloatArray

    @classmethod
    def of(cls, data: SimplexSample, ids: IntArray) -> "CellSums":
        """Return the cells that hold rows of positive weight."""
        kept = np.flatnonzero(data.w > 0)
        number, place = np.unique(ids[kept], return_inverse=True)
        at = np.zeros(len(data), dtype=np.intp)
        at[kept] = place
        w = np.bincount(place, data.w[kept], number.size).astype(np.float64)
        order = np.argsort(place, kind="stable")
        size = np.bincount(place, minlength=number.size)
        n = np.rint(w).astype(np.intp) if data.whole else size
        weighted = data.p[kept[order]] * data.w[kept[order], None]
        starts = np.concatenate(([0], np.cumsum(size)[:-1]))
        return cls(number, n, w, np.add.reduceat(weighted, starts, axis=0) / w[:, None], at, data.w)

    def mean_y(self, codes: IntArray) -> FloatArray:
        """Return the mean labels of the cells as distributions, shape (B, K)."""
        return self._mean_y(self.at, codes, self.row_w)

    def mean_label(self, labelling: Labelling) -> FloatArray:
        """Return the mean labels of the cells, shape (B, K), of entries that stand for several rows."""
        return self._mean_y(self.at[labelling.at], labelling.codes, labelling.w)

    def _mean_y(self, at: IntArray, codes: IntArray, w: FloatArray) -> FloatArray:
        B, K = self.mean_p.shape
        return np.bincount(at * K + codes, w, B * K).reshape(B, K) / self.w[:, None]

    def table(self, codes: IntArray) -> CellTable:
        """Return the table for the labels of these codes."""
        return CellTable(self.number, self.n, self.w, self.mean_p, self.mean_y(codes))


def cells_of(rule: SimplexPartitioner, data: SimplexSample) -> tuple[SimplexPartition, IntArray]:
    """Return the partition that a rule makes of predictions, and the cell of each row."""
    if isinstance(rule, RowCells):  # cells of the rows as they were given
        return rule, rule.bind(data).facts["cell"]
    if isinstance(rule, MedianVariance):  # which counts rows; what weights are is not decided anew
        partition: SimplexPartition = rule.partition_weighted(data.p, Weights(data.w, data.whole))
    else:
        partition = rule.partition(data.p, data.w)
    ids = located(partition, data.p)
    outside = np.flatnonzero((ids < 0) & (data.w > 0))
    if outside.size:
        raise ValueError(
            f"partition must have a cell for each row that it was made of, got {outside.size} rows without one, the "
            f"first of them row {int(outside[0]) + 1} (rows counted from 1)"
        )
    return partition, ids
