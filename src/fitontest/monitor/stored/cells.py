"""Cells of the past as columns, one list for each number of a cell."""

from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.data.cells.cells import COLUMNS, checked_sums, columns_of
from fitontest.monitor.stored.values import read_object
from fitontest.results.checks import check_flag

NAMES = ("whole", "key", *COLUMNS)


def columns_of_cells(sums: CellSums) -> dict[str, Any]:
    """Return cells, which are of no groups, as JSON-ready columns."""
    columns = columns_of(sums)
    if sums.whole:  # half the characters
        counts = [name for name in columns if name.startswith(("weight_", "squares_"))]
        columns |= {name: columns[name].astype(np.int64) for name in counts}
    return {"whole": sums.whole, **{name: column.tolist() for name, column in columns.items()}}


def cells_of_columns(columns: object, resolution: Resolution, place: str) -> CellSums:
    """Return the cells of columns that `columns_of_cells` returned, or refuse them."""
    values = read_object(columns, NAMES, place)
    try:
        whole = check_flag(values["whole"], "whole")
        if all(isinstance(values[name], list) and not values[name] for name in NAMES[1:]):
            return CellSums.none()
        return checked_sums(values, whole, resolution, None)
    except ValueError as error:
        raise ValueError(f"{place} must hold cells: {error}") from error
