"""The limit of the calibration error, and how rows are held against it."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.criterion import Levels
from fitontest.apps.reporting.error_criterion import ErrorCriterion
from fitontest.apps.reporting.limit import check_family_of_limit
from fitontest.data.segment_names import NO_ROWS
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
class MaxError:
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

    def criterion(self, sample: Any, levels: Levels, seed: int) -> ErrorCriterion:
        """Return the criterion of a sample; one of several fails by a wider interval than it passes."""
        found = self._at(levels.to_pass, sample, levels, seed)
        if found.outcome != "fail" or levels.to_fail == levels.to_pass:
            return found
        return self._at(levels.to_fail, sample, levels, seed)

    def without_rows(self) -> ErrorCriterion:
        """Return the criterion of a segment that has no rows of positive weight."""
        return ErrorCriterion(outcome="undecided", reason=NO_ROWS, max_error=self.value)

    def _at(self, level: float, sample: Any, levels: Levels, seed: int) -> ErrorCriterion:
        """Return the criterion by the interval of a level."""
        reduction = sample.reduction
        estimate = estimate_of(self.measure, sample, reduction, Redrawing.at(level, random_state=seed))
        if sample.has_distributions:  # of which fewer than 50 rows leave every error open
            known = None if sample.n < FEWEST else estimate.interval
            interval = Interval(0.0, 1.0, level) if known is None else known
            return ErrorCriterion.decided(estimate, interval, self.value, None, levels)
        if estimate.groups is not None and estimate.groups.too_few:  # which leave everything open
            reason = estimate.groups.refusal
            return ErrorCriterion(
                outcome="undecided", reason=reason, levels=levels, max_error=self.value, estimate=estimate
            )
        return ErrorCriterion.judged(estimate, Bounds.of(sample, level), self.value, self.resolution, levels)


def _check_error(value: object) -> float:
    """Return the limit, or refuse what is none."""
    if not is_real(value) or not 0.0 < value < 1.0:
        raise ValueError(f"max_error must be a fraction in (0, 1) such as 0.02, never percent; got {value!r}")
    return float(value)
