"""A mixture of maps of several classes: their weighted mean, itself a map of several classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.expressions import Expression, total
from fitontest.maps.mixture import read_mixture
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.stored import register
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

ROUNDING = 1e-12


@register
@dataclass(frozen=True, eq=False)
class MulticlassMixtureMap(MulticlassMap):
    """A weighted mean of calibration maps of several classes.

    g(p) = sum_j weights_j g_j(p).

    Parameters
    ----------
    weights : array-like of shape (J,)
        Non-negative, of sum 1.
    parts : sequence of J maps of several classes
        All of as many classes.
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> from fitontest.maps import MulticlassIdentityMap, MulticlassMixtureMap, SoftmaxMap
    >>> mixture = MulticlassMixtureMap([0.5, 0.5], [MulticlassIdentityMap(), SoftmaxMap(W=[0, 0], b=[0, 0])])
    >>> mixture([[0.8, 0.2]])
    array([[0.65, 0.35]])
    """

    kind: ClassVar[str] = "multiclass_mixture"

    weights: FloatArray
    parts: tuple[MulticlassMap, ...]

    def __post_init__(self) -> None:
        weights, parts = read_mixture(self.weights, self.parts, MulticlassMap, "maps of several classes")  # type: ignore[type-abstract]
        widths = {part.n_classes for part in parts} - {None}
        if len(widths) > 1:
            raise ValueError(f"parts must be maps of as many classes, got {brief(sorted(filter(None, widths)))}")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "parts", parts)
        super().__post_init__()

    @property
    def n_classes(self) -> int | None:
        """The number of classes of the parts, None where all take any."""
        return next((part.n_classes for part in self.parts if part.n_classes is not None), None)

    @property
    def keeps_argmax(self) -> bool:
        """Whether the most likely class stays the same: it does where it does under all parts of positive weight."""
        return all(part.keeps_argmax for _, part in self._present())

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the weighted mean of the parts' values.

        It leaves the simplex where theirs do.
        """
        return self._mean(P, [part.evaluate(P) for _, part in self._present()])

    def evaluate_log(self, log_p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows given as logarithms, or as logits."""
        return self._mean(log_p, [part.evaluate_log(log_p) for _, part in self._present()])

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the weighted means of the parts' expressions, class by class."""
        terms = [[weight * value for value in part.expressions(p)] for weight, part in self._present()]
        return [total(values) for values in zip(*terms, strict=True)]

    def _mean(self, P: FloatArray, values: Sequence[FloatArray]) -> FloatArray:
        mean = np.zeros(P.shape)
        for (weight, _), q in zip(self._present(), values, strict=True):
            mean += weight * q
        return np.where((mean > 1.0) & (mean < 1.0 + ROUNDING), 1.0, mean)  # a sum of shares may be rounded past 1

    def _present(self) -> list[tuple[float, MulticlassMap]]:
        return [(weight, part) for weight, part in zip(self.weights.tolist(), self.parts, strict=True) if weight > 0]
