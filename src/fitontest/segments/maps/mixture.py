"""A weighted mean of maps that see features, as stacking makes it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.expressions import Expression, total
from fitontest.maps.mixture import read_mixture
from fitontest.maps.rules.columns import Columns
from fitontest.maps.stored import register
from fitontest.results.typing import FloatArray
from fitontest.segments.maps.base import FeatureMap


@register
@dataclass(frozen=True, eq=False)
class FeatureMixtureMap(FeatureMap):
    """A weighted mean of maps that see the features of a row beside its score.

    c_hat(x, p) = sum_k weights_k c_k(x, p).

    Parameters
    ----------
    weights : array-like of shape (K,)
        Non-negative, of sum 1.
    parts : sequence of K FeatureMap
        In JSON each is written as by itself.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> import fitontest as fot
    >>> women = {"conditions": [{"column": "sex", "relation": "in", "levels": ["f"]}]}
    >>> segments = [([], []), ([women], [1.0])]
    >>> parts = [fot.segments.SegmentOffsetsMap(0.0, 1.0, *each) for each in segments]
    >>> FeatureMixtureMap([0.5, 0.5], parts)({"sex": ["f", "m"]}, [0.5, 0.5]).round(3)
    array([0.616, 0.5  ])
    """

    kind: ClassVar[str] = "feature_mixture"
    weights: FloatArray
    parts: tuple[FeatureMap, ...]

    def __post_init__(self) -> None:
        weights, parts = read_mixture(self.weights, self.parts, FeatureMap, "maps of features")  # type: ignore[type-abstract]
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "parts", parts)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns of the parts of positive weight."""
        return tuple(dict.fromkeys(name for _, part in self._present() for name in part.features))

    def evaluate(self, columns: Columns, logits: FloatArray) -> FloatArray:
        """Return the weighted mean of the parts' values."""
        mean = np.zeros(logits.shape)
        for weight, part in self._present():
            mean += weight * part.evaluate(columns, logits)
        return np.clip(mean, 0.0, 1.0)  # a sum of shares may be rounded past 1

    def expression(self, x: Expression) -> Expression:
        """Return the weighted mean of the parts' expressions.

        Parameters
        ----------
        x : Expression
            The logit.

        Raises
        ------
        ValueError
            A part of positive weight has no formula.
        """
        return total([weight * part.expression(x) for weight, part in self._present()]).clip(0.0, 1.0)

    def _present(self) -> list[tuple[float, FeatureMap]]:
        return [(weight, part) for weight, part in zip(self.weights.tolist(), self.parts, strict=True) if weight > 0]
