"""Turning what a user passes into plain numpy arrays, or refusing it by name.

The converters accept lists, numpy, pandas, polars, pyarrow, torch and jax arrays without importing any of
them. They never reorder or drop a value: what cannot be converted exactly raises a ValueError that names the
argument, the rule, and the value with its position. Only scores that miss [0, 1] by a rounding become 0 or 1.
"""

import numbers
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from fitontest.data.places import BadValueError, such
from fitontest.numerics.search import BLOCK
from fitontest.results.checks import brief
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import ArrayInput, FloatArray

ROUNDING = 1e-6  # beyond 0 or 1, up to which scores of single precision come of sums and quotients: they are clipped
LISTS = ("object", "list", "array", "fixed_size_list", "large_list")  # how kinds of columns of lists are called
LAST_DIGITS = 1e-12  # beyond 0 or 1, up to which double precision explains it, so that nobody needs to be told
NEAR = 0.1  # beyond 0 or 1, up to which values may be meant to lie within, as those of a linear model
ODDS = 10.0  # the median of decimal odds is below, that of percents above
FEWEST_RANKS, MOST_RANKS = 4.0, 10.0  # of quartiles and deciles
MatrixHint: TypeAlias = Callable[[NDArray[Any]], str]
NUMBERS = (numbers.Real, Decimal, np.bool_)  # what an array of objects may hold to count as an array of numbers


def as_column(values: ArrayInput, name: str, hint: MatrixHint | None = None) -> NDArray[Any]:
    """Return `values` as a one-dimensional numpy array of whatever dtype it has, free of missing values.

    Parameters
    ----------
    values : array-like of shape (n,) or (n, 1)
    name : str
        What the caller calls it.
    hint : callable, optional
        From a matrix of several columns to what its caller should do, for the refusal; "" says nothing.
    """
    array = _squeezed(_to_numpy(values, name, hint), name, hint)
    if array.ndim != 1:
        description = f"an array of shape {array.shape}" if hasattr(values, "shape") else f"one {type(values).__name__}"
        raise ValueError(f"{name} must be a one-dimensional array or sequence, got {description}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got 0 rows")
    return _unboxed(array, name)


def as_ids(values: ArrayInput, name: str) -> NDArray[Any]:
    """Return a column of ids of any hashable types, each as it was given, free of missing values.

    Ids that numpy has no kind for, tuples and ids of several types, come as objects: none of them becomes a text or a
    number that another one is too.

    Examples
    --------
    >>> as_ids([("Oslo", 1), ("Oslo", 2)], "groups").tolist(), as_ids([2**60, 2**60 + 1], "groups").tolist()
    ([('Oslo', 1), ('Oslo', 2)], [1152921504606846976, 1152921504606846977])
    """
    array = _each_as_given(of_single_values(values)) if isinstance(values, list | tuple) else _to_numpy(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        if array.ndim == 0:
            got, hint = f"one {type(values).__name__}", ""
        else:
            got, hint = f"an array of shape {array.shape}", "; ids of several columns are tuples, as list(zip(a, b))"
        raise ValueError(f"{name} must be a column with an id for each row, got {got}{hint}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got 0 rows")
    if array.dtype.kind in "fcmM":
        _refuse_missing(np.isnat(array) if array.dtype.kind in "mM" else np.isnan(array), name)
        return array
    if array.dtype.kind in "biuUS":
        return array
    array = array.astype(object)
    try:
        distinct = dict.fromkeys(array)  # far fewer than rows, as a rule
    except TypeError:
        _refuse_unhashable(array, name)
        raise
    if any(map(_is_missing_id, distinct)):
        _refuse_missing(np.array([_is_missing_id(value) for value in array], dtype=bool), name)
    return array


def _each_as_given(values: Any) -> NDArray[Any]:
    """Return numbers of one kind as numbers, and anything else as objects, which numpy would make texts or rows of."""
    kinds = set(map(type, values))
    try:
        if kinds == {int}:
            return np.array(values, dtype=np.int64)
        if kinds == {float}:
            return np.array(values, dtype=np.float64)
    except OverflowError:  # whole numbers beyond those of numpy
        pass
    return np.fromiter(values, dtype=object, count=len(values))


def _refuse_unhashable(array: NDArray[Any], name: str) -> None:
    """Raise ValueError for the first of the ids that cannot be hashed, if there is one."""
    bad = [at for at, value in enumerate(array) if not is_hashable(value)]
    if bad:
        value = array[bad[0]]
        got = f"the {type(value).__name__} {brief(value)}"
        rule = "hold ids that can be hashed, such as numbers, texts and tuples of these"
        raise BadValueError(name, rule, got, bad[0], array.shape, such(len(bad)))


def is_hashable(value: Any) -> bool:
    """Return whether a value may be a key, as an array or a record of JSON may not."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_missing_id(value: Any) -> bool:
    """Return whether a value is missing, or a tuple with a part that is."""
    if isinstance(value, tuple):
        return any(map(_is_missing_id, value))
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return is_missing(value) or (isinstance(value, Decimal) and value.is_nan())


def _squeezed(array: NDArray[Any], name: str, hint: MatrixHint | None = None) -> NDArray[Any]:
    """Return a matrix of one column as that column; refuse any other, with a hint that fits what it stands for."""
    if array.ndim != 2:
        return array
    if array.shape[1] == 1:
        return array[:, 0]
    text = "" if hint is None else hint(array)
    raise ValueError(f"{name} must be one-dimensional, got an array of shape {array.shape}{text and f'; {text}'}")


def hint_of_scores(matrix: NDArray[Any]) -> str:
    """Return what to do with a matrix of two columns of scores, as ``predict_proba`` gives them."""
    if matrix.shape[1] != 2 or matrix.dtype.kind not in "fO":
        return ""
    return "of a predict_proba matrix pass the column that list(classifier.classes_).index(pos_label) gives"


def as_scores(values: ArrayInput, name: str) -> FloatArray:
    """Return a column of scores in [0, 1] as float64; unlike data to fit to, it may be empty."""
    scores = _squeezed(as_probabilities(values, name), name, hint_of_scores)
    if scores.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got an array of shape {scores.shape}")
    return scores


def as_matrix(values: ArrayInput, name: str) -> tuple[FloatArray, list[str] | None]:
    """Return scores in [0, 1] as a float64 matrix with two columns or more, and the names a data frame gives them."""
    return _matrix(values, name, as_probabilities)


def as_real_matrix(values: ArrayInput, name: str) -> tuple[FloatArray, list[str] | None]:
    """Return finite real numbers as a float64 matrix with two columns or more, and the names of its columns."""
    return _matrix(values, name, _as_reals)


def _matrix(
    values: ArrayInput, name: str, read: Callable[[ArrayInput, str], FloatArray]
) -> tuple[FloatArray, list[str] | None]:
    try:
        frame = nw.from_native(values, eager_only=True, pass_through=True)
    except ValueError as error:
        names = list(values.columns)
        repeated = next(name for name in names if names.count(name) > 1)
        rule = f"{name} must have columns of different names"
        raise ValueError(f"{rule}, got {repeated!r} {names.count(repeated)} times") from error
    array = read(frame.to_numpy() if isinstance(frame, nw.DataFrame) else _of_lists(values, name), name)
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] < 2:
        raise ValueError(
            f"{name} must be a matrix with a row per prediction and a column per class, got an array of "
            f"shape {array.shape}"
        )
    return array, _names_of(frame) if isinstance(frame, nw.DataFrame) else None


def _of_lists(values: ArrayInput, name: str) -> ArrayInput:
    """Return a column of lists, one for each row, as a matrix, and anything else as it is."""
    if count_columns(values) == 1 or isinstance(values, list | tuple) or getattr(values, "ndim", 1) != 1:
        return values
    column = _to_numpy(values, name)
    if column.ndim != 1:
        return values
    sizes = np.array([len(each) for each in column])
    other = np.flatnonzero(sizes != sizes[0])
    if other.size:
        rule, got = f"hold lists of one length, {sizes[0]}", f"one of {sizes[other[0]]}"
        raise BadValueError(name, rule, got, int(other[0]), column.shape, such(other.size, "list"))
    return np.array([list(each) for each in column])


def _names_of(frame: "nw.DataFrame[Any]") -> list[str] | None:
    """Return the names of the columns, None where they are the numbers that pandas and polars give to columns."""
    names: list[Any] = list(frame.columns)
    if names == [*range(len(names))] or names == [f"column_{k}" for k in range(len(names))]:
        return None
    return [str(name) for name in names]


def as_numbers(values: ArrayInput, name: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional array of a real number dtype (not yet converted to float64)."""
    return to_real(as_column(values, name), name)


def to_real(array: NDArray[Any], name: str, shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """Return the array with a dtype that numpy computes with, or refuse it; `shape` is that before it was flattened."""
    array = _unboxed(array, name, shape)
    if array.dtype.kind in "buif":
        return array
    bad = [at for at, value in enumerate(array) if not isinstance(value, NUMBERS)] or range(array.size)
    value = array[bad[0]]
    kind = type(value).__name__ if array.dtype == object else str(array.dtype)
    got = f"{kind} values such as {brief(value)}"
    raise BadValueError(name, "hold real numbers", got, bad[0], array.shape if shape is None else shape, such(len(bad)))


def as_probabilities(values: ArrayInput, name: str) -> FloatArray:
    """Return scores in [0, 1] as float64, keeping the shape; a scalar becomes a 0-d array."""
    array = _to_numpy(values, name)
    flat = to_real(array.reshape(-1), name, array.shape) if array.size else np.empty(0)
    return in_unit_interval(flat, name, array.shape).astype(np.float64, copy=False).reshape(array.shape)


def _as_reals(values: ArrayInput, name: str) -> FloatArray:
    """Return finite real numbers as float64, keeping the shape."""
    array = _to_numpy(values, name)
    flat = to_real(array.reshape(-1), name, array.shape) if array.size else np.empty(0)
    check_finite(flat, name, array.shape)
    return flat.astype(np.float64, copy=False).reshape(array.shape)


def count_columns(values: ArrayInput) -> int | None:
    """Return how many columns there are, or None where only a conversion would show it."""
    shape = getattr(values, "shape", None)
    if shape is not None and (len(shape) != 1 or not _holds_lists(values)):
        return None if len(shape) > 2 else 1 if len(shape) < 2 else int(shape[1])
    if shape is not None or type(values).__module__.startswith("pyarrow"):
        return len(_first(values)) if _holds_lists(values) else None
    if isinstance(values, list | tuple) and values:
        first = values[0]
        return len(first) if hasattr(first, "__len__") and not isinstance(first, str) and not _is_single(first) else 1
    return None


def in_unit_interval(array: NDArray[Any], name: str, shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """Return numbers in [0, 1]: the array itself, or a copy in which 0 and 1 stand for what misses them by a rounding.

    Parameters
    ----------
    array : array
    name : str
        What the caller calls it.
    shape : tuple of int, optional
        That before the array was flattened.

    Raises
    ------
    ValueError
        A value that is no number, or farther than `ROUNDING` from [0, 1].

    Warns
    -----
    CalibrationWarning
        Where a value is farther than `LAST_DIGITS` from [0, 1].

    Examples
    --------
    >>> in_unit_interval(np.array([-1e-17, 0.5, 1.0000000000000002]), "p").tolist()
    [0.0, 0.5, 1.0]
    """
    low, high = span(array) if array.size else (0.0, 1.0)
    if (low < 0.0 or high > 1.0) and is_score(low) and is_score(high):
        say_clipped(name, low, high)
        return np.asarray(np.clip(array, 0, 1))
    check_unit_interval(array, name, shape)
    return array


def _holds_lists(values: Any) -> bool:
    """Return whether a column holds a list of numbers in its first row."""
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    first = _first(values) if kind.startswith(LISTS) else None
    return hasattr(first, "__len__") and not isinstance(first, str | bytes | dict | tuple)


def _first(values: Any) -> Any:
    return next(iter(values), None)


def check_unit_interval(array: NDArray[Any], name: str, shape: tuple[int, ...] | None = None) -> None:
    """Raise ValueError unless every value is a number in [0, 1]; `shape` is that before the array was flattened."""
    if array.size == 0:
        return
    low, high = span(array)  # NaN comes through both
    if low >= 0.0 and high <= 1.0:
        return
    check_finite(array, name, shape)
    bad = np.flatnonzero((array < 0) | (array > 1))
    cause = _likely_cause(array, float(low), float(high))
    note = f"{bad.size} of {array.size} values outside, from {low!s} to {high!s}{cause}"
    shape = array.shape if shape is None else shape
    raise BadValueError(name, "lie in [0, 1]", str(array[bad[0]]), int(bad[0]), shape, note)


def is_score(value: Any) -> Any:
    """Return whether numbers, or what computes them in a frame, lie in [0, 1] up to a rounding."""
    return (value >= -ROUNDING) & (value <= 1.0 + ROUNDING)


def say_clipped(name: str, low: Any, high: Any) -> None:
    """Warn that scores were clipped to [0, 1], unless double precision explains how far the ends of them are away."""
    if low < -LAST_DIGITS or high > 1.0 + LAST_DIGITS:
        warn_user(
            f"{name} has scores from {low!s} to {high!s}; those outside [0, 1] are taken for 0 or 1, since they miss "
            f"it by at most {ROUNDING:g}",
            CalibrationWarning,
        )


def _likely_cause(array: NDArray[Any], low: float, high: float) -> str:
    """Return what values of a range outside [0, 1] may be, and what would make probabilities of them."""
    if np.array_equal(array, np.floor(array)):
        if _are_ranks(array, high):
            return f"; all whole numbers from 1 to {high:g} look like ranks, such as deciles, and are no probabilities"
        if high <= 10.0:
            return "; whole numbers look like labels"
    if low >= -NEAR and high <= 1.0 + NEAR:
        return "; if these are meant to be 0 and 1, numpy.clip(values, 0, 1) cuts them"
    if low > 1.0 and array.size > 2 and float(np.median(array)) < ODDS:
        return "; if these are decimal odds, 1 / odds are probabilities once the margin of those who offer them is off"
    if low >= 0.0 and 2.0 < high <= 100.0:
        return "; if these are percents, divide by 100"
    if low < 0.0 and high <= 0.0:
        return "; if these are log probabilities, numpy.exp makes probabilities of them"
    if low < -1.0:
        return "; if these are log odds, scipy.special.expit makes probabilities of them, or softmax of several classes"
    return ""


def _are_ranks(whole: NDArray[Any], high: float) -> bool:
    """Return whether whole numbers are those from 1 to at least 4, up to 10, or each as often as the others."""
    if whole.min() != 1.0 or not FEWEST_RANKS <= high <= whole.size / 2.0:
        return False
    counts = np.bincount(whole.astype(np.intp))[1:]
    return bool(counts.min() >= 1 and (high <= MOST_RANKS or np.ptp(counts) <= 1))


def check_finite(array: NDArray[Any], name: str, shape: tuple[int, ...] | None = None) -> None:
    """Raise ValueError when a value is NaN or infinite; `shape` as in `check_unit_interval`."""
    finite = np.isfinite(array)
    if not finite.all():
        at = int(np.argmin(finite))
        note = such(int((~finite).sum()))
        raise BadValueError(name, "be finite", str(array[at]), at, array.shape if shape is None else shape, note)


def check_same_length(**columns: NDArray[Any] | None) -> None:
    """Raise ValueError unless all the named columns have as many rows as one another."""
    lengths = {name: column.shape[0] for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"{' and '.join(lengths)} must have the same number of rows, got: {listing}")


def _to_numpy(values: ArrayInput, name: str, hint: MatrixHint | None = None) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        _refuse_missing(np.ma.getmaskarray(values), name)
        return np.asarray(values.data)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    try:
        if hasattr(values, "detach") and hasattr(values, "cpu"):
            return _from_torch(values)
        return _from_library(values, name, hint)
    except (TypeError, RuntimeError) as error:  # what torch and jax raise where they cannot be arrays
        kind = f"one {type(values).__name__}"
        raise ValueError(f"{name} must be an array or a sequence that numpy can read, got {kind}: {error}") from error


def _from_torch(values: Any) -> NDArray[Any]:
    values = values.detach().cpu()  # off the graph and off the device
    if str(values.dtype).startswith(("torch.bfloat16", "torch.float8")):  # unknown to numpy, exact in float32
        values = values.float()
    return np.asarray(values)


def _from_library(values: Any, name: str, hint: MatrixHint | None = None) -> NDArray[Any]:
    try:
        series = nw.from_native(values, allow_series=True, pass_through=True)
    except ValueError as error:  # several columns of one name
        raise ValueError(f"{name} must be one column, got a data frame: {error}") from error
    if isinstance(series, nw.LazyFrame):
        raise ValueError(f"{name} must be a column in memory, got a lazy frame; collect it first")
    if isinstance(series, nw.DataFrame):
        if series.shape[1] != 1:
            text, columns = "" if hint is None else hint(series.to_numpy()), brief(list(series.columns))
            raise ValueError(
                f"{name} must be one column, got a data frame with columns {columns}{text and f'; {text}'}"
            )
        series = series[:, 0]
    if isinstance(series, nw.Series):
        _refuse_missing(np.asarray(series.is_null().to_numpy(), dtype=bool), name)
        return np.asarray(series.to_numpy())
    if type(values).__module__.startswith("pyarrow") and hasattr(values, "is_null"):  # an Array is no narwhals type
        _refuse_missing(np.asarray(values.is_null().to_numpy(zero_copy_only=False), dtype=bool), name)
        return np.asarray(values.to_numpy(zero_copy_only=False))
    return _from_sequence(values, name)


def of_single_values(values: Any) -> Any:
    """Return a list whose arrays of no dimension are the values in them, and anything else as it is.

    Loops over batches make lists of such arrays, of numpy, torch, jax or any other library.

    Examples
    --------
    >>> of_single_values([np.array(0.25), 0.5])
    [0.25, 0.5]
    """
    if not isinstance(values, list | tuple) or not any(hasattr(kind, "ndim") for kind in set(map(type, values))):
        return values
    return [_value_of(value) if _is_single(value) else value for value in values]


def _is_single(value: Any) -> bool:
    """Return whether a value is an array of no dimension; scalars of numpy are values themselves."""
    return getattr(value, "ndim", None) == 0 and not isinstance(value, np.generic)


def _value_of(array: Any) -> Any:
    return array.item() if hasattr(array, "item") else np.asarray(array).item()


def _from_sequence(values: Any, name: str) -> NDArray[Any]:
    values = of_single_values(values)
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name} must be one-dimensional: {error}") from error
    if array.dtype.kind in "US":  # among texts numpy spells 1, NaN and None out as texts too
        return np.asarray(values, dtype=object)
    return array


def _unboxed(array: NDArray[Any], name: str, shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """Return objects that are all numbers as float64, and what numpy has no kind for as the kind it stands for."""
    if array.dtype.kind in "biuf" and array.dtype.isbuiltin == 1:  # most are: the name of a type is slow to read
        return array
    if array.dtype.name.startswith(("bfloat16", "float8")):  # as jax hands them over; exact in float32
        return array.astype(np.float32)
    if array.dtype.kind == "T":  # numpy's own strings may hold NaN
        array = array.astype(object)
    if array.dtype != object:
        return array
    _refuse_missing(np.array([is_missing(value) for value in array], dtype=bool), name, shape)
    if not all(isinstance(value, NUMBERS) for value in array):
        return array
    try:
        return array.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} must hold numbers within the range of a float64: {error}") from error


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or what pandas has for a missing one."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _refuse_missing(missing: NDArray[np.bool_], name: str, shape: tuple[int, ...] | None = None) -> None:
    if missing.any():
        got = f"{int(missing.sum())}, the first"
        at, shape = int(np.argmax(missing)), missing.shape if shape is None else shape
        raise BadValueError(name, "not have missing values (None, NaN or NA)", got, at, shape)


def take_rows(values: Any, rows: NDArray[np.intp]) -> Any:
    """Return the chosen rows of a table, a matrix or a sequence, in the order of `rows` and of the same type."""
    if hasattr(values, "iloc"):  # pandas, whatever its columns are called and its index holds
        return values.iloc[rows]
    if hasattr(values, "tocsr"):  # several sparse formats have no row indexing
        return values.tocsr()[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows]
    frame = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[rows].to_native()
    return values.take(rows) if type(values).__module__.startswith("pyarrow") else values[rows]


def blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the array in pieces that fit the cache, so that a second look at a piece is free."""
    return (array[start : start + BLOCK] for start in range(0, array.size, BLOCK))


def span(array: NDArray[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest value, NaN where there is one, in a single pass over the memory."""
    if array.size <= BLOCK:
        return array.min(), array.max()
    ends = np.array([(block.min(), block.max()) for block in blocks(array)])
    return ends[:, 0].min(), ends[:, 1].max()
