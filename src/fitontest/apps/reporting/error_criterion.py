"""The calibration error against a limit."""

from dataclasses import dataclass
from typing import ClassVar

from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.criterion import AtMostCriterion
from fitontest.measures.estimate import Estimate
from fitontest.results.text import debiased_and_raw, percent, same_decimals, short

WHY = {
    "isotonic": ", whose intervals hold where the error jumps, too",
    "ecce": ", the largest error that adds up over neighbouring scores, which the mean distance may exceed",
}  # why not by the default of other functions


@dataclass(frozen=True, kw_only=True)
class ErrorCriterion(AtMostCriterion):
    """Whether the calibration error is at most a limit."""

    argument: ClassVar[str] = "max_error"

    def decided_in(self, bounds: Bounds, estimate: Estimate, resolution: float | None = None) -> "ErrorCriterion":
        """Return what an estimate makes of this open criterion, with what the labels of few rows leave open of it."""
        persistent = None
        if resolution is not None and estimate.limits is not None:
            persistent = bounds.at_least(estimate.limit_at(resolution))
        return self.decided_by(estimate, bounds.around(estimate), persistent)

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
    def place(self) -> str:
        """Where the error lies."""
        if self.is_open_for_few_rows:
            return f"at most {self.most:g} over all rows, perhaps above it over some"
        return super().place

    @property
    def is_open_for_few_rows(self) -> bool:
        """Whether the interval keeps the limit, and only an error that persists over few rows may exceed it."""
        keeps = self.interval is not None and self.interval.high <= self.most
        return keeps and self.persistent is not None and self.persistent.value > self.most

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
            remarks.append(f"no error above {self.most:g} persists over {share} of the rows or more")
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
