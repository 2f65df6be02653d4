"""The decision loss at a threshold against a limit."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.apps.reporting.outcome import Outcome
from fitontest.apps.reporting.rows_needed import rows_needed
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import BY_LABELS, Interval
from fitontest.results.frames import attributes
from fitontest.results.text import short


@dataclass(frozen=True, kw_only=True)
class LossCriterion(Criterion):
    """Whether the decision loss at a threshold is at most a limit.

    Attributes
    ----------
    threshold : float
    max_loss : float
        The limit, in units of net benefit.
    family : str
        Of the map against which the loss is measured.
    estimate : Estimate or None
        The loss; None without rows.
    """

    argument: ClassVar[str] = "max_decision_loss"

    threshold: float
    max_loss: float
    family: str
    estimate: Estimate | None = None

    @classmethod
    def decided(
        cls, estimate: Estimate, interval: Interval, threshold: float, max_loss: float, family: str, levels: Levels
    ) -> "LossCriterion":
        """Return the criterion that an interval decides."""
        outcome: Outcome = "undecided"
        if interval.high <= max_loss:
            outcome = "pass"
        elif interval.low > max_loss:
            outcome = "fail"
        return cls(
            outcome=outcome,
            interval=interval,
            rows_needed=rows_needed(estimate, interval, max_loss, None) if outcome == "undecided" else None,
            levels=levels,
            threshold=threshold,
            max_loss=max_loss,
            family=family,
            estimate=estimate,
        )

    @property
    def subject(self) -> str:
        """What is held against the limit."""
        return f"decision loss at {self.threshold:g}"

    @property
    def accepted(self) -> str:
        """The limit in words."""
        return f"limit {self.max_loss:g}"

    @property
    def place(self) -> str:
        """Where the loss lies."""
        places = {"pass": "at most", "fail": "above", "undecided": "may be above or below"}
        return f"{places[self.outcome]} {self.max_loss:g}"

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
        return self._record(
            least=None,
            most=self.max_loss,
            threshold=self.threshold,
            value=None if self.estimate is None else self.estimate.value,
            **attributes(self.estimate, "debiased"),
        )
