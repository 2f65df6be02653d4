"""``fitontest report``: one page on the calibration of the scores in a file."""

from dataclasses import replace
from pathlib import Path

import click

import fitontest as fot
from fitontest.apps.cli.command import command
from fitontest.apps.cli.features import GivenFeatures, of_features
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import Given, of_any_scores
from fitontest.apps.cli.streams import name_of
from fitontest.apps.cli.writing import check_output
from fitontest.apps.reporting.page import check_jinja
from fitontest.evaluation.evaluate import ALL, DEFAULT_FAMILIES
from fitontest.results.checks import choose
from fitontest.results.table import PAGES


@command()
@of_any_scores
@click.option(
    "--by", multiple=True, help="Column whose values make segments, each listed with its error; repeat for several."
)
@click.option(
    "--time",
    help="Column with the dates of the rows, or with up to 36 other values in order: observed over expected events by "
    "day, week, month, quarter or year, and since when they drift.",
)
@click.option(
    "--compare/--no-compare",
    default=None,
    help="Whether calibrators of these scores are compared, out of fold. Default: where it can be done.",
)
@click.option(
    "--family",
    "families",
    multiple=True,
    help="Family of calibration maps whose error is listed, or 'all'; repeat for several. "
    f"Default: {', '.join(DEFAULT_FAMILIES)}.",
)
@of_features(
    "Columns with features, with commas between them, or * for all that no other option names; may be repeated. The "
    "page lists the segments of them in which scores are wrong though nobody named them."
)
@click.option(
    "--threshold",
    "thresholds",
    type=float,
    multiple=True,
    help="Score from which on a row is treated: net benefit, and what miscalibration costs of it; repeat for several.",
)
@click.option(
    "--monitor",
    "state",
    type=click.Path(path_type=Path),
    help="State that 'fitontest monitor' keeps: its evidence is a part of the page.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the folds and of all draws.")
@click.option("--title", help="Heading of the page. Default: the names of the column and of the file.")
@click.option("--date", help="Date of the page. Default: today.")
@click.option("--model", help="What made the scores, such as the name and the version of a model.")
@click.option(
    "--note", "notes", multiple=True, help="What else is known of model or data, as NAME=TEXT; repeat for several."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True, help="The page."
)
@refusing
def report(
    given: Given,
    features: GivenFeatures,
    by: tuple[str, ...],
    time: str | None,
    compare: bool | None,
    families: tuple[str, ...],
    thresholds: tuple[float, ...],
    state: Path | None,
    level: float,
    random_state: int,
    title: str | None,
    date: str | None,
    model: str | None,
    notes: tuple[str, ...],
    output: Path,
) -> None:
    """Write one HTML page on the calibration of the scores in FILE.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. The page says in words whether the scores
    are wrong, in which direction, in which segment most and since when; what to do, in which order, and what that
    gains; diagrams, tables, the data and all settings follow. It needs no other file and asks for nothing from
    anywhere. Of several classes, with a --prob column for each, --reduction confidence or classwise judges the
    confidence and lists the classes, and --reduction canonical judges the probabilities of all classes by their ECE in
    joint bins.
    """
    choose(output.suffix.lower(), PAGES, "the ending of --output")
    check_output(output, "--output", {"FILE": given.file, "--monitor": state})
    try:
        check_jinja()
    except ImportError as error:
        raise ValueError(str(error)) from error
    heading = f"Calibration of {given.name or given.label} in {given.file.name}" if title is None else title
    judged = "classwise" if given.reduction == "confidence" else given.reduction  # the page lists the classes too
    given = replace(given, cells="never") if features.names else given
    given_so = replace(given, reduction=judged)
    page = fot.report(
        given_so.read(by),
        time=None if time is None else given_so.read((time,)),
        X=features.read(given, by=by) if features.names else None,
        categorical_features=features.categorical_features,
        title=heading,
        date=date,
        model=model,
        notes={**_columns(given, by, time), **_split_notes(notes)},
        families=ALL if families == (ALL,) else families or None,
        compare="auto" if compare is None else compare,
        thresholds=sorted(thresholds) or None,
        monitor=None if state is None else _load(state),
        level=level,
        random_state=random_state,
        reduction=given.reduction,
    )
    page.save(output)
    say(f"{page.verdict.headline}. {page.advice.title}. Wrote {output}", err=True)


def _load(state: Path) -> fot.monitor.Monitor:
    """Return the monitor whose evidence is on the page."""
    if not state.is_file():
        raise ValueError(f"--monitor must be a file that 'fitontest monitor' has made, got {str(state)!r}")
    try:
        return fot.monitor.Monitor.load(state)
    except ValueError as error:
        raise ValueError(f"--monitor{str(error).removeprefix('path')}") from error


def _columns(given: Given, by: tuple[str, ...], time: str | None) -> dict[str, str]:
    """Return the file and the columns that are read, by what they are called on the page."""
    facts = {"file": name_of(given.file), "column of labels": given.label, "columns of scores": ", ".join(given.probs)}
    if given.weight is not None:
        facts["column of weights"] = given.weight
    if given.groups:
        facts["columns of groups" if len(given.groups) > 1 else "column of groups"] = ", ".join(given.groups)
    facts |= {"by": ", ".join(by)} if by else {}
    return facts if time is None else {**facts, "column of times": time}


def _split_notes(notes: tuple[str, ...]) -> dict[str, str]:
    """Return notes by their names."""
    pairs = [note.partition("=") for note in notes]
    for note, (name, equals, text) in zip(notes, pairs, strict=True):
        if not (equals and name.strip() and text.strip()):
            raise ValueError(f"--note must be NAME=TEXT, got {note!r}")
    return {name.strip(): text.strip() for name, _, text in pairs}
