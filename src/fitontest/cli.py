"""The command line: the library's main jobs for files, one subcommand each.

Results go to standard output, progress and errors to standard error. Bad input ends with exit code 2 and one line
that says what was wrong.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from fitontest.demo import QUESTION, scored_classifiers
from fitontest.errors.bin_losses import DEFAULT_ALPHA, Rejection
from fitontest.errors.binned_error import BinnedError
from fitontest.errors.triplet import Triplet, general_error
from fitontest.evaluation import evaluation_of
from fitontest.norms import NORMS
from fitontest.read_table import read_columns
from fitontest.report import FORMATS, Report, as_table
from fitontest.sample import Sample
from fitontest.significance.choice import check_alpha
from fitontest.typing import Label

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

NULL_DRAWS = 100  # enough for the mean to a tenth of the spread


# How a CSV file may spell a column that DuckDB reads as booleans
_BOOLEANS = {"true": True, "t": True, "yes": True, "y": True, "false": False, "f": False, "no": False, "n": False}


class BadInput(click.ClickException):
    """One line on standard error and exit code 2, as for a wrong option."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message on one line."""
        return " ".join(self.message.split())


def refusing(command: Callable[P, R]) -> Callable[P, R]:
    """Turn the ValueErrors of the library into `BadInput`."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except ValueError as error:
            raise BadInput(str(error)) from error

    return run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fitontest")
def main() -> None:
    """Evaluate and repair the calibration of classifiers."""


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--label", required=True, help="Column with the labels of two classes.")
@click.option("--prob", required=True, help="Column with the predicted probability of the positive class.")
@click.option("--weight", help="Column with the weights of the rows.")
@click.option(
    "--pos-label",
    help="The positive label, unless the labels are 0/1, -1/1 or true/false (in CSV files also yes/no).",
)
@click.option("--family", "families", multiple=True, help="Family of maps; repeat for several. Default: all.")
@click.option("--norm", type=click.Choice(list(NORMS)), default="l1", show_default=True, help="How distances add up.")
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the cross-validation folds.")
@click.option("--alpha", type=float, default=DEFAULT_ALPHA, show_default=True, help="Level of the tests behind TCE.")
@click.option(
    "--null-draws",
    type=click.IntRange(min=0),
    default=NULL_DRAWS,
    show_default=True,
    help="Redrawings of the labels for the TCE to expect of calibrated scores.",
)
@click.option("--format", "style", type=click.Choice(list(FORMATS)), default="table", show_default=True)
@refusing
def evaluate(
    file: Path,
    label: str,
    prob: str,
    weight: str | None,
    pos_label: str | None,
    families: tuple[str, ...],
    norm: str,
    random_state: int,
    alpha: float,
    null_draws: int,
    style: str,
) -> None:
    """Print the calibration errors of the scores in FILE.

    FILE is CSV, TSV (also gzipped) or Parquet. Each family of calibration maps is fitted to its rows, and the error is
    the mean distance between the scores and the fitted map. The test-based calibration error (TCE) follows, with what
    to expect of it for calibrated scores; as CSV only the families are printed.
    """
    wanted = {"--label": label, "--prob": prob, **({"--weight": weight} if weight is not None else {})}
    columns = read_columns(file, wanted)
    labels = columns["--label"]
    sample = Sample(
        labels,
        columns["--prob"],
        columns.get("--weight"),
        pos_label=None if pos_label is None else _as_label(pos_label, labels),
        names=(f"label column {label!r}", f"prob column {prob!r}", f"weight column {weight!r}"),
    )
    check_alpha(alpha)
    test = None if style == "csv" else (alpha, null_draws)
    click.echo(FORMATS[style](_report(sample, list(families) or None, norm, random_state, test)))


@main.command()
@refusing
def demo() -> None:
    """Show the errors of two classifiers on real data."""
    click.echo(QUESTION)
    for scored in scored_classifiers():
        report = _report(Sample(scored.y_true, scored.y_prob), None, "l1", 0, (DEFAULT_ALPHA, NULL_DRAWS))
        click.echo(f"\n{scored.name}\n{as_table(report)}")
    click.echo(
        "\nerror: mean distance between the scores and the fitted calibration map; flat bins also count the spread of\n"
        "the scores within a bin. bins: how many, chosen from the data where a family has bins."
    )


def _report(
    sample: Sample, families: list[str] | None, norm: str, random_state: int, test: tuple[float, int] | None
) -> Report:
    """Measure everything with progress bars; warnings become notes."""
    with _notes():
        evaluation = evaluation_of(sample, families, norm, random_state, partial(_progress, label="families"))
        return Report(evaluation, None if test is None else _tce(sample, *test, random_state))


def _tce(sample: Sample, alpha: float, null_draws: int, random_state: int) -> BinnedError | None:
    """Return the test-based error with its value if calibrated; none, with a note, where weights count no rows."""
    if not sample.whole:
        click.echo("Note: no TCE, because a test counts rows and the weights are not whole numbers", err=True)
        return None
    triplet = Triplet(Rejection(alpha), "pava_bc", percent=True)
    return general_error(sample, triplet, null_draws, random_state, partial(_progress, label="draws"))


def _progress(steps: Iterable[T], label: str) -> Iterator[T]:
    """Yield the steps with a progress bar on a terminal and without one in a pipe."""
    with click.progressbar(steps, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield from bar


@contextmanager
def _notes() -> Iterator[None]:
    """Turn the warnings of a block into notes on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):  # each once
        click.echo(f"Note: {message}", err=True)


def _as_label(text: str, labels: NDArray[Any]) -> Label:
    """Read the text of --pos-label in the type of the label column."""
    if labels.dtype.kind == "b":
        if text.lower() not in _BOOLEANS:
            raise ValueError(f"--pos-label must be one of {', '.join(_BOOLEANS)} for true/false labels, got {text!r}")
        return _BOOLEANS[text.lower()]
    if np.issubdtype(labels.dtype, np.number):
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"--pos-label must be a number for a column of numbers, got {text!r}") from None
    return text
