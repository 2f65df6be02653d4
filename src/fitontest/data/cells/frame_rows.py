"""Columns of a frame of any engine as they are, for the rows that are not reduced to cells."""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw

from fitontest.data.cells.frames import as_frame
from fitontest.results.checks import brief, meant


def is_lazy(native: Any) -> bool:
    """Return whether a frame is yet to be computed, so that it may be larger than the memory."""
    return isinstance(as_frame(native), nw.LazyFrame)


def frame_in_words(value: Any) -> str | None:
    """Return what frame a value is, with the names of its columns; None of anything else."""
    try:
        frame = nw.from_native(value, pass_through=True)
    except ValueError:  # several columns of one name
        return "a data frame with columns of one name"
    if isinstance(frame, nw.LazyFrame):
        return "a lazy frame"
    return f"a data frame with columns {brief(list(frame.columns))}" if isinstance(frame, nw.DataFrame) else None


def columns_by_name(value: Any) -> dict[str, Any] | None:
    """Return the columns of an eager frame by their names; None of anything else, and where columns share a name."""
    try:
        frame = nw.from_native(value, eager_only=True, pass_through=True)
    except ValueError:  # several columns of one name
        return None
    if not isinstance(frame, nw.DataFrame):
        return None
    # by place, since a name of pandas may be a tuple
    return {str(name): frame[:, place].to_native() for place, name in enumerate(frame.columns)}


def count_rows(native: Any) -> int:
    """Return the number of rows of an eager frame."""
    frame = as_frame(native)
    assert isinstance(frame, nw.DataFrame)
    return len(frame)


def is_without_rows(native: Any) -> bool:
    """Return whether a frame, eager or lazy, has no rows."""
    frame = as_frame(native)
    return len(frame.head(1).lazy().collect() if isinstance(frame, nw.LazyFrame) else frame) == 0


def frame_columns(native: Any, arguments: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return columns of a frame by their names, collected where it is lazy.

    Parameters
    ----------
    native : data frame
    arguments : iterable of (argument, name)
        The names of the columns, and which argument names each.

    Raises
    ------
    ValueError
        A column that is missing.
    """
    frame = as_frame(native)
    schema = frame.collect_schema()
    named = list(arguments)
    for argument, name in named:
        if name not in schema:
            columns = f"{brief([*schema])}{meant(name, schema)}"
            raise ValueError(f"{argument} must be a column of the frame, got {name!r}; its columns are {columns}")
    names = list(dict.fromkeys(name for _, name in named))
    rows = frame.select(*names).lazy().collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: rows[name].to_native() for name in names}


def column_names(native: Any) -> list[str]:
    """Return the names of the columns of a frame."""
    return list(as_frame(native).collect_schema())


def first_rows(native: Any, names: Sequence[str], most: int) -> dict[str, list[Any]]:
    """Return the values of columns of an eager frame in its first rows, at most so many."""
    frame = as_frame(native)
    assert isinstance(frame, nw.DataFrame)
    return {name: frame[name].head(most).to_list() for name in names}


def distinct_labels(native: Any, label: str) -> list[Any]:
    """Return the distinct values of the column of labels, in order; none missing."""
    frame = as_frame(native)
    if label not in frame.collect_schema():
        names = f"{brief([*frame.collect_schema()])}{meant(label, frame.collect_schema())}"
        raise ValueError(f"label must be a column of the frame, got {label!r}; its columns are {names}")
    column = frame.select(label).unique().lazy().collect()[label].drop_nulls()
    return sorted(column.to_list())
