"""The limit of the decision loss at a threshold, how rows are held against it, and what comes of that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.apps.reporting.criterion import AtMostCriterion, Levels
from fitontest.apps.reporting.limit import Limit, check_family_of_limit, refuse_distributions
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, read_family
from fitontest.families.registry import family_name
from fitontest.measures.interval import BY_LABELS
from fitontest.results.checks import brief, is_real
from fitontest.risk.measures.decision_loss import DecisionLoss
from fitontest.uncertainty.redrawing import Redrawing, estimate_of


@dataclass(frozen=True, kw_only=True)
class LossCriterion(AtMostCriterion):
    """Whether the decision loss at a threshold is at most a limit, in units of net benefit.

    Attributes
    ----------
    threshold : float
    family : str
        Of the map against which the loss is measured.
    """

    argument: ClassVar[str] = "max_decision_loss"

    threshold: float
    family: str

    @property
    def subject(self) -> str:
        """What is held against the limit."""
        return f"decision loss at {self.threshold:g}"

    @property
    def method(self) -> str:
        """Against which map the loss is."""
        return f"decision loss by {self.family}, in net true positives per row"

    @property
    def remarks(self) -> list[str]:
        """Where the interval comes from, if not from redrawn labels alone."""
        interval = None if self.estimate is None else self.estimate.interval
        return [] if interval is None or not interval.cut else [f"{self.subject}: the interval is {BY_LABELS}"]

    def record(self) -> dict[str, Any]:
        """Return the criterion as JSON-ready values."""
        return {**super().record(), "threshold": self.threshold}


@dataclass(frozen=True)
class MaxDecisionLoss(Limit):
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

    def open(self, reason: str = "", **known: Any) -> LossCriterion:
        """Return the criterion where nothing is decided, with the reason and what is known."""
        family = family_name(self.measure.family)
        return LossCriterion(reason=reason, threshold=self.threshold, most=self.value, family=family, **known)

    def of_distributions(self) -> Limit:
        """Refuse whole distributions."""
        refuse_distributions(self.argument)

    def at(self, level: float, sample: ScoreSample, levels: Levels, seed: int) -> LossCriterion:
        """Return the criterion of a sample by the interval of one level."""
        estimate = estimate_of(self.measure, sample, sample.reduction, Redrawing.at(level, random_state=seed))
        if estimate.groups is not None and estimate.groups.too_few:  # which leave everything open
            return self.open(estimate.groups.refusal, levels=levels, estimate=estimate)
        if estimate.interval is None:
            return self.open(estimate.interval_reason, levels=levels, estimate=estimate)
        return self.open(levels=levels).decided_by(estimate, estimate.interval)


def _is_fraction(number: object) -> bool:
    return is_real(number) and 0.0 < number < 1.0
