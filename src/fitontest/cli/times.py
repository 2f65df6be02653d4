"""The time of a batch: the latest one in a column of its rows."""

from pathlib import Path
from typing import Any

import numpy as np

from fitontest.checks import brief
from fitontest.files.csv_files import Layout
from fitontest.files.tables import read_columns
from fitontest.monitoring.batch_identity import as_time


def latest(file: Path, column: str, layout: Layout) -> Any:
    """Return the latest time in a column of a file: of numbers, dates, times or texts; None where there are no rows.

    Raises
    ------
    ValueError
        Times that are missing, or of several kinds.
    """
    values = read_columns(file, {"--time": column}, (), layout, no_rows=True)["--time"]
    if not values.size:
        return None
    missing = np.ma.getmaskarray(values) | np.array([value is None or value != value for value in values.tolist()])
    if missing.any():
        row = int(np.flatnonzero(missing)[0]) + 1
        raise ValueError(f"--time column {column!r} must have a time in every row, got none in row {row}")
    if values.dtype.kind in "iufM":
        return values.max()
    times = {text: as_time(str(text)) for text in np.unique(np.asarray(values, dtype=object).astype(str)).tolist()}
    kinds = {kind: text for text, (kind, _) in times.items()}
    if len(kinds) > 1:
        each = " and ".join(f"{kind} {brief(text)}" for kind, text in list(kinds.items())[:2])
        raise ValueError(f"--time column {column!r} must hold times of one kind, got {each}")
    return max(times, key=lambda text: times[text][1])
