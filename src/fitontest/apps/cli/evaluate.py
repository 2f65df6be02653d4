"""``fitontest evaluate``: the calibration errors of the scores in a file."""

import json
from typing import Any, Literal

import click

import fitontest as fot
from fitontest.apps.cli.choice import Choice, NormName
from fitontest.apps.cli.command import command
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import SEGMENTS, TOLERANCE, Given, of_any_scores
from fitontest.apps.cli.writing import FORMATS, of_format, of_verbose
from fitontest.data.segment_unions import SegmentsOf
from fitontest.evaluation.evaluate import ALL, DEFAULT_CANONICAL, DEFAULT_FAMILIES, DEFAULT_MEASURES, defaults_of
from fitontest.evaluation.evaluated_models import EvaluatedModels
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.together import AGAINST, Against
from fitontest.measures.losses.rejection import DEFAULT_ALPHA
from fitontest.measures.measure import Measure
from fitontest.numerics.significance.choice import check_alpha
from fitontest.results.checks import check_level

NULL_DRAWS = 100  # enough for the mean to a tenth of the spread
TCE = "tce"
PROPER_ERROR = "proper_error"  # has a standard error, and fits many maps for each draw of the labels


@command()
@of_any_scores
@click.option(
    "--family",
    "families",
    multiple=True,
    help=f"Family of calibration maps, or 'all'; repeat for several. Default: {', '.join(DEFAULT_FAMILIES)} (with "
    f"--reduction canonical {', '.join(DEFAULT_CANONICAL)}).",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    help="Further measure by name, such as ece, tce or smooth_ece, or 'none'; repeat for several. Default: none (with "
    f"--reduction canonical {' and '.join(DEFAULT_MEASURES)}, unless a --family is chosen).",
)
@click.option(
    "--norm",
    type=NormName(fot.norms.names()),
    default="l1",
    show_default=True,
    help="How distances add up; also a quantile, such as q50 or q90.",
)
@click.option("--random-state", type=int, default=0, show_default=True, help="Seed of the folds and of all draws.")
@click.option("--alpha", type=float, help=f"Level of the tests behind TCE, by default {DEFAULT_ALPHA}.")
@click.option(
    "--null-draws",
    type=click.IntRange(min=0),
    help="Simulated sets of labels for what to expect of the measures beside the families if the scores were "
    f"calibrated, by default {NULL_DRAWS}; of proper_error, which has a standard error, none by default.",
)
@click.option(
    "--interval",
    type=Choice(("auto", "always", "none")),
    default="auto",
    show_default=True,
    help="Which debiased errors have intervals: auto, those of the families that are refitted quickly; always, also "
    "those that take long, and with --reduction canonical simplex_ece; none, which is quickest.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option(
    "--by",
    multiple=True,
    help="Column whose values make segments, each evaluated alone, with adjusted p-values; repeat for several.",
)
@click.option(
    "--adjust",
    type=Choice(("holm", "max")),
    default="holm",
    show_default=True,
    help="How p-values of segments are adjusted: holm, each by itself; max, by the ECCE of all segments at once, for "
    "many segments and such that overlap.",
)
@SEGMENTS
@click.option(
    "--against",
    type=Choice(AGAINST),
    default="logistic",
    show_default=True,
    help="With --adjust max, what segments are tested against: scores after one logistic map of all rows, or the "
    "scores as they are.",
)
@TOLERANCE
@of_verbose("all columns, p-values and notes below the verdict")
@of_format()
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
    level: float,
    by: tuple[str, ...],
    adjust: Literal["holm", "max"],
    segments: SegmentsOf,
    against: Against,
    tolerance: float,
    verbose: bool,
    style: str,
) -> None:
    """Say how well the scores in FILE are calibrated.

    FILE is CSV, TSV, JSON lines, Parquet or xlsx, or - for standard input. Each family of calibration maps is fitted to
    its rows, and the error is the mean distance between the scores and the fitted map. Each --measure, such as the
    test-based calibration error (tce), follows with what to expect of it for calibrated scores. Scores of several
    classes, a column for each, need a --reduction; with canonical the families are those of several classes, and the
    measures take all probabilities. Without one several --prob columns are several models for the same rows. With --by
    one family (spline) or what is chosen is measured in every segment and in all rows.
    """
    canonical = given.has_distributions
    _, default = defaults_of(distributions=canonical)
    chosen = _chosen(measures, () if families or by else default or ())
    check_level(level, "--level")
    asked, listed = None if interval == "none" else interval, _families(families)
    if alpha is not None:
        check_alpha(alpha)
        if TCE not in chosen:
            raise ValueError(f"--alpha must be left out without --measure tce, got {alpha:g}")
    if null_draws and not (chosen or by):
        raise ValueError(f"--null-draws must be left out without --measure, got {null_draws}")
    if not by and (adjust != "holm" or segments != "crossed"):
        raise ValueError("--adjust and --segments must be left out without --by, which makes the segments")
    data = given.read_models(by)
    others = [_measure(name, alpha) for name in chosen if name != TCE or _counts_rows(data)]
    settings: dict[str, Any] = {"norm": norm, "random_state": random_state, "interval": asked, "level": level}
    settings["tolerance"] = tolerance
    if by:
        settings |= {"adjust": adjust, "segments": segments, "against": against}
        result = fot.evaluate(data, families=listed, measures=others or None, null_draws=null_draws or 0, **settings)
        say(FORMATS[style](result.table() if verbose else result))
        return
    if canonical and asked == "auto":
        settings["interval"] = None
    evaluation = fot.evaluate(data, families=listed or (DEFAULT_CANONICAL if canonical else None), **settings)
    for measure in others:
        draws, own = _null_of(measure, null_draws, settings["interval"] if canonical else None)
        drawn: dict[str, Any] = {"null_draws": draws, "interval": own, "level": level, "random_state": random_state}
        one = fot.evaluate(data, measures=[measure], **drawn)
        evaluation = evaluation.joined(one)
    if style == "json":
        say(_json_of(evaluation))
    else:
        say(FORMATS[style](evaluation.table() if verbose else evaluation))


def _json_of(result: Evaluation | EvaluatedModels) -> str:
    """Return the evaluation, of several models each with its name, as JSON text."""
    if isinstance(result, EvaluatedModels):
        values: dict[str, Any] = {"models": [{"model": name, **_record_of(result[name])} for name in result]}
    else:
        values = _record_of(result)
    return json.dumps(values, indent=2, allow_nan=False)


def _record_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the records of plug-in errors, every other measure with its own table, and of classes all means."""
    named = dict(zip(evaluation.names, evaluation, strict=True))
    families = [name for name, estimate in named.items() if estimate.measure.is_family_error]
    others = {name: estimate.to_dict() for name, estimate in named.items() if name not in families}
    values = {**evaluation.only(families).to_dict(), "notes": evaluation.notes, "measures": others}
    if "means" in values:
        values["means"] = evaluation.means
    return values


def _null_of(measure: str | Measure, draws: int | None, interval: str | None) -> tuple[int, Any]:
    """Return how often labels are drawn for the null of a measure, and whether it has an interval."""
    if measure == PROPER_ERROR and draws is None:
        return 0, None
    return NULL_DRAWS if draws is None else draws, interval


def _measure(name: str, alpha: float | None) -> str | Measure:
    """Return the name of a measure, which `evaluate` seeds, or the test-based error by tests of another level."""
    return name if name != TCE or alpha is None else fot.measures.make(name, alpha=alpha)


def _counts_rows(data: Any) -> bool:
    """Return whether weights count rows, as a test requires, with a note where they do not."""
    whole: bool = data.shared.whole
    if not whole:
        say(f"Note: no TCE, because a test counts rows and {data.shared.why_not_whole}", err=True)
    return whole


def _chosen(measures: tuple[str, ...], default: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures chosen, or none, or those by default; unknown names are refused before anything is read."""
    if "none" in measures:
        if len(measures) > 1:
            raise ValueError(f"--measure must not name others beside none, got {', '.join(measures)}")
        return ()
    for name in measures:
        fot.measures.make(name)
    return measures or default


def _families(names: tuple[str, ...]) -> tuple[str, ...] | Literal["all"] | None:
    """Return the families chosen, all of them, or none for those by default."""
    if ALL not in names:
        return names or None
    if len(names) > 1:
        raise ValueError(f"--family must not name others beside {ALL}, got {', '.join(names)}")
    return "all"
