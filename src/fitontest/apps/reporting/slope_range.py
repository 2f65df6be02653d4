"""The range of calibration slopes that pass, and how rows are held against it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any, ClassVar

import numpy as np

from fitontest.apps.reporting.criterion import Levels
from fitontest.apps.reporting.limit import Limit, refuse_distributions
from fitontest.apps.reporting.outcome import Outcome
from fitontest.apps.reporting.rows_needed import rows_for_times
from fitontest.apps.reporting.slope_criterion import SlopeCriterion, contradiction
from fitontest.data.known_groups import KnownGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import NO_ROWS
from fitontest.measures.interval import Interval
from fitontest.results.checks import brief, is_real
from fitontest.uncertainty.dependence import dependence_of
from fitontest.uncertainty.tendency import Tendency, tendency_of


@dataclass(frozen=True)
class SlopeRange:
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

    def criterion(self, sample: ScoreSample, levels: Levels, seed: int) -> SlopeCriterion:  # noqa: ARG002 - no draws
        """Return the criterion of a sample; one of several fails by a wider interval than it passes."""
        known = KnownGroups.of(sample, dependence_of(sample))
        if known is not None and known.too_few:  # which leave everything open
            tendency = tendency_of(sample, levels.to_pass)
            return self._criterion("undecided", tendency, levels, reason=known.refusal)
        found = self._at(levels.to_pass, sample, levels)
        if found.outcome != "fail" or levels.to_fail == levels.to_pass:
            return found
        return self._at(levels.to_fail, sample, levels)

    def of_distributions(self) -> Limit:
        """Refuse whole distributions."""
        refuse_distributions(self.argument)

    def without_rows(self) -> SlopeCriterion:
        """Return the criterion of a segment that has no rows of positive weight."""
        return SlopeCriterion(outcome="undecided", reason=NO_ROWS, least=self.least, most=self.most)

    def _at(self, level: float, sample: ScoreSample, levels: Levels) -> SlopeCriterion:
        """Return the criterion by the interval of a level."""
        tendency = tendency_of(sample, level)
        interval = tendency.slope_interval
        outcome = self._outcome(tendency, interval)
        if interval is None:
            contradicted = tuple(scores for scores in tendency.certain if scores.beyond_rounding)
            reason = f"no slope, since {tendency.obstacle}" if tendency.obstacle else tendency.reason
            reason += f", and {contradiction(contradicted)}" if contradicted else ""
            return self._criterion(outcome, tendency, levels, reason=reason)
        needed = self._rows_needed(sample.n, tendency, interval) if outcome == "undecided" else None
        return self._criterion(outcome, tendency, levels, interval=interval, rows_needed=needed)

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

    def _criterion(self, outcome: Outcome, tendency: Tendency, levels: Levels, **known: Any) -> SlopeCriterion:
        return SlopeCriterion(
            outcome=outcome, tendency=tendency, levels=levels, least=self.least, most=self.most, **known
        )
