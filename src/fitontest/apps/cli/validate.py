"""``fitontest validate``: what reports on a risk model list, of the risks in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.command import command
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import TOLERANCE, Given, of_class_scores
from fitontest.apps.cli.streams import name_of
from fitontest.apps.cli.writing import FORMATS, check_output, of_verbose
from fitontest.results.writing import write_text

STYLES = (*FORMATS, "html")
BY_ENDING = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html"}


@command()
@of_class_scores
@click.option(
    "--threshold",
    "thresholds",
    type=float,
    multiple=True,
    help="Risk from which on a row is treated, such as 0.1: its net benefit, and what miscalibration costs of it; "
    "repeat for several.",
)
@click.option(
    "--cost",
    type=float,
    help="In place of --threshold: the harm of treating a negative row, in units of the benefit of treating a positive "
    "one.",
)
@click.option(
    "--family",
    default="spline",
    show_default=True,
    help="Family of the calibration map that ICI, E50, E90 and Emax are distances from.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option(
    "--by", multiple=True, help="Column whose values make segments, each validated alone; repeat for several."
)
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the draws behind the intervals.")
@TOLERANCE
@of_verbose("all statistics, the decisions at thresholds, and notes")
@click.option(
    "--format",
    "style",
    type=Choice(STYLES),
    help="html is a page with pictures. Default: as the ending of --output says, else table.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the result to this file instead of standard output."
)
@refusing
def validate(
    given: Given,
    thresholds: tuple[float, ...],
    cost: float | None,
    family: str,
    level: float,
    by: tuple[str, ...],
    random_state: int,
    tolerance: float,
    verbose: bool,
    style: str | None,
    output: Path | None,
) -> None:
    """Validate the risks in FILE, as reports on risk models do.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. Observed by expected events, calibration in
    the large, slope, the errors ICI, E50, E90 and Emax, Brier score and AUC, with intervals; with --threshold the net
    benefit of treating from there on, and what recalibration would add. --verbose prints all of them. Several --prob
    columns are several models for the same rows, unless a --reduction says that they are those of several classes.
    """
    if output is not None:
        check_output(output, "--output", {"FILE": given.file})
    chosen = style or ("table" if output is None else BY_ENDING.get(output.suffix.lower(), "table"))
    result = fot.risk.validate(
        given.read_models(by),
        thresholds=sorted(thresholds) or None,
        cost=cost,
        family=family,
        level=level,
        random_state=random_state,
        tolerance=tolerance,
    )
    text = _formats(given)[chosen](result.table() if verbose and chosen != "html" else result)
    if output is None:
        say(text)
        return
    write_text(output, text if chosen == "html" else f"{text.rstrip()}\n")
    say(f"Wrote {output}", err=True)


def _formats(given: Given) -> dict[str, Callable[[Any], str]]:
    """Return the formats; a page is called after the columns and the file."""
    title = f"Validation of {', '.join(given.probs)} in {name_of(given.file)}"
    return {**FORMATS, "html": lambda result: result.to_html(title=title)}
