"""The rule of a gate: its limits and its level, checked before anything is read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypedDict

from fitontest.apps.reporting.checked_rows import CheckedRows
from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.apps.reporting.gate_outcome import Gate
from fitontest.apps.reporting.limit import Limit
from fitontest.apps.reporting.max_decision_loss import MaxDecisionLoss
from fitontest.apps.reporting.max_error import DEFAULT_FAMILY, DEFAULT_RESOLUTION, MaxError
from fitontest.apps.reporting.slope_range import SlopeRange
from fitontest.data.known_groups import KnownGroups
from fitontest.families.base import Family
from fitontest.measures.estimate import Estimate
from fitontest.numerics.random import one_seed
from fitontest.results.checks import brief, check_level
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import RandomState
from fitontest.uncertainty.dependence import dependence_of
from fitontest.uncertainty.intervals import NULL_DRAWS
from fitontest.uncertainty.joint import joint_test
from fitontest.uncertainty.options import Options


class Limits(TypedDict, total=False):
    """By which limits rows pass.

    Parameters
    ----------
    max_error : float in (0, 1), optional
        The largest mean distance |c(p) - p| that is accepted. At least one limit must be given.
    slope : pair of floats, optional
        The least and the largest calibration slope that are accepted, such as (.8, 1.25), with 0 < least <= 1 <= most:
        b of the line logit c = a + b logit p (`Tendency`). Pass where the whole interval lies between, fail where it
        lies wholly outside. Scores of exactly 0 and 1 have no logit and are left out; but labels that contradict them,
        more than rounding of the scores explains, exclude every slope above 0, and fail. Where there is no slope (fewer
        than ten rows of a class, one distinct score, classes that a threshold separates) it is undecided.
    max_decision_loss : dict of floats, optional
        The largest decision loss that is accepted at each threshold (`DecisionLoss`), such as {.2: .01}: recalibrating
        first must gain at most 10 net true positives per 1,000 rows where a score of .2 decides. Thresholds and limits
        lie strictly between 0 and 1.
    resolution : float or None, default=20
        J, at least 20: B holds for errors that keep their sign over windows of 1 / (2 J) to 1 / J of the rows
        (`Estimate.limit`). 40 is stricter, and needs more rows. None: the interval alone decides, which no error that
        an isotonic map cannot follow is seen by.
    family : str or Family, default="isotonic"
        Whose error, and whose decision loss, is held against the limit.
    """

    max_error: float | None
    slope: tuple[float, float] | None
    max_decision_loss: Mapping[float, float] | None
    resolution: Annotated[float | None, DEFAULT_RESOLUTION]
    family: Annotated[str | Family, DEFAULT_FAMILY]


@take_descriptions(Options)
@take_descriptions(Limits)
class GateOptions(Limits, Options, total=False):
    """By which limits rows pass, and how labels and scores are read."""


@dataclass(frozen=True)
class GateRule:
    """By which limits rows pass, and how sure that must be.

    Attributes
    ----------
    limits : tuple of Limit
    level : float in [0.5, 1)
    random_state : int, RandomState or None
    """

    limits: tuple[Limit, ...]
    level: float
    random_state: RandomState

    @classmethod
    def of(
        cls,
        *,
        max_error: object = None,
        slope: object = None,
        max_decision_loss: object = None,
        level: object = 0.95,
        family: str | Family = DEFAULT_FAMILY,
        resolution: object = DEFAULT_RESOLUTION,
        random_state: RandomState = 0,
    ) -> "GateRule":
        """Return the rule that a user gave, or refuse what is none."""
        if max_error is None and slope is None and max_decision_loss is None:
            other = "where there is no other limit, slope= or max_decision_loss="
            raise ValueError(f"max_error must be a number {other}; got None")
        limits: list[Limit] = []
        if max_error is not None:
            limits.append(MaxError.of(max_error, family, resolution))
        elif resolution != DEFAULT_RESOLUTION:
            raise ValueError(f"resolution must be left out without max_error=, got {brief(resolution)}")
        if slope is not None:
            limits.append(SlopeRange.of(slope))
        if max_decision_loss is not None:
            limits += MaxDecisionLoss.several(max_decision_loss, family)
        elif max_error is None and not (isinstance(family, str) and family == DEFAULT_FAMILY):
            raise ValueError(f"family must be left out where no error has a limit, got {brief(family)}")
        return cls(tuple(limits), check_level(level), random_state)

    @property
    def family(self) -> str | None:
        """Whose error is held against a limit; None where no error is."""
        return None if self.of_error is None else self.of_error.measure.name

    @property
    def of_error(self) -> MaxError | None:
        """The limit of the error; None without one."""
        return next((limit.of_error for limit in self.limits if limit.of_error is not None), None)

    def of_distributions(self) -> "GateRule":
        """Return the rule for whole distributions, of which the error alone may have a limit."""
        return replace(self, limits=tuple(limit.of_distributions() for limit in self.limits))

    def gate(self, name: str, sample: Any, parts: int) -> Gate:
        """Return the outcome of a sample, one of so many segments or classes."""
        seed = one_seed(self.random_state)
        levels = Levels.of(self.level, parts, len(self.limits))
        criteria = tuple(limit.criterion(sample, levels, seed) for limit in self.limits)
        gate = Gate(name, criteria)
        groups = _groups_of(sample, gate.estimate)
        p_value = None if groups is not None and groups.too_few else _p_value(gate.estimate, sample, seed)
        return replace(gate, rows=CheckedRows.of(sample, groups), p_value=p_value)

    def without_rows(self) -> tuple[Criterion, ...]:
        """Return the criteria of a segment that has no rows of positive weight."""
        return tuple(limit.without_rows() for limit in self.limits)


def _groups_of(sample: Any, estimate: Estimate | None) -> KnownGroups | None:
    """Return what is known of the groups of the rows."""
    return KnownGroups.of(sample, dependence_of(sample)) if estimate is None else estimate.groups


def _p_value(estimate: Estimate | None, sample: Any, seed: int) -> float | None:
    """Return the p-value of calibration that stands beside an error."""
    if estimate is None:
        return None
    if sample.has_distributions:
        assert estimate.null is not None  # there is one where there is an interval
        return estimate.null.p_value
    return joint_test(sample, NULL_DRAWS, seed, [estimate]).p_value
