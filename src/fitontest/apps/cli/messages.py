"""What the command line writes beside its results: refusals, notes and progress, all on standard error."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

import click

from fitontest.data.files.file_error import FileError
from fitontest.results.exceptions import PrintedWarning
from fitontest.results.progress import reporting
from fitontest.results.text import visible

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


# what arguments of the library are called here whose options have other names
OPTIONS = {"path": "FILE", "target": "--output", "weights": "--weight-type", "missing": "--drop-missing"} | {
    "header": "--no-header"
}

PHRASES = {  # of messages of the library that speak of Python, and what they are here
    ", such as by pd.qcut(values, 5) or pd.cut(values, 5)": "",
    "where p is given": "where FILE is given",
    "of the rows of p; give n for": "of the rows of FILE; give --n for",
    "Monitor(--weight-type counts)": "--weight-type counts",
    "Monitor(--max-weight...)": "--max-weight",
    "Monitor(once=True)": "--once",
    "declared by max_weight": "declared by --max-weight",
    "--no-header False says": "--no-header says",
    "a matrix with a row per prediction and a column per class where": "several columns, one for each class, where",
}
HINTS = {  # of messages of the library, and the options that say the same, where a command has them
    "numpy.clip(values, 0, 1) cuts them": ("clip", "--clip cuts them"),
    "divide by 100": ("percent", "--percent divides by 100"),
    "numpy.exp makes probabilities of them": ("log_prob", "--log-prob makes probabilities of them"),
}
DROPS = {  # what is said of values that are missing, and whether a command leaves such rows out
    False: "--drop-missing leaves out rows in which a value is missing",
    None: "--drop-missing MOST leaves out so many rows at most in which a value is missing",
}
_MISSING = re.compile(r"missing values|that is missing|must be finite, got nan|no value of the segment|no group in")
_NAMED = re.compile(r"(?<![\w-])(\w+)=(?![\w=])")  # an argument without its value, such as by=
_SETTING = re.compile(r"(?<![\w-])(\w+)='(\w+)'")  # how messages of the library quote an argument with its value


_PRINTED: ContextVar[list[str] | None] = ContextVar("printed", default=None)  # on standard output, by a command
_OF_PART = re.compile(r"^(class|segment|model) [^:]*: |\. The like is true of .*$", re.DOTALL)  # which tables name


class BadInput(click.ClickException):
    """One line on standard error and exit code 2, as for a wrong option."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message on one line."""
        return visible(" ".join(self.message.split()))


def refusal(error: Exception) -> BadInput:
    """Return the error in the words of the command line: the argument that it begins with is an option here."""
    names = _options()
    if isinstance(error, FileError):
        return BadInput(_with_hints(_in_words(error.called(names))))
    argument, must, rule = str(error).partition(" must ")
    rule = _SETTING.sub(lambda found: f"{names[found[1]]} {found[2]}" if found[1] in names else found[0], rule)
    rule = _NAMED.sub(lambda found: names.get(found[1], found[0]), rule)
    return BadInput(_with_hints(f"{names.get(argument, argument)}{must}{_in_words(rule)}"))


def _in_words(text: str) -> str:
    """Return a text of the library in the words of the command line."""
    for phrase, words in PHRASES.items():
        text = text.replace(phrase, words)
    return text


def _with_hints(text: str) -> str:
    """Return a message whose hints name options of the command that runs."""
    given = click.get_current_context().params
    for phrase, (option, words) in HINTS.items():
        if option in given:
            text = text.replace(phrase, words)
    if _MISSING.search(text) and given.get("drop_missing", "") in DROPS:
        text = f"{text}; {DROPS[given['drop_missing']]}"
    return text


def _options() -> dict[str, str]:
    """Return the options of the command that runs, by what the library calls them, and the columns that it reads."""
    context = click.get_current_context()
    names = dict(OPTIONS)
    for parameter in context.command.params:
        option = max(parameter.opts, key=len)
        if option.startswith("--"):
            names |= dict.fromkeys((str(parameter.name), option[2:].replace("-", "_")), option)
    given = context.params
    each = [("prob", "probs"), ("by", "by"), ("groups", "groups")]
    names |= {f"{name} {one}": f"{names[name]} {one}" for name, many in each for one in given.get(many) or ()}
    return names | {"y_true": f"label column {given['label']!r}"} if "label" in given else names


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
    """Turn the warnings of a block into notes on standard error; one that refuses its input gives none.

    Those that the block has printed on standard output are not said again.
    """
    printed: list[str] = []
    token = _PRINTED.set(printed)
    ended: click.exceptions.Exit | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", PrintedWarning)  # the printed result says it
        try:
            yield
        except click.exceptions.Exit as exit_code:  # how a command ends with a code of its own
            ended = exit_code
        finally:
            _PRINTED.reset(token)
    told = _plain(" ".join(printed))
    for message in dict.fromkeys(str(warning.message) for warning in caught):  # each once
        if _plain(_OF_PART.sub("", message)) not in told:
            say(f"Note: {message}", err=True)
    if ended is not None:
        raise ended


def _plain(text: str) -> str:
    """Return a text as it is compared: without line breaks, capitals, escapes of JSON and quotes doubled by CSV."""
    return " ".join(text.replace("\\", "").replace('""', '"').split()).lower().rstrip(".")


def say(text: str, *, err: bool = False) -> None:
    """Write to standard output or standard error; to a terminal nothing that would act on it."""
    printed = _PRINTED.get()
    if printed is not None and not err:
        printed.append(text)
    terminal = (sys.stderr if err else sys.stdout).isatty()
    click.echo(visible(text, "\n\t") if terminal else text, err=err, color=True)  # without which click drops them
