"""What every measured calibration error is: a number, and what it was computed from."""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Self, SupportsFloat

from fitontest.partitions.partition import Partition


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationError:
    """A calibration error; ``float(e)`` is its value. `PlugInError`, `BinnedError` and `ClasswiseError` tell more.

    Attributes
    ----------
    value : float
        A fraction; in percent where `tce` measured it. ``error < 0.1`` compares it.
    norm : str
        How distances or losses became one number.
    n : int
        Rows of positive weight.
    """

    value: float
    norm: str
    n: int

    def __lt__(self, other: SupportsFloat) -> bool:
        return self.value < float(other)

    def __le__(self, other: SupportsFloat) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: SupportsFloat) -> bool:
        return self.value > float(other)

    def __ge__(self, other: SupportsFloat) -> bool:
        return self.value >= float(other)

    def __float__(self) -> float:
        return self.value

    def __mul__(self, factor: SupportsFloat) -> float:
        """Return a plain number: scikit-learn's own ``make_scorer`` multiplies a score by its sign."""
        return self.value * float(factor)

    __rmul__ = __mul__

    def __add__(self, other: Any) -> float:
        """Return a plain number: the sum of two errors is the error of nothing."""
        return self.value + float(other) if isinstance(other, Real | CalibrationError) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> float:
        """Return a plain number, which may be negative: the distance from a true error, or from another model's."""
        return self.value - float(other) if isinstance(other, Real | CalibrationError) else NotImplemented

    def __rsub__(self, other: Any) -> float:
        return float(other) - self.value if isinstance(other, Real | CalibrationError) else NotImplemented

    def __format__(self, spec: str) -> str:
        """Format the value where a number format is given, as in ``f"{error:.3f}"``."""
        return format(self.value, spec) if spec else str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values."""
        return {"value": self.value, "norm": self.norm, "n": self.n}


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryError(CalibrationError):
    """A calibration error of labels of two classes, with the bins it rests on, where there are any."""

    base_rate: float
    partition: Partition | None
    reduction: str | None = None

    @property
    def n_bins(self) -> int | None:
        """Number of bins of the partition."""
        return None if self.partition is None else self.partition.n_bins

    def under(self, reduction: str | None) -> Self:
        """Return the same error with the reduction by which its sample was made."""
        return replace(self, reduction=reduction)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with the inner edges of the partition."""
        return {
            **super().to_dict(),
            **({} if self.reduction is None else {"reduction": self.reduction}),
            "base_rate": self.base_rate,
            "n_bins": self.n_bins,
            "edges": None if self.partition is None else self.partition.edges.tolist(),
            "closed": None if self.partition is None else self.partition.closed,
        }
