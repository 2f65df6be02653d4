"""What a single argument may be: whole numbers, real numbers, and names among those on offer.

Any other value raises a ValueError that names the argument, the rule and the value.
"""

from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np


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
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, names))}; got {value!r}")
    return value


def as_list(given: object, argument: str, *, empty: bool = False) -> list[Any]:
    """Return what an iterable holds, or refuse what is none, and an empty one unless `empty`."""
    iterable = isinstance(given, Iterable) and not isinstance(given, str)
    held = list(given) if iterable else []  # type: ignore[call-overload]
    if not iterable or not (held or empty):
        hint = f"; write {argument}=[{given!r}]" if isinstance(given, str) else ""
        rule = f"{argument} must be a {'' if empty else 'non-empty '}list of {argument}"
        raise ValueError(f"{rule}, got {given!r}{hint}")
    return held
