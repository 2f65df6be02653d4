r"""The expected calibration error on the simplex: cells of predictions, and a distance of two means in each.

    ECE_d = sum_b (W_b / W) d(pbar_b, ybar_b)

with the mean prediction and the mean label, as a distribution, of each cell b of weight W_b. It is the plug-in error of
the map that is a shift in each cell, g(p) = p + ybar_b - pbar_b, for every distance that depends on the difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fitontest.data.simplex_sample import Labelling, SimplexSample
from fitontest.maps.multiclass.cells import CellMap
from fitontest.measures.canonical import CanonicalEvidence, CanonicalMeasure
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import register
from fitontest.numerics.norms import Norm, find_norm
from fitontest.numerics.simplex_distances import Distance, find_distance
from fitontest.partitions.simplex.cell_table import CellSums, CellTable, cells_of
from fitontest.partitions.simplex.partitioner import SimplexPartition, SimplexPartitioner, find_simplex_partition
from fitontest.registry import plain_setting
from fitontest.results.frames import Records
from fitontest.results.table import Section, cell
from fitontest.typing import FloatArray, IntArray, Label

MOST_PRINTED = 20  # cells
FEW_ROWS = 2.0  # rows of a cell, on average, below which the error is that of single labels


@register("simplex_ece")
@dataclass(frozen=True, eq=False)
class SimplexECE(CanonicalMeasure):
    """The norm over cells of the simplex of the distance between mean prediction and mean label.

    Parameters
    ----------
    partition : str, SimplexPartitioner, CellPartition or int array-like of shape (n,), default="median_variance"
        A name, a rule such as ``MedianVariance(20)``, any object with its method, or the cell of each row.
    distance : str, Distance or callable, default="total_variation"
        A name of `fot.distances.names`, see `calibration_error`; a callable is called as ``distance(pbar, ybar)`` with
        two matrices of a row for each cell, and returns a number for each.
    norm : str, Norm or callable, default="l1"
        Of the distances of the cells, each with the weight of its rows.

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9], [0.8, 0.1, 0.1]]
    >>> error = fot.gce([0, 1, 2, 0, 1], P, reduction="canonical", partition=fot.partitions.MedianVariance(2))
    >>> round(float(error), 12), error.n_bins
    (0.54, 2)
    """

    partition: Any = "median_variance"
    distance: Any = "total_variation"
    norm: str | Norm | Any = "l1"
    rule: SimplexPartitioner = field(init=False, repr=False)
    between: Distance = field(init=False, repr=False)
    total: Norm = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__  # the dataclass is frozen: what its settings mean is settled once
        put(self, "rule", find_simplex_partition(self.partition))
        put(self, "between", find_distance(self.distance))
        put(self, "total", find_norm(self.norm))

    @property
    def title(self) -> str:
        """ECE on the simplex, of which the mean is taken, and else its general form."""
        return "canonical ECE" if self.total.name == "l1" else "canonical GCE"

    @property
    def squared(self) -> bool:
        """Whether the value is a mean of squares."""
        return (self.between.name == "squared_euclidean") != (self.total.name == "squared") and self.total.name != "l2"

    def settings(self) -> dict[str, Any]:
        """Return the settings as JSON-ready values."""
        partition = self.partition if isinstance(self.partition, str) else plain_setting(repr(self.rule))
        return {"partition": partition, "distance": self.between.name, "norm": self.total.name}

    def brief(self) -> dict[str, Any]:
        """Return the settings but the norm where it is l1."""
        return {name: value for name, value in self.settings().items() if (name, value) != ("norm", "l1")}

    def estimate(self, sample: SimplexSample) -> Estimate:
        """Return the norm of the distances of the cells."""
        partition, ids = cells_of(self.rule, sample)
        table = CellSums.of(sample, ids).table(sample.codes)
        distances = self.between(table.mean_p, table.mean_y)
        evidence = SimplexCells(
            map=CellMap.of(partition, table),
            cells=partition,
            table=table,
            distances=distances,
            note=_note(table),
            n_classes=sample.n_classes,
            labels=tuple(sample.classes),
        )
        return Estimate.of(self, sample, self.total(distances, table.w), evidence)

    def target(self, sample: SimplexSample, c: FloatArray) -> float | None:
        """Return the norm over the rows of the distance between prediction and c."""
        return None if self.total.influence is None else self.total(self.between(sample.p, c), sample.w)

    def values_of(self, data: SimplexSample, labellings: IntArray) -> FloatArray:
        """Return the values for several labellings, in the same cells."""
        sums = CellSums.of(data, cells_of(self.rule, data)[1])
        values = (self.total(self.between(sums.mean_p, sums.mean_y(codes)), sums.w) for codes in labellings)
        return np.fromiter(values, dtype=np.float64)

    def values_of_entries(self, data: SimplexSample, labellings: Sequence[Labelling]) -> FloatArray:
        """Return the values for several labellings of entries, in the same cells."""
        sums = CellSums.of(data, cells_of(self.rule, data)[1])
        values = (self.total(self.between(sums.mean_p, sums.mean_label(one)), sums.w) for one in labellings)
        return np.fromiter(values, dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class SimplexCells(CanonicalEvidence):
    """The cells of predictions with the distance in each.

    Attributes
    ----------
    map : CellMap
        The shift of each cell, of which the error is the plug-in error.
    cells : SimplexPartition
    table : CellTable
        The occupied cells.
    distances : array of shape (B,)
    labels : tuple of length K
        The classes.
    n_bins : int
        B.
    """

    cells: SimplexPartition
    table: CellTable
    distances: FloatArray
    labels: tuple[Label, ...]

    @property
    def n_bins(self) -> int:
        """Number of occupied cells."""
        return len(self.table)

    def rows(self) -> Records:
        """Return one plain record per occupied cell, the heaviest first."""
        table = self.table
        return [
            {
                "cell": int(table.number[b]),
                "n": int(table.n[b]),
                "weight": float(table.w[b]),
                "mean_prediction": table.mean_p[b].tolist(),
                "empirical_probability": table.mean_y[b].tolist(),
                "distance": float(self.distances[b]),
            }
            for b in np.argsort(-table.w, kind="stable").tolist()
        ]

    def section(self) -> Section:
        """Return the printed table of the heaviest cells, with the class in which the means differ most."""
        rows = self.rows()
        header = ["cell", "n", "distance", "class", "mean prediction", "empirical"]
        body = []
        for row in rows[:MOST_PRINTED]:
            p, y = np.array(row["mean_prediction"]), np.array(row["empirical_probability"])
            k = int(np.argmax(np.abs(y - p)))
            body.append(
                [str(row["cell"]), str(row["n"]), cell(row["distance"]), str(self.labels[k]), cell(p[k]), cell(y[k])]
            )
        left = rows[MOST_PRINTED:]
        others = f"{len(left)} others, of {sum(row['n'] for row in left)} rows in all," if len(left) > 1 else ""
        others = others or (f"another, of {left[0]['n']} rows," if left else "")
        be = "are" if len(left) > 1 else "is"
        notes = f"the {MOST_PRINTED} heaviest cells; {others} {be} left out, and to_frame() has all" if left else ""
        return Section(
            header=header, body=body, notes="\n".join(filter(None, ["class: where the means differ most", notes]))
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the table of the cells."""
        return {**self.record(), "n_cells": self.n_bins, "cells": self.rows()}


def _note(table: CellTable) -> str:
    """Return that cells hold single rows, or that there is only one cell."""
    rows = float(table.n.sum())
    if len(table) == 1:
        return "1 cell: the error is the distance of the mean prediction from the shares of the classes"
    if rows / len(table) < FEW_ROWS:
        return f"{len(table)} cells of {rows:g} rows: the error is mostly the noise of single labels"
    return ""
