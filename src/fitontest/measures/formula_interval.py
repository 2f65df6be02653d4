"""Intervals that a formula gives, by the normal approximation or by the exact interval of a share.

Standard errors are those of sums over rows, or over groups where rows belong together; then the quantile is that of
Student's t of effective groups - 1 degrees. Fewer than 10 effective groups have none.

Where weights are uneven, a few rows may decide; so they do, for slope, intercept and Brier score, where a class has
fewer than 50 rows. Then the quantile is that of Student's t of effective rows - 1 degrees,
squares are freed of the weight that a row has in its own mean (`fitontest.numerics.standard_error.free_squares`), and
the variance is at least that of labels drawn from their line in logits (`LabelLine`): the squares of a few heavy rows
tell little of how much their labels vary.
"""

from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.row_groups import RowGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.evidence import Evidence
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.label_line import LabelLine
from fitontest.numerics.significance.normal import p_value, quantile
from fitontest.numerics.standard_error import are_uneven, free_squares, outer_products_of_groups, standard_error
from fitontest.results.table import Section
from fitontest.results.text import p_in_words, short
from fitontest.results.typing import FloatArray

FEW = 50  # rows of a class, below which the mean of the labels is not nearly normal
NORMAL = "by the normal approximation"
EXACT = "exact given the scores, since a class has few rows"
NOTHING_VARIES = "nothing varies"


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnInterval(Evidence):
    """The evidence of a value whose interval has a formula.

    Attributes
    ----------
    standard_error : float or None
        Of the value, or of what the interval is symmetric in; None where there is no interval.
    degrees : float
        Of freedom of Student's t; infinite of independent rows.
    reason : str
        Why there is no interval, or "".
    method : str
        What the formula is called.
    ideal : float or None
        The value of calibrated scores, where there is one.
    """

    recorded: ClassVar[tuple[str, ...]] = ("standard_error", "asymptotic_p_value")

    standard_error: float | None
    degrees: float = inf
    reason: str = ""
    method: str = NORMAL
    ideal: float | None = None

    @property
    def asymptotic_p_value(self) -> float | None:
        """Two-sided p-value of the ideal value, None where there is none or nothing is known of how values vary."""
        return None

    @abstractmethod
    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval.

        Parameters
        ----------
        level : float in (0, 1)
        """

    def interval_at(self, level: float) -> ErrorInterval | None:
        """Return the interval by the formula, or None where `reason` says why.

        Parameters
        ----------
        level : float in (0, 1)
        """
        return None if self.reason else ErrorInterval.by_formula(*self.ends(level), level, self.method)

    @property
    def interval_reason(self) -> str:
        """Why there is no interval, or ""."""
        return self.reason

    def section(self) -> Section:
        """Return the standard error and the p-value in a line."""
        error = "" if self.standard_error is None else f"standard error {short(self.standard_error, 2)}"
        tested = self.asymptotic_p_value
        test = "" if tested is None else f"{self.hypothesis}: {p_in_words(tested)}"
        return Section(notes="; ".join(part for part in (error, test) if part))

    @property
    def hypothesis(self) -> str:
        """Of what the p-value is, in words."""
        return "" if self.ideal is None else f"{self.ideal:g} as the true value"


@dataclass(frozen=True, kw_only=True, eq=False)
class AroundValue(OwnInterval):
    """An interval of so many standard errors on either side of the value, within the limits of the measure.

    Attributes
    ----------
    value : float
    limits : tuple of float
        Values that the measure can have; the ends are cut there.
    """

    value: float
    limits: tuple[float, float] = (-inf, inf)

    @classmethod
    def of(
        cls,
        value: float,
        error: float,
        sample: Any,
        *,
        ideal: float | None = None,
        limits: tuple[float, float] = (-inf, inf),
        few: bool = False,
        **facts: object,
    ) -> "AroundValue":
        """Return the evidence of a value with its standard error, and the test of the ideal value.

        Parameters
        ----------
        value, error : float
            The value, and its standard error.
        sample : Sample
            The rows.
        ideal : float, optional
            What the p-value is of.
        limits : tuple of float, optional
            Values that the measure can have.
        few : bool, default=False
            Whether independent rows of one weight are so few that Student's t is taken.
        **facts
            Further attributes of the evidence.
        """
        reason = reason_of_groups(sample.groups) or ("" if error > 0.0 else NOTHING_VARIES)
        return cls(
            value=value,
            standard_error=None if reason else error,
            degrees=degrees_of(sample, few=few),
            reason=reason,
            ideal=ideal,
            limits=limits,
            **facts,  # type: ignore[arg-type]
        )

    @property
    def asymptotic_p_value(self) -> float | None:
        """Of the ideal value, by the distance in standard errors."""
        if self.standard_error is None or self.ideal is None:
            return None
        return p_value((self.value - self.ideal) / self.standard_error, self.degrees)

    def ends(self, level: float) -> tuple[float, float]:
        """Return value - q s.e. and value + q s.e."""
        assert self.standard_error is not None  # of these there is an interval
        half = quantile(level, self.degrees) * self.standard_error
        return max(self.value - half, self.limits[0]), min(self.value + half, self.limits[1])


def degrees_of(sample: Any, *, few: bool = False) -> float:
    """Return the degrees of freedom of Student's t.

    Effective groups - 1; of independent rows infinite, but of uneven weights effective rows - 1.

    Parameters
    ----------
    sample : Sample
    few : bool, default=False
        Whether independent rows are so few that theirs are counted too.
    """
    if sample.groups is not None:
        return max(float(sample.groups.effective) - 1.0, 1.0)
    if not (few or has_uneven_weights(sample)):
        return inf
    return max(float(sample.total / sample.row_weight) - 1.0, 1.0)


def has_uneven_weights(sample: Any) -> bool:
    """Return whether rows have different weights, which are no counts."""
    rows = sample.rows
    return not sample.whole and are_uneven(rows.w, rows.w2)


def error_of_mean(sample: ScoreSample, positive: FloatArray, negative: FloatArray, *, few: bool = False) -> float:
    """Return the standard error of a mean over rows from what each row has as a positive, and as a negative.

    Where weights are uneven it is at least that of labels drawn from their line. Of fewer than 10 effective groups it
    is 0.

    Parameters
    ----------
    sample : ScoreSample
    positive, negative : arrays of shape (m,)
        The influence of each row if its label is positive, and if it is negative; of the real labels with mean 0.
    few : bool, default=False
        Whether it is at least that of drawn labels where weights are even too, since rows are few.
    """
    rows, groups = sample.rows, sample.groups
    if are_too_few(groups):
        return 0.0
    influence = np.where(rows.y > 0.5, positive, negative)
    squares = free_squares(rows.w, rows.w2)
    error = standard_error(influence, rows.w, squares, None if groups is None else groups.code)
    if groups is not None or not (few or has_uneven_weights(sample)):
        return error
    c = LabelLine.of(sample).c[np.cumsum(np.concatenate(([False], rows.p[1:] != rows.p[:-1])))]
    drawn = float(rows.w2 @ (c * positive**2 + (1.0 - c) * negative**2))
    return max(error, float(np.sqrt(drawn)) / float(rows.w.sum()))


def reason_of_groups(groups: RowGroups | None) -> str:
    """Return why rows of so few groups have no standard error, or ""."""
    return NOT_LEARNT if are_too_few(groups) else ""


def independent_rows(sample: ScoreSample) -> float:
    """Return how many independent rows tell as much of the share of positives.

    Those that whole weights count, or (sum w)^2 / sum w^2; of groups these by the ratio of the variance of the mean
    residual that sums over groups have to that of independent rows, where it is above 1.
    """
    rows, groups = sample.rows, sample.groups
    if groups is None:
        return sample.effective_rows
    r = rows.y - rows.p
    r = r - float(rows.w @ r) / float(rows.w.sum())
    of_rows, of_groups = (
        float(rows.w2 @ r**2),
        float(outer_products_of_groups((rows.w * r)[:, None], groups.code)[0, 0]),
    )
    return sample.effective_rows / max(of_groups / of_rows if of_rows > 0.0 else 1.0, 1.0)


def has_few(sample: Any, rows: float | None = None) -> bool:
    """Return whether a class has fewer than 50 of so many independent rows; by default of all, as weights count."""
    rows = sample.effective_rows if rows is None else rows
    return bool(rows * min(sample.base_rate, 1.0 - sample.base_rate) < FEW)
