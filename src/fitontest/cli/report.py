"""``fitontest report``: one page on the calibration of the scores in a file."""

from dataclasses import replace
from pathlib import Path

import click

import fitontest as fot
from fitontest.checks import choose
from fitontest.cli.messages import refusing, say
from fitontest.cli.scores import Given, of_any_scores
from fitontest.cli.writing import check_output
from fitontest.reporting.page import check_jinja
from fitontest.reporting.report import DEFAULT_FAMILIES, ENDINGS


@click.command()
@of_any_scores
@click.option(
    "--by", multiple=True, help="Column whose values make segments, each listed with its error; repeat for several."
)
@click.option("--compare/--no-compare", help="Compare calibrators of these scores too, out of fold.")
@click.option(
    "--family",
    "families",
    multiple=True,
    help="Family of calibration maps whose error is listed; repeat for several. "
    f"Default: {', '.join(DEFAULT_FAMILIES)}.",
)
@click.option("--interval", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the folds and of all draws.")
@click.option("--title", help="Heading of the page. Default: the names of the column and of the file.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True, help="The page."
)
@refusing
def report(
    given: Given,
    by: tuple[str, ...],
    compare: bool,
    families: tuple[str, ...],
    interval: float,
    random_state: int,
    title: str | None,
    output: Path,
) -> None:
    """Write one HTML page on the calibration of the scores in FILE.

    FILE is CSV, TSV (also gzipped) or Parquet, or - for standard input. The page says in words how far the scores are
    from calibrated, how sure that is and in which direction they are wrong; diagrams, tables and all settings follow.
    It needs no other file and asks for nothing from anywhere. Of several classes, with a --prob column for each,
    --reduction confidence or classwise judges the confidence and lists the classes, and --reduction canonical judges
    the probabilities of all classes by their ECE in joint bins.
    """
    choose(output.suffix.lower(), ENDINGS, "the ending of --output")
    check_output(output, "--output", {"FILE": given.file})
    try:
        check_jinja()
    except ImportError as error:
        raise ValueError(str(error)) from error
    heading = f"Calibration of {given.name or given.label} in {given.file.name}" if title is None else title
    judged = "classwise" if given.reduction == "confidence" else given.reduction  # the page lists the classes too
    page = fot.report(
        replace(given, reduction=judged).read(by),
        title=heading,
        families=families or None,
        compare=compare,
        interval=interval,
        random_state=random_state,
        reduction=given.reduction,
    )
    page.save(output)
    say(f"{page.verdict.headline}. Wrote {output}", err=True)
