"""Measuring segments: every measure of each segment, with enough redrawn labels for as many p-values."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from fitontest.data.repeated_rows import Repeats
from fitontest.data.score_sample import ScoreSample
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.evaluation.segments import Segment, Segments
from fitontest.exceptions import Held, held_warnings, warn_user
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.random import one_seed
from fitontest.progress import track
from fitontest.uncertainty.intervals import NULL_DRAWS, with_shared_null
from fitontest.uncertainty.joint import JointTest, joint_test
from fitontest.uncertainty.redrawing import Redrawing, estimate_of, has_quick_interval

E = TypeVar("E")
DRAWS_EACH = 40  # draws for each segment: an adjusted p-value can then be as small as 1 / 40


def measure_segments(
    segments: Segments,
    measures: Sequence[Measure],
    reduction: str | None,
    redrawing: Redrawing,
    make: Callable[[tuple[Estimate, ...], ScoreSample], E],
) -> SegmentedEvaluation[E]:
    """Return the measures of all segments and of the whole.

    Parameters
    ----------
    segments : Segments
    measures : sequence of Measure
        Of different names.
    reduction : str or None
        What made the samples.
    redrawing : Redrawing
        Labels are drawn at least 40 times as often as there are segments.
    make : callable
        Makes an evaluation of estimates and their sample.

    Raises
    ------
    ValueError
        Whatever the measures refuse in the whole; what they refuse in a segment alone is kept as its failure.
    """
    wanted = _enough(redrawing, len(segments.samples))
    if wanted.interval is not None or wanted.null_draws:
        Repeats.of(segments.whole).warn()
    names = [measure.name for measure in measures]
    totals = {
        name: _estimate_of(one, segments.whole, reduction, wanted) for name, one in zip(names, measures, strict=True)
    }
    estimates: dict[str, dict[Segment, Estimate]] = {name: {} for name in names}
    failures: dict[str, dict[Segment, str]] = {name: {} for name in names}
    tests: dict[Segment, JointTest] = {}
    judged = wanted.interval is not None and any(isinstance(measure, PlugIn) for measure in measures)
    held: dict[Segment, list[Held]] = {}
    for segment, sample in track(list(segments.samples.items()), "segments"):
        if wanted.interval is not None or wanted.null_draws:
            Repeats.of(sample)  # which the estimates tell of
        with held_warnings() as held[segment]:
            for name, measure in zip(names, measures, strict=True):
                try:
                    estimates[name][segment] = _estimate_of(measure, sample, reduction, wanted)
                except ValueError as error:  # too few rows, or one class: the other segments are still to be measured
                    failures[name][segment] = str(error)
            found = [each[segment] for each in estimates.values() if segment in each]
            if judged and found:
                tests[segment] = joint_test(sample, int(wanted.null_draws), one_seed(wanted.random_state), found)
    _warn_once(held)
    return SegmentedEvaluation(
        segments=segments,
        measures=tuple(measures),
        estimates=estimates,
        totals=totals,
        failures={name: each for name, each in failures.items() if each},
        tests=tests,
        make=make,
    )


def _estimate_of(measure: Measure, sample: ScoreSample, reduction: str | None, redrawing: Redrawing) -> Estimate:
    """Return the estimate with its null, whose draws are fitted together where the family can do so."""
    if redrawing.interval is not None or not has_quick_interval(measure):
        return estimate_of(measure, sample, reduction, redrawing)
    estimate = estimate_of(measure, sample, reduction)
    return with_shared_null(estimate, sample, int(redrawing.null_draws), redrawing.random_state)


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


def _warn_once(held: dict[Segment, list[Held]]) -> None:
    """Warn of what was found in segments: once of each kind, in the words of the first segment."""
    kinds: dict[tuple[type[Warning], str], dict[Segment, str]] = {}
    for segment, warnings in held.items():
        for message, category in warnings:
            kinds.setdefault((category, message.partition(":")[0]), {}).setdefault(segment, message)
    for (category, _), messages in kinds.items():
        first = next(iter(messages))
        also = f" The like is true of {len(messages) - 1} more." if len(messages) > 1 else ""
        warn_user(f"segment {first!r}: {messages[first]}{also}", category)
