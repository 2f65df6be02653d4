"""What a single argument may be: whole numbers, real numbers, and names among those on offer.

Any other value raises a ValueError that names the argument, the rule and the value.
"""

import reprlib
from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

LONGEST = 200  # characters of a quoted value
_SHORTENED = reprlib.Repr()
_SHORTENED.maxstring, _SHORTENED.maxother = 40, 80
_SHORTENED.maxlevel = 2


def brief(value: object) -> str:
    """Return the value as a message quotes it: in at most 200 characters, however long the text, list or array is.

    Examples
    --------
    >>> brief("kind"), brief("k" * 1000), brief(np.zeros(1000))
    ("'kind'", "'kkkkkkkkkkkkkkkkk...kkkkkkkkkkkkkkkkkk'", '[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ...]')
    """
    shown = _SHORTENED.repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether the value is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether the value is a real number; True and False are none."""
    return is_whole(value) or isinstance(value, float | np.floating)


def choose(value: object, options: Iterable[str], argument: str) -> str:
    """Return the value if it is one of the names on offer, or refuse it."""
    names = list(options)
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, names))}; got {brief(value)}")
    return value


def two_names(names: object) -> tuple[str, str]:
    """Return the names of two things that are compared, or refuse them."""
    texts = list(names) if isinstance(names, tuple | list) else []
    if len(texts) != 2 or not all(isinstance(name, str) and name for name in texts) or texts[0] == texts[1]:
        raise ValueError(f"names must be two different texts that are not empty, got {names!r}")
    return texts[0], texts[1]


def check_known(given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse the first name that is not among the known ones; `what` says what they are, "settings of ece"."""
    names = list(known)
    for name in given:
        if name not in names:
            raise ValueError(f"{what} must be among {', '.join(names) or 'none'}; got {name!r}")


def as_list(given: object, argument: str, *, empty: bool = False) -> list[Any]:
    """Return what an iterable holds, or refuse what is none, and an empty one unless `empty`."""
    iterable = isinstance(given, Iterable) and not isinstance(given, str)
    held = list(given) if iterable else []  # type: ignore[call-overload]
    if not iterable or not (held or empty):
        hint = f"; write {argument}=[{given!r}]" if isinstance(given, str) else ""
        rule = f"{argument} must be a {'' if empty else 'non-empty '}list of {argument}"
        raise ValueError(f"{rule}, got {given!r}{hint}")
    return held


def check_flag(value: object, argument: str) -> bool:
    """Return the value if it is True or False, or refuse it."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{argument} must be True or False, got {brief(value)}")
    return bool(value)


def check_not_negative(value: object, argument: str, below: float = np.inf) -> float:
    """Return the value if it is a number in [0, below), or refuse it."""
    if not (is_real(value) and 0 <= value < below):
        raise ValueError(f"{argument} must be a finite number, at least 0; got {value!r}")
    return float(value)
