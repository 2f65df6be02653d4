"""Restricted cubic maps: a natural cubic spline from the logit of the score to that of the probability."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import CalibrationMap, clipping, frozen_array
from fitontest.maps.expressions import Expression, logit_of, pieces, shared, sigmoid_of
from fitontest.maps.hermite import coefficients, horner
from fitontest.maps.stored import register
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.natural_splines import slopes_at_knots
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

FARTHEST = 745.0  # the logit of the least score above 0


@register
@dataclass(frozen=True, eq=False)
class RestrictedCubicMap(CalibrationMap):
    """A smooth calibration map: a cubic spline between the logits of score and probability, straight at both ends.

    c_hat(p) = sigmoid(s(logit p)), with s the natural cubic spline through the points (x, z): its second derivative is
    continuous, and 0 from the outer knots on.

    Parameters
    ----------
    x : array-like of shape (K,)
        Knots on the logit scale, strictly increasing; K >= 2. With two knots s is a straight line.
    z : array-like of shape (K,)
        Logits of the values at the knots.
    eps : float, default=1e-16
        The logit clips scores to [eps, 1 - eps].

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> RestrictedCubicMap(x=[-2.0, 0.0, 2.0], z=[-1.0, 0.0, 1.0])([0.5, 0.9]).round(6)  # Platt scaling of slope 1/2
    array([0.5 , 0.75])
    """

    kind: ClassVar[str] = "restricted_cubic"

    x: FloatArray
    z: FloatArray
    eps: float = 1e-16

    def __post_init__(self) -> None:
        x, z = frozen_array(self.x, "x"), frozen_array(self.z, "z")
        if x.size < 2 or not np.all(np.diff(x) > 0):
            raise ValueError(f"x must be at least two strictly increasing knots, got {brief(x)}")
        if z.shape != x.shape:
            raise ValueError(f"z must hold one finite value per knot ({x.size}), got {brief(z)}")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "z", z)
        object.__setattr__(self, "eps", clipping(self.eps, "eps"))
        with np.errstate(all="ignore"):
            try:
                slopes = self._slopes()
            except np.linalg.LinAlgError:
                slopes = np.full(1, np.inf)
            largest = np.abs(z).max() + np.abs(slopes).max() * (np.abs(x).max() + FARTHEST)
            finite = np.isfinite(largest) and np.isfinite(1.0 / np.diff(x)).all() and np.isfinite(self._pieces()).all()
        if not finite:
            raise ValueError(f"z must have a spline whose values at the scores are finite, got {brief(z)}")

    @property
    def kinks(self) -> FloatArray:
        """The knots, as scores."""
        return np.unique(sigmoid(self.x))

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the sigmoid of the spline at the score's logit."""
        t = logit(p, self.eps)
        x, slopes = self.x, self._slopes()
        piece = np.searchsorted(x, t, side="right")
        inside = np.clip(piece - 1, 0, x.size - 2)
        u = (t - x[inside]) * (1.0 / np.diff(x))[inside]
        values = horner(u, *self._pieces()[:, inside])
        values = np.where(piece == 0, self.z[0] + slopes[0] * (t - x[0]), values)
        values = np.where(piece == x.size, self.z[-1] + slopes[-1] * (t - x[-1]), values)
        return sigmoid(values)

    def expression(self, p: Expression) -> Expression:
        """Return the formula of `evaluate`."""
        (t,) = shared([logit_of(p, self.eps)])
        slopes, z, x = self._slopes().tolist(), self.z.tolist(), self.x.tolist()
        scales = (1.0 / np.diff(self.x)).tolist()
        knots = zip(x[:-1], scales, self._pieces().T.tolist(), strict=True)
        inner = [horner((t - start) * scale, *each) for start, scale, each in knots]
        ends = z[0] + slopes[0] * (t - x[0]), z[-1] + slopes[-1] * (t - x[-1])
        return sigmoid_of(pieces(t, self.x, [ends[0], *inner, ends[1]]))

    def _slopes(self) -> FloatArray:
        """Return the slopes at the knots."""
        return np.asarray(slopes_at_knots(self.x) @ self.z)

    def _pieces(self) -> FloatArray:
        """Return the coefficients of the cubic pieces, shape (4, K - 1)."""
        slopes, width = self._slopes(), np.diff(self.x)
        return coefficients(self.z, slopes[:-1] * width, slopes[1:] * width)
