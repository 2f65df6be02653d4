"""Measuring samples: any measures of one sample, of classes one after the other, of segments and of models."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fitontest.data.known_groups import KnownGroups
from fitontest.data.read import Data
from fitontest.data.repeated_rows import Repeats
from fitontest.data.samples import Key, Samples
from fitontest.data.segment_unions import ONE_SCORE
from fitontest.data.segments import check_few
from fitontest.evaluation.evaluated_models import EvaluatedModels
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.measured_rows import MeasuredRows, reason_to_omit
from fitontest.evaluation.preparing import preparing
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.evaluation.together import Against, calibrated_by, logistic_map, maximum_of
from fitontest.measures.estimate import Estimate, mean_over_classes, notes_of_evidence
from fitontest.measures.measure import Measure
from fitontest.measures.notes import data_notes, warn_of_several
from fitontest.measures.side_by_side import note_lines
from fitontest.numerics.random import one_seed
from fitontest.results.exceptions import Held, PrintedWarning, held_warnings, warn_user
from fitontest.results.progress import track
from fitontest.results.registry import settings_of
from fitontest.results.typing import Label
from fitontest.uncertainty.dependence import dependence_of, share_dependence, with_dependence
from fitontest.uncertainty.intervals import NULL_DRAWS, with_shared_null
from fitontest.uncertainty.joint import UNLIKELY, JointTest, joint_test
from fitontest.uncertainty.redrawing import (
    MOST_JUDGED,
    NO_CLASSES,
    Redrawing,
    estimate_of,
    has_quick_interval,
)
from fitontest.uncertainty.shared_refits import SharedRefits

DRAWS_EACH = 40  # draws for each segment: an adjusted p-value can then be as small as 1 / 40


def measure_data(data: Data, measures: Sequence[Measure], redrawing: Redrawing | None = None) -> Evaluation:
    """Return the measures of one sample, or of the classes of one, which have been checked.

    Parameters
    ----------
    data : ScoreSample, SimplexSample or Samples
        Not by segment.
    measures : sequence of Measure
    redrawing : Redrawing, optional
        Of the labels, for intervals and nulls.
    """
    wanted = Redrawing() if redrawing is None else redrawing
    if data.is_by_segment:
        raise ValueError(
            f"by must be left out, since one estimate is of all rows; evaluate takes segments; got {len(data)} of them"
        )
    if data.each_class:
        return Evaluation(tuple(_estimates_of_classes(data, measures, wanted)), data)
    settled = [measure.for_sample(data) for measure in measures]
    shared = SharedRefits.of(settled)  # a family and one with the same stand-in
    asked = [(measure, wanted.of(measure, data.n)) for measure in settled]
    if any(each.interval is not None or each.null_draws for _, each in asked):
        Repeats.of(data).warn()
    steps = track(asked, "measures") if len(asked) > 1 else asked  # one may have steps of its own
    repeated: list[Held] = []
    try:
        with preparing(settled), held_warnings() as repeated:  # a family and a measure may have the same bins
            estimates = [estimate_of(measure, data, data.reduction, each, shared) for measure, each in steps]
    finally:  # what was found before one of them failed may be why
        for message, category in dict.fromkeys(repeated):
            warn_user(message, category)
    return Evaluation(tuple(estimates), data)


def measure_one(measure: Measure, data: Data, redrawing: Redrawing | None = None) -> Estimate:
    """Return what a measure makes of one sample, or of the classes of one, and warn of what its name does not promise.

    Parameters
    ----------
    measure : Measure
    data : ScoreSample, SimplexSample or Samples
        Not by segment.
    redrawing : Redrawing, optional
        An interval of "auto" is computed when it is first asked for, where there is one.
    """
    wanted = Redrawing() if redrawing is None else redrawing
    # "auto": whether there is one is left to the measure, and one by a formula takes no time
    is_left = wanted.interval == "auto" and not measure.has_own_interval
    reason = reason_to_omit(measure, data, wanted.direction) if is_left else None
    is_deferred = reason == ""
    if is_left:
        wanted = replace(wanted, interval=None, random_state=one_seed(wanted.random_state))
    measured = replace(wanted, null_draws=0) if is_deferred and wanted.null_draws else wanted
    evaluation = measure_data(data, [measure], measured)
    warn_of_notes(evaluation)
    estimate = evaluation.estimates[0]
    known = None if is_deferred else replace(estimate.uncertainty, interval_reason=reason or estimate.interval_reason)
    return replace(estimate, known=known, origin=MeasuredRows(data, wanted))


def _estimates_of_classes(samples: Samples, measures: Sequence[Measure], redrawing: Redrawing) -> list[Estimate]:
    """Return the means over the classes, each against the rest."""
    asked = [(measure, redrawing.of(measure, samples.size, len(samples), MOST_JUDGED)) for measure in measures]
    judged = any(wanted.interval is not None or wanted.null_draws for _, wanted in asked)
    each: dict[Label, list[Estimate]] = {}
    held: dict[Key, list[Held]] = {}
    repeats = []
    for column, label in enumerate(track(samples.labels, "classes")):
        sample = samples[label]  # one at a time: measured, it has grown by its sorted rows
        if judged:
            repeats.append(Repeats.of(sample))
        with held_warnings() as held[label]:
            each[label] = [
                estimate_of(_of_class(measure, column, len(samples)), sample, "classwise", wanted)
                for measure, wanted in asked
            ]
    if repeats:
        max(repeats, key=lambda each: each.strength).warn()  # the classes share their rows
    warn_of_several(held, "class")
    by_measure = zip(*each.values(), strict=True)
    means = [mean_over_classes(dict(zip(each, column, strict=True))) for column in by_measure]
    estimates = [replace(mean, measure=measure) for mean, measure in zip(means, measures, strict=True)]
    if any(wanted.interval is not None for _, wanted in asked):
        return [estimate.with_uncertainty(interval_reason=NO_CLASSES) for estimate in estimates]
    return estimates


def measure_segments(
    segments: Samples, measures: Sequence[Measure], redrawing: Redrawing | None = None
) -> SegmentedEvaluation:
    """Return the measures of all segments and of the whole.

    Parameters
    ----------
    segments : Samples
        By segment, each of one sample of scores, of distributions, or of the samples of classes.
    measures : sequence of Measure
        Of different names.
    redrawing : Redrawing, optional
        Labels are drawn at least 40 times as often as there are segments. Of a mean over classes, which has no null,
        and of distributions of rows that belong together they are drawn only if that is asked for.

    Raises
    ------
    ValueError
        Whatever the measures refuse in the whole; what they refuse in a segment alone is kept as its failure.
    """
    check_few(segments)
    wanted = Redrawing() if redrawing is None else redrawing
    of_classes = segments.whole.is_by_class
    of_groups = not segments.has_one_score and segments.groups is not None
    without_null = of_classes or (wanted.interval is None and of_groups)
    share_dependence(segments)
    wanted = wanted if without_null else _enough(wanted, len(segments))
    told = not of_classes and (wanted.interval is not None or bool(wanted.null_draws))
    if told:
        Repeats.of(segments.whole).warn()
    names = [measure.name for measure in measures]
    totals = {
        name: _segment_estimate(measure, segments.whole, wanted) for name, measure in zip(names, measures, strict=True)
    }
    estimates: dict[str, dict[Key, Estimate]] = {name: {} for name in names}
    failures: dict[str, dict[Key, str]] = {name: {} for name in names}
    tests: dict[Key, JointTest] = {}
    judged = wanted.interval is not None and any(measure.is_family_error for measure in measures)
    held: dict[Key, list[Held]] = {}
    for segment, sample in track(list(segments.items()), "segments"):
        if told:
            Repeats.of(sample)  # which the estimates tell of
        with held_warnings() as held[segment]:
            for name, measure in zip(names, measures, strict=True):
                try:
                    estimates[name][segment] = _segment_estimate(measure, sample, wanted)
                except ValueError as error:  # too few rows, or one class: the other segments are still to be measured
                    failures[name][segment] = str(error)
            found = [each[segment] for each in estimates.values() if segment in each]
            if judged and found and sample.has_one_score and not _is_open(found[0]):
                draws, seed = int(wanted.null_draws), one_seed(wanted.random_state)
                tests[segment] = joint_test(sample, draws, seed, found, UNLIKELY / len(segments))
    warn_of_several(held, "segment")
    return SegmentedEvaluation(
        segments=segments,
        measures=tuple(measures),
        estimates=estimates,
        totals=totals,
        failures={name: each for name, each in failures.items() if each},
        tests=tests,
    )


def measure_maxima(
    segments: Samples, measures: Sequence[Measure], against: Against, level: float, draws: int, seed: int
) -> SegmentedEvaluation:
    """Return measures of segments, which may overlap, with p-values and intervals that hold for all of them together.

    Parameters
    ----------
    segments : Samples
        By segment, of one score in each row.
    measures : sequence of Measure
        `CumulativeError`, whose simulated labels all segments can share.
    against : {"logistic", "scores"}
    level : float in (0, 1)
        Of the intervals.
    draws, seed : int
        Of the labels; more are drawn where the level needs them.
    """
    for measure in measures:
        if not measure.is_seminorm:
            rule = (
                "measures must be among 'ecce' and 'ks' with adjust='max', which draws labels of all segments at once"
            )
            raise ValueError(f"{rule}; got {measure.name!r}")
    if not segments.has_one_score:
        raise ValueError(f"adjust must be 'holm' unless segments are {ONE_SCORE}; got 'max'")
    Repeats.of(segments.whole).warn()
    c_hat = logistic_map(segments) if against == "logistic" else None
    tested = segments if c_hat is None else calibrated_by(segments, c_hat)
    share_dependence(tested)
    groups = KnownGroups.of(tested.whole, dependence_of(tested.whole))
    too_few = groups is not None and groups.too_few
    draws = max(draws, int(np.ceil(1.0 / (1.0 - level) - 1e-6)))
    totals, estimates, maxima = {}, {}, {}
    for measure in measures:
        name = measure.name
        redrawing = Redrawing.at(level, null_draws=draws, random_state=seed)
        totals[name] = estimate_of(measure, tested.whole, tested.whole.reduction, redrawing)
        each = {key: _with_groups(measure.estimate(sample), sample) for key, sample in tested.items()}
        if not too_few:
            maxima[name] = maximum_of(tested, measure, c_hat, level, draws, seed)  # type: ignore[arg-type]
            each = maxima[name].estimates(each, seed)
        estimates[name] = each
    return SegmentedEvaluation(
        segments=tested, measures=tuple(measures), estimates=estimates, totals=totals, maxima=maxima
    )


def _with_groups(estimate: Estimate, sample: Any) -> Estimate:
    return with_dependence(estimate, sample)[0]


def measure_models(models: Samples, measures: Sequence[Measure], redrawing: Redrawing | None = None) -> EvaluatedModels:
    """Return the measures of several models, each as of its scores alone.

    Parameters
    ----------
    models : Samples
        By model.
    measures : sequence of Measure
    redrawing : Redrawing, optional
        Of the labels, for intervals and nulls.
    """
    evaluations: dict[str, Evaluation] = {}
    held: dict[Key, list[Held]] = {}
    for key, data in track(list(models.items()), "models"):
        with held_warnings() as held[key]:
            evaluation = measure_data(data, measures, redrawing)
            warn_of_notes(evaluation)
        evaluations[str(key)] = evaluation
    warn_of_several(held, "model")
    return EvaluatedModels(evaluations, models)


def _is_open(estimate: Estimate) -> bool:
    """Return whether rows belong to too few groups, so that nothing is tested."""
    return estimate.groups is not None and estimate.groups.too_few


def _segment_estimate(measure: Measure, data: Data, redrawing: Redrawing) -> Estimate:
    """Return the estimate with its null, whose draws are fitted together where the family can do so."""
    if data.is_by_class:
        left = isinstance(redrawing.interval, str)  # "auto": classes of segments are many
        return _estimates_of_classes(data, [measure], replace(redrawing, interval=None) if left else redrawing)[0]
    if redrawing.interval is not None or not (redrawing.null_draws and has_quick_interval(measure)):
        return estimate_of(measure, data, data.reduction, redrawing)
    estimate = estimate_of(measure, data, data.reduction)
    return with_shared_null(estimate, data, int(redrawing.null_draws), redrawing.random_state)


def _enough(redrawing: Redrawing, segments: int) -> Redrawing:
    """Return the redrawing with enough draws for the p-values of so many segments."""
    least, given = DRAWS_EACH * segments, redrawing.null_draws
    if given in (0, "auto"):
        return replace(redrawing, null_draws=max(NULL_DRAWS, least))
    if int(given) < least:
        raise ValueError(
            f"null_draws must be at least {DRAWS_EACH} times the number of segments, {least:,} for {segments}, or 0 "
            f"for that many; got {given:,}"
        )
    return redrawing


def warn_of_notes(evaluation: Evaluation) -> None:
    """Warn once of values that are not what their name promises."""
    has_notes = any(map(notes_of_evidence, evaluation.estimates))  # names take longer to find than notes
    one_bin = note_lines(evaluation.named, notes_of_evidence) if has_notes else []
    of_bins = any(" 1 bin:" in line for line in one_bin) and not evaluation.data.has_distributions
    hint = ["the number of bins was left to the data; n_bins=10 fixes it"] if of_bins else []
    if lines := [*one_bin, *hint, *data_notes(evaluation.estimates[0].decided, None)]:
        warn_user("; ".join(lines), PrintedWarning)


def _of_class(measure: Measure, column: int, n_classes: int) -> Measure:
    """Return the measure of one class against the rest, of true probabilities in an array their column."""
    truth = settings_of(measure).get("truth")
    if not isinstance(truth, np.ndarray):
        return measure
    if truth.ndim != 2 or truth.shape[1] != n_classes:
        rule = f"have a column for each of the {n_classes} classes with reduction='classwise', or be a function"
        raise ValueError(f"truth must {rule}; got shape {truth.shape}")
    return measure.changed(truth=truth[:, column])
