"""Reading features: from data frames of any library, dicts of columns and matrices to columns of two kinds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import NUMBERS, is_missing
from fitontest.data.places import BadValueError, such
from fitontest.maps.rules.columns import (
    FROM_DTYPE,
    MISSING,
    CategoricalFeatures,
    Categories,
    Column,
    Columns,
    Level,
    Numbers,
)
from fitontest.results.checks import as_plain, brief, is_real, is_whole, meant

NOTHING = "a minimum of 1 is required."  # as scikit-learn says it
SHAPE = "X must be a data frame, a dict of columns or a matrix of shape (n, d)"


def read_columns(
    X: Any, categorical_features: CategoricalFeatures = FROM_DTYPE, names: Sequence[str] | None = None
) -> Columns:
    """Return the columns of a data frame of any library, a dict of columns or a matrix.

    Columns of texts, booleans or a categorical type are categories, all others numbers. A missing value is None, NaN,
    or what the library has for it.

    Parameters
    ----------
    X : data frame, dict of arrays, or array of shape (n, d)
    categorical_features : "from_dtype", or iterable of str, int or bool, default="from_dtype"
        Which columns are categories whatever they hold, by name, by place, or as a mask; as in scikit-learn's
        ``HistGradientBoostingClassifier``.
    names : sequence of str, optional
        What the columns of a matrix are called; by default x0, x1, ... as in scikit-learn.

    Raises
    ------
    ValueError
        What is none of these; a column of other values, such as dates; infinite numbers; no row or no column.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"age": [20, None], "sex": ["f", "m"]})
    >>> [(column.name, column.is_number, column.missing.tolist()) for column in read_columns(frame)]
    [('age', True, [False, True]), ('sex', False, [False, False])]
    """
    named = _named(X, names)
    called = [name for name, _ in named]
    if len(set(called)) < len(called):
        raise ValueError(_twice(called))
    chosen = _chosen(categorical_features, called)
    columns = tuple(_column(name, values, is_category=name in chosen) for name, values in named)
    lengths = {column.name: len(column) for column in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"X must have columns of one length, got {brief(lengths)}")
    n = len(columns[0]) if columns else 0
    if n == 0:
        raise ValueError(f"X must have rows, got 0 sample(s) (shape={(n, len(columns))}) while {NOTHING}")
    return Columns(columns, n)


def _named(X: Any, names: Sequence[str] | None) -> list[tuple[str, Any]]:
    """Return the values of each column with its name."""
    if hasattr(X, "tocsr"):
        raise ValueError(f"{SHAPE}, got a sparse matrix; dense data are read: X.toarray()")
    if isinstance(X, Mapping):
        named = [(str(name), values) for name, values in X.items()]
        if not named:
            raise ValueError(f"{SHAPE}, got a dict of no column")
        return named
    frame = _frame(X)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError(f"{SHAPE}, in memory, got a lazy frame; collect it first")
    if isinstance(frame, nw.DataFrame):
        if not frame.columns:
            raise ValueError(f"{SHAPE}, got 0 feature(s) (shape={(len(frame), 0)}) while {NOTHING}")
        return [(str(name), frame[:, place]) for place, name in enumerate(frame.columns)]
    matrix = _matrix(X)
    if matrix.ndim != 2:
        raise ValueError(f"{SHAPE}, got an array of shape {matrix.shape}. Reshape your data, as by X.reshape(-1, 1)")
    if matrix.shape[1] == 0:
        raise ValueError(f"{SHAPE}, got 0 feature(s) (shape={matrix.shape}) while {NOTHING}")
    called = [f"x{place}" for place in range(matrix.shape[1])] if names is None else list(names)
    return [(name, matrix[:, place]) for place, name in enumerate(called)]


def _frame(X: Any) -> Any:
    """Return a data frame as narwhals reads it, and anything else as it is."""
    try:
        return nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in X.columns]
        raise ValueError(_twice(names)) from None


def _twice(names: Sequence[str]) -> str:
    twice = next(name for name in names if names.count(name) > 1)
    return f"X must have columns of different names, got {brief(twice)} twice"


def _matrix(X: Any) -> NDArray[Any]:
    try:
        return np.asarray(X) if hasattr(X, "dtype") else _from_lists(X)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{SHAPE}, got {brief(X)}: {error}") from error


def _from_lists(X: Any) -> NDArray[Any]:
    """Return lists as numpy reads them, and as objects where it would make texts of numbers that stand beside texts."""
    matrix = np.asarray(X)
    return np.asarray(X, dtype=object) if matrix.dtype.kind in "US" else matrix


def _chosen(given: CategoricalFeatures, names: list[str]) -> set[str]:
    """Return the names of the columns that are categories whatever they hold."""
    if given is None or (isinstance(given, str) and given == FROM_DTYPE):
        return set()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(
            f"categorical_features must be 'from_dtype', or names, places or a mask of columns; got {brief(given)}"
        )
    listed = [as_plain(one) for one in given]
    if listed and all(isinstance(one, bool) for one in listed):
        if len(listed) != len(names):
            rule = f"categorical_features must say of each of {len(names)} columns whether it holds categories"
            raise ValueError(f"{rule}, got {len(listed)} values")
        return {name for name, is_category in zip(names, listed, strict=True) if is_category}
    chosen = set()
    for one in listed:
        if is_whole(one) and 0 <= one < len(names):
            chosen.add(names[one])
        elif one in names:
            chosen.add(str(one))
        else:
            raise ValueError(
                f"categorical_features must name columns of X, {brief(names)}; got {brief(one)}{meant(one, names)}"
            )
    return chosen


def _column(name: str, values: Any, *, is_category: bool) -> Column:
    series = values if isinstance(values, nw.Series) else nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.dtype.is_temporal():
            raise ValueError(_no_kind(name, str(series.dtype)))
        if series.dtype.is_numeric() and not is_category:
            numbers = series if series.dtype == nw.Float64 else series.cast(nw.Float64)
            return _numbers(name, np.asarray(numbers.to_numpy(), dtype=np.float64))
        return _from_objects(name, series.to_list(), is_category=is_category or series.dtype != nw.Object)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"X must have columns of one value a row, got an array of shape {array.shape} as {name!r}")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X must hold real numbers, got {array.dtype} in column {name!r}")
    if array.dtype.kind in "mM":
        raise ValueError(_no_kind(name, str(array.dtype)))
    if array.dtype.kind in "iuf" and not is_category:
        return _numbers(name, array.astype(np.float64, copy=False))
    return _from_objects(name, array.tolist(), is_category=is_category or array.dtype.kind == "b")


def _no_kind(name: str, got: str) -> str:
    rule = "X must hold numbers, texts, booleans or categories"
    return f"{rule}, got {got} in column {name!r}; make numbers of it, such as a month or an age"


def _numbers(name: str, values: NDArray[np.float64]) -> Numbers:
    infinite = np.isinf(values)
    if infinite.any():
        at = int(np.argmax(infinite))
        note = such(int(infinite.sum()))
        raise BadValueError(f"X column {name!r}", "be finite or missing", str(values[at]), at, values.shape, note)
    return Numbers(name, values)


def _from_objects(name: str, values: list[Any], *, is_category: bool) -> Column:
    """Return numbers where all values are numbers, and categories else."""
    try:
        distinct = dict.fromkeys(values)
    except TypeError as error:
        raise ValueError(_no_kind(name, "values that cannot be hashed")) from error
    missing = dict.fromkeys(value for value in distinct if is_missing(value))
    plain = {value: as_plain(value) for value in distinct if value not in missing}
    if plain and not is_category and all(map(_is_number, plain.values())):
        as_number = {**{value: float(value) for value in plain}, **dict.fromkeys(missing, np.nan)}
        return _numbers(name, np.array([as_number[value] for value in values], dtype=np.float64))
    for value, level in plain.items():
        if not isinstance(level, str | bool | int | float):
            rule, got = "hold numbers, texts or booleans", f"the {type(level).__name__} {brief(level)}"
            raise BadValueError(f"X column {name!r}", rule, got, values.index(value), (len(values),))
    levels = tuple(sorted(set(plain.values()), key=_order))
    place = {level: code for code, level in enumerate(levels)} | dict.fromkeys(missing, MISSING)
    codes = np.fromiter(map(place.__getitem__, values), dtype=np.intp, count=len(values))
    return Categories(name, codes, levels)


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS) and not isinstance(value, bool)


def _order(level: Level) -> tuple[bool, Any]:
    """Return what levels are sorted by: numbers before texts."""
    return not is_real(level) and not isinstance(level, bool), level
