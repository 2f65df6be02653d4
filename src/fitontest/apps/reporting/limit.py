"""A limit of a gate, as it was set, which makes a criterion of rows."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NoReturn

from fitontest.apps.reporting.criterion import Criterion, Levels
from fitontest.data.segment_names import NO_ROWS
from fitontest.families.base import Family
from fitontest.measures.measure import Measure
from fitontest.uncertainty.intervals import reason_against


class Limit(ABC):
    """What a gate holds rows against."""

    argument: ClassVar[str]  # of `check_calibration`, which sets it

    @property
    def of_error(self) -> Any:
        """The limit of the calibration error, if this is it; None of another number."""
        return None

    def criterion(self, sample: Any, levels: Levels, seed: int) -> Criterion:
        """Return the criterion of a sample; one of several fails by a wider interval than it passes.

        Parameters
        ----------
        sample : Sample
        levels : Levels
            Of the intervals.
        seed : int
            Of draws.
        """
        found = self.at(levels.to_pass, sample, levels, seed)
        if found.outcome != "fail" or levels.to_fail == levels.to_pass:
            return found
        return self.at(levels.to_fail, sample, levels, seed)

    @abstractmethod
    def at(self, level: float, sample: Any, levels: Levels, seed: int) -> Criterion:
        """Return the criterion of a sample by the interval of one level."""

    @abstractmethod
    def open(self, reason: str = "", **known: Any) -> Criterion:
        """Return the criterion where nothing is decided, with the reason and what is known."""

    def without_rows(self) -> Criterion:
        """Return the criterion of a segment that has no rows of positive weight."""
        return self.open(NO_ROWS)

    @abstractmethod
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
