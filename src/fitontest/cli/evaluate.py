"""``fitontest evaluate``: the calibration errors of the scores in a file."""

import click

from fitontest.cli.class_scores import Given, of_class_scores
from fitontest.cli.measuring import NULL_DRAWS, classwise_report, report
from fitontest.cli.messages import refusing
from fitontest.cli.reporting import FORMATS, ClasswiseReport, Report
from fitontest.measures.losses.base import DEFAULT_ALPHA
from fitontest.numerics.norms import NORMS
from fitontest.significance.choice import check_alpha


@click.command()
@of_class_scores
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
    given: Given,
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
    to expect of it for calibrated scores; as CSV only the families are printed. Scores of several classes, a column for
    each, need a --reduction.
    """
    options = (list(families) or None, norm, random_state, None if style == "csv" else (alpha, null_draws))
    check_alpha(alpha)
    found: Report | ClasswiseReport
    if given.classwise:
        found = classwise_report(given.each_class(), *options)
    else:
        found = report(given.sample(), *options, given.reduction)
    click.echo(FORMATS[style](found))
