"""One increasing map of two classes for the probabilities of all classes, and rows divided by their sums."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import CalibrationMap
from fitontest.maps.expressions import Expression, divided_by_sum, shared, softmax_of
from fitontest.maps.multiclass.base import MulticlassMap, divided
from fitontest.maps.multiclass.first_step import (
    first_step,
    logs_of,
    logs_of_expressions,
    logs_of_logits,
    read_first_step,
    read_floor,
)
from fitontest.maps.multiclass.one_vs_rest import TIE_BREAK
from fitontest.maps.stored import register
from fitontest.numerics.softmax import row_blocks, softmax
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class SharedMap(MulticlassMap):
    """One calibration map that all classes share, rescaled so that the probabilities add up to 1.

    g_k(p) = r_k / sum_l r_l, where r_k = c(q_k) + 1e-9 q_k and q = softmax(beta ln max(p, eps)), for any K.

    Parameters
    ----------
    part : CalibrationMap
        c, the same for every class; clipped to [0, 1]. Non-decreasing, so that the order within a row stays.
    beta : float, default=1.0
        Inverse temperature; with 1, q is p.
    eps : float, default=1e-16
        Smaller probabilities are taken for it, unless beta is 1; with 0 none of rows given as logarithms, and 2.2e-308
        for others.
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Examples
    --------
    >>> from fitontest.maps import KnotsMap
    >>> SharedMap(KnotsMap([0, 0.5, 1], [0.1, 0.3, 0.9]))([[0.5, 0.5, 0], [1, 0, 0]]).round(3)
    array([[0.429, 0.429, 0.143],
           [0.818, 0.091, 0.091]])
    """

    kind: ClassVar[str] = "shared"

    part: CalibrationMap
    beta: float = 1.0
    eps: float = 1e-16

    def __post_init__(self) -> None:
        if not isinstance(self.part, CalibrationMap):
            raise ValueError(f"part must be a calibration map of two classes, got {brief(self.part)}")
        object.__setattr__(self, "beta", read_first_step(self.beta, 0.0)[0])
        object.__setattr__(self, "eps", read_floor(self.eps))
        super().__post_init__()

    @property
    def keeps_argmax(self) -> bool:
        """Whether the most likely class stays the same.

        It does where c does not fall and beta is positive.
        """
        return self.beta > 0 and not self.part.decreasing

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the values of the map, divided by their sums."""
        if self.beta == 1.0:
            return self._divided(P, np.asarray)
        return self._divided(P, lambda p: self._scaled(logs_of(p, self.eps)))

    def evaluate_log(self, log_p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows given as logarithms, or as logits."""
        if self.beta == 1.0:
            return self._divided(log_p, softmax)
        return self._divided(log_p, lambda z: self._scaled(logs_of_logits(z, self.eps)))

    def _scaled(self, log_p: FloatArray) -> FloatArray:
        return np.asarray(np.exp(first_step(log_p, self.beta, 0.0)))

    def _divided(self, given: FloatArray, scores: Callable[[FloatArray], FloatArray]) -> FloatArray:
        found = np.empty(given.shape)
        for rows in row_blocks(*given.shape):
            q = scores(given[rows])
            found[rows] = divided(np.clip(self.part.evaluate(q), 0.0, 1.0) + TIE_BREAK * q)
        return found

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the formula of `evaluate`."""
        q = list(p)
        if self.beta != 1.0:
            q = shared(softmax_of([self.beta * one for one in logs_of_expressions(p, self.eps)]))
        return divided_by_sum(shared([self.part.expression(one).clip(0.0, 1.0) + TIE_BREAK * one for one in q]))
