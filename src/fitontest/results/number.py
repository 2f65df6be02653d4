"""A number with more behind it: results that compare, add and round as their value does."""

from abc import ABC
from numbers import Real
from typing import Any, SupportsFloat


class Number(ABC):
    """Mixin of results that have a ``value``: comparisons and arithmetic are those of the value, and plain numbers.

    Examples
    --------
    >>> class Share(Number):
    ...     value = 0.25
    >>> Share() < 0.3, Share() - 0.5, round(Share(), 1), float(Share())
    (True, -0.25, 0.2, 0.25)
    """

    value: float

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
        return self.value + float(other) if isinstance(other, Real | Number) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> float:
        """Return a plain number, which may be negative: the distance from a true error, or from another model's."""
        return self.value - float(other) if isinstance(other, Real | Number) else NotImplemented

    def __rsub__(self, other: Any) -> float:
        return float(other) - self.value if isinstance(other, Real | Number) else NotImplemented

    def __truediv__(self, other: Any) -> float:
        """Return a plain number: how large the error is beside another model's."""
        return self.value / float(other) if isinstance(other, Real | Number) else NotImplemented

    def __rtruediv__(self, other: Any) -> float:
        return float(other) / self.value if isinstance(other, Real | Number) else NotImplemented

    def __neg__(self) -> float:
        return -self.value

    def __abs__(self) -> float:
        return abs(self.value)

    def __round__(self, ndigits: int | None = None) -> float:
        return round(self.value, ndigits)

    def __format__(self, spec: str) -> str:
        """Format the value where a number format is given, as in ``f"{error:.3f}"``."""
        return format(self.value, spec) if spec else str(self)
