"""What an estimate was computed from."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.measures.interval import ErrorInterval
from fitontest.partitions.cell_partition import CellPartition
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, attributes
from fitontest.results.table import Section


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """What an estimate was computed from, such as a calibration map or bins.

    Measures derive their own kind from it.

    Attributes
    ----------
    map : CalibrationMap, MulticlassMap or None
        The map whose distance from the predictions was measured.
    estimator : Family, MulticlassFamily or None
        The fitted family, with all that its fit tells.
    partition : Partition, CellPartition or None
        The bins, where there are any.
    note : str
        What must be known of the evidence to read the value, or "".
    n_classes : int or None
        Number of classes of whole distributions; None of scores.

    Examples
    --------
    >>> import fitontest as fot
    >>> error = fot.calibration_error([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], family=fot.Slope1(2))
    >>> error.evidence.estimator, error.evidence.partition, error.evidence.n_bins
    (Slope1(n_bins=2), Partition([0.7], closed='left'), 2)
    """

    has_value: ClassVar[bool] = True  # whether the rows say anything of it
    recorded: ClassVar[tuple[str, ...]] = ()  # attributes that are single facts

    map: Any = None
    estimator: Any = None
    partition: Partition | CellPartition | None = None
    note: str = ""
    n_classes: int | None = None

    def interval_at(self, level: float) -> ErrorInterval | None:  # noqa: ARG002 - the signature of every evidence
        """Return the interval of the value that a formula gives, or None where `interval_reason` says why.

        Only of measures with ``has_own_interval``.

        Parameters
        ----------
        level : float in (0, 1)
        """
        return None

    @property
    def interval_reason(self) -> str:
        """Why there is no such interval, or ""."""
        return ""

    @property
    def n_bins(self) -> int | None:
        """Number of bins, empty ones included."""
        return None if self.partition is None else self.partition.n_bins

    def record(self) -> dict[str, Any]:
        """Return single values for tables that hold several estimates."""
        of_classes = {} if self.n_classes is None else {"n_classes": self.n_classes}
        return of_classes | attributes(self, *self.recorded)

    def rows(self) -> Records:
        """Return the records of the estimate's own table, such as its bins."""
        return []

    def section(self) -> Section:
        """Return how that table is printed."""
        return Section()

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON-ready values."""
        return self.record()
