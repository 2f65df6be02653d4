"""Values of a stored state as they are read back: each is of its kind, or is refused by the name of its place."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from fitontest.results.checks import brief, is_real, is_whole
from fitontest.results.typing import FloatArray

T = TypeVar("T")
Reader = Callable[[Any, str], Any]  # from a value and the name of its place


def read_object(value: object, keys: Iterable[str], place: str) -> dict[str, Any]:
    """Return an object that has just these keys."""
    wanted = list(keys)
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be an object with the keys {', '.join(wanted)}; got {brief(value)}")
    missing = [key for key in wanted if key not in value]
    unknown = [key for key in value if key not in wanted]
    if missing or unknown:
        parts = [f"{brief(keys[0])} is {what}" for keys, what in ((missing, "missing"), (unknown, "unknown")) if keys]
        raise ValueError(f"{place} must be an object with the keys {', '.join(wanted)}; {' and '.join(parts)}")
    return value


def read_number(value: object, place: str) -> float:
    """Return a finite number."""
    if not is_real(value) or not np.isfinite(value):
        raise ValueError(f"{place} must be a finite number, got {brief(value)}")
    return float(value)


def read_count(value: object, place: str) -> int:
    """Return a whole number of at least 0."""
    if not is_whole(value) or value < 0:
        raise ValueError(f"{place} must be a whole number, at least 0; got {brief(value)}")
    return int(value)


def read_place(value: object, place: str) -> int:
    """Return the place of a batch, from 0; -1 is none."""
    if not is_whole(value) or value < -1:
        raise ValueError(f"{place} must be a whole number, at least -1; got {brief(value)}")
    return int(value)


def read_text(value: object, place: str) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"{place} must be a text, got {brief(value)}")
    return value


def read_plain(value: object, place: str) -> Any:
    """Return a text, finite number, boolean or None."""
    if not (value is None or isinstance(value, str | bool) or (is_real(value) and np.isfinite(value))):
        raise ValueError(f"{place} must be a text, a finite number, true, false or null; got {brief(value)}")
    return value


def optional(reader: Reader) -> Reader:
    """Return what reads a value that may be None."""
    return lambda value, place: None if value is None else reader(value, place)


def read_list(value: object, place: str, length: int | None = None) -> list[Any]:
    """Return a list, of this length if one is given."""
    if not isinstance(value, list | tuple) or (length is not None and len(value) != length):
        of = "" if length is None else f" of {length} values"
        got = f"{len(value)} values" if isinstance(value, list | tuple) else brief(value)
        raise ValueError(f"{place} must be a list{of}, got {got}")
    return list(value)


def read_each(value: object, reader: Callable[[Any, str], T], place: str, length: int | None = None) -> list[T]:
    """Return a list of values that are read alike."""
    return [reader(each, f"{place}[{k}]") for k, each in enumerate(read_list(value, place, length))]


def read_mapping(value: object, reader: Callable[[Any, str], T], place: str) -> dict[str, T]:
    """Return an object with any keys, whose values are read alike."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{place} must be an object, got {brief(value)}")
    return {read_text(key, f"a key of {place}"): reader(each, f"{place}.{key}") for key, each in value.items()}


def read_array(value: object, shape: tuple[int, ...], place: str) -> FloatArray:
    """Return finite numbers as an array of a shape."""
    rows = [value]
    for length in shape:
        if not all(isinstance(row, list) and len(row) == length for row in rows):
            of = " x ".join(map(str, shape))
            raise ValueError(f"{place} must hold {of} numbers, got {brief(value)}")
        rows = [each for row in rows for each in row]  # type: ignore[attr-defined]
    for each in rows:
        read_number(each, place)
    return np.array(rows, dtype=np.float64).reshape(shape)
