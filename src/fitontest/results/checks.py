"""What a single argument may be: whole numbers, real numbers, and names among those on offer.

Any other value raises a ValueError that names the argument, the rule and the value. Where a name was mistyped, or is
what others call the thing, the message says which name was probably meant.
"""

import reprlib
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeGuard

import numpy as np

from fitontest.results.other_names import other_name

WHOLE = (int, np.integer)  # types of whole numbers
LONGEST = 200  # characters of a quoted value
_SHORTENED = reprlib.Repr()
_SHORTENED.maxstring, _SHORTENED.maxother = 40, 80
_SHORTENED.maxlevel = 2


ALIKE = 0.75  # similarity of two names, from which one may be the other mistyped
BEGUN = 3  # letters of a name that may stand for it


def brief(value: object) -> str:
    """Return the value as a message quotes it: in at most 200 characters, however long the text, list or array is.

    Examples
    --------
    >>> brief("kind"), brief("k" * 1000), brief(np.zeros(1000))
    ("'kind'", "'kkkkkkkkkkkkkkkkk...kkkkkkkkkkkkkkkkkk'", '[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ...]')
    """
    shown = _SHORTENED.repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."


def as_plain(value: Any) -> Any:
    """Return a value of numpy as Python has it, and any other as it is."""
    return value.item() if isinstance(value, np.generic) else value


def as_names(value: object, argument: str) -> tuple[str, ...]:
    """Return the names of columns: none of None, one of a text, or those of a list.

    Examples
    --------
    >>> as_names(None, "by"), as_names("region", "by"), as_names(["region", "sex"], "by")
    ((), ('region',), ('region', 'sex'))
    """
    names = () if value is None else (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names) or names == []:
        raise ValueError(f"{argument} must be the name of a column, or a list of several, got {brief(value)}")
    if len(set(names)) < len(names):
        raise ValueError(f"{argument} must be names of columns, each once, got {brief(value)}")
    return tuple(names)


def check_name(value: object, argument: str) -> None:
    """Raise ValueError for what cannot be the name of one column: a list, a set, a dict or an array."""
    if isinstance(value, list | set | dict) or hasattr(value, "shape"):
        raise ValueError(f"{argument} must be the name of one column, got {brief(value)}")


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether the value is a whole number; True and False are none."""
    return isinstance(value, WHOLE) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether the value is a real number; True and False are none."""
    return is_whole(value) or isinstance(value, float | np.floating)


def choose(value: object, options: Iterable[str], argument: str) -> str:
    """Return the value if it is one of the names on offer, or refuse it."""
    names = list(options)
    if not isinstance(value, str) or value not in names:
        raise ValueError(not_among(value, names, argument))
    return value


def not_among(value: object, names: Iterable[str], argument: str, others: str = "") -> str:
    """Return the message for a value that is none of the names on offer.

    Parameters
    ----------
    value : object
    names : iterable of str
    argument : str
    others : str
        What else the argument may be, such as ", or a Measure".
    """
    known = list(names)
    return f"{argument} must be one of {', '.join(map(repr, known))}{others}; got {brief(value)}{meant(value, known)}"


def meant(value: object, names: Iterable[str]) -> str:
    """Return ": did you mean ...?" for a text that is almost one of the names, or what others call one; or "".

    Examples
    --------
    >>> meant("isotnic", ["beta", "isotonic", "platt"]), meant("Platt scaling", ["platt"]), meant("x", ["beta"])
    (": did you mean 'isotonic'?", ": did you mean 'platt'?", '')
    >>> meant("spl", ["pl", "spline"])
    ": did you mean 'spline' or 'pl'?"
    >>> meant("beta, platt", ["beta", "isotonic", "platt"])
    ': give each of several names by itself'
    """
    if not isinstance(value, str) or len(value) > LONGEST:
        return ""
    known = list(names)
    if "," in value and all(part.strip() in known for part in value.split(",")):
        return ": give each of several names by itself"
    typed = value.strip().lower().replace("-", "_").replace(" ", "_")
    called, remark = other_name(value)
    if called in known:
        return f": did you mean {called!r}{f', {remark}' if remark else ''}?"
    by_lower = {name.lower(): name for name in known}
    begun = [name for name in by_lower if len(typed) >= BEGUN and name.startswith(typed)]
    alike = dict.fromkeys([*begun, *get_close_matches(typed, by_lower, n=2, cutoff=ALIKE)])
    near = [by_lower[name] for name in alike][:2]
    return f": did you mean {' or '.join(map(repr, near))}?" if near else ""


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
            raise ValueError(f"{what} must be among {', '.join(names) or 'none'}; got {name!r}{meant(name, names)}")


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


def check_level(level: object, argument: str = "level") -> float:
    """Return the level of intervals and tests: how often they hold, a number in [0.5, 1); or refuse it.

    Examples
    --------
    >>> check_level(0.95)
    0.95
    >>> check_level(0.05)
    Traceback (most recent call last):
    ValueError: level must be a number in [0.5, 1) such as 0.95, got 0.05; level is coverage: ...
    """
    if is_real(level) and 0.5 <= level < 1:
        return float(level)
    hint = ""
    if is_real(level) and 0 < level < 0.5:
        share = f"{1 - level:.10g}".removeprefix("0")
        hint = f"; level is coverage: write {share} for {100 * level:.10g} % false alarms"
    raise ValueError(f"{argument} must be a number in [0.5, 1) such as 0.95, got {brief(level)}{hint}")


def false_alarms(level: float) -> float:
    """Return the share of false alarms of a test of a level, to twelve digits: .05 of .95.

    Examples
    --------
    >>> false_alarms(0.95), 1 - 0.95
    (0.05, 0.050000000000000044)
    """
    return round(1.0 - level, 12) or 1.0 - level  # never 0, of which no test can be made
