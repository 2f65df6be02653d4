"""Knot maps: linear interpolation between knots, constant outside them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.arrays import check_unit_interval
from fitontest.maps.base import CalibrationMap, frozen_array
from fitontest.maps.expressions import Choice, Expression, Number, line, pieces
from fitontest.maps.stored import register
from fitontest.numerics.search import interpolated
from fitontest.results.checks import brief, check_flag
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class KnotsMap(CalibrationMap):
    """A calibration map of straight lines between given points.

    c_hat interpolates the points (x, c) linearly and keeps the end values outside them.

    Parameters
    ----------
    x : array-like of shape (M,)
        Strictly increasing knots in [0, 1].
    c : array-like of shape (M,)
        Values at the knots, in [0, 1] unless `unbounded`.
    unbounded : bool, default=False
        Whether values may leave [0, 1], as those of lines fitted to labels do (`Lowess`). The map holds None for False.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> KnotsMap(x=[0.2, 0.6], c=[0.1, 0.5])([0.0, 0.4, 1.0])
    array([0.1, 0.3, 0.5])
    """

    kind: ClassVar[str] = "knots"
    optional: ClassVar[tuple[str, ...]] = ("unbounded",)

    x: FloatArray
    c: FloatArray
    unbounded: bool | None = None

    def __post_init__(self) -> None:
        x, c = frozen_array(self.x, "x"), frozen_array(self.c, "c")
        if not np.all(np.diff(x) > 0) or not (x[0] >= 0 and x[-1] <= 1):
            raise ValueError(f"x must be strictly increasing knots in [0, 1], got {brief(x)}")
        if c.shape != x.shape:
            raise ValueError(f"c must hold one finite value per knot ({x.size}), got {brief(c)}")
        leaves = self.unbounded is not None and check_flag(self.unbounded, "unbounded")
        if not leaves:
            check_unit_interval(c, "c")
        object.__setattr__(self, "unbounded", leaves or None)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "c", c)

    @property
    def kinks(self) -> FloatArray:
        """The knots."""
        return self.x

    @property
    def leaves_unit_interval(self) -> bool:
        """Whether values may be outside [0, 1]: those of an unbounded map."""
        return bool(self.unbounded)

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the interpolated values; none is beyond the values at the knots by a rounding."""
        return np.clip(interpolated(p, self.x, self.c), self.c.min(), self.c.max())

    def expression(self, p: Expression) -> Expression:
        """Return the straight line between the knots around the score, by the arithmetic of `evaluate`."""
        with np.errstate(over="ignore"):
            slopes = np.diff(self.c) / np.diff(self.x)
        knots = zip(self.x[:-1].tolist(), self.c[:-1].tolist(), self.c[1:].tolist(), slopes.tolist(), strict=True)
        lines = [_between(p, *knot, bounded=not np.isfinite(slopes).all()) for knot in knots]
        ends = Number(float(self.c[0])), Number(float(self.c[-1]))
        return pieces(p, self.x, [ends[0], *lines, ends[1]]).clip(float(self.c.min()), float(self.c.max()))


def _between(p: Expression, x: float, left: float, right: float, slope: float, bounded: bool) -> Expression:
    """Return the line from the knot (x, left), which rounding lets pass by the value `right` unless it is bounded."""
    if not np.isfinite(slope):  # the next knot is so close that the line is a jump
        return Choice(p, "<=", x, Number(left), Number(right))
    risen = line(left, slope, p - x)
    return risen.clip(min(left, right), max(left, right)) if bounded else risen
