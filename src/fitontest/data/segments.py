"""Segments of rows: which segment each row is of, by the values of one column or of several, and their samples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_column, check_same_length
from fitontest.data.labels import coded
from fitontest.data.places import BadValueError, such
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.results.checks import is_real
from fitontest.results.several import SEGMENT
from fitontest.results.typing import ArrayInput, IntArray

MOST_SEGMENTS = 100  # beyond, hardly any p-value adjusted by Holm could be small, and no table is read
MOST_PARTS = 10_000  # that are read
MOST_MEASUREMENTS = 20  # distinct numbers that are no whole ones, beyond which they are no names of groups


def split_by_segment(
    data: ScoreSample | SimplexSample | Any, by: ArrayInput, names: tuple[str, str], matrix: Any = None
) -> Samples:
    """Return the samples of the segments of rows, each as its rows alone would make it.

    Parameters
    ----------
    data : ScoreSample, SimplexSample or Samples
        Of all rows, as they were given.
    by : array-like of shape (n,) or (n, k)
        Columns whose values make the segments; a list may hold a tuple for each row.
    names : tuple of str
        What the caller calls the labels and `by`, for error messages.
    matrix : Predictions, optional
        What the data were reduced from, class-wise or to confidences: then it is the matrix that is split.

    Raises
    ------
    ValueError
        Another number of rows, missing values, no segment or too many.
    """
    columns, name = columns_of(by)
    w = np.asarray(data.w) if matrix is None else matrix.w
    keys, code = _coded(columns, w.size, names[0], _called(by, names[1]))
    present = np.flatnonzero(w)
    order = present[np.argsort(code[present], kind="stable")]  # rows of a segment together, in their own order
    parts = np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
    check_number(keys, len(parts), names[1], w.size)
    seen = {int(code[rows[0]]) for rows in parts}
    empty = tuple(key for place, key in enumerate(keys) if place not in seen)
    part = data.select if matrix is None else lambda rows: matrix.take(rows).reduced(data.reduction)
    samples = {keys[code[rows[0]]]: part(rows) for rows in parts}
    return Samples.of_segments(samples, data, name, empty, names_of(by))


def _is_of_tuples(by: ArrayInput) -> bool:
    """Return whether a list holds a tuple for each row, of one length; as an array their numbers would be texts."""
    if not isinstance(by, list | tuple) or not all(isinstance(row, list | tuple) for row in by):
        return False
    return set(map(len, by)) not in ({0}, set()) and len(set(map(len, by))) == 1


def columns_of(by: ArrayInput) -> tuple[list[ArrayInput], str]:
    """Return the columns of a dict, matrix or data frame, or the one that is given, and what they are called."""
    if isinstance(by, Mapping):
        return list(by.values()), ", ".join(names_of(by))
    if _is_of_tuples(by):
        return [list(column) for column in zip(*by, strict=True)], SEGMENT
    if len(getattr(by, "shape", ())) != 2:
        name = getattr(by, "name", None)
        return [by], name if isinstance(name, str) else SEGMENT
    names = list(_columns(by))
    if names:
        return [by[name] for name in names], ", ".join(names_of(by))
    return list(np.asarray(by).T), SEGMENT


def _called(by: ArrayInput, argument: str) -> list[str]:
    """Return what messages call the columns: those with a name by it."""
    if _is_of_tuples(by):
        return [argument] * len(by[0])
    if not isinstance(by, Mapping) and len(getattr(by, "shape", ())) != 2:
        return [argument]
    return [f"{argument} column {name!r}" for name in names_of(by)] or [argument] * np.shape(by)[1]


def names_of(by: ArrayInput) -> tuple[str, ...]:
    """Return the names of several columns; none of a matrix, and of one column."""
    if isinstance(by, Mapping):
        return tuple(map(str, by))
    return () if len(getattr(by, "shape", ())) != 2 else tuple(map(str, _columns(by)))


def _columns(by: ArrayInput) -> Sequence[Any]:
    """Return the names of the columns of a frame, of pyarrow or of pandas and polars; none of a matrix."""
    return list(getattr(by, "column_names", getattr(by, "columns", ())))


def check_few(segments: Samples, by: str = "by") -> None:
    """Raise ValueError where segments that are tested one by one are too many to be told apart.

    Parameters
    ----------
    segments : Samples
    by : str
        What makes the segments.
    """
    check_number([*segments, *segments.empty], len(segments), by, most=MOST_SEGMENTS)


def check_number(
    keys: Sequence[Key], present: int, by: str = "by", rows: float = np.inf, most: int = MOST_PARTS
) -> None:
    """Raise ValueError for no segment, for too many of them, and for numbers of which hardly any occur twice.

    Parameters
    ----------
    keys : sequence
        The segments, those without rows of positive weight too.
    present : int
        How many of them have such rows.
    by : str
        What makes the segments.
    rows : int, optional
        Rows behind them.
    most : int
        Segments at most.
    """
    if present == 0:
        raise ValueError(f"{by} must give at least one segment, got none")
    numbers = [key for key in keys if is_real(key)]
    are_numbers = len(numbers) == len(keys)
    whole = all(float(number).is_integer() for number in numbers)
    remedy = "evaluate some of them, or join them"
    if are_numbers:
        remedy = "group numbers first, such as by pd.qcut(values, 5) or pd.cut(values, 5)"
    measures = are_numbers and not whole and present > MOST_MEASUREMENTS and 2 * present > rows
    most = min(most, MOST_SEGMENTS) if measures else most
    if present > most:
        raise ValueError(f"{by} must give at most {most:,} segments, got {present:,}; {remedy}")
    if measures:
        raise ValueError(f"{by} must name groups of rows, got {present} distinct numbers in {rows:,} rows; {remedy}")


def _coded(by: Sequence[ArrayInput], size: int, y_true: str, called: list[str]) -> tuple[list[Key], IntArray]:
    """Return the segments in order, and the place of each row's segment among them; `called`: what columns are."""
    columns = [as_column(_plain(column), name) for column, name in zip(by, called, strict=True)]
    for column, name in zip(columns, called, strict=True):
        check_same_length(**{y_true: np.empty(size, dtype=bool), name: column})
        check_present(column, name)
    if len(columns) == 1:
        keys, code = coded(columns[0], called[0])
        return list(keys), code
    each = [coded(column, name) for column, name in zip(columns, called, strict=True)]
    joint = np.zeros(size, dtype=np.intp)
    for keys, code in each:
        joint = np.unique(joint * len(keys) + code, return_inverse=True)[1]  # stays as small as the rows are many
    first = np.unique(joint, return_index=True)[1]
    return [tuple(keys[code[row]] for keys, code in each) for row in first], joint


def _plain(column: ArrayInput) -> Any:
    """Return categories as their values, and times as numpy turns them into those of Python."""
    dtype = getattr(column, "dtype", None)
    if hasattr(dtype, "categories"):
        column = np.asarray(column)
    return np.asarray(column).astype("datetime64[us]") if getattr(dtype, "kind", "") == "M" else column


def check_present(column: NDArray[Any], name: str) -> None:
    """Raise ValueError where a column of segments has no value in a row."""
    missing = column != column
    if column.dtype.kind in "mM":
        missing = np.isnat(column)
    if np.any(missing):
        count = int(np.sum(missing))
        at = int(np.flatnonzero(missing)[0])
        raise BadValueError(name, "have a value in every row", "none", at, missing.shape, such(count, "row"))
