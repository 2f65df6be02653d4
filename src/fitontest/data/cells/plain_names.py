"""Columns of pandas that are not called by texts, or of pandas and pyarrow of which several have one name."""

from collections.abc import Mapping
from typing import Any

from fitontest.data.arrays import is_hashable


def with_plain_names(frame: Any, columns: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a frame whose columns are called by texts, each by its own, and the columns that were named by these.

    Numbers become texts, and the parts of a tuple, as of a MultiIndex, are joined by underscores. Of several columns of
    one name the first stays; such a name must not be wanted. Frames of other libraries stay as they are.

    Parameters
    ----------
    frame : data frame
    columns : dict
        The name of a column, or a list of several, or None, by what the caller calls it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame, columns = with_plain_names(pd.DataFrame([[1, 0.5, 3]], columns=[0, ("p", "a"), 2]), {"prob": ("p", "a")})
    >>> list(frame.columns), columns
    (['p_a', '0', '2'], {'prob': 'p_a'})
    """
    library = type(frame).__module__.partition(".")[0]
    if library not in ("pandas", "pyarrow") or len(getattr(frame, "shape", ())) != 2:
        return frame, dict(columns)
    names = list(frame.columns if library == "pandas" else frame.column_names)
    if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
        return frame, dict(columns)
    texts: dict[Any, str] = {}

    def called(value: Any, argument: str) -> Any:
        if _is_among(value, names):
            if names.count(value) > 1:
                rule = f"{argument} must be one column of the frame"
                raise ValueError(f"{rule}, got {value!r}, {names.count(value)} times among its columns")
            text = _as_text(value)
            return texts.setdefault(value, repr(value) if text in texts.values() else text)
        return [called(one, argument) for one in value] if isinstance(value, list | tuple) else value

    plain = {argument: called(value, argument) for argument, value in columns.items()}
    for name in names:
        text = _as_text(name)
        if name not in texts and text not in texts.values():
            texts[name] = text
    places = [names.index(name) for name in texts]
    if library == "pyarrow":
        return frame.select(places), plain
    return frame.iloc[:, places].set_axis([*texts.values()], axis=1), plain


def _is_among(value: Any, names: list[Any]) -> bool:
    """Return whether a value is one of the names, and no list of names."""
    return value is not None and is_hashable(value) and value in names


def _as_text(name: Any) -> str:
    return "_".join(map(str, name)) if isinstance(name, tuple) else str(name)
