"""Cells of the feature space: bins that are given by the cell of each row, and not by its score.

The leaves of a tree, the groups of a cluster analysis or the segments of a market are cells. What is measured of bins
can be measured of them: rows of one score may lie in different cells, and one cell may hold any scores.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_column
from fitontest.data.ordering import DistinctScores, Rows, pooled
from fitontest.data.places import BadValueError, such
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import EXACT_COUNT
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import tabulate
from fitontest.results.typing import ArrayInput, IntArray


class CellPartition:
    """Bins that are given row by row, as one integer per row of the data: any measure of bins takes them.

    Each bin is a cell of rows.

    Parameters
    ----------
    cells : array-like of shape (n,)
        Whole numbers (3.0 is one), the cell of each row in the order of the rows, such as ``tree.apply(X)``. The cells
        need not be numbered from 0 on. The partition can be used on these n rows only, in this order.

    Attributes
    ----------
    labels : int array of shape (B,)
        The cells that occur, in increasing order.
    codes : int array of shape (n,)
        The place of each row's cell among them.
    n_bins : int

    Raises
    ------
    ValueError
        Cells that are no whole numbers; when used, data of another number of rows, or rows that have been sorted.

    Notes
    -----
    Cells are no function of the score. So no calibration map can be made of them, and none of a family with them;
    an estimate has a null, but no interval.

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 1, 0, 1, 1], [0.2, 0.2, 0.4, 0.4, 0.9]
    >>> leaves = fot.partitions.CellPartition([7, 3, 7, 3, 3])
    >>> print(fot.gce(y, p, partition=leaves))
    ECE: 0.420, the plug-in
    loss bias, norm l1, 2 bins, n = 5
    cell  n  positives  empirical  mean prediction   loss
    ----  -  ---------  ---------  ---------------  -----
    3     3          3       1.00            0.500  0.500
    7     2          0          0            0.300  0.300
    no interval: cells are no function of the score
    """

    labels: IntArray
    codes: IntArray
    explicit: ClassVar[bool] = True
    ascends: ClassVar[bool] = False

    def __init__(self, cells: ArrayInput) -> None:
        labels, codes = np.unique(_whole_numbers(as_column(cells, "cells")), return_inverse=True)
        for array in (labels, codes):
            array.flags.writeable = False
        self.__dict__.update(labels=labels, codes=codes)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a CellPartition cannot be changed: {name}")

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return self.labels.size

    def bind(self, sample: ScoreSample) -> ScoreSample:
        """Return the data with the bin of each row, which keep them wherever the rows go.

        The cells become a fact of the rows.

        Parameters
        ----------
        sample : ScoreSample
            The n rows that the cells belong to, in the order in which they were given.
        """
        return sample.with_facts(cell=self._codes_of(sample)).keep_facts("cell")

    def cut(self, sample: ScoreSample) -> tuple[Rows, DistinctScores, IntArray, BinTable]:
        """Return the rows bin by bin, with the sums of the bins.

        The rows and the tied scores come by cell, with where each cell starts among the latter.

        Parameters
        ----------
        sample : ScoreSample
            The n rows that the cells belong to, in the order in which they were given.

        Raises
        ------
        ValueError
            Another number of rows, or rows that have been sorted.
        """
        codes = self._codes_of(sample)
        present = np.flatnonzero(sample.w > 0)
        p, y, w, codes = sample.p[present], sample.y[present], sample.w[present], codes[present]
        order = np.lexsort((w, y, p, codes))
        rows, codes = Rows.of(p[order] + 0.0, y[order], w[order], whole=sample.whole), codes[order]
        distinct = pooled(rows, unit=sample.unit, apart=codes)
        starts = np.searchsorted(codes[distinct.first], np.arange(self.n_bins + 1))
        return rows, distinct, starts, tabulate(sample, rows, distinct, starts)

    def _codes_of(self, sample: ScoreSample) -> IntArray:
        """Return the code of each row of the sample."""
        rows = sample.p.size
        if "cell" in sample.facts:
            return sample.facts["cell"]
        if sample.is_sorted:
            raise ValueError(
                "partition must not be a CellPartition here: it has the cells of the rows as they were given"
            )
        if rows != self.codes.size:
            raise ValueError(
                f"partition must be a CellPartition of the data, which have {rows} rows; got one of {self.codes.size}"
            )
        return self.codes

    def __eq__(self, other: object) -> bool:
        if type(other) is not CellPartition:
            return NotImplemented
        return np.array_equal(self.labels, other.labels) and np.array_equal(self.codes, other.codes)

    def __hash__(self) -> int:
        return hash((self.labels.tobytes(), self.codes.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return CellPartition, (self.labels[self.codes],)

    def __repr__(self) -> str:
        return f"CellPartition({self.n_bins} cells of {self.codes.size} rows)"


def _whole_numbers(column: NDArray[Any]) -> NDArray[Any]:
    """Return the cells as integers, or refuse them."""
    if column.dtype.kind in "iu":
        return column
    if column.dtype.kind != "f":
        raise ValueError(f"cells must be whole numbers, one for each row; got values of type {column.dtype}")
    bad = np.flatnonzero(~((column == np.floor(column)) & (np.abs(column) <= EXACT_COUNT)))
    if bad.size:
        rule = "be whole numbers, as floats up to 2**53,"
        raise BadValueError("cells", rule, str(column[bad[0]]), int(bad[0]), column.shape, such(bad.size))
    return column.astype(np.int64)
