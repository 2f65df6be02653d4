"""What the command line writes beside its results: refusals, notes and progress, all on standard error."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import click

from fitontest.files.file_error import FileError
from fitontest.progress import reporting
from fitontest.results.text import visible

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


# what the arguments of the library that read and write files are called here
OPTIONS = {"path": "FILE", "target": "--output"} | {
    name: f"--{name.replace('_', '-')}"
    for name in ("label", "prob", "weight", "sep", "encoding", "decimal", "max_unpacked", "column")
}


class BadInput(click.ClickException):
    """One line on standard error and exit code 2, as for a wrong option."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message on one line."""
        return visible(" ".join(self.message.split()))


def refusal(error: Exception) -> BadInput:
    """Return the error as the command line says it: the arguments of files are its options."""
    return BadInput(error.called(OPTIONS) if isinstance(error, FileError) else str(error))


def refusing(command: Callable[P, R]) -> Callable[P, R]:
    """Turn the ValueErrors of the library, and files that cannot be written, into `BadInput`; show progress."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with reporting(_bar), notes():
                return command(*args, **kwargs)
        except (ValueError, OSError) as error:
            raise refusal(error) from error

    return run


def _bar(steps: Iterable[T], label: str) -> Iterator[T]:
    """Yield the steps with a progress bar on a terminal and without one in a pipe."""
    with click.progressbar(steps, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield from bar


@contextmanager
def notes() -> Iterator[None]:
    """Turn the warnings of a block into notes on standard error; one that refuses its input gives none."""
    ended: click.exceptions.Exit | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except click.exceptions.Exit as exit_code:  # how a command ends with a code of its own
            ended = exit_code
    for message in dict.fromkeys(str(warning.message) for warning in caught):  # each once
        say(f"Note: {message}", err=True)
    if ended is not None:
        raise ended


def say(text: str, *, err: bool = False) -> None:
    """Write to standard output or standard error; to a terminal nothing that would act on it."""
    terminal = (sys.stderr if err else sys.stdout).isatty()
    click.echo(visible(text, "\n\t") if terminal else text, err=err, color=True)  # without which click drops them
