"""The calibration error against a limit."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.apps.reporting.outcome import Outcome
from fitontest.apps.reporting.rows_needed import rows_needed
from fitontest.measures.error_limits import ErrorLimit
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval
from fitontest.results.frames import attributes
from fitontest.results.text import debiased_and_raw, percent, same_decimals, short

WHY = {
    "isotonic": ", whose intervals hold where the error jumps, too",
    "ecce": ", the largest error that adds up over neighbouring scores, which the mean distance may exceed",
}  # why not by the default of other functions


@dataclass(frozen=True, kw_only=True)
class ErrorCriterion(Criterion):
    """Whether the calibration error is at most a limit.

    Attributes
    ----------
    max_error : float
        The limit.
    estimate : Estimate or None
        Of the family; None without rows.
    persistent : ErrorLimit or None
        The largest error that cannot be ruled out of those that persist over a share of the rows, whatever their shape;
        None without a resolution, and where there is no interval.
    """

    argument: ClassVar[str] = "max_error"

    max_error: float
    estimate: Estimate | None = None
    persistent: ErrorLimit | None = None

    @property
    def of_error(self) -> "ErrorCriterion":
        """The criterion of the calibration error: this one."""
        return self

    @classmethod
    def judged(
        cls,
        estimate: Estimate,
        bounds: Bounds,
        max_error: float,
        resolution: float | None = None,
        levels: Levels | None = None,
    ) -> "ErrorCriterion":
        """Return the criterion of an estimate, with what the labels of few rows leave open of it."""
        persistent = None
        if resolution is not None and estimate.limits is not None:
            persistent = bounds.at_least(estimate.limit_at(resolution))
        return cls.decided(estimate, bounds.around(estimate), max_error, persistent, levels)

    @classmethod
    def decided(
        cls,
        estimate: Estimate,
        interval: Interval,
        max_error: float,
        persistent: ErrorLimit | None,
        levels: Levels | None,
    ) -> "ErrorCriterion":
        """Return the criterion that an interval and the limit of persistent errors decide."""
        passes = interval.high <= max_error and (persistent is None or persistent.value <= max_error)
        outcome: Outcome = "pass" if passes else "fail" if interval.low > max_error else "undecided"
        needed = rows_needed(estimate, interval, max_error, persistent) if outcome == "undecided" else None
        return cls(
            outcome=outcome,
            interval=interval,
            rows_needed=needed,
            levels=levels,
            max_error=max_error,
            estimate=estimate,
            persistent=persistent,
        )

    @property
    def no_use_of_rows(self) -> str:
        """What is said where more rows would not decide: the interval may be below the limit."""
        if not self.is_open_for_few_rows:
            return super().no_use_of_rows
        return "more rows will not help: the error of any shape that these rows show is near the limit or above it"

    @property
    def subject(self) -> str:
        """What is held against the limit."""
        if self.estimate is not None and self.estimate.measure.is_seminorm:
            return self.estimate.measure.title  # which the mean distance may exceed
        return "calibration error"

    @property
    def accepted(self) -> str:
        """The limit in words."""
        return f"limit {self.max_error:g}"

    @property
    def place(self) -> str:
        """Where the error lies."""
        if self.is_open_for_few_rows:
            return f"at most {self.max_error:g} over all rows, perhaps above it over some"
        places = {"pass": "at most", "fail": "above", "undecided": "may be above or below"}
        return f"{places[self.outcome]} {self.max_error:g}"

    @property
    def is_open_for_few_rows(self) -> bool:
        """Whether the interval keeps the limit, and only an error that persists over few rows may exceed it."""
        keeps = self.interval is not None and self.interval.high <= self.max_error
        return keeps and self.persistent is not None and self.persistent.value > self.max_error

    @property
    def number(self) -> str:
        """The debiased and the raw error."""
        if self.estimate is None:
            return ""
        debiased = None if self.interval is None else self.estimate.debiased
        return debiased_and_raw(debiased, self.estimate.value)

    @property
    def cell(self) -> str:
        """The debiased and the raw error as a cell of a table."""
        if self.estimate is None:
            return "-"
        values = [value for value in (self.estimate.debiased, self.estimate.value) if value is not None]
        debiased, raw = ["-", *same_decimals(values)][-2:]
        return f"{debiased} ({raw})"

    @property
    def method(self) -> str:
        """Whose error it is, and why."""
        if self.estimate is None:
            return ""
        name = self.estimate.measure.name
        return f"by {name}{'' if self.interval is None else WHY.get(name, '')}"

    @property
    def remarks(self) -> list[str]:
        """What the interval comes from, and what a pass says of errors of any shape."""
        interval = None if self.estimate is None else self.estimate.interval
        remarks = []
        if interval is not None and interval.roughness is not None and interval.source:
            remarks += [text for text in (self.estimate.doubt, interval.source) if text]  # type: ignore[union-attr]
        if self.outcome == "pass" and self.persistent is not None:
            share = percent(self.persistent.share)
            remarks.append(f"no error above {self.max_error:g} persists over {share} of the rows or more")
        return remarks

    @property
    def why_open(self) -> str:
        """Why the outcome is open although the interval does not hold the limit."""
        if self.persistent is None or not self.is_open_for_few_rows:
            return super().why_open
        share = percent(self.persistent.share)
        return (
            f"errors of up to {short(self.persistent.value)} that persist over {share} of the rows cannot be ruled out"
        )

    def record(self) -> dict[str, Any]:
        """Return the criterion as JSON-ready values."""
        return self._record(
            least=None,
            most=self.max_error,
            threshold=None,
            value=None if self.estimate is None else self.estimate.value,
            **attributes(self.estimate, "debiased"),
        )
