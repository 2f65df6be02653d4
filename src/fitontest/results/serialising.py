"""Strict JSON text: one object of finite numbers and unique keys, the same text for the same values every time.

Python's own reader is more lenient than JSON: it takes NaN and Infinity for numbers, and of two equal keys it keeps the
last. Both are refused here, as a file in which they occur is not what a calibration map wrote.
"""

import json
from collections import Counter
from typing import Any

from fitontest.results.checks import brief, is_whole

DEEPEST = 16  # brackets within brackets; a map needs three


def as_text(values: dict[str, Any], name: str) -> str:
    """Return the values as JSON on one line, keys in their order, numbers with the digits that read back bit by bit."""
    try:
        return json.dumps(values, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"{name} must hold finite numbers to be written as JSON: {error}") from error


def from_text(text: str, name: str, max_bytes: int | None = None) -> dict[str, Any]:
    """Return the values of a text of strict JSON, or refuse it; `name` is what the text is called in the message."""
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a str of JSON, got one {type(text).__name__}")
    if max_bytes is not None:
        _check_length(text, name, max_bytes)
    try:
        values = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} must be JSON, got {brief(text)}: {error}") from error
    except ValueError as error:  # our own hooks, and Python's limit on the digits of a whole number
        raise ValueError(f"{name} must be strict JSON: {error}") from error
    except RecursionError as error:
        raise ValueError(_too_deep(name)) from error
    if not isinstance(values, dict):
        raise ValueError(f"{name} must be a JSON object, got {brief(values)}")
    return values


def _check_length(text: str, name: str, max_bytes: int) -> None:
    if not is_whole(max_bytes) or max_bytes < 1:
        raise ValueError(f"max_bytes must be a whole number, at least 1, or None, got {max_bytes!r}")
    n_bytes = len(text)  # at least; a character takes up to four
    if n_bytes <= max_bytes < 4 * n_bytes:
        n_bytes = len(text.encode("utf-8", "surrogatepass"))
    if n_bytes > max_bytes:
        raise ValueError(f"{name} must have at most {max_bytes} bytes, got {n_bytes}; allow more by max_bytes")


def check_nesting(values: object, name: str) -> None:
    """Raise ValueError when brackets are nested deeper than any map needs, before numpy or a recursion meets them."""
    level = [values]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, dict | list | tuple)]
        if not level:
            return
    raise ValueError(_too_deep(name))


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice, times = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"a key must occur once in its object, got {brief(twice)} {times} times")
    return values


def _no_number(token: str) -> float:
    raise ValueError(f"numbers must be finite, got {token}")


def _too_deep(name: str) -> str:
    return f"{name} must not be nested deeper than {DEEPEST} brackets, got more"
