"""The decision loss at a threshold against a limit."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.apps.reporting.criterion import AtMostCriterion
from fitontest.measures.interval import BY_LABELS
from fitontest.results.text import short


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
    def number(self) -> str:
        """The loss in words: of the map itself where its interval holds it, as debiasing gains nothing there."""
        return "" if self.estimate is None else short(self.estimate.quoted)

    @property
    def cell(self) -> str:
        """The loss as a cell of a table."""
        return self.number or "-"

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
