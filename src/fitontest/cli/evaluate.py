"""``fitontest evaluate``: the calibration errors of the scores in a file."""

from typing import Any, Literal

import click

from fitontest.cli.measuring import (
    CANONICAL_MEASURES,
    FORMATS,
    NULL_DRAWS,
    SEGMENT_FORMATS,
    TCE,
    measured,
    measured_by_segment,
    measured_distributions,
)
from fitontest.cli.messages import refusing, say
from fitontest.cli.scores import Given, of_any_scores
from fitontest.data.simplex_sample import SimplexSample
from fitontest.evaluation.evaluate import DEFAULT_CANONICAL
from fitontest.measures.losses.rejection import DEFAULT_ALPHA
from fitontest.measures.measure import make as make_measure
from fitontest.numerics.norms import names as norm_names
from fitontest.significance.choice import check_alpha
from fitontest.uncertainty.intervals import check_interval


@click.command()
@of_any_scores
@click.option(
    "--family",
    "families",
    multiple=True,
    help="Family of maps; repeat for several. Default: those of evaluate(), which with --reduction canonical are "
    f"{', '.join(DEFAULT_CANONICAL)}.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    help="Further measure by name, such as ece, kernel or smooth_ece, or 'none'; repeat for several. Default: tce "
    f"(with --reduction canonical {' and '.join(CANONICAL_MEASURES)}), and none where a --family is chosen.",
)
@click.option("--norm", type=click.Choice(norm_names()), default="l1", show_default=True, help="How distances add up.")
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the folds and of all draws.")
@click.option("--alpha", type=float, help=f"Level of the tests behind TCE, by default {DEFAULT_ALPHA}.")
@click.option(
    "--null-draws",
    type=click.IntRange(min=0),
    help="Redrawings of the labels for what to expect of the measures beside the families if the scores were "
    f"calibrated, by default {NULL_DRAWS}; of proper_error, which has a standard error, none by default.",
)
@click.option(
    "--interval",
    default="auto",
    show_default=True,
    help="Level of the intervals of the debiased errors, such as 0.9; 'none' for none, which is quicker; 'auto' gives "
    "95 % to the families that are refitted quickly. With --reduction canonical a level gives simplex_ece one.",
)
@click.option(
    "--by",
    multiple=True,
    help="Column whose values make segments, each evaluated alone, with adjusted p-values; repeat for several.",
)
@click.option("--format", "style", type=click.Choice(list(FORMATS)), default="table", show_default=True)
@refusing
def evaluate(
    given: Given,
    families: tuple[str, ...],
    measures: tuple[str, ...],
    norm: str,
    random_state: int,
    alpha: float | None,
    null_draws: int | None,
    interval: str,
    by: tuple[str, ...],
    style: str,
) -> None:
    """Print the calibration errors of the scores in FILE.

    FILE is CSV, TSV (also gzipped) or Parquet, or - for standard input. Each family of calibration maps is fitted to
    its rows, and the error is the mean distance between the scores and the fitted map. Other measures follow, by
    default the test-based calibration error (TCE), with what to expect of them for calibrated scores. Where a --family
    is chosen only the --measure that is chosen follows. Scores of several classes, a column for each, need a
    --reduction; with canonical the families are those of several classes, and the measures are of whole distributions.
    With --by one family (spline) or what is chosen is measured in every segment and in all rows.
    """
    chosen = _chosen(measures, families or by, CANONICAL_MEASURES if given.canonical else (TCE,))
    level = _level(interval)
    if alpha is not None:
        check_alpha(alpha)
        if TCE not in chosen:
            raise ValueError(f"--alpha must be left out without --measure tce, got {alpha:g}")
    if null_draws and not (chosen or by):
        raise ValueError(f"--null-draws must be left out without --measure, got {null_draws}")
    settings: dict[str, Any] = {
        "norm": norm,
        "random_state": random_state,
        "alpha": DEFAULT_ALPHA if alpha is None else alpha,
        "interval": level,
    }
    if by:
        segmented = measured_by_segment(
            given.segments(by), families or None, chosen, null_draws=null_draws or 0, **settings
        )
        say(SEGMENT_FORMATS[style](segmented))
        return
    data = given.data()
    if isinstance(data, SimplexSample):
        evaluation = measured_distributions(data, families, chosen, norm, random_state, null_draws, level)
        say(FORMATS[style](evaluation))
        return
    draws = NULL_DRAWS if null_draws is None else null_draws
    evaluation = measured(data, families or None, chosen, null_draws=draws, **settings)
    say(FORMATS[style](evaluation))


def _chosen(measures: tuple[str, ...], families: tuple[str, ...], default: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures chosen, or none, or those by default; unknown names are refused before anything is read."""
    if "none" in measures:
        if len(measures) > 1:
            raise ValueError(f"--measure must not name others beside none, got {', '.join(measures)}")
        return ()
    for name in measures:
        make_measure(name)
    return measures or (() if families else default)


def _level(interval: str) -> float | Literal["auto"] | None:
    """Return the level of the intervals, or refuse what is none before anything is read."""
    if interval in ("auto", "none"):
        return "auto" if interval == "auto" else None
    try:
        level = float(interval)
    except ValueError as error:
        raise ValueError(f"--interval must be a level in (0, 1), 'auto' or 'none', got {interval!r}") from error
    check_interval(level)
    return level
