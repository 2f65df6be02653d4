"""Tables as plain records, and records as a data frame of whichever library is installed."""

from collections.abc import Iterable, Sequence
from math import isinf
from typing import Any, Literal, TypeAlias, get_args

import narwhals.stable.v2 as nw

from fitontest.results.checks import choose

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


Records: TypeAlias = list[dict[str, Any]]


def records(**columns: Iterable[Any]) -> Records:
    """Return one record per row of columns of equal length, with Python's own numbers; NaN becomes None."""
    return [dict(zip(columns, map(_plain, values), strict=True)) for values in zip(*columns.values(), strict=True)]


def finite_or_none(value: Any) -> Any:
    """Return a value, None in place of an infinite number, for which JSON has no word."""
    return None if isinstance(value, float) and isinf(value) else value


def attributes(thing: object, *names: str) -> dict[str, Any]:
    """Return attributes by name, as a part of a record; those of nothing are None."""
    return {name: None if thing is None else getattr(thing, name) for name in names}


def _plain(value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value
    return None if plain != plain else plain


def to_frame(rows: Sequence[dict[str, Any]], backend: Backend) -> Any:
    """Return the records, which share their keys, as a frame with one row per record."""
    choose(backend, get_args(Backend), "backend")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError as error:
        others = ", ".join(repr(name) for name in get_args(Backend) if name != backend)
        raise ModuleNotFoundError(
            f"backend={backend!r} must be an installed package: python -m pip install {backend}, or take {others}; "
            "to_dict and to_json need none",
            name=error.name,
        ) from error
