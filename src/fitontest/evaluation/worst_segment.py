"""The segments that are outside a tolerance, which a verdict on all rows must not hide."""

from dataclasses import dataclass
from math import inf, log

from fitontest.data.samples import Key, Samples
from fitontest.measures.interval import Interval
from fitontest.results.quoting import in_decimals
from fitontest.uncertainty.event_ratio import event_ratio, rarer_label
from fitontest.uncertainty.joint import UNLIKELY
from fitontest.uncertainty.tendency import tendency_of
from fitontest.uncertainty.tolerance import Tolerance


@dataclass(frozen=True)
class OutsideSegment:
    """A segment whose O:E or slope is outside a tolerance for sure.

    Attributes
    ----------
    segment : Key
    name : str
        Of the number: "O:E" or "slope".
    value : float
        The number.
    beyond : float
        How far it is from 1, by factors and in units of the tolerance.
    """

    segment: Key
    name: str
    value: float
    beyond: float

    @property
    def size(self) -> str:
        """The number under its name."""
        return f"{self.name} {in_decimals([self.value], 'ratio')[0]}"


def outside_segments(segments: Samples, tolerance: Tolerance) -> list[OutsideSegment]:
    """Return the segments whose O:E or slope is outside a tolerance for sure, the farthest first, each once.

    Intervals of all segments hold together with 95 %.

    Parameters
    ----------
    segments : Samples
        By segment.
    tolerance : Tolerance
    """
    if not segments.has_one_score:
        return []
    level, of = 1.0 - UNLIKELY / len(segments), rarer_label(segments.whole)
    found = []
    for segment, sample in segments.items():
        ratio, tendency = event_ratio(sample, level, of), tendency_of(sample, level)
        if ratio is not None and is_outside(ratio.interval, tolerance.ratio):
            found.append(OutsideSegment(segment, ratio.title, ratio.value, _beyond(ratio.value, tolerance.ratio)))
        if tendency.slope is not None and is_outside(tendency.slope_interval, tolerance.slope):
            beyond = _beyond(tendency.slope, tolerance.slope)
            found.append(OutsideSegment(segment, "slope", tendency.slope, beyond))
    ranked = sorted(found, key=lambda one: one.beyond)
    return sorted({one.segment: one for one in ranked}.values(), key=lambda one: -one.beyond)


def is_outside(interval: Interval | None, by: float) -> bool:
    """Return whether an interval lies wholly farther than that from 1."""
    return interval is not None and (interval.high < 1.0 - by or interval.low > 1.0 + by)


def _beyond(value: float, by: float) -> float:
    return abs(log(value)) / log(1.0 + by) if 0.0 < value < inf else inf
