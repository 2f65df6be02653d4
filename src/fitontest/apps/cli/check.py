"""``fitontest check``: a gate for pipelines, whether a calibration error is at most a limit."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice
from fitontest.apps.cli.command import command
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import SEGMENTS, Given, of_gated_scores
from fitontest.apps.cli.writing import check_output, of_format
from fitontest.apps.reporting.calibration_check import CalibrationCheck
from fitontest.apps.reporting.max_error import DEFAULT_FAMILY, DEFAULT_RESOLUTION
from fitontest.apps.reporting.outcome import Outcome
from fitontest.data.segment_unions import SegmentsOf
from fitontest.measures.error_limits import check_resolution
from fitontest.results.writing import write_text

EXIT_CODES: dict[Outcome, int] = {"pass": 0, "fail": 1, "undecided": 3}  # 2 is bad input, as for every command
FORMATS: dict[str, Callable[[CalibrationCheck], str]] = {
    "table": str,
    "json": lambda check: check.to_json(indent=2),
    "junit": lambda check: check.to_junit(),
}


@command("max_error", "by", "style")
@of_gated_scores
@click.option("--max-error", type=float, help="The largest calibration error that passes, such as 0.02.")
@click.option(
    "--slope",
    type=(float, float),
    metavar="LEAST MOST",
    help="The calibration slopes that pass, such as 0.8 1.25; the whole interval must lie between.",
)
@click.option(
    "--max-decision-loss",
    type=(float, float),
    multiple=True,
    metavar="T VALUE",
    help="The largest net benefit that recalibrating may gain at the threshold T, such as 0.2 0.01: 10 net true "
    "positives per 1,000 rows. Repeat for several thresholds.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the interval.")
@click.option(
    "--resolution",
    default=str(DEFAULT_RESOLUTION),
    show_default=True,
    help="Errors of any shape on at least 1 / RESOLUTION of the rows, or nearly so, must be at most --max-error "
    "to pass; 40 is stricter, 'none' asks for the interval alone.",
)
@click.option("--family", default=DEFAULT_FAMILY, show_default=True, help="Whose error is held against the limit.")
@click.option(
    "--by", multiple=True, help="Column whose values make segments, each with an outcome; repeat for several."
)
@click.option(
    "--adjust",
    type=Choice(("bonferroni", "max")),
    default="bonferroni",
    show_default=True,
    help="How segments hold together: bonferroni, the interval of each is wider; max, by the ECCE of all segments at "
    "once, for many segments and such that overlap.",
)
@SEGMENTS
@click.option(
    "--require",
    multiple=True,
    help="A segment that must be there, as the table names it; one without rows leaves the outcome open. Repeat for "
    "several.",
)
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the folds and of all draws.")
@of_format(FORMATS)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the outcome to this file instead of standard output."
)
@click.pass_context
@refusing
def check(
    context: click.Context,
    given: Given,
    max_error: float | None,
    slope: tuple[float, float] | None,
    max_decision_loss: tuple[tuple[float, float], ...],
    level: float,
    resolution: str,
    family: str,
    by: tuple[str, ...],
    adjust: Literal["bonferroni", "max"],
    segments: SegmentsOf,
    require: tuple[str, ...],
    random_state: int,
    style: str,
    output: Path | None,
) -> None:
    """Check that the calibration error is at most a limit.

    --slope and --max-decision-loss set other limits, beside that of the error or in its place: every one must be kept.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. Exit codes: 0 pass, the whole interval of
    the error is at most --max-error, and so is every error of any shape on at least a share of the rows (--resolution);
    1 fail, the whole interval is above; 3 cannot tell yet, too few rows or groups, or none of a segment; 2 bad input.
    With --by, and with --reduction classwise, one segment or class that fails makes the whole fail, and the intervals
    hold together (Bonferroni).
    """
    if require and not by:
        raise ValueError(f"--require must be left out without --by, which makes the segments; got {', '.join(require)}")
    if output is not None:
        check_output(output, "--output", {"FILE": given.file})
    parts = _resolution(resolution)
    found = fot.check_calibration(
        given.read(by),
        max_error=max_error,
        slope=slope,
        max_decision_loss=_losses(max_decision_loss),
        level=level,
        resolution=parts,
        family=family,
        adjust=adjust,
        segments=segments,
        require=require,
        random_state=random_state,
    )
    _write(FORMATS[style](found), output)
    context.exit(EXIT_CODES[found.outcome])


def _losses(pairs: tuple[tuple[float, float], ...]) -> dict[float, float] | None:
    """Return the limits of the decision loss by threshold, None without any."""
    for pair in pairs:
        if not all(0.0 < number < 1.0 for number in pair):
            rule = "--max-decision-loss must be a threshold and a limit, both between 0 and 1, such as 0.2 0.01"
            raise ValueError(f"{rule}; got {pair[0]:g} {pair[1]:g}")
    losses = dict(pairs)
    if len(losses) < len(pairs):
        raise ValueError(
            f"--max-decision-loss must have each threshold once, got {', '.join(f'{t:g}' for t, _ in pairs)}"
        )
    return losses or None


def _resolution(text: str) -> float | None:
    """Return the resolution, None for "none", or refuse what is none."""
    if text == "none":
        return None
    try:
        return check_resolution(float(text))
    except ValueError as error:
        raise ValueError(f"--resolution must be a number of at least 20, or 'none'; got {text!r}") from error


def _write(text: str, output: Path | None) -> None:
    """Write the outcome to a file, or to standard output."""
    if output is None:
        say(text)
        return
    write_text(output, f"{text}\n")
    say(f"Wrote {output}", err=True)
