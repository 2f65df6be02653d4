"""``fitontest monitor``: whether a model is still calibrated, by batches that are added to a file one after another."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.command import command
from fitontest.apps.cli.layout import of_layout
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import GROUP_HELP, HOW, NAMES, split_classes
from fitontest.apps.cli.streams import NAME as STANDARD_INPUT
from fitontest.apps.cli.streams import name_of
from fitontest.apps.cli.times import latest
from fitontest.apps.cli.writing import brief, check_output, is_same
from fitontest.data.files.kinds import READERS
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.parquet import is_pattern
from fitontest.data.predictions import REDUCTIONS
from fitontest.data.weights import WEIGHT_TYPES
from fitontest.monitor.batches.rows import BatchFile
from fitontest.monitor.evidence.numbers import e_in_words
from fitontest.monitor.evidence.wording import labels_in_words
from fitontest.monitor.nulls.rates import UNITS
from fitontest.monitor.past import FEWEST
from fitontest.results.table import PAGES
from fitontest.results.text import count, p_in_words, visible

ALARM, TOO_FEW = 1, 3  # exit codes; 0 is no alarm, 2 bad input, as for every command
FORMATS: dict[str, Callable[[Any], str]] = {
    "brief": lambda evidence: brief(evidence, "--table"),
    "table": lambda evidence: str(evidence.table()),
    "json": lambda evidence: evidence.to_json(indent=2),
}
_COLUMNS = (
    click.option("--label", help="Column with the labels."),
    click.option(
        "--prob",
        "probs",
        multiple=True,
        help="Column with the predicted probability of the positive class; repeat for a column per class.",
    ),
    click.option("--weight", help="Column with the weights of the rows, see --weight-type and --max-weight."),
    click.option("--by", multiple=True, help="Column whose values make segments, each monitored; repeat for several."),
    click.option(
        "--group",
        "groups",
        multiple=True,
        metavar="COLUMN",
        help=f"{GROUP_HELP.partition('.')[0]}. A row then counts as 1 / the rows of its group in the batch.",
    ),
    click.option("--batch", metavar="NAME", help="Name of the batch. Default: that of FILE, without its ending."),
    click.option(
        "--time",
        metavar="COLUMN",
        help="Column with the times of the rows: the latest is the time of the batch. To be given with every batch.",
    ),
)
_SETTINGS = (
    click.option("--level", type=float, help="With which probability there is never a false alarm. Default: 0.95."),
    click.option(
        "--max-error", type=float, help='Test "the mean error of every batch is at most this" and nothing else.'
    ),
    click.option(
        "--tolerance",
        type=float,
        help="Distance of rates from scores that is no alarm; 0 is exact calibration. Default: 0.1 in ratio (10 %).",
    ),
    click.option(
        "--tolerance-unit",
        type=Choice(UNITS),
        help="Unit of --tolerance: ratio, of the label that is rarer at the score; probability; logit. Default: ratio.",
    ),
    click.option(
        "--weight-type",
        "weights",
        type=Choice(WEIGHT_TYPES),
        help="What --weight means: counts, so many rows each; importances, with --max-weight.",
    ),
    click.option("--max-weight", type=float, help="The largest weight that a row may ever have, which counts as 1."),
    click.option("--once", is_flag=True, default=None, help="Leave out rows of a --group that a batch before had."),
    click.option(
        "--reduction",
        type=Choice(REDUCTIONS),
        help=f"{HOW}. With classwise each class is a segment.",
    ),
    click.option("--labels", help="Classes of the --prob columns, in their order, with commas between them."),
    click.option("--pos-label", help="The positive label of two, unless the labels are 0/1, -1/1 or true/false."),
)


@dataclass(frozen=True)
class Columns:
    """The columns of FILE, and what its batch is called."""

    label: str | None
    probs: tuple[str, ...]
    weight: str | None
    by: tuple[str, ...]
    groups: tuple[str, ...]
    batch: str | None
    time: str | None

    @property
    def of_rows(self) -> dict[str, Any]:
        """The columns as `Monitor.update` takes them."""
        prob = (self.probs[0] if len(self.probs) == 1 else list(self.probs)) if self.probs else None
        by = list(self.by) or None
        return {"label": self.label, "prob": prob, "weight": self.weight, "by": by, "groups": list(self.groups) or None}


SETTINGS = (
    "level",
    "max_error",
    "tolerance",
    "tolerance_unit",
    "weights",
    "max_weight",
    "once",
    "reduction",
    "labels",
    "pos_label",
)


def _of_batches(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a monitor: `Columns`, and the settings that are given by their names."""

    @wraps(command)
    def run(**options: Any) -> Any:
        columns = Columns(**{field.name: options.pop(field.name) for field in fields(Columns)})
        settings = {name: value for name in SETTINGS if (value := options.pop(name)) is not None}
        return command(columns=columns, settings=settings, **options)

    wrapped: Callable[..., Any] = of_layout(run, "gate")
    for option in reversed((*_COLUMNS, *_SETTINGS)):
        wrapped = option(wrapped)
    return wrapped


@command()
@click.argument("state", type=click.Path(path_type=Path))
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_of_batches
@click.option("--table", "style", flag_value="table", help="Print a table of the batches, not one line of the last.")
@click.option("--json", "style", flag_value="json", help="Print the evidence as JSON, with a record of each batch.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page with pictures to this file, too.")
@click.pass_context
@refusing
def monitor(
    context: click.Context,
    state: Path,
    file: Path | None,
    columns: Columns,
    settings: dict[str, Any],
    style: str | None,
    html: Path | None,
    layout: Layout,
) -> None:
    """Say after each batch whether a model is still calibrated.

    FILE is a batch of rows that no batch before had: CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. It
    is added to STATE, a JSON file that is made if it is not there; it keeps no rows. Without FILE the evidence so far
    is printed. One may look after every batch: --level is the probability that none of them has a false alarm.

    --level, --max-error, --tolerance, what weights and classes mean, and the columns but that of --time are those of
    the first batch; they need not be given again, and another value is refused.

    Exit codes: 0 no alarm; 1 alarm, now or after a batch before; 2 bad input, or a batch that was counted before: STATE
    is as it was; 3 fewer than 10 positives or negatives so far.
    """
    if html is not None:
        _check_page(html, {"STATE": state, "FILE": file})
    with ExitStack() as stack:  # at whose end STATE is written: an error before leaves it as it was
        if file is None:
            _refuse_without_file(columns, settings, layout)
            with _naming_state():
                evidence = fot.monitor.Monitor.load(state).evidence
        else:
            evidence = _updated(stack, state, file, columns, settings, layout)
        text = FORMATS[style or "brief"](evidence) if style or file is None else _line(evidence)
        if html is not None:
            evidence.to_html(html, title=f"Monitor {state.stem}")
    say(text)
    if html is not None:
        say(f"Wrote {html}", err=True)
    context.exit(_exit_code(evidence))


def _updated(
    stack: ExitStack, state: Path, file: Path, columns: Columns, settings: dict[str, Any], layout: Layout
) -> Any:
    """Add a file to the monitor in another one, which is written at the end of the stack, and return the evidence."""
    if is_same(state, file):
        raise ValueError(f"STATE must be another file than FILE, got {str(state)!r}")
    if "labels" in settings:
        settings = {**settings, "labels": split_classes(settings["labels"])}
    time = None if columns.time is None else latest(file, columns.time, layout)
    batch = _name_of_batch(file) if columns.batch is None else columns.batch
    rows = BatchFile(file, layout.options, NAMES)
    with _naming_state():
        held = stack.enter_context(fot.monitor.Monitor.updating(state, **settings))
    known = held.evidence.settings.layout
    if (columns.label or known.label) is None or not (columns.probs or known.prob):
        raise ValueError("--label and --prob must be given with the first batch that has rows")
    return held.update(rows, batch=batch, time=time, **columns.of_rows)


def _name_of_batch(file: Path) -> str:
    """Return the name of a file without its ending, or refuse to call a batch after a stream or several files."""
    name = name_of(file)
    if name == STANDARD_INPUT:
        raise ValueError("--batch must be given where FILE is standard input")
    if is_pattern(file) and not file.is_file():
        raise ValueError(f"--batch must be given where FILE is a pattern of several files, got {file}")
    ending = next((each for each in sorted(READERS, key=len, reverse=True) if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)] or name


@contextmanager
def _naming_state() -> Iterator[None]:
    """Let messages of the block call the file of the monitor STATE."""
    try:
        yield
    except ValueError as error:
        argument, must, rule = str(error).partition(" must ")
        if argument != "path":
            raise
        raise ValueError(f"STATE{must}{rule}") from error


def _refuse_without_file(columns: Columns, settings: dict[str, Any], layout: Layout) -> None:
    """Refuse options that say something of a batch where there is none."""
    given = {name: value for name, value in {**vars(columns), **settings}.items() if value not in (None, ())}
    for name, value in given.items():
        got = ", ".join(value) if isinstance(value, tuple) else value
        raise ValueError(f"{name} must be left out without FILE, got {got}")
    if layout != STANDARD:
        raise ValueError("--sep, --encoding, --decimal and --max-unpacked must be left out without FILE")


def _check_page(html: Path, others: dict[str, Path | None]) -> None:
    if html.suffix.lower() not in PAGES:
        raise ValueError(f"--html must end in {' or '.join(PAGES)}, got {str(html)!r}")
    check_output(html, "--html", others)


def _line(evidence: Any) -> str:
    """Return one line on the last batch and the evidence so far."""
    row = evidence.rows()[len(evidence.records) - 1]
    events = "" if row["events"] is None else f", {count(row['events'])} event{'s' * (row['events'] != 1)}"
    e_value = "infinite" if row["refuted"] else e_in_words(row["log_e"])
    parts = f"{row['batch']}: n = {count(row['n'])}{events}, E = {e_value}, {p_in_words(row['p_value'])}"
    text = f"{parts}, alarm: {evidence.headline}" if evidence.alarm else f"{parts}, no alarm{_few(evidence)}"
    return visible(text)


def _few(evidence: Any) -> str:
    """Return that there are few labels of a kind, where there are."""
    positives, negatives = _labels(evidence)
    if min(positives, negatives) >= FEWEST:
        return ""
    return f": {labels_in_words(positives, negatives)} so far tell little"


def _labels(evidence: Any) -> tuple[int, int]:
    """Return positives and negatives so far; of several classes those of the class that is known best."""
    known = [(each.events, each.n - each.events) for each in evidence.streams]
    return max(known, key=min, default=(0, 0))


def _exit_code(evidence: Any) -> int:
    if evidence.alarm:
        return ALARM
    return TOO_FEW if min(_labels(evidence)) < FEWEST else 0
