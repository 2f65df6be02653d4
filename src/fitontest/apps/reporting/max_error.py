"""The limit of the calibration error, and how rows are held against it."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.criterion import Levels
from fitontest.apps.reporting.error_criterion import ErrorCriterion
from fitontest.apps.reporting.limit import Limit, check_family_of_limit
from fitontest.data.simplex_sample import CANONICAL
from fitontest.families.base import Family, read_family
from fitontest.measures.error_limits import check_resolution
from fitontest.measures.interval import Interval
from fitontest.measures.measure import Measure
from fitontest.measures.measure import make as make_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.results.checks import is_real
from fitontest.uncertainty.effective_rows import FEWEST
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

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
        if sample.reduction == CANONICAL:  # of which fewer than 50 rows leave every error open
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
