"""A limit of a gate, as it was set, which makes a criterion of rows."""

from typing import Any, ClassVar, Protocol

from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.families.base import Family
from fitontest.measures.measure import Measure
from fitontest.uncertainty.intervals import reason_against


class Limit(Protocol):
    """What a gate holds rows against."""

    argument: ClassVar[str]  # of `check_calibration`, which sets it

    def criterion(self, sample: Any, levels: Levels, seed: int) -> Criterion:
        """Return the criterion of a sample, by intervals of these levels and draws of this seed."""

    def without_rows(self) -> Criterion:
        """Return the criterion of a segment that has no rows of positive weight."""


def check_family_of_limit(family: Family, measure: Measure) -> None:
    """Raise ValueError unless the measure under the family has an interval, which a limit is held against."""
    if family.does_nothing:
        raise ValueError("family must be fitted to the labels, got identity, whose error is 0 whatever they are")
    if reason := reason_against(measure):
        raise ValueError(f"family must be one whose error has an interval, got {measure.name}: {reason}")
