"""Segments of rows: which segment each row is of, by the values of one column or of several, and their samples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_column, check_same_length
from fitontest.data.labels import coded
from fitontest.data.samples import SEGMENT, Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.typing import ArrayInput, IntArray

MOST_SEGMENTS = 100  # beyond, hardly any adjusted p-value could be small, and no table is read


def split_by_segment(data: ScoreSample | SimplexSample | Samples, by: ArrayInput, names: tuple[str, str]) -> Samples:
    """Return the samples of the segments of rows, each as its rows alone would make it.

    Parameters
    ----------
    data : ScoreSample, SimplexSample or Samples
        Of all rows, as they were given; samples of classes are split through their matrix.
    by : array-like of shape (n,) or (n, k)
        Columns whose values make the segments.
    names : tuple of str
        What the caller calls the labels and `by`, for error messages.

    Raises
    ------
    ValueError
        Another number of rows, missing values, no segment or too many.
    """
    columns, name = columns_of(by)
    w = _weights_of(data)
    keys, code = _coded(columns, w.size, names)
    present = np.flatnonzero(w)
    order = present[np.argsort(code[present], kind="stable")]  # rows of a segment together, in their own order
    parts = np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
    check_number(len(parts), names[1])
    seen = {int(code[rows[0]]) for rows in parts}
    empty = tuple(key for place, key in enumerate(keys) if place not in seen)
    return Samples.of_segments({keys[code[rows[0]]]: _part(data, rows) for rows in parts}, data, name, empty)


def columns_of(by: ArrayInput) -> tuple[list[ArrayInput], str]:
    """Return the columns of a dict, matrix or data frame, or the one that is given, and what they are called."""
    if isinstance(by, Mapping):
        return list(by.values()), ", ".join(map(str, by))
    if len(getattr(by, "shape", ())) != 2:
        name = getattr(by, "name", None)
        return [by], name if isinstance(name, str) else SEGMENT
    names = list(getattr(by, "column_names", getattr(by, "columns", ())))  # of pyarrow; of pandas and polars
    if names:
        return [by[name] for name in names], ", ".join(map(str, names))
    return list(np.asarray(by).T), SEGMENT


def check_number(segments: int, by: str = "by") -> None:
    """Raise ValueError for no segment, and for more than can be told apart; `by` is what makes them."""
    if segments == 0:
        raise ValueError(f"{by} must give at least one segment, got none")
    if segments > MOST_SEGMENTS:
        raise ValueError(
            f"{by} must give at most {MOST_SEGMENTS} segments, got {segments:,}; evaluate some of them, or join them"
        )


def _weights_of(data: Any) -> NDArray[Any]:
    """Return the weight of each row."""
    if not data.is_by_class:
        return np.asarray(data.w)
    given = data.whole.sample_weight
    return np.broadcast_to(np.float64(1.0), data.whole.codes.shape) if given is None else np.asarray(given.w)


def _part(data: Any, rows: IntArray) -> Any:
    """Return the sample of some rows, as these rows alone would make it."""
    if data.is_by_class:
        return data.whole.take(rows).classwise()
    return data.select(rows)


def _coded(by: Sequence[ArrayInput], size: int, names: tuple[str, str]) -> tuple[list[Key], IntArray]:
    """Return the segments in order, and the place of each row's segment among them."""
    columns = [as_column(_plain(column), names[1]) for column in by]
    for column in columns:
        check_same_length(**{names[0]: np.empty(size, dtype=bool), names[1]: column})
        check_present(column, names[1])
    if len(columns) == 1:
        keys, code = coded(columns[0], names[1])
        return list(keys), code
    each = [coded(column, names[1]) for column in columns]
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
    """Raise ValueError where a column of segments or groups has no value in a row."""
    missing = column != column
    if column.dtype.kind in "mM":
        missing = np.isnat(column)
    if np.any(missing):
        raise ValueError(f"{name} must have a value in every row, got none in {int(np.sum(missing)):,} rows")
