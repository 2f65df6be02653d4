"""A mixture of maps: a weighted mean of calibration maps, itself a calibration map."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from fitontest.maps.base import CalibrationMap, frozen_array
from fitontest.maps.expressions import Expression, Number
from fitontest.maps.stored import register
from fitontest.results.checks import as_list, brief
from fitontest.results.typing import FloatArray

SUM_TOLERANCE = 1e-9  # by how much weights of a mixture may miss a sum of 1
M = TypeVar("M")


@register
@dataclass(frozen=True, eq=False)
class MixtureMap(CalibrationMap):
    """A weighted mean of calibration maps.

    c_hat(p) = sum_k weights_k c_k(p).

    Parameters
    ----------
    weights : array-like of shape (K,)
        Non-negative, of sum 1.
    parts : sequence of K calibration maps
        In JSON each is written as by itself; one that is decreasing says so, and the mixture says nothing of it.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> from fitontest.maps import IdentityMap, KnotsMap
    >>> mixture = MixtureMap([0.25, 0.75], [IdentityMap(), KnotsMap([0, 1], [0.5, 0.5])])
    >>> mixture([0.1, 0.9])
    array([0.4, 0.6])
    """

    kind: ClassVar[str] = "mixture"

    weights: FloatArray
    parts: tuple[CalibrationMap, ...]

    def __post_init__(self) -> None:
        weights, parts = read_mixture(self.weights, self.parts, CalibrationMap, "calibration maps")  # type: ignore[type-abstract]
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "parts", parts)

    @property
    def kinks(self) -> FloatArray:
        """The scores at which a part of positive weight bends or jumps."""
        return np.unique(np.concatenate([part.kinks for _, part in self._present()]))

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the weighted mean of the parts' values."""
        total = np.zeros(p.shape)
        for weight, part in self._present():
            total += weight * part.evaluate(p)
        return total if self.leaves_unit_interval else np.clip(total, 0.0, 1.0)  # a sum of shares may be rounded past 1

    def expression(self, p: Expression) -> Expression:
        """Return the weighted mean of the parts' expressions."""
        mean: Expression = Number(0.0)
        for weight, part in self._present():
            mean = mean + weight * part.expression(p)
        return mean if self.leaves_unit_interval else mean.clip(0.0, 1.0)

    @property
    def leaves_unit_interval(self) -> bool:
        """Whether values of a part of positive weight may be outside [0, 1]."""
        return any(part.leaves_unit_interval for _, part in self._present())

    def split_atoms(self) -> tuple[CalibrationMap, FloatArray]:
        """Return the mixture without the values that single scores have of their own in a part, and these scores."""
        parts, at = zip(*(part.split_atoms() for part in self.parts), strict=True)
        scores = np.unique(np.concatenate(at))
        return (replace(self, parts=tuple(parts)) if scores.size else self), scores

    def _present(self) -> list[tuple[float, CalibrationMap]]:
        return [(weight, part) for weight, part in zip(self.weights.tolist(), self.parts, strict=True) if weight > 0]


def read_mixture(weights: Any, parts: Any, kind: type[M], what: str) -> tuple[FloatArray, tuple[M, ...]]:
    """Return the weights and the maps of a mixture, checked; `what` says in a message what maps they must be."""
    weights, parts = frozen_array(weights, "weights"), read_parts(parts, kind, what)
    if weights.shape != (len(parts),):
        raise ValueError(f"weights must hold one number per part ({len(parts)}), got {brief(weights)}")
    if weights.min() < 0 or abs(float(weights.sum()) - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"weights must not be negative and have the sum 1, got {brief(weights)}")
    return weights, parts


def read_parts(parts: Any, kind: type[M], what: str) -> tuple[M, ...]:
    """Return the maps that another map is made of, checked; `what` says in a message what maps they must be."""
    listed = as_list(parts, "parts")
    for k, part in enumerate(listed):
        if not isinstance(part, kind):
            raise ValueError(f"parts must hold {what}, got {brief(part)} at position {k}")
    return tuple(listed)
