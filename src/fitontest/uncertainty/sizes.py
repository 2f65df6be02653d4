"""How large a miscalibration is against a tolerance: near enough, or outside, and in which direction."""

from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import ErrorInterval, Interval
from fitontest.results.quoting import in_decimals, quote_named
from fitontest.uncertainty.event_ratio import EventRatio, event_ratio
from fitontest.uncertainty.tendency import (
    OVERCONFIDENT,
    REVERSED,
    TOO_HIGH,
    TOO_LOW,
    UNDERCONFIDENT,
    Tendency,
    rows_of_smaller_class,
    tendency_of,
)
from fitontest.uncertainty.tolerance import Tolerance
from fitontest.uncertainty.wrong_part import LEVEL, WrongPart, wrong_parts

FEWEST = 20  # events, and non-events, below which scores are never said to be close to calibrated
OF_SLOPE = {
    OVERCONFIDENT: "below 1: too extreme",
    UNDERCONFIDENT: "above 1: not extreme enough",
    REVERSED: "below 0: are these the scores of the class that counts as positive?",
}


@dataclass(frozen=True)
class _Finding:
    """A direction in which scores are wrong, the value that says so, and how far from 1 that may be."""

    word: str
    value: float
    tolerance: float = 0.1

    @property
    def size(self) -> float:
        """How far the value is from 1, in units of the tolerance and by factors; below 0 as far as can be."""
        return abs(log(self.value)) / log(1.0 + self.tolerance) if 0.0 < self.value < inf else inf

    @property
    def is_outside(self) -> bool:
        """Whether the value itself is outside the tolerance."""
        return abs(self.value - 1.0) > self.tolerance


@dataclass(frozen=True)
class Sizes:
    """O:E, slope, error and wrong parts of scores, held against a tolerance.

    Attributes
    ----------
    tolerance : Tolerance
    ratio : EventRatio or None
        O:E of the rarer label.
    tendency : Tendency
        With the slope.
    error : ErrorInterval
        Of the calibration error.
    rarer_share, rarer_rows : float
        The share of the rarer label, and how many independent rows have it.
    parts : tuple of WrongPart
        Where the scores are surely wrong by more than 0.05, the worst part first.
    """

    tolerance: Tolerance
    ratio: EventRatio | None
    tendency: Tendency
    error: ErrorInterval
    rarer_share: float
    rarer_rows: float
    parts: tuple[WrongPart, ...] = ()

    @property
    def most_error(self) -> float:
        """The largest upper limit of the error that is near enough."""
        return self.tolerance.most_error(self.rarer_share)

    @property
    def has_few(self) -> bool:
        """Whether there are fewer than 20 events or non-events."""
        return self.rarer_rows < FEWEST

    @property
    def is_close(self) -> bool:
        """Whether every interval lies within the tolerance, and no part is surely wrong."""
        return not self.obstacles

    @property
    def obstacles(self) -> list[str]:
        """Why the scores are not said to be close to calibrated, a clause each; none where they are."""
        most, level = in_decimals([self.most_error])[0], self.error.level
        upper = in_decimals([self.error.high])[0]
        reasons = {
            f"there are fewer than {FEWEST} events or non-events": self.has_few,
            "the interval of O:E is not within the tolerance": not self._is_within(self._ratio_ends, "ratio"),
            "there is no slope": self.tendency.slope is None,
            "the interval of the slope is not within the tolerance": self.tendency.slope is not None
            and not self._is_within(self.tendency.slope_interval, "slope"),
            f"the upper limit of the error, {upper} ({100 * level:g} %), is above {most}": self.error.high
            > self.most_error,
            **({str(self.parts[0]): True} if self.parts else {}),
        }
        return [reason for reason, holds in reasons.items() if holds]

    @property
    def _ratio_ends(self) -> Interval | None:
        return None if self.ratio is None else self.ratio.interval

    def _is_within(self, interval: Interval | None, name: str) -> bool:
        by = getattr(self.tolerance, name)
        return interval is not None and 1.0 - by <= interval.low and interval.high <= 1.0 + by

    @property
    def words(self) -> list[str]:
        """In which directions the scores are wrong, the largest first.

        Those whose interval leaves out the ideal and is not within the tolerance; of several, or of those that are
        within by their value, the largest and all that are outside by their value.
        """
        found = sorted([*self._level, *self._slope], key=lambda one: -one.size)
        return [one.word for k, one in enumerate(found) if k == 0 or one.is_outside]

    @property
    def _level(self) -> list["_Finding"]:
        """Whether scores are too low or too high; empty: neither is sure."""
        ratio = self.ratio
        if ratio is None or ratio.interval is None:
            return [_Finding(word, inf) for word in self.tendency.words if word in (TOO_HIGH, TOO_LOW)]
        if not ratio.is_measurable or self._is_within(ratio.interval, "ratio"):
            return []
        return [_Finding(TOO_LOW if ratio.scores_are_low else TOO_HIGH, ratio.value, self.tolerance.ratio)]

    @property
    def _slope(self) -> list["_Finding"]:
        """Whether scores are too extreme, not extreme enough or in reverse; empty: none of it is sure."""
        slope = self.tendency.slope
        if slope is None or self._is_within(self.tendency.slope_interval, "slope"):
            return []
        return [_Finding(word, slope, self.tolerance.slope) for word in self.tendency.words if word in OF_SLOPE]

    @property
    def slope_words(self) -> list[str]:
        """What the slope says, whose interval leaves out 1 and is not within the tolerance."""
        return [one.word for one in self._slope]

    @property
    def slope_quoted(self) -> str:
        """The slope with its interval; "" without one."""
        slope, interval = self.tendency.slope, self.tendency.slope_interval
        if slope is None:
            return ""
        if interval is None or not isfinite(slope):
            return f"slope {'infinite' if not isfinite(slope) else in_decimals([slope], 'slope')[0]}"
        return quote_named("slope", slope, interval.low, interval.high, interval.level, "slope")

    def of_word(self, word: str) -> str:
        """Return the size behind a direction, in words.

        Parameters
        ----------
        word : str
            One of `words`.
        """
        if word in OF_SLOPE:
            return self.slope_quoted
        if self.ratio is None or self.ratio.interval is None:
            return ""
        return f"{self.ratio.in_words} ({self.ratio.quoted})"

    @property
    def within(self) -> str:
        """How far O:E of scores that are close to calibrated is off, where that is measurable; else O:E and slope."""
        ratio, slope = self.ratio, self.tendency.slope
        assert ratio is not None
        assert slope is not None  # without either nothing is close
        size = f"{ratio.in_words} ({ratio.quoted})"
        if not ratio.is_visible:
            values = in_decimals([ratio.value, slope], "ratio")
            size = f"{ratio.title} {values[0]}, slope {values[1]}"
        return f"{size}, within the tolerance of {self.tolerance}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was held against the tolerance as JSON-ready values."""
        return {
            "tolerance": vars(self.tolerance).copy(),
            "observed_expected": None if self.ratio is None else self.ratio.to_dict(),
            "most_error": self.most_error,
            "close": self.is_close,
            "wrong_parts": [vars(part).copy() for part in self.parts],
        }


def sizes_of(estimate: Estimate, sample: ScoreSample, tolerance: Tolerance) -> Sizes:
    """Return O:E, slope, error and wrong parts of a sample, with intervals of 95 %.

    Parameters
    ----------
    estimate : Estimate
        The error under a spline, with an interval.
    sample : ScoreSample
        The same rows.
    tolerance : Tolerance
    """
    assert estimate.interval is not None
    rarer = rows_of_smaller_class(sample)
    return Sizes(
        tolerance=tolerance,
        ratio=event_ratio(sample, LEVEL),
        tendency=tendency_of(sample, LEVEL),
        error=estimate.interval,
        rarer_share=min(sample.base_rate, 1.0 - sample.base_rate),
        rarer_rows=rarer,
        parts=wrong_parts(estimate, sample) if rarer >= FEWEST else (),  # a band of fewer is hardly one
    )
