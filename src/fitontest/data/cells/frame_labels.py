"""Labels in a column of a frame: as what they are compared with a label that the user names."""

from typing import Any

import narwhals.stable.v2 as nw

from fitontest.data.text_column import as_text
from fitontest.results.checks import as_plain, brief, is_real
from fitontest.results.typing import Label

NAMED = (nw.Categorical, nw.Enum)  # pandas has categories of any type


def comparable(name: str, dtype: Any) -> Any:
    """Return the labels of a column as numbers, booleans, objects, or else texts; null where one is missing or NaN."""
    column = nw.col(name)
    if dtype.is_float():
        return nw.when(~column.is_nan()).then(column)
    return column if dtype.is_numeric() or dtype in (nw.Boolean, nw.Object) else as_text(column)


def as_label(label: Label, dtype: Any, argument: str, column: str) -> Any:
    """Return the label that the user means as `comparable` has it, or refuse one that no row can have.

    Raises
    ------
    ValueError
        A text for a column of numbers or booleans, and the other way round.
    """
    value = as_plain(label)
    boolean = isinstance(value, bool)
    if dtype == nw.Object:
        return value
    if dtype.is_numeric() and (boolean or is_real(value)):
        return int(value) if boolean else value
    if dtype == nw.Boolean and (boolean or value in (0, 1)):
        return bool(value)
    if not (dtype.is_numeric() or dtype == nw.Boolean) and (isinstance(value, str) or dtype in NAMED):
        return str(value)
    kind = "numbers" if dtype.is_numeric() else "booleans" if dtype == nw.Boolean else "texts"
    raise ValueError(f"{argument} must be of the type of the label column {column!r}, {kind}, got {brief(label)}")
