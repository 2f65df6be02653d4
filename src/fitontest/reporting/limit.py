"""A limit of a gate, as it was set, which makes a criterion of rows."""

from typing import Any, ClassVar, Protocol

from fitontest.reporting.criterion import Criterion, Levels


class Limit(Protocol):
    """What a gate holds rows against."""

    argument: ClassVar[str]  # of `check_calibration`, which sets it

    def criterion(self, sample: Any, levels: Levels, seed: int) -> Criterion:
        """Return the criterion of a sample, by intervals of these levels and draws of this seed."""

    def without_rows(self) -> Criterion:
        """Return the criterion of a segment that has no rows of positive weight."""
