"""Maps made of cells of the simplex: a shift in each, or a level in each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.maps.expressions import Expression
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.stored import SCHEMA
from fitontest.partitions.simplex.cell_table import CellTable
from fitontest.partitions.simplex.partitioner import SimplexPartition, located
from fitontest.results.typing import FloatArray


@dataclass(frozen=True, eq=False)
class CellMap(MulticlassMap):
    """A calibration map of several classes by joint bins of the probabilities.

    g(p) = p + shift_b of the cell b of p with slope 1, and g(p) = level_b with slope 0.

    With slope 1 the values may leave the simplex, as those of bins of slope 1 leave [0, 1], so that the mean distance
    between p and g(p) is the ECE on the simplex. A prediction in no cell stays as it is.

    Its `to_dict` is for readers: the partition may be any object, so that the map is not read back.

    Parameters
    ----------
    partition : SimplexPartition
        The cells.
    values : array of shape (n_cells, K)
        Shifts or levels; rows of NaN stand for cells without rows of positive weight, where g(p) = p.
    slope : {0, 1}, default=1
        Whether `values` are shifts (1) or levels (0).
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9], [0.8, 0.1, 0.1]]
    >>> ece = fot.gce([0, 1, 2, 0, 1], P, reduction="canonical", partition=fot.partitions.MedianVariance(2))
    >>> ece.map(P[:2]).round(3)
    array([[ 0.733,  0.3  , -0.033],
           [ 0.833,  0.5  , -0.333]])
    """

    kind: ClassVar[str] = "cells"

    partition: SimplexPartition
    values: FloatArray
    slope: int = 1

    @classmethod
    def of(cls, partition: SimplexPartition, table: CellTable, slope: int = 1) -> "CellMap":
        """Return the map that takes the mean prediction of each bin to its mean label.

        Parameters
        ----------
        partition : SimplexPartition
            The cells.
        table : CellTable
            Their mean predictions and mean labels.
        slope : {0, 1}, default=1
            As for the class.
        """
        values = np.full((partition.n_cells, table.mean_p.shape[1]), np.nan)
        values[table.number] = table.mean_y - table.mean_p if slope else table.mean_y
        return cls(partition, values, slope)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.values.shape[1])

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of the rows.

        With slope 1 they may leave the simplex.
        """
        cells = located(self.partition, P)
        known = cells >= 0
        known[known] = np.isfinite(self.values[cells[known], 0])
        found = P.copy()
        values = self.values[cells[known]]
        found[known] = found[known] + values if self.slope else values
        return found

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:  # noqa: ARG002 - the signature of every map
        """Raise ValueError: joint bins of several classes have no formula for SQL or data frames.

        A partition of the simplex finds cells by any function of arrays.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            "a map of joint bins of several classes can be applied to arrays only: "
            "its partition, and no formula, finds the bin of a row"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the description of the map as JSON-ready values."""
        values = [None if np.isnan(row[0]) else row.tolist() for row in self.values]
        named = {} if self.classes is None else {"classes": list(self.classes)}
        return {"schema": SCHEMA, "kind": self.kind, "slope": self.slope, "values": values, **named}
