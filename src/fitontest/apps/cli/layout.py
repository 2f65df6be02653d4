"""The options that say how FILE is written, for the commands that read one, and FILE from a pipe."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import click

from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.messages import BadInput, refusal
from fitontest.apps.cli.streams import ENDINGS, STANDARD_INPUT, is_stream, kept
from fitontest.data.files.layout import Layout
from fitontest.data.files.unpacked import MOST_UNPACKED, read_size, size_text
from fitontest.data.written import Missing, Scale, Written

READ = {"file": "FILE", "test": "--test"}  # the files that a command reads, by its parameters

_OPTIONS = (
    click.option("--sep", help="Character between the cells of CSV. Default: found in the header, of comma, tab, ; |."),
    click.option("--encoding", help="Encoding of CSV, such as latin-1, cp1252 or utf-16. Default: utf-8."),
    click.option("--decimal", help="Decimal separator of the numbers in CSV, . or a comma. Default: the point."),
    click.option("--thousands", help="Character between thousands of the numbers in CSV, such as a comma."),
    click.option("--no-header", is_flag=True, help="CSV begins with its first row; its columns are called 1, 2, ..."),
    click.option(
        "--input-format",
        type=Choice(list(ENDINGS)),
        help="Format of FILE where it is - (standard input) or a pipe, also gzipped. Default: Parquet where it begins "
        "and ends as that does, else csv.",
    ),
    click.option(
        "--max-unpacked",
        default=size_text(MOST_UNPACKED),
        show_default=True,
        help="Size to which compressed CSV, the columns of Parquet that are read into memory, or - may unpack, "
        "such as 500MB.",
    ),
    click.option("--percent", is_flag=True, help="The scores are percents: divide them by 100."),
    click.option("--log-prob", is_flag=True, help="The scores are logarithms of probabilities: take the exponential."),
    click.option("--clip", is_flag=True, help="Scores below 0 are 0, those above 1 are 1; a note says how many."),
)


_DROPPED = "Leave out rows in which a value is missing, and say how many there are and of which columns."
_MISSING = {  # of what a command does with rows in which a value is missing
    "rows": click.option("--drop-missing", is_flag=True, help=_DROPPED),
    "gate": click.option(
        "--drop-missing",
        type=click.IntRange(min=0),
        metavar="MOST",
        help=f"{_DROPPED} A gate is told how many there may be: with more the input is bad.",
    ),
    "each": None,  # it keeps them
}


def of_layout(command: Callable[..., Any], missing: Literal["rows", "gate", "each"] = "rows") -> Callable[..., Any]:
    """Give a command the options of the layout of its files; it gets them as one `Layout`, and a pipe as a file.

    Parameters
    ----------
    command : callable
    missing : {"rows", "gate", "each"}
        Whether rows in which a value is missing can be left out, up to a number, or each is kept.
    """

    @wraps(command)
    def run(
        sep: str | None,
        encoding: str | None,
        decimal: str | None,
        thousands: str | None,
        no_header: bool,
        input_format: str | None,
        max_unpacked: str,
        percent: bool,
        log_prob: bool,
        clip: bool,
        drop_missing: bool | int | None = None,
        **options: Any,
    ) -> Any:
        try:
            if percent and log_prob:
                raise ValueError("--percent must be left out with --log-prob, got both")
            scale: Scale = "percent" if percent else "log" if log_prob else "probability"
            layout = Layout(
                sep=sep,
                encoding=encoding,
                decimal=decimal,
                max_unpacked=read_size(max_unpacked, "--max-unpacked"),
                thousands=thousands,
                header=False if no_header else None,
                written=Written(scale, clip, _dropped(drop_missing)),
            )
            with _without_streams(options, input_format, layout.max_unpacked):
                return command(layout=layout, **options)
        except (ValueError, OSError) as error:
            raise refusal(error) from error

    wrapped: Callable[..., Any] = run
    for option in (_MISSING[missing], *reversed(_OPTIONS)):
        wrapped = wrapped if option is None else option(wrapped)
    return wrapped


def _dropped(given: bool | int | None) -> Missing:
    """Return what becomes of rows in which a value is missing."""
    if given is None or given is False:
        return "refuse"
    return "drop" if given is True else given


@contextmanager
def _without_streams(options: dict[str, Any], kind: str | None, limit: int) -> Iterator[None]:
    """Put files in the place of the streams among the options; messages of the block name the streams."""
    given: dict[str, Path] = {name: options[name] for name in READ if options.get(name) is not None}
    streams = {name: path for name, path in given.items() if is_stream(path)}
    if kind is not None and not streams:
        raise ValueError(f"--input-format must be left out unless FILE is - or a pipe, got {kind}")
    if sum(str(path) in STANDARD_INPUT for path in streams.values()) > 1:
        raise ValueError("--test must be another file than FILE, got standard input for both")
    with ExitStack() as stack:
        shown = {}
        for name, path in streams.items():
            options[name], called = stack.enter_context(kept(path, kind, limit))
            shown[str(options[name])] = called
        try:
            yield
        except BadInput as error:
            message = error.message
            for file, called in shown.items():
                message = message.replace(file, called)
            raise BadInput(message) from error
