"""The cells of whole distributions with the distance of their means: what an ECE on the simplex was computed from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.measures.evidence import Evidence
from fitontest.partitions.simplex.cell_table import CellTable
from fitontest.partitions.simplex.partitioner import SimplexPartition
from fitontest.results.frames import Records, records
from fitontest.results.table import Section, cell
from fitontest.results.text import count
from fitontest.results.typing import FloatArray, Label

MOST_PRINTED = 20  # cells
FEW_ROWS = 2.0  # rows of a cell, on average, below which the error is that of single labels


@dataclass(frozen=True, kw_only=True, eq=False)
class SimplexCells(Evidence):
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
        table, order = self.table, np.argsort(-self.table.w, kind="stable")
        return records(
            cell=table.number[order],
            n=table.n[order].astype(np.intp),
            weight=table.w[order],
            mean_prediction=table.mean_p[order].tolist(),
            empirical_probability=table.mean_y[order].tolist(),
            distance=self.distances[order],
        )

    def section(self) -> Section:
        """Return the printed table of the heaviest cells, with the class in which the means differ most."""
        rows = self.rows()
        header = ["cell", "n", "distance", "class", "mean prediction", "empirical"]
        body = []
        for row in rows[:MOST_PRINTED]:
            p, y = np.array(row["mean_prediction"]), np.array(row["empirical_probability"])
            k = int(np.argmax(np.abs(y - p)))
            body.append(
                [str(row["cell"]), count(row["n"]), cell(row["distance"]), str(self.labels[k]), cell(p[k]), cell(y[k])]
            )
        notes, left = ["class: where the means differ most"], [row["n"] for row in rows[MOST_PRINTED:]]
        if left:
            several = f"{len(left)} others, of {sum(left)} rows in all, are"
            others = several if len(left) > 1 else f"another, of {left[0]} rows, is"
            notes.append(f"the {MOST_PRINTED} heaviest cells; {others} left out, and to_frame() has all")
        return Section(header=header, body=body, notes="\n".join(notes))

    def to_dict(self) -> dict[str, Any]:
        """Return the table of the cells."""
        return {**self.record(), "n_cells": self.n_bins, "cells": self.rows()}


def note_of_cells(table: CellTable) -> str:
    """Return that cells hold single rows, or that there is only one cell."""
    rows = float(table.n.sum())
    if len(table) == 1:
        return "1 cell: the error is the distance of the mean prediction from the shares of the classes"
    if rows / len(table) < FEW_ROWS:
        return f"{count(len(table))} cells of {count(rows)} rows: the error is mostly the noise of single labels"
    return ""
