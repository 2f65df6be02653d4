"""The range of calibration slopes that pass, how rows are held against it, and what comes of that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isinf
from typing import Any, ClassVar

import numpy as np

from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.apps.reporting.limit import Limit, refuse_distributions
from fitontest.apps.reporting.outcome import Outcome
from fitontest.apps.reporting.rows_needed import rows_for_times
from fitontest.data.known_groups import KnownGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.interval import Interval
from fitontest.results.checks import brief, is_real
from fitontest.results.frames import finite_or_none
from fitontest.results.quoting import Kind
from fitontest.results.text import percent
from fitontest.uncertainty.certain_scores import CertainScores
from fitontest.uncertainty.dependence import dependence_of
from fitontest.uncertainty.tendency import Tendency, tendency_of


@dataclass(frozen=True, kw_only=True)
class SlopeCriterion(Criterion):
    """Whether the calibration slope lies in a range.

    Attributes
    ----------
    least, most : float
        The ends of the range.
    tendency : Tendency or None
        With the slope, its interval, and what is said of certain scores; None without rows.
    """

    argument: ClassVar[str] = "slope"
    kind: ClassVar[Kind] = "slope"

    least: float
    most: float
    tendency: Tendency | None = None

    @property
    def slope(self) -> float | None:
        """The slope; None without one."""
        return None if self.tendency is None else self.tendency.slope

    @property
    def contradicted(self) -> tuple[CertainScores, ...]:
        """The certain scores that labels contradict, more of them than rounding of the scores can explain."""
        certain = () if self.tendency is None else self.tendency.certain
        return tuple(scores for scores in certain if scores.beyond_rounding)

    @property
    def subject(self) -> str:
        """What is held against the limits."""
        return "calibration slope"

    @property
    def accepted(self) -> str:
        """The limits in words."""
        return f"limits {self._range}"

    @property
    def place(self) -> str:
        """Where the slope lies."""
        if self.outcome == "pass":
            return f"within {self._range}"
        if self.outcome == "undecided":
            return f"may be inside or outside {self._range}"
        if self.interval is not None and self.interval.high < self.least:
            return f"below {self.least:g}"
        if self.interval is not None and self.interval.low > self.most:
            return f"above {self.most:g}"
        return f"excluded, since {contradiction(self.contradicted)}"

    @property
    def value(self) -> float | None:
        """The slope."""
        return self.slope

    @property
    def method(self) -> str:
        """Of what the slope is, and of which rows."""
        line = "slope of the line logit c = a + b logit p"
        certain = () if self.tendency is None else self.tendency.certain
        if not certain:
            return line
        scores = " and ".join(str(each.score) for each in certain)
        return (
            f"{line} without scores of exactly {scores} ({percent(sum(each.share for each in certain))} of the weight)"
        )

    @property
    def remarks(self) -> list[str]:
        """What labels say of certain scores that they contradict."""
        certain = () if self.tendency is None else self.tendency.certain
        return [str(each).removesuffix(".") for each in certain if each.refuted]

    @property
    def why_open(self) -> str:
        """Why the outcome is open although the interval lies in the range, or does not reach it."""
        if self.interval is None or not self.contradicted or self.interval.low < self.least:
            return super().why_open
        return contradiction(self.contradicted) if self.interval.high <= self.most else super().why_open

    @property
    def _range(self) -> str:
        return f"{self.least:g} to {self.most:g}"

    def record(self) -> dict[str, Any]:
        """Return the criterion as JSON-ready values."""
        return self._record(
            least=self.least, most=self.most, threshold=None, value=finite_or_none(self.slope), debiased=None
        )


def contradiction(certain: tuple[CertainScores, ...]) -> str:
    """Return which certain scores labels contradict, as a clause."""
    return f"labels contradict scores of exactly {' and '.join(str(each.score) for each in certain)}"


@dataclass(frozen=True)
class SlopeRange(Limit):
    """The least and the largest calibration slope that pass.

    Certain scores, those of exactly 0 or 1, have no logit, so that the slope is of the other rows. But under every line
    of a slope above 0 a score of 0 has no positive, and one of 1 no negative: labels that contradict certain scores
    exclude every slope in the range, at every level. Then the criterion fails. It does not where the scores lie on a
    grid, and rounding to 0 or 1 may be why (`CertainScores.beyond_rounding`).

    Attributes
    ----------
    least, most : float
        0 < least <= 1 <= most.
    """

    argument: ClassVar[str] = "slope"
    of_error: ClassVar[None] = None

    least: float
    most: float

    @classmethod
    def of(cls, value: object) -> "SlopeRange":
        """Return the range that a user set, or refuse what is none."""
        ends = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else []
        is_range = len(ends) == 2 and all(is_real(end) for end in ends)
        if not (is_range and 0.0 < ends[0] <= 1.0 <= ends[1] < np.inf and ends[0] < ends[1]):
            rule = "slope must be two finite numbers, the least slope in (0, 1] and a larger one of at least 1"
            raise ValueError(f"{rule}, such as (0.8, 1.25); got {brief(value)}")
        return cls(float(ends[0]), float(ends[1]))

    def open(self, reason: str = "", **known: Any) -> SlopeCriterion:
        """Return the criterion where nothing is decided, with the reason and what is known."""
        return SlopeCriterion(reason=reason, least=self.least, most=self.most, **known)

    def at(self, level: float, sample: ScoreSample, levels: Levels, seed: int) -> SlopeCriterion:  # noqa: ARG002 - no draws
        """Return the criterion of a sample by the interval of one level."""
        tendency = tendency_of(sample, level)
        known = KnownGroups.of(sample, dependence_of(sample))
        if known is not None and known.too_few:  # which leave everything open
            return self.open(known.refusal, tendency=tendency, levels=levels)
        interval = tendency.slope_interval
        found = replace(self.open(tendency=tendency, levels=levels), outcome=self._outcome(tendency, interval))
        if interval is None:
            reason = f"no slope, since {tendency.obstacle}" if tendency.obstacle else tendency.reason
            reason += f", and {contradiction(found.contradicted)}" if found.contradicted else ""
            return replace(found, reason=reason)
        needed = self._rows_needed(sample.n, tendency, interval) if found.outcome == "undecided" else None
        return replace(found, interval=interval, rows_needed=needed)

    def of_distributions(self) -> Limit:
        """Refuse whole distributions."""
        refuse_distributions(self.argument)

    def _outcome(self, tendency: Tendency, interval: Interval | None) -> Outcome:
        """Return what an interval of the slope, and the labels of certain scores, decide."""
        beyond = [scores for scores in tendency.certain if scores.beyond_rounding]
        ends = [scores.wrong_interval for scores in beyond]
        excluded = any(
            end is not None and end.low > scores.step / 2.0 for scores, end in zip(beyond, ends, strict=True)
        )
        if excluded or (interval is not None and (interval.high < self.least or interval.low > self.most)):
            return "fail"
        inside = interval is not None and self.least <= interval.low and interval.high <= self.most
        return "pass" if inside and not beyond else "undecided"

    def _rows_needed(self, n: int, tendency: Tendency, interval: Interval) -> int | None:
        """Return about how many rows bring the interval off the nearest limit: its half shrinks as 1 / sqrt(n)."""
        assert tendency.slope is not None
        if isinf(tendency.slope) or any(scores.beyond_rounding for scores in tendency.certain):
            return None
        distance = min(abs(tendency.slope - self.least), abs(tendency.slope - self.most))
        half = (interval.high - interval.low) / 2.0
        return rows_for_times(n, (half / distance) ** 2 if distance > 0.0 else np.inf)
