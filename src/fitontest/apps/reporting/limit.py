"""A limit of a gate, as it was set, which makes a criterion of rows."""

from typing import Any, ClassVar, NoReturn, Protocol

from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.families.base import Family
from fitontest.measures.measure import Measure
from fitontest.uncertainty.intervals import reason_against


class Limit(Protocol):
    """What a gate holds rows against."""

    argument: ClassVar[str]  # of `check_calibration`, which sets it

    @property
    def of_error(self) -> Any:
        """The limit of the calibration error, if this is it; None of another number."""

    def criterion(self, sample: Any, levels: Levels, seed: int) -> Criterion:
        """Return the criterion of a sample, by intervals of these levels and draws of this seed."""

    def without_rows(self) -> Criterion:
        """Return the criterion of a segment that has no rows of positive weight."""

    def of_distributions(self) -> "Limit":
        """Return the limit for whole distributions, or raise ValueError where there is none."""


def refuse_distributions(argument: str) -> NoReturn:
    """Raise ValueError for a limit of the scores of two classes."""
    raise ValueError(
        f"{argument} must be left out with reduction='canonical': it is of the scores of two "
        "classes, as reduction='classwise' and 'confidence' make them, not of whole distributions"
    )


def check_family_of_limit(family: Family, measure: Measure) -> None:
    """Raise ValueError unless the measure under the family has an interval, which a limit is held against."""
    if family.does_nothing:
        raise ValueError("family must be fitted to the labels, got identity, whose error is 0 whatever they are")
    if reason := reason_against(measure):
        raise ValueError(f"family must be one whose error has an interval, got {measure.name}: {reason}")
