"""Bins of the simplex: in each cell a shift of the predictions, or a level."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Solution
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.maps.multiclass.cells import CellMap
from fitontest.partitions.simplex.cell_table import CellSums, cells_of
from fitontest.partitions.simplex.partitioner import find_simplex_partition
from fitontest.results.typing import ArrayInput, FloatArray


@dataclass(eq=False, repr=False)
class SimplexBins(MulticlassFamily):
    """Bin the predicted probabilities of all classes jointly, and compare mean prediction and labels in each bin.

    The mean prediction of each cell of the simplex is taken to its mean label, by a shift or by a level.

    With slope 1 its plug-in error is the ECE on the simplex, for every distance that depends on the difference. It is
    meant for measuring errors, not for deployment: ``predict_proba`` clips the shifted rows at 0 and divides them by
    their sums.

    Parameters
    ----------
    partition : str or SimplexPartitioner, default="median_variance"
        See `gce`.
    slope : {0, 1}, default=1
        1 shifts the predictions of a cell, 0 gives all of them the same level.

    Attributes
    ----------
    map_ : CellMap
        The shifts or levels of the cells.
    classes_ : array of shape (K,)
        The class of each column.
    n_bins_ : int
        Cells that hold rows.

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9], [0.8, 0.1, 0.1]] * 2
    >>> y, rule = [0, 1, 2, 0, 1] * 2, fot.partitions.MedianVariance(4)
    >>> error = fot.calibration_error(y, P, family=fot.families.SimplexBins(rule), reduction="canonical")
    >>> round(float(error), 12) == round(float(fot.gce(y, P, reduction="canonical", partition=rule)), 12)
    True
    """

    partition: Any = "median_variance"
    slope: int = 1

    def _count_parameters(self) -> float:
        """Return K - 1 numbers for each cell."""
        return float(self.n_bins_ * (len(self.classes_) - 1))

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the binned calibration map, and how many bins hold rows."""
        if self.slope not in (0, 1):
            raise ValueError(f"slope must be 0 or 1, got {self.slope!r}")
        partition, ids = cells_of(find_simplex_partition(self.partition), rows)
        table = CellSums.of(rows, ids).table(rows.codes)
        return Solution(CellMap.of(partition, table, int(self.slope)), None, {"n_bins_": len(table)})

    def predict_proba(self, P: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities, shape (n, K); the rows add up to 1.

        Parameters
        ----------
        P : array-like of shape (n, K)
            As for `fit`.
        """
        q = np.maximum(super().predict_proba(P), 0.0)
        return np.asarray(q / q.sum(axis=1, keepdims=True))
