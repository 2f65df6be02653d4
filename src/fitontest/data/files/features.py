"""Columns of features in a file: numbers with missing values, texts, booleans."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.files.file_error import FileError
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.tables import first_cells, read_columns
from fitontest.results.checks import brief, meant


def column_names(path: Path, wanted: Mapping[str, str], layout: Layout = STANDARD) -> list[str]:
    """Return the names of all columns of a table.

    Parameters
    ----------
    path : Path
        CSV, TSV, JSON lines, Parquet or xlsx.
    wanted : dict of str to str
        Columns that it has, by what the caller calls them; a CSV file's separator is known by them.
    layout : Layout
        How a CSV file is written.
    """
    names: list[str] = []

    def remember(header: Sequence[str]) -> list[str]:
        names.extend(header)
        return []

    first_cells(path, remember, 1, wanted, layout)
    return names


def read_features(
    path: Path, names: Sequence[str], wanted: Mapping[str, str], layout: Layout = STANDARD
) -> dict[str, NDArray[Any]]:
    """Return columns of a table as features: numbers where all values are, NaN where one is missing; else objects.

    Parameters
    ----------
    path : Path
        CSV, TSV, JSON lines, Parquet or xlsx.
    names : sequence of str
    wanted : dict of str to str
        Columns that the table has, by what the caller calls them.
    layout : Layout
        How a CSV file is written.

    Raises
    ------
    ValueError
        No such column.
    """
    known = column_names(path, wanted, layout)
    for name in names:
        if name not in known:
            rule = f"must name columns of {path}, {brief(known)}"
            raise FileError("columns", f"{rule}; got {name!r}{meant(name, known)}")
    found = {name: _filled(column) for name, column in _read(path, names, names, layout).items()}
    texts = [name for name, column in found.items() if any(isinstance(value, str) for value in column.tolist())]
    found |= {name: _filled(column) for name, column in _read(path, texts, (), layout).items()}  # numbers as texts too
    return found


def _read(path: Path, names: Sequence[str], numbers: Sequence[str], layout: Layout) -> dict[str, NDArray[Any]]:
    return read_columns(path, {name: name for name in names}, numbers, layout) if names else {}


def _filled(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column in which a missing number is NaN, and any other missing value None."""
    if isinstance(column, np.ma.MaskedArray):
        missing, values = np.ma.getmaskarray(column), np.asarray(column.data)
        if values.dtype.kind in "iuf":
            return np.where(missing, np.nan, values.astype(np.float64))
        column = values.astype(object)
        column[missing] = None
    if column.dtype != object:
        return column
    known = [value for value in column.tolist() if value is not None]
    if known and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return np.array([np.nan if value is None else value for value in column.tolist()], dtype=np.float64)
    return column
