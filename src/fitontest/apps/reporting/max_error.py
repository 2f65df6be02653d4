"""The limit of the calibration error, how rows are held against it, and what comes of that."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.criterion import AtMostCriterion, Levels
from fitontest.apps.reporting.limit import Limit, check_family_of_limit
from fitontest.families.base import Family, read_family
from fitontest.measures.error_limits import check_resolution
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval
from fitontest.measures.measure import Measure
from fitontest.measures.measure import make as make_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.results.checks import is_real
from fitontest.results.quoting import in_decimals
from fitontest.results.text import percent
from fitontest.uncertainty.effective_rows import FEWEST
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

WHY = {
    "isotonic": ", whose intervals hold where the error jumps, too",
    "ecce": ", the largest error that adds up over neighbouring scores, which the mean distance may exceed",
}  # why not by the default of other functions


@dataclass(frozen=True, kw_only=True)
class ErrorCriterion(AtMostCriterion):
    """Whether the calibration error is at most a limit."""

    argument: ClassVar[str] = "max_error"

    @property
    def of_error(self) -> "ErrorCriterion":
        """The criterion of the calibration error: this one."""
        return self

    def decided_in(self, bounds: Bounds, estimate: Estimate, resolution: float | None = None) -> "ErrorCriterion":
        """Return what an estimate makes of this open criterion, with what the labels of few rows leave open of it."""
        persistent = None
        if resolution is not None and estimate.limits is not None:
            persistent = bounds.at_least(estimate.limit_at(resolution))
        return self.decided_by(estimate, bounds.around(estimate), persistent)

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
        most = in_decimals([self.persistent.value])[0]
        return f"errors of up to {most} that persist over {share} of the rows cannot be ruled out"


DEFAULT_RESOLUTION = 20  # parts of the rows: errors in waves are seen that persist over a twentieth, or nearly
DEFAULT_FAMILY = "isotonic"  # whose outcomes are as rarely wrong as the level says, where the truth jumps too


@dataclass(frozen=True)
class MaxError(Limit):
    """The largest calibration error that passes.

    Attributes
    ----------
    value : float in (0, 1)
    measure : Measure
        Whose error it is.
    resolution : float or None
        At which errors of any shape must be below the limit too; None: the interval alone decides.
    """

    argument: ClassVar[str] = "max_error"

    value: float
    measure: Measure
    resolution: float | None = DEFAULT_RESOLUTION

    @property
    def of_error(self) -> "MaxError":
        """The limit of the calibration error: this one."""
        return self

    @classmethod
    def of(cls, value: object, family: str | Family, resolution: object = DEFAULT_RESOLUTION) -> "MaxError":
        """Return the limit that a user set, or refuse what is none."""
        measure = PlugIn(read_family(family))
        check_family_of_limit(measure.family, measure)
        parts = None if resolution is None else check_resolution(resolution)
        return cls(_check_error(value), measure, parts)

    def of_distributions(self) -> "MaxError":
        """Return the limit for whole distributions: of the ECE on the simplex, whose error alone has an interval."""
        if self.measure.name != DEFAULT_FAMILY:
            raise ValueError(
                f"family must be left at {DEFAULT_FAMILY!r} with reduction='canonical', where the ECE in joint bins of "
                f"all classes decides, since no family of several classes has an interval; got {self.measure.name!r}"
            )
        return replace(self, measure=make_measure("simplex_ece"), resolution=None)

    def open(self, reason: str = "", **known: Any) -> ErrorCriterion:
        """Return the criterion where nothing is decided, with the reason and what is known."""
        return ErrorCriterion(reason=reason, most=self.value, **known)

    def at(self, level: float, sample: Any, levels: Levels, seed: int) -> ErrorCriterion:
        """Return the criterion of a sample by the interval of one level."""
        estimate = estimate_of(self.measure, sample, sample.reduction, Redrawing.at(level, random_state=seed))
        if sample.has_distributions:  # of which fewer than 50 rows leave every error open
            known = None if sample.n < FEWEST else estimate.interval
            return self.open(levels=levels).decided_by(estimate, known or Interval(0.0, 1.0, level))
        if estimate.groups is not None and estimate.groups.too_few:  # which leave everything open
            return self.open(estimate.groups.refusal, levels=levels, estimate=estimate)
        return self.open(levels=levels).decided_in(Bounds.of(sample, level), estimate, self.resolution)


def _check_error(value: object) -> float:
    """Return the limit, or refuse what is none."""
    if not is_real(value) or not 0.0 < value < 1.0:
        raise ValueError(f"max_error must be a fraction in (0, 1) such as 0.02, never percent; got {value!r}")
    return float(value)
