"""Progress of long loops, by one context variable: whoever shows progress sets it, long loops report to it.

Nothing is shown but by the command line and by `show_progress`. A loop within a loop is silent, so
that one bar is shown at a time.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

#: Called with the steps and what they are; returns the steps, and shows how many have been taken.
Reporter: TypeAlias = Callable[[Iterable[Any], str], Iterable[Any]]

WIDTH = 36  # characters of a bar


class _Shown:
    """A reporter with whether it is showing a loop at the moment."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter, self.busy = reporter, False


_SHOWN: ContextVar[_Shown | None] = ContextVar("shown", default=None)


def track(steps: Iterable[T], label: str) -> Iterator[T]:
    """Yield the steps, reporting them to whoever shows progress; `label` says what a step is, as a plural."""
    shown = _SHOWN.get()
    if shown is None or shown.busy:  # loops within a loop are silent
        yield from steps
        return
    shown.busy = True  # not a change of the context, which a loop that fails would leave behind
    try:
        yield from shown.reporter(steps, label)
    finally:
        shown.busy = False


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Let the loops of a block report to `reporter`."""
    token = _SHOWN.set(_Shown(reporter))
    try:
        yield
    finally:
        _SHOWN.reset(token)


@contextmanager
def show_progress() -> Iterator[None]:
    """Show progress bars on standard error while long computations of a ``with`` block run.

    The loops are over null draws, families, classes and candidates.

    The bar is that of tqdm where it is installed. Where standard error is no terminal nothing is shown.

    Yields
    ------
    None
        The progress is shown until the block ends, also of functions that the block calls.

    Examples
    --------
    >>> import fitontest as fot
    >>> with fot.show_progress():
    ...     error = fot.tce([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9], null_draws=5)
    >>> error.null.values.size
    5
    """
    if not sys.stderr.isatty():
        yield
        return
    with reporting(_reporter()):
        yield


def _reporter() -> Reporter:
    """Return tqdm's bar where it is installed, else a plain one."""
    try:
        from tqdm import tqdm
    except ImportError:
        return _plain
    return lambda steps, label: tqdm(steps, desc=label, leave=False)


def _plain(steps: Iterable[T], label: str) -> Iterator[T]:
    """Yield the steps under a bar that is drawn again in place, and wiped out at the end."""
    taken = list(steps)
    for k, step in enumerate(taken):
        done = WIDTH * k // max(len(taken), 1)
        print(f"\r{label} [{'#' * done}{'-' * (WIDTH - done)}] {k}/{len(taken)}", end="", file=sys.stderr, flush=True)
        yield step
    print(f"\r{' ' * (WIDTH + len(label) + 24)}\r", end="", file=sys.stderr, flush=True)
