"""O:E of the rarer label, in numbers and in words."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.interval import Interval
from fitontest.measures.observed_expected import ObservedExpected
from fitontest.results.exceptions import NoValueError
from fitontest.results.quoting import in_decimals, quote_named
from fitontest.results.text import percent

Rarer: TypeAlias = Literal["events", "non-events"]
TIMES = 2.0  # as many as predicted, from which on a factor is easier to read than a percentage
OF_CONFIDENCES = {"events": "right predictions", "non-events": "wrong predictions"}


@dataclass(frozen=True)
class EventRatio:
    """The number of events over the number that the scores predict, or that of non-events where these are rarer.

    Of frequent events an O:E near 1 says little: where 99 % are events, it is 0.994 though non-events are 56 % more
    than predicted.

    Attributes
    ----------
    value : float
    interval : Interval or None
        None where nothing varies.
    of : {"events", "non-events"}
        The rarer label.
    of_confidence : bool
        Whether the scores are confidences, whose events are right predictions.
    """

    value: float
    interval: Interval | None
    of: Rarer
    of_confidence: bool = False

    @property
    def noun(self) -> str:
        """What the rarer label is called."""
        return OF_CONFIDENCES[self.of] if self.of_confidence else self.of

    @property
    def title(self) -> str:
        """What tables call the ratio."""
        return "O:E" if self.noun == "events" else f"O:E of {self.noun}"

    @property
    def is_measurable(self) -> bool:
        """Whether the interval leaves out 1."""
        return self.interval is not None and not self.interval.low <= 1.0 <= self.interval.high

    @property
    def is_visible(self) -> bool:
        """Whether the interval leaves out 1, and the ratio is printed as another number."""
        return self.is_measurable and in_decimals([self.value], "ratio") != in_decimals([1.0], "ratio")

    @property
    def scores_are_low(self) -> bool:
        """Whether there are more events than predicted, or fewer non-events."""
        return (self.value > 1.0) == (self.of == "events")

    @property
    def in_words(self) -> str:
        """How many more or fewer there are than predicted."""
        if self.value >= TIMES:
            (times,) = in_decimals([self.value], "ratio")
            return f"{times} times as many {self.noun} as predicted"
        by = abs(self.value - 1.0)
        share = f"{100.0 * by:.0f} %" if by >= 0.01 else percent(by)
        return f"{share} {'more' if self.value > 1.0 else 'fewer'} {self.noun} than predicted"

    @property
    def quoted(self) -> str:
        """The ratio under its name, with its interval."""
        if self.interval is None:
            return f"{self.title} {in_decimals([self.value], 'ratio')[0]}"
        return quote_named(self.title, self.value, self.interval.low, self.interval.high, self.interval.level)

    def to_dict(self) -> dict[str, Any]:
        """Return the ratio as JSON-ready values."""
        return {"of": self.of, "value": self.value, "interval": self.interval and self.interval.to_dict()}


def rarer_label(sample: ScoreSample) -> Rarer:
    """Return which label fewer rows have, by their weights."""
    return "non-events" if sample.base_rate > 0.5 else "events"


def event_ratio(sample: ScoreSample, level: float = 0.95, of: Rarer | None = None) -> EventRatio | None:
    """Return O:E of the rarer label, or None where none of that label is predicted.

    Parameters
    ----------
    sample : ScoreSample
    level : float, default=0.95
        Of the interval.
    of : {"events", "non-events"}, optional
        Which label is counted, by default the rarer one: of a part of the rows that of all of them.

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([1] * 95 + [0] * 5, [0.98] * 100)
    >>> ratio = event_ratio(sample)
    >>> ratio.of, ratio.in_words, ratio.scores_are_low
    ('non-events', '2.50 times as many non-events as predicted', False)
    """
    of = rarer_label(sample) if of is None else of
    try:
        estimate = ObservedExpected(of).estimate(sample)
    except NoValueError:
        return None
    interval = estimate.evidence.interval_at(level)
    ends = None if interval is None else Interval(interval.low, interval.high, level)
    return EventRatio(float(estimate), ends, of, sample.reduction == "confidence")
