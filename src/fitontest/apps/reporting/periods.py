"""Rows by period, in the order of time, and since when the events are more or fewer than before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from math import log, sqrt
from typing import Any

from fitontest.data.columns import NAMES
from fitontest.data.reading.read import read
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_unions import union
from fitontest.evaluation.worst_segment import is_outside
from fitontest.monitor.batches.identity import DATE, TIME, as_time
from fitontest.results.checks import brief
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.event_ratio import EventRatio, Rarer, event_ratio, rarer_label
from fitontest.uncertainty.joint import UNLIKELY
from fitontest.uncertainty.tolerance import Tolerance

MOST = 36  # periods that a reader sees at once; of dates with more of them longer periods are taken
UNITS = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m", "quarter": "", "year": "%Y"}


@dataclass(frozen=True)
class Drift:
    """Since when the events are more or fewer than before, in relation to those predicted.

    Attributes
    ----------
    since : str
        The first period.
    before, after : ScoreSample
        The rows before it, and from it on.
    ratio_before, ratio : EventRatio
        Theirs.
    """

    since: str
    before: ScoreSample
    after: ScoreSample
    ratio_before: EventRatio
    ratio: EventRatio

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as JSON-ready values."""
        return {"since": self.since, "before": self.ratio_before.to_dict(), "after": self.ratio.to_dict()}


def read_periods(y_true: Any, y_prob: Any, time: Any, reading: dict[str, Any]) -> Samples | None:
    """Return the rows by period in the order of time, or None without a time.

    Parameters
    ----------
    y_true, y_prob
        As for `read`.
    time : array-like of shape (n,), name of a column, Samples or None
        The date of each row; `Samples` are what `read` returned by it.
    reading : dict
        Options of `read`.

    Raises
    ------
    ValueError
        More than 36 values that are no dates, dates beside other values, or rows that are judged class by class.
    """
    if time is None:
        return None
    with without_warnings():  # that were given where the rows were read first
        data = time if isinstance(time, Samples) else read(
            y_true, y_prob, by=time, names=replace(NAMES, by="time"), **reading
        )  # fmt: skip
    samples = {key: sample.judged_together for key, sample in data.items()}
    if not all(sample.kind is None and sample.has_one_score for sample in samples.values()):
        raise ValueError("time must be left out where classes are judged one by one or all at once, got dates")
    noun, names = _name_periods(list(samples))
    members: dict[str, list[ScoreSample]] = {}
    for key in sorted(samples, key=lambda one: _moment(one)[1]):
        members.setdefault(names[key], []).append(samples[key])
    joined: dict[Key, ScoreSample] = {name: union(each) for name, each in members.items()}
    return Samples.of_segments(joined, union(list(samples.values())), noun)


def _name_periods(keys: Sequence[Key]) -> tuple[str, dict[Key, str]]:
    """Return what periods are called, and that of each value.

    Of dates they are the shortest of which there are at most 36, or longer ones of which there are as many.
    """
    moments = {key: _moment(key) for key in keys}
    kinds = {kind for kind, _ in moments.values()}
    if len(kinds) > 1:
        raise ValueError(f"time must hold times of one kind, got {' and '.join(sorted(kinds))}")
    if kinds != {DATE}:
        if len(keys) > MOST:
            raise ValueError(
                f"time must hold dates, or at most {MOST} values; got {len(keys):,} such as {brief(keys[0])}"
            )
        return "period", {key: str(key) for key in keys}
    in_units = {unit: {key: _in_unit(day, unit) for key, (_, day) in moments.items()} for unit in UNITS}
    sizes = {unit: len(set(names.values())) for unit, names in in_units.items()}
    few = [size for size in sizes.values() if size <= MOST]
    if not few:
        raise ValueError(f"time must hold dates of at most {MOST} years, got {sizes['year']}")
    unit = [unit for unit, size in sizes.items() if size == max(few)][-1]
    return unit, in_units[unit]


def _moment(key: Key) -> tuple[str, Any]:
    """Return what kind of time a value is, and the time itself: of times their day."""
    if isinstance(key, datetime):
        return DATE, key.date()
    if isinstance(key, date):
        return DATE, key
    kind, value = as_time(str(key))
    return (DATE, value.date()) if kind.startswith(TIME) else (kind, value)


def _in_unit(day: date, unit: str) -> str:
    return f"{day.year}-Q{(day.month + 2) // 3}" if unit == "quarter" else day.strftime(UNITS[unit])


def find_drift(periods: Samples, tolerance: Tolerance) -> Drift | None:
    """Return since when events are more or fewer than before, or None where that is not sure, or within the tolerance.

    Of all periods that at which the ratios of observed to expected events before and after are farthest apart, in
    standard errors. Both intervals, at a level for all these periods together, must share no value, and that of the
    rows since then must be outside the tolerance.

    Parameters
    ----------
    periods : Samples
        In the order of time.
    tolerance : Tolerance
    """
    names, of = list(periods), rarer_label(periods.whole)
    k = _find_change([_count(periods[name], of) for name in names])
    if k is None:
        return None
    before, after = (union([periods[name] for name in part]) for part in (names[:k], names[k:]))
    level = 1.0 - UNLIKELY / (len(names) - 1)
    wide = [event_ratio(sample, level, of) for sample in (before, after)]
    ends = [one.interval for one in wide if one is not None and one.interval is not None]
    if len(ends) < 2 or (ends[0].low <= ends[1].high and ends[1].low <= ends[0].high):
        return None
    ratios = [event_ratio(sample, of=of) for sample in (before, after)]
    if ratios[0] is None or ratios[1] is None or not is_outside(ends[1], tolerance.ratio):
        return None
    return Drift(str(names[k]), before, after, ratios[0], ratios[1])


def _count(sample: ScoreSample, of: Rarer) -> tuple[float, float]:
    """Return how many events there are and are expected, in rows."""
    rows = sample.rows
    p, y = (rows.p, rows.y) if of == "events" else (1.0 - rows.p, 1.0 - rows.y)
    return float(rows.w @ y) / sample.row_weight, float(rows.w @ p) / sample.row_weight


def _find_change(counts: Sequence[tuple[float, float]]) -> int | None:
    """Return the place of the period at which the ratios before and from it on are farthest apart."""
    distances = {}
    for k in range(1, len(counts)):
        sums = [[sum(each) for each in zip(*part, strict=True)] for part in (counts[:k], counts[k:])]
        if all(value > 0.0 for pair in sums for value in pair):
            (seen, expected), (seen_after, expected_after) = sums
            apart = abs(log(seen / expected) - log(seen_after / expected_after))
            distances[k] = apart / sqrt(1.0 / seen + 1.0 / seen_after)
    return max(distances, key=lambda k: distances[k], default=None)
