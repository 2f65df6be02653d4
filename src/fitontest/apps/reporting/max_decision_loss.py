"""The limit of the decision loss at a threshold, and how rows are held against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.apps.reporting.criterion import Levels
from fitontest.apps.reporting.limit import Limit, check_family_of_limit, refuse_distributions
from fitontest.apps.reporting.loss_criterion import LossCriterion
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import NO_ROWS
from fitontest.families.base import Family, read_family
from fitontest.families.registry import family_name
from fitontest.results.checks import brief, is_real
from fitontest.risk.measures.decision_loss import DecisionLoss
from fitontest.uncertainty.redrawing import Redrawing, estimate_of


@dataclass(frozen=True)
class MaxDecisionLoss:
    """The largest decision loss that passes at a threshold.

    Attributes
    ----------
    threshold : float in (0, 1)
    value : float in (0, 1)
        In units of net benefit: .01 are 10 net true positives per 1,000 rows.
    measure : DecisionLoss
    """

    argument: ClassVar[str] = "max_decision_loss"
    of_error: ClassVar[None] = None

    threshold: float
    value: float
    measure: DecisionLoss

    @classmethod
    def several(cls, value: object, family: str | Family) -> "list[MaxDecisionLoss]":
        """Return the limits that a user set, one for each threshold, or refuse what is none."""
        is_mapping = isinstance(value, Mapping) and len(value) > 0
        pairs: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, Mapping) else []
        if not (is_mapping and all(_is_fraction(number) for pair in pairs for number in pair)):
            rule = "max_decision_loss must be a dict of limits by threshold, both strictly between 0 and 1"
            what = "such as {0.2: 0.01}, 10 net true positives per 1,000 rows at a threshold of 0.2"
            raise ValueError(f"{rule}, {what}; got {brief(value)}")
        fitted = read_family(family)
        limits = [cls(float(t), float(limit), DecisionLoss(float(t), fitted)) for t, limit in sorted(pairs)]
        check_family_of_limit(fitted, limits[0].measure)
        return limits

    def criterion(self, sample: ScoreSample, levels: Levels, seed: int) -> LossCriterion:
        """Return the criterion of a sample; one of several fails by a wider interval than it passes."""
        found = self._at(levels.to_pass, sample, levels, seed)
        if found.outcome != "fail" or levels.to_fail == levels.to_pass:
            return found
        return self._at(levels.to_fail, sample, levels, seed)

    def of_distributions(self) -> Limit:
        """Refuse whole distributions."""
        refuse_distributions(self.argument)

    def without_rows(self) -> LossCriterion:
        """Return the criterion of a segment that has no rows of positive weight."""
        return LossCriterion(outcome="undecided", reason=NO_ROWS, **self._named)

    def _at(self, level: float, sample: ScoreSample, levels: Levels, seed: int) -> LossCriterion:
        """Return the criterion by the interval of a level."""
        redrawing = Redrawing.at(level, random_state=seed)
        estimate = estimate_of(self.measure, sample, sample.reduction, redrawing)
        if estimate.groups is not None and estimate.groups.too_few:  # which leave everything open
            reason = estimate.groups.refusal
            return LossCriterion(outcome="undecided", reason=reason, levels=levels, estimate=estimate, **self._named)
        if estimate.interval is None:
            reason = estimate.interval_reason
            return LossCriterion(outcome="undecided", reason=reason, levels=levels, estimate=estimate, **self._named)
        return LossCriterion.decided(estimate, estimate.interval, levels=levels, **self._named)

    @property
    def _named(self) -> dict[str, Any]:
        """The limit as its criterion has it."""
        return {
            "threshold": self.threshold,
            "max_loss": self.value,
            "family": family_name(self.measure.family),
        }


def _is_fraction(number: object) -> bool:
    return is_real(number) and 0.0 < number < 1.0
