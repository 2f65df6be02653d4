"""The calibration slope against a range."""

from dataclasses import dataclass
from math import isinf
from typing import Any, ClassVar

from fitontest.apps.reporting.criterion import Criterion
from fitontest.results.frames import finite_or_none
from fitontest.results.text import percent, short
from fitontest.uncertainty.certain_scores import CertainScores
from fitontest.uncertainty.tendency import Tendency


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
    def number(self) -> str:
        """The slope in words."""
        return "" if self.slope is None else short(self.slope)

    @property
    def cell(self) -> str:
        """The slope as a cell of a table."""
        return self.number or "-"

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
    def no_use_of_rows(self) -> str:
        """What is said where more rows would not decide."""
        if self.slope is not None and isinf(self.slope):
            return "how many rows would tell is not known, since a threshold separates the classes"
        return "more rows will not help" + ("" if self.contradicted else ": the slope is near a limit")

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
