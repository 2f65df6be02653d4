"""Hermite maps: cubic polynomials between knots, given by values and slopes at their ends."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.maps.base import CalibrationMap, frozen_array
from fitontest.maps.expressions import Expression, Number, pieces
from fitontest.maps.stored import register
from fitontest.numerics.search import positions
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

SHORT = 1e-300  # width of a piece whose reciprocal may be infinite
FACTOR = 2.0**600  # that makes it finite, and rounds nothing: engines divide by a number as they like


@register
@dataclass(frozen=True, eq=False)
class HermiteMap(CalibrationMap):
    """A calibration map of smooth pieces between given points, as of loess.

    Between the knots x[j] and x[j + 1] c_hat is the cubic polynomial in t = (p - x[j]) / (x[j + 1] - x[j]) with the
    values c[j], c[j + 1] and the derivatives with respect to t left[j], right[j] at its ends; outside the knots c_hat
    keeps the end values. It may leave [0, 1]; where it is deployed it is clipped.

    Parameters
    ----------
    x : array-like of shape (M,)
        Strictly increasing knots in [0, 1], M >= 2.
    c : array-like of shape (M,)
        Values at the knots.
    left, right : array-like of shape (M - 1,)
        For each piece the slope at its lower and at its upper end, times its width. With the slopes of neighbouring
        pieces equal the map is smooth.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    c_hat = c[j] + t (left[j] + t (3 d - 2 left[j] - right[j] + t (left[j] + right[j] - 2 d))), d = c[j + 1] - c[j].

    Examples
    --------
    >>> HermiteMap(x=[0.0, 1.0], c=[0.0, 1.0], left=[0.0], right=[0.0])([0.25, 0.5])
    array([0.15625, 0.5    ])
    """

    kind: ClassVar[str] = "hermite"

    x: FloatArray
    c: FloatArray
    left: FloatArray
    right: FloatArray

    def __post_init__(self) -> None:
        x = frozen_array(self.x, "x")
        if x.size < 2 or not np.all(np.diff(x) > 0) or not (x[0] >= 0 and x[-1] <= 1):
            raise ValueError(f"x must be at least two strictly increasing knots in [0, 1], got {brief(x)}")
        object.__setattr__(self, "x", x)
        for name, size, where in (("c", x.size, "knot"), ("left", x.size - 1, "piece"), ("right", x.size - 1, "piece")):
            values = frozen_array(getattr(self, name), name)
            if values.shape != (size,):
                raise ValueError(f"{name} must hold one finite value per {where} ({size}), got {brief(values)}")
            object.__setattr__(self, name, values)
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(self._coefficients())
        if not finite.all():
            raise ValueError(f"c must have pieces of finite coefficients, got {brief(self.c)}")

    @property
    def kinks(self) -> FloatArray:
        """The knots."""
        return self.x

    @property
    def leaves_unit_interval(self) -> bool:
        """Whether values may be outside [0, 1]: they may."""
        return True

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the cubic polynomial of each score's piece; none of them is clipped to [0, 1]."""
        piece = positions(self.x, p, "right")
        inside = np.clip(piece - 1, 0, self.x.size - 2)
        start, end = self.x[inside], self.x[inside + 1]
        t = (np.clip(p, start, end) - start) * FACTOR * (1.0 / (FACTOR * (end - start)))
        values = horner(t, *self._coefficients()[:, inside])
        return np.asarray(np.where(piece == 0, self.c[0], np.where(piece == self.x.size, self.c[-1], values)))

    def expression(self, p: Expression) -> Expression:
        """Return the polynomial of the score's piece, by the arithmetic of `evaluate`."""
        ends = zip(self.x[:-1].tolist(), self.x[1:].tolist(), self._coefficients().T.tolist(), strict=True)
        inner = [horner(_along(p, start, end), *coefficients) for start, end, coefficients in ends]
        return pieces(p, self.x, [Number(float(self.c[0])), *inner, Number(float(self.c[-1]))])

    def _coefficients(self) -> FloatArray:
        """Return the coefficients of 1, t, t^2 and t^3 of each piece, shape (4, M - 1)."""
        return coefficients(self.c, self.left, self.right)


def _along(p: Expression, start: float, end: float) -> Expression:
    """Return t from 0 to 1; some engines compute it outside the piece too, where it must not overflow."""
    if end - start > SHORT:
        return (p - start) * (FACTOR * (1.0 / (FACTOR * (end - start))))
    return (p.clip(start, end) - start) * FACTOR * (1.0 / (FACTOR * (end - start)))


def coefficients(c: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the coefficients of 1, t, t^2 and t^3 of cubic pieces, shape (4, M - 1).

    Parameters
    ----------
    c : array of shape (M,)
        Values at the ends of the pieces.
    left, right : arrays of shape (M - 1,)
        Derivatives with respect to t at the lower and the upper end of each.
    """
    rise = np.diff(c)
    return np.stack((c[:-1], left, 3.0 * rise - 2.0 * left - right, left + right - 2.0 * rise))


def horner(t: Any, offset: Any, first: Any, second: Any, third: Any) -> Any:
    """Return the cubic polynomial at t, an array or an expression, by the same arithmetic."""
    return offset + t * (first + t * (second + t * third))
