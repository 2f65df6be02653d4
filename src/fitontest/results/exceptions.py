"""The warnings of fitontest, and the error of a measure without a value; wrong input raises ValueError."""

import functools
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import TypeAlias

_INSIDE = (str(Path(__file__).parents[1]), functools.__file__)  # whose cached properties call back
_SILENT = ContextVar("silent", default=False)

#: What would be a warning: its text and its category.
Held: TypeAlias = tuple[str, type[Warning]]
_HELD: ContextVar[list[Held] | None] = ContextVar("held", default=None)


class CalibrationWarning(UserWarning):
    """The result is usable, but rests on a rule that the reader should know was applied.

    Examples
    --------
    It is the base of all warnings of the package. Whoever knows the rule silences them:

    >>> import warnings
    >>> import fitontest as fot
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", fot.CalibrationWarning)
    ...     family = fot.Platt().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])  # separable
    """


class NoValueError(ValueError):
    """A measure has no value for rows that are valid, such as a slope where a threshold separates the classes.

    Its text says why. A table of several measures shows it in place of the value.
    """


class PrintedWarning(CalibrationWarning):
    """What the notes of a printed result say too."""


class SeparableDataWarning(CalibrationWarning):
    """A threshold on the score separates the labels without error, so that the fitted curve becomes a step.

    The likelihood has its maximum in a limit that no parameter reaches.

    Examples
    --------
    >>> import warnings
    >>> import fitontest as fot
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     family = fot.Platt().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    >>> caught[0].category.__name__
    'SeparableDataWarning'
    """


class BlockSizeWarning(CalibrationWarning):
    """Too many rows share a score for the default bounds on the size of bins, so the upper bound was dropped.

    Examples
    --------
    >>> import warnings
    >>> import fitontest as fot
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     partition = fot.partitions.PavaBC().partition(fot.ScoreSample([0, 1] * 50, [0.3] * 90 + [0.7] * 10))
    >>> caught[0].category.__name__
    'BlockSizeWarning'
    """


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep the warnings of this package back in a block that repeats on other data what the user was warned of.

    Unlike a warning filter this touches neither the user's filters nor another thread.
    """
    token = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(token)


@contextmanager
def held_warnings() -> Iterator[list[Held]]:
    """Collect the warnings that this package gives in a block, for the caller to give them in fewer words."""
    held: list[Held] = []
    token = _HELD.set(held)
    try:
        yield held
    finally:
        _HELD.reset(token)


@contextmanager
def without_warnings_of(category: type[Warning], *, wanted: bool = True) -> Iterator[None]:
    """Keep back the warnings of a category in a block whose user asked for nothing that they are of.

    Parameters
    ----------
    category : type of Warning
    wanted : bool, default=True
        Whether they are kept back; the block is otherwise left alone.
    """
    if not wanted:
        yield
        return
    held: list[Held] = []
    try:
        with held_warnings() as held:
            yield
    finally:
        for message, kind in held:
            if not issubclass(kind, category):
                warn_user(message, kind)


@contextmanager
def without_printed_notes() -> Iterator[None]:
    """Give what notes of a printed result would say as other warnings, in a block whose result has no such notes."""
    with held_warnings() as held:
        yield
    for message, category in held:
        warn_user(message, CalibrationWarning if category is PrintedWarning else category)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's own code that led here.

    Python shows a warning once per place. Placed inside the package, the warning of a second data set would be
    taken for a repetition of the first.
    """
    if _SILENT.get():
        return
    held = _HELD.get()
    if held is not None:
        held.append((message, category))
        return
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
