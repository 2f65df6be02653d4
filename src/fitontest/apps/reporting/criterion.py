"""A criterion of a gate: a number that is held against a limit, and what comes of that."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any, ClassVar, Self

from fitontest.apps.reporting.outcome import Outcome, in_words
from fitontest.apps.reporting.rows_needed import rows_needed
from fitontest.data.known_groups import KnownGroups, rows_in_words
from fitontest.data.segment_names import NO_ROWS
from fitontest.measures.error_limits import ErrorLimit
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval, quote_with
from fitontest.results.frames import attributes, finite_or_none
from fitontest.results.quoting import Kind, in_decimals
from fitontest.results.text import capital, count


@dataclass(frozen=True)
class Levels:
    """The levels of the intervals by which one of several criteria passes, and fails.

    Attributes
    ----------
    to_pass, to_fail : float
        Equal where there is one criterion.
    criteria : int
        How many there are.
    """

    to_pass: float
    to_fail: float
    criteria: int = 1

    @classmethod
    def of(cls, level: float, parts: int, criteria: int) -> "Levels":
        """Return the levels of so many criteria in each of so many segments or classes, which hold together."""
        return cls(1.0 - (1.0 - level) / parts, 1.0 - (1.0 - level) / (parts * criteria), criteria)


@dataclass(frozen=True, kw_only=True)
class Criterion(ABC):
    """A number that is held against a limit: its interval, the outcome, and about how many rows would decide it.

    Attributes
    ----------
    outcome : {"pass", "fail", "undecided"}
    interval : Interval or None
        That decides. Where there are several criteria, and the interval by which this one would pass lies wholly
        outside, it is the wider one by which it fails. None: there is none.
    rows_needed : int or None
        About how many rows would decide it, where it is undecided; None where more than 100 times as many would not.
    reason : str
        Why there is no interval, or "".
    if_importances : Criterion or None
        Where nobody said that whole weights are counts, and labels suggest that they are not: the criterion by
        importances, if its outcome differs. Then it is undecided.
    levels : Levels or None
        Those of the intervals by which it passes and fails.
    """

    argument: ClassVar[str]  # of `check_calibration`, which sets the limit
    kind: ClassVar[Kind] = "error"  # of number, whose decimals are printed

    outcome: Outcome = "undecided"
    interval: Interval | None = None
    rows_needed: int | None = None
    reason: str = ""
    if_importances: "Criterion | None" = None
    levels: Levels | None = None

    @property
    def of_error(self) -> Any:
        """The criterion of the calibration error, if this is it; None of another number."""
        return None

    @property
    @abstractmethod
    def subject(self) -> str:
        """What is held against the limit."""

    @property
    @abstractmethod
    def accepted(self) -> str:
        """The limit in words, such as "limit 0.02"."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the number lies, such as "above 0.02"."""

    @property
    @abstractmethod
    def value(self) -> float | None:
        """The number that is held against the limit; None without one."""

    @property
    def number(self) -> str:
        """The number with the interval that decides, as texts quote it; "" without one."""
        return "" if self.value is None else quote_with(self.interval, self.value, self.kind)

    @property
    def ends(self) -> str:
        """The ends of the interval in words."""
        if self.interval is None:
            return ""
        return " to ".join(in_decimals([self.interval.low, self.interval.high], self.kind))

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return the criterion as JSON-ready values."""

    @property
    def method(self) -> str:
        """By what the number is measured, or ""."""
        return ""

    @property
    def remarks(self) -> list[str]:
        """What else must be known to read the outcome."""
        return []

    @property
    def claim(self) -> str:
        """What the outcome says, such as "calibration error above 0.02"."""
        return f"{self.subject} {self.place}"

    @property
    def headline(self) -> str:
        """The outcome in words, with the number and the interval that decides."""
        verdict = capital(in_words(self.outcome))
        if self.reason == NO_ROWS:
            return f"{verdict}: {NO_ROWS}, {self.accepted}"
        if self.interval is None:
            number = f"{self.subject} {self.number}, " if self.number else ""
            return f"{verdict}: {self.reason}; {number}{self.accepted}"
        verb = "" if self.outcome == "undecided" else "is "
        return f"{verdict}: {self.subject} {self.number} {verb}{self.place}"

    def hint(self, groups: KnownGroups | None) -> str:
        """Return what would decide where the outcome is open, or "".

        Parameters
        ----------
        groups : KnownGroups or None
            In which rows come.
        """
        if self.outcome != "undecided" or self.interval is None:
            return ""
        if self.if_importances is not None:
            return f"by importances {self.if_importances.ends}: say what the weights are"
        return "; ".join(text for text in (self.why_open, self.told_by(groups)) if text)

    def told_by(self, groups: KnownGroups | None) -> str:
        """Return how many rows would tell.

        Parameters
        ----------
        groups : KnownGroups or None
            In which rows come.
        """
        if self.rows_needed is None:
            return "how many rows would tell cannot be said"
        return f"about {rows_in_words(self.rows_needed, groups)} would tell"

    @property
    def why_open(self) -> str:
        """Why the outcome is open although the interval by which it passes does not hold the limit, or ""."""
        if self.interval is None or self.levels is None or self.interval.level <= self.levels.to_pass:
            return ""
        to_pass, to_fail = (f"{100 * level:.4g} %" for level in (self.levels.to_pass, self.interval.level))
        wide = f"the {to_fail} interval, by which one of {self.levels.criteria} limits fails, is not"
        return f"its {to_pass} interval is outside, but {wide}"

    def needed(self, groups: KnownGroups | None) -> str:
        """Return about how many rows would decide, and how many groups, as a cell of a table."""
        if self.rows_needed is None:
            return "-"
        of_groups = "" if groups is None else f" ({count(groups.groups_of(self.rows_needed))} groups)"
        return f"{count(self.rows_needed)}{of_groups}"

    def unless_importances(self, importances: "Criterion") -> Self:
        """Return the criterion by counts, or an open one where that by importances decides otherwise.

        A gate does not guess what weights mean.
        """
        if self.outcome == importances.outcome:
            return self
        return replace(self, outcome="undecided", rows_needed=None, if_importances=importances)

    def _record(self, **numbers: Any) -> dict[str, Any]:
        """Return the record of every criterion, with the numbers of this one between."""
        return {
            "limit": self.argument,
            "outcome": self.outcome,
            **numbers,
            **{end: finite_or_none(value) for end, value in attributes(self.interval, "low", "high", "level").items()},
            "rows_needed": self.rows_needed,
            "reason": self.reason or None,
            "note": "; ".join([text for text in (self.method, *self.remarks) if text]) or None,
        }


@dataclass(frozen=True, kw_only=True)
class AtMostCriterion(Criterion):
    """Whether an error is at most a limit.

    Attributes
    ----------
    most : float
        The limit.
    estimate : Estimate or None
        None without rows.
    persistent : ErrorLimit or None
        The largest error that cannot be ruled out of those that persist over a share of the rows, whatever their shape;
        None where the interval alone decides.
    """

    most: float
    estimate: Estimate | None = None
    persistent: ErrorLimit | None = None

    def decided_by(self, estimate: Estimate, interval: Interval, persistent: ErrorLimit | None = None) -> Self:
        """Return what an interval and the limit of persistent errors make of this open criterion."""
        passes = interval.high <= self.most and (persistent is None or persistent.value <= self.most)
        outcome: Outcome = "pass" if passes else "fail" if interval.low > self.most else "undecided"
        needed = rows_needed(estimate, interval, self.most, persistent) if outcome == "undecided" else None
        found = replace(self, outcome=outcome, interval=interval, rows_needed=needed)
        return replace(found, estimate=estimate, persistent=persistent)

    @property
    def value(self) -> float | None:
        """The error that texts quote; None without rows."""
        return None if self.estimate is None else self.estimate.quoted

    @property
    def number(self) -> str:
        """The error with the interval that decides; without one as texts quote the estimate."""
        return self.estimate.in_words if self.estimate is not None and self.interval is None else super().number

    @property
    def accepted(self) -> str:
        """The limit in words."""
        return f"limit {self.most:g}"

    @property
    def headline(self) -> str:
        """The outcome in words; of an open one what these rows can show, and how many would tell."""
        if self.outcome != "undecided" or self.estimate is None or self.interval is None:
            return super().headline
        if self.if_importances is not None:
            return f"Cannot tell at {self.most:g}: {self.subject} {self.number} by counts"
        groups = self.estimate.groups
        rows = f"{rows_in_words(self.estimate.n, groups).removesuffix(',')}"
        return (
            f"Cannot tell at {self.most:g} with {rows}: they can show {self._least_that_passes} at best; "
            f"{self.told_by(groups)}. (A limit is set before the rows are seen.)"
        )

    @property
    def _least_that_passes(self) -> str:
        """The smallest limit that these rows keep, rounded up."""
        assert self.interval is not None
        least = max(self.interval.high, 0.0 if self.persistent is None else self.persistent.value)
        unit = 10.0 ** (floor(log10(least)) - 1)
        return f"{ceil(least / unit - 1e-9) * unit:.3g}"

    def hint(self, groups: KnownGroups | None) -> str:
        """Return the number of an open outcome, whose headline has what would decide it; else as for all.

        Parameters
        ----------
        groups : KnownGroups or None
        """
        if self.outcome != "undecided" or self.interval is None or self.if_importances is not None:
            return super().hint(groups)
        return "; ".join(text for text in (f"{self.subject} {self.number}", self.why_open) if text)

    @property
    def place(self) -> str:
        """Where the error lies."""
        places = {"pass": "at most", "fail": "above", "undecided": "may be above or below"}
        return f"{places[self.outcome]} {self.most:g}"

    def record(self) -> dict[str, Any]:
        """Return the criterion as JSON-ready values."""
        return self._record(
            least=None,
            most=self.most,
            threshold=None,
            value=None if self.estimate is None else self.estimate.value,
            **attributes(self.estimate, "debiased"),
        )
