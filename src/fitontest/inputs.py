"""Turning what a user passes into plain numpy arrays, or refusing it by name.

The converters accept lists, numpy, pandas, polars, pyarrow, torch and jax arrays without importing any of
them. They never reorder, clip or drop a value: what cannot be converted exactly is a ValueError that says which
argument, which rule, and what was found where.
"""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from fitontest.typing import ArrayInput, FloatArray

BLOCK = 65_536  # rows per block: the temporaries of a pass stay in the cache


def as_column(values: ArrayInput, name: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional numpy array of whatever dtype it has, free of missing values."""
    array = _to_numpy(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2:
        raise ValueError(
            f"{name} must be one-dimensional, got an array of shape {array.shape}; for a (n, 2) matrix of class "
            f"probabilities pass the column of the positive class, {name}[:, 1]"
        )
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got an array of shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got 0 rows")
    if array.dtype == object:
        _refuse_missing(np.array([_is_missing(value) for value in array]), name)
    return array


def as_numbers(values: ArrayInput, name: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional array of a real number dtype (not yet converted to float64)."""
    return to_real(as_column(values, name), name)


def to_real(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the array with a dtype that numpy computes with, or refuse it."""
    if array.dtype.kind in "buif":
        return array
    if array.dtype == object and not any(isinstance(value, str | bytes | complex) for value in array):
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass  # the message below names the type that stood in the way
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):  # ml_dtypes, as jax hands them over
        return array.astype(np.float64)
    kind = type(array[0]).__name__ if array.dtype == object else str(array.dtype)
    raise ValueError(f"{name} must hold real numbers, got {kind} values such as {array[0]!r}")


def as_probabilities(values: ArrayInput, name: str) -> FloatArray:
    """Return scores in [0, 1] as float64, keeping the shape; a scalar becomes a 0-d array."""
    array = _to_numpy(values, name)
    flat = to_real(array.reshape(-1), name) if array.size else np.empty(0)
    check_unit_interval(flat, name)
    return flat.astype(np.float64, copy=False).reshape(array.shape)


def check_unit_interval(array: NDArray[Any], name: str) -> None:
    """Raise ValueError unless every value is a number in [0, 1]."""
    if array.size == 0:
        return
    low, high = array.min(), array.max()  # NaN comes through both
    if low >= 0 and high <= 1:
        return
    check_finite(array, name)
    bad = np.flatnonzero((array < 0) | (array > 1))
    raise ValueError(
        f"{name} must lie in [0, 1], got {array[bad[0]]!s} at row {bad[0]} "
        f"({bad.size} of {array.size} values outside, from {low!s} to {high!s})"
    )


def check_finite(array: NDArray[Any], name: str) -> None:
    """Raise ValueError when a value is NaN or infinite."""
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"{name} must be finite, got {array[row]!s} at row {row} ({int((~finite).sum())} such values)")


def check_same_length(**columns: NDArray[Any] | None) -> None:
    """Raise ValueError unless all the named columns have as many rows as one another."""
    lengths = {name: column.shape[0] for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"{' and '.join(lengths)} must have the same number of rows, got: {found}")


def _to_numpy(values: ArrayInput, name: str) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        _refuse_missing(np.ma.getmaskarray(values).reshape(-1), name)
        return np.asarray(values.data)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # torch: off the graph and off the device
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":  # numpy has no such type; float32 holds it exactly
            values = values.float()
        return np.asarray(values)
    if isinstance(values, set | dict):
        raise ValueError(f"{name} must be an array or a sequence, got a {type(values).__name__}")
    return _from_frame_library(values, name)


def _from_frame_library(values: Any, name: str) -> NDArray[Any]:
    series = nw.from_native(values, allow_series=True, pass_through=True)
    if isinstance(series, nw.LazyFrame):
        raise ValueError(f"{name} must be a column in memory, got a lazy frame; collect it first")
    if isinstance(series, nw.DataFrame):
        if series.shape[1] != 1:
            raise ValueError(f"{name} must be one column, got a data frame with columns {list(series.columns)}")
        series = series[series.columns[0]]
    if isinstance(series, nw.Series):
        _refuse_missing(np.asarray(series.is_null().to_numpy(), dtype=bool), name)
        return np.asarray(series.to_numpy())
    if getattr(values, "null_count", 0):  # pyarrow.Array is no narwhals type
        _refuse_missing(np.asarray(values.is_null().to_numpy(zero_copy_only=False), dtype=bool), name)
    if type(values).__module__.startswith("pyarrow"):
        return np.asarray(values.to_numpy(zero_copy_only=False))
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array or a sequence of numbers or labels: {error}") from error


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _refuse_missing(missing: NDArray[np.bool_], name: str) -> None:
    if missing.any():
        raise ValueError(
            f"{name} must not have missing values, got {int(missing.sum())} "
            f"(the first at row {int(np.argmax(missing))})"
        )
