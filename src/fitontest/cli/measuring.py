"""The measurements behind the commands, and how their results are written."""

import json
from collections.abc import Callable, Sequence
from typing import Literal

from fitontest.cli.messages import say
from fitontest.data.read import Data
from fitontest.data.samples import Samples
from fitontest.data.simplex_sample import SimplexSample
from fitontest.evaluation.evaluate import DEFAULT_CANONICAL, DEFAULT_SEGMENTED, measures_of
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.measuring import measure_data, measure_segments
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.losses.rejection import DEFAULT_ALPHA
from fitontest.measures.measure import Measure, read_measure
from fitontest.measures.measure import make as make_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.measures.proper_error import ProperError
from fitontest.results.text import csv_text
from fitontest.uncertainty.redrawing import Redrawing

NULL_DRAWS = 100  # enough for the mean to a tenth of the spread
TCE = "tce"
CANONICAL_MEASURES = ("simplex_ece", "proper_error")  # of whole distributions, by default


def _as_json(evaluation: Evaluation) -> str:
    """Return the records of the families, every other measure with its own table, and of classes all means."""
    named = dict(zip(evaluation.names, evaluation, strict=True))
    families = [name for name, estimate in named.items() if isinstance(estimate.measure, PlugIn)]
    others = {name: estimate.to_dict() for name, estimate in named.items() if name not in families}
    found = {**evaluation.only(families).to_dict(), "notes": evaluation.notes, "measures": others}
    if "means" in found:
        found["means"] = evaluation.means
    return json.dumps(found, indent=2, allow_nan=False)


FORMATS: dict[str, Callable[[Evaluation], str]] = {
    "table": str,
    "json": _as_json,
    "csv": lambda evaluation: csv_text(evaluation.rows()),
}
SEGMENT_FORMATS: dict[str, Callable[[SegmentedEvaluation], str]] = {
    "table": str,
    "json": lambda evaluation: evaluation.to_json(indent=2),
    "csv": lambda evaluation: csv_text(evaluation.rows()),
}


def measured(
    data: Data,
    families: Sequence[str] | None,
    measures: Sequence[str],
    *,
    norm: str = "l1",
    random_state: int = 0,
    alpha: float = DEFAULT_ALPHA,
    null_draws: int = NULL_DRAWS,
    interval: float | Literal["auto"] | None = "auto",
) -> Evaluation:
    """Return the plug-in errors under the families, and the other measures with their nulls; warnings become notes."""
    chosen = measures_of(data, families, None, norm, random_state)
    evaluation = measure_data(data, chosen, Redrawing(0, interval, random_state=random_state))
    others = [_measure(name, alpha) for name in measures if name != TCE or _counts_rows(data)]
    if not others:
        return evaluation
    return evaluation.joined(measure_data(data, others, Redrawing(null_draws, random_state=random_state)))


def measured_distributions(
    data: SimplexSample,
    families: Sequence[str],
    measures: Sequence[str],
    norm: str,
    random_state: int,
    null_draws: int | None,
    interval: float | Literal["auto"] | None,
) -> Evaluation:
    """Return the plug-in errors of whole distributions under families, and other measures; warnings become notes.

    Without a number of draws the proper error has no null: it has a standard error, and many fits in each draw.
    """
    level = None if interval == "auto" else interval  # there is none by default, as in `evaluate`
    chosen = measures_of(data, families or DEFAULT_CANONICAL, None, norm, random_state)
    evaluation = measure_data(data, chosen, Redrawing(0, level, random_state=random_state))
    for name in measures:
        measure = read_measure(name, random_state)
        draws = (0 if isinstance(measure, ProperError) else NULL_DRAWS) if null_draws is None else null_draws
        own = None if isinstance(measure, ProperError) and null_draws is None else level
        redrawing = Redrawing(draws, own, random_state=random_state)
        evaluation = evaluation.joined(measure_data(data, [measure], redrawing))
    return evaluation


def measured_by_segment(
    segments: Samples,
    families: Sequence[str] | None,
    measures: Sequence[str],
    *,
    norm: str,
    random_state: int,
    alpha: float,
    null_draws: int,
    interval: float | Literal["auto"] | None,
) -> SegmentedEvaluation:
    """Return the measures of every segment and of all rows; warnings become notes."""
    others = [_measure(name, alpha) for name in measures if name != TCE or _counts_rows(segments)]
    listed = DEFAULT_SEGMENTED if not families and not others else families
    chosen = measures_of(segments, listed, others or None, norm, random_state)
    return measure_segments(segments, chosen, Redrawing(null_draws, interval, random_state=random_state))


def _measure(name: str, alpha: float) -> Measure:
    return make_measure(name, alpha=alpha) if name == TCE else make_measure(name)


def _counts_rows(data: Data) -> bool:
    """Return whether weights count rows, as a test requires, with a note where they do not."""
    sample = data.shared if isinstance(data, Samples) else data
    if not sample.whole:
        say("Note: no TCE, because a test counts rows and the weights are importances", err=True)
    return bool(sample.whole)
