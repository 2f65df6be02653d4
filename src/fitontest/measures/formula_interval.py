"""Intervals that a formula gives, by the normal approximation or by the exact interval of a share.

Standard errors are those of sums over rows, or over groups where rows belong together; then the quantile is that of
Student's t of effective groups - 1 degrees. Fewer than 10 effective groups have none.
"""

from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from fitontest.data.dependence import are_too_few
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.row_groups import RowGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.evidence import Evidence
from fitontest.measures.interval import ErrorInterval
from fitontest.numerics.standard_error import outer_products_of_groups
from fitontest.results.table import Section
from fitontest.results.text import p_in_words, short
from fitontest.significance.normal import p_value, quantile

FEW = 50  # rows of a class, below which the mean of the labels is not nearly normal
NORMAL = "by the normal approximation"
EXACT = "by the exact interval of the share of positives, since a class has few rows"
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
        groups: RowGroups | None,
        *,
        ideal: float | None = None,
        limits: tuple[float, float] = (-inf, inf),
        **facts: object,
    ) -> "AroundValue":
        """Return the evidence of a value with its standard error, and the test of the ideal value.

        Parameters
        ----------
        value, error : float
            The value, and its standard error.
        groups : RowGroups or None
            Of the rows.
        ideal : float, optional
            What the p-value is of.
        limits : tuple of float, optional
            Values that the measure can have.
        **facts
            Further attributes of the evidence.
        """
        reason = reason_of_groups(groups) or ("" if error > 0.0 else NOTHING_VARIES)
        return cls(
            value=value,
            standard_error=None if reason else error,
            degrees=degrees_of(groups),
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


def degrees_of(groups: RowGroups | None) -> float:
    """Return the degrees of freedom that groups leave, effective groups - 1; infinite without groups."""
    return inf if groups is None else max(groups.effective - 1.0, 1.0)


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


def has_few(sample: ScoreSample, rows: float) -> bool:
    """Return whether a class has fewer than 50 of so many independent rows."""
    return rows * min(sample.base_rate, 1.0 - sample.base_rate) < FEW
