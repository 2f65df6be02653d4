"""Values of columns of a frame that make segments: the same Python values, whatever engine holds them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import is_missing
from fitontest.data.text_column import as_text

NESTED = (nw.List, nw.Array, nw.Struct, nw.Binary)
CATEGORIES = (nw.Categorical, nw.Enum)


def check_segment(name: str, dtype: Any, argument: str = "by") -> None:
    """Raise ValueError where the values of a column cannot name segments or groups; `argument` names the column."""
    if isinstance(dtype, NESTED):
        raise ValueError(f"{argument} column {name!r} must hold texts, numbers, booleans, dates or times, got {dtype}")


@contextmanager
def only_hashable() -> Iterator[None]:
    """Raise ValueError where objects cannot name segments, of which a schema does not tell."""
    try:
        yield
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        rule = "by and groups columns must hold texts, numbers, booleans, dates or times"
        raise ValueError(f"{rule}, got other objects: {error}") from error


def segment_column(name: str, dtype: Any) -> Any:
    """Return the column; categories as texts, because engines lose the rows without one."""
    return as_text(nw.col(name)) if isinstance(dtype, CATEGORIES) else nw.col(name)


def segment_values(column: Any, dtype: Any) -> list[Any]:
    """Return the values of a column, which may be masked, as Python has them; None where one is missing.

    Dates are ``datetime.date`` and timestamps ``datetime.datetime``, which are of UTC where the column has a time zone.

    Raises
    ------
    ValueError
        Timestamps that are no whole microseconds.
    """
    data, mask = np.ma.getdata(column), np.ma.getmaskarray(column)
    if data.dtype.kind == "M":
        data = _in_microseconds(data, mask)
    values = [None if gone or is_missing(one) else one for one, gone in zip(data.tolist(), mask.tolist(), strict=True)]
    if dtype == nw.Date:
        return [one.date() if isinstance(one, datetime) else one for one in values]
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        return [one if one is None or one.tzinfo else one.replace(tzinfo=UTC) for one in values]
    return values


def group_values(column: Any, dtype: Any) -> NDArray[Any]:
    """Return the values of a column of groups as an array, of whole numbers or of Python's values, None for missing."""
    data, mask = np.ma.getdata(column), np.ma.getmaskarray(column)
    if data.dtype.kind in "iu" and not mask.any():
        return np.asarray(data)
    values = np.empty(len(data), dtype=object)
    values[:] = segment_values(column, dtype)
    return values


def _in_microseconds(stamps: Any, mask: Any) -> Any:
    made = stamps.astype("datetime64[us]")
    if np.any((made.astype(stamps.dtype) != stamps) & ~np.isnat(stamps) & ~mask):
        raise ValueError("by columns must hold timestamps of whole microseconds, got some with nanoseconds")
    return made
