"""One increasing map of two classes for the probabilities of all classes, and rows divided by their sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.checks import brief
from fitontest.maps.base import CalibrationMap, clipping, finite_number
from fitontest.maps.expressions import Expression, divided_by_sum, shared, softmax_of
from fitontest.maps.multiclass.base import MulticlassMap, divided
from fitontest.maps.multiclass.one_vs_rest import TIE_BREAK
from fitontest.maps.multiclass.softmax import first_step
from fitontest.maps.stored import register
from fitontest.numerics.softmax import row_blocks
from fitontest.typing import FloatArray


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
        Smaller probabilities are taken for it, unless beta is 1.
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
        if finite_number(self.beta, "beta") < 0:
            raise ValueError(f"beta must not be negative, got {self.beta!r}")
        object.__setattr__(self, "beta", float(self.beta))
        object.__setattr__(self, "eps", clipping(self.eps, "eps"))
        super().__post_init__()

    @property
    def keeps_argmax(self) -> bool:
        """Whether the most likely class stays the same.

        It does where c does not fall and beta is positive.
        """
        return self.beta > 0 and not self.part.decreasing

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the values of the map, divided by their sums."""
        found = np.empty(P.shape)
        for rows in row_blocks(*P.shape):
            q = P[rows]
            if self.beta != 1.0:
                q = np.exp(first_step(np.log(np.maximum(q, self.eps)), self.beta, 0.0))
            found[rows] = divided(np.clip(self.part.evaluate(q), 0.0, 1.0) + TIE_BREAK * q)
        return found

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the formula of `evaluate`."""
        q = list(p)
        if self.beta != 1.0:
            q = shared(softmax_of([self.beta * one.clip(low=self.eps).ln() for one in p]))
        return divided_by_sum(shared([self.part.expression(one).clip(0.0, 1.0) + TIE_BREAK * one for one in q]))
