"""The time of a batch: the latest one in a column of its rows."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.files.kinds import PARQUET, is_parquet
from fitontest.data.files.layout import Layout
from fitontest.data.files.parquet import is_pattern, latest_in_parquet
from fitontest.data.files.tables import read_columns
from fitontest.monitor.batches.identity import as_time
from fitontest.results.checks import brief


def latest(file: Path, column: str, layout: Layout) -> Any:
    """Return the latest time in a column of a file: of numbers, dates, times or texts; None where there are no rows.

    Raises
    ------
    ValueError
        Times that are missing, or of several kinds.
    """
    values, missing = _values(file, column, layout)
    if missing:
        raise ValueError(f"--time column {column!r} must have a time in every row, got {missing:,} without")
    if not values.size:
        return None
    if values.dtype.kind in "iufM":
        return values.max()
    times = {text: as_time(str(text)) for text in np.unique(np.asarray(values, dtype=object).astype(str)).tolist()}
    kinds = {kind: text for text, (kind, _) in times.items()}
    if len(kinds) > 1:
        each = " and ".join(f"{kind} {brief(text)}" for kind, text in list(kinds.items())[:2])
        raise ValueError(f"--time column {column!r} must hold times of one kind, got {each}")
    return max(times, key=lambda text: times[text][1])


def _values(file: Path, column: str, layout: Layout) -> tuple[NDArray[Any], int]:
    """Return times among which the latest is, and how many rows have none."""
    are_several = is_pattern(file) and not file.is_file()
    if are_several or is_parquet(file):  # of which there may be more rows than fit into memory
        layout.refuse_for(PARQUET)
        return latest_in_parquet(file, "--time", column)
    values = read_columns(file, {"--time": column}, (), layout, no_rows=True)["--time"]
    missing = np.ma.getmaskarray(values) | np.array([value is None for value in values.tolist()], dtype=bool)
    return values, int(missing.sum())
