"""A column of a frame as texts."""

from typing import Any


def as_text(column: Any) -> Any:
    """Return a column of a frame as texts, null where a value is missing.

    By a cast alone, what is missing in a column of pandas 2 becomes the text "nan" or "None" in narwhals before 2.27.
    """
    import narwhals.stable.v2 as nw

    return nw.when(~column.is_null()).then(column.cast(nw.String))
