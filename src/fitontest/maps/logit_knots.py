"""Logit knot maps: the mean of polygons drawn in logit-logit space."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fitontest.maps.base import CalibrationMap, clipping, frozen_array
from fitontest.maps.expressions import Expression, line, logit_of, pieces, shared, sigmoid_of, total
from fitontest.maps.stored import register
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.search import BLOCK
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, FloatArray

FARTHEST = 745.0  # the logit of the least score above 0


@register
@dataclass(frozen=True, eq=False)
class LogitKnotsMap(CalibrationMap):
    """A smooth calibration map: the mean of polygons between the logits of score and probability.

    c_hat(p) = mean_f sigmoid(z_f(logit p)), each z_f a polygon, straight beyond its outer knots.

    Parameters
    ----------
    x : array-like of shape (F, M)
        Knots of each polygon on the logit scale, strictly increasing; M >= 2.
    z : array-like of shape (F, M)
        Logits of the values at the knots.
    eps : float, default=1e-16
        The logit clips scores to [eps, 1 - eps].

    Examples
    --------
    >>> half = LogitKnotsMap(x=[[-2.0, 2.0]], z=[[-1.0, 1.0]])  # Platt scaling of slope 1/2
    >>> half([0.5, 0.9]).round(6)
    array([0.5 , 0.75])
    """

    kind: ClassVar[str] = "logit_knots"

    x: FloatArray
    z: FloatArray
    eps: float = 1e-16

    def __post_init__(self) -> None:
        x, z = _frozen_rows(self.x, "x"), _frozen_rows(self.z, "z")
        if x.shape[1] < 2 or not np.all(np.diff(x, axis=1) > 0):
            raise ValueError(f"x must have rows of at least two strictly increasing knots, got {brief(x)}")
        if z.shape != x.shape:
            raise ValueError(f"z must hold one value per knot, shape {x.shape}; got shape {z.shape}")
        with np.errstate(over="ignore"):
            slopes = np.diff(z, axis=1) / np.diff(x, axis=1)
            steep, highest = ~np.isfinite(slopes), np.abs(z).max() + np.abs(slopes).max() * (np.abs(x).max() + FARTHEST)
        if steep.any():
            raise ValueError(
                f"x must have knots far enough apart for a finite slope, got {brief(x[steep.any(axis=1)])}"
            )
        if not np.isfinite(highest):  # differences of infinite values would be no numbers
            raise ValueError(f"z must have lines whose values at the scores are finite, got {brief(z)}")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "z", z)
        object.__setattr__(self, "eps", clipping(self.eps, "eps"))

    @property
    def kinks(self) -> FloatArray:
        """The inner knots of all polygons, as scores."""
        return np.unique(sigmoid(self.x[:, 1:-1]))

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the mean of the polygons, all of them at once over the union of their knots."""
        inner = np.unique(self.x[:, 1:-1])
        left, slope = self._pieces(inner)
        flat = p.reshape(-1)
        values = np.empty(flat.size)
        for start in range(0, flat.size, BLOCK):  # F polygons per score: only a block of scores at a time
            t = logit(flat[start : start + BLOCK], self.eps)
            piece = np.searchsorted(inner, t, side="right")
            origin = inner[np.maximum(piece - 1, 0)] if inner.size else np.zeros(t.size)
            z = np.take(left, piece, axis=1)
            z += np.take(slope, piece, axis=1) * (t - origin)
            values[start : start + BLOCK] = sigmoid(z).mean(axis=0)
        return values.reshape(p.shape)

    def expression(self, p: Expression) -> Expression:
        """Return the mean of the polygons, each over its own knots."""
        (t,) = shared([logit_of(p, self.eps)])
        slopes = np.diff(self.z, axis=1) / np.diff(self.x, axis=1)
        polygons = []
        for x, z, slope in zip(self.x, self.z, slopes, strict=True):
            knots = zip(x[:-1].tolist(), z[:-1].tolist(), slope.tolist(), strict=True)
            lines = [line(height, steep, t - knot) for knot, height, steep in knots]
            polygons.append(sigmoid_of(pieces(t, x[1:-1], lines)))
        return polygons[0] if len(polygons) == 1 else total(polygons) / float(len(polygons))

    def _pieces(self, inner: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return for every polygon (row) and piece between the inner knots (column) the value at its origin, and slope.

        The origin of a piece is its left knot; for the first piece it is the right one, for a single piece 0.
        """
        origin = np.concatenate((inner[:1], inner)) if inner.size else np.zeros(1)
        middle = (inner[:-1] + inner[1:]) / 2
        inside = np.concatenate((inner[:1] - 1.0, middle, inner[-1:] + 1.0)) if inner.size else origin
        slopes = np.diff(self.z, axis=1) / np.diff(self.x, axis=1)
        at = np.array([np.searchsorted(knots[1:-1], inside, side="right") for knots in self.x])
        slope = np.take_along_axis(slopes, at, axis=1)
        start = np.take_along_axis(self.x, at, axis=1)
        return np.take_along_axis(self.z, at, axis=1) + slope * (origin - start), slope


def _frozen_rows(values: ArrayInput, name: str) -> NDArray[np.float64]:
    """Return a read-only copy of a matrix of finite numbers."""
    try:
        rows = np.stack([frozen_array(row, name) for row in values])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be rows of equally many finite numbers, got {brief(values)}") from error
    rows.flags.writeable = False
    return rows
