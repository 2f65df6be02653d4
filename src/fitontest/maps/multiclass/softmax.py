"""Softmax maps: the softmax of a linear function of the logarithms of the probabilities.

Temperature scaling, bias-corrected temperature, vector and matrix scaling and Dirichlet calibration are all of them,
with more or fewer free numbers in W and b.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.arrays import check_finite
from fitontest.maps.base import frozen_array
from fitontest.maps.expressions import Expression, Number, softmax_of, total
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.multiclass.first_step import (
    first_step,
    first_step_of,
    logs_of,
    read_first_step,
    read_floor,
    scores_of_logits,
)
from fitontest.maps.stored import register
from fitontest.numerics.softmax import row_blocks, to_softmax
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, FloatArray


@register
@dataclass(frozen=True, eq=False)
class SoftmaxMap(MulticlassMap):
    """A linear layer and a softmax on the probabilities, as of temperature, vector, matrix and Dirichlet scaling.

    g(p) = softmax(W x + b), x = ln q, where q is p scaled by a temperature and mixed with the uniform distribution.

    In full: q = (1 - mix) softmax(beta ln max(p, eps)) + mix / K. With beta = 1 and mix = 0 there is no such first
    step, and x is ln max(p, eps).

    Parameters
    ----------
    W : array-like of shape (K,) or (K, K)
        The diagonal of W, which then has no other entries, or all of W, row k for class k.
    b : array-like of shape (K,)
        Biases. A constant added to all of them changes nothing.
    beta : float, default=1.0
        Inverse temperature of the first step, at least 0.
    mix : float, default=0.0
        Share of the uniform distribution, in [0, 1]: a soft lower limit for zeros.
    eps : float, default=1e-16
        Smaller probabilities are taken for it; with 0 none of rows given as logarithms, and 2.2e-308 for others.
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> SoftmaxMap(W=[2, 2, 2], b=[0, 0, 0])([[0.5, 0.25, 0.25], [1, 0, 0]]).round(3)
    array([[0.667, 0.167, 0.167],
           [1.   , 0.   , 0.   ]])
    """

    kind: ClassVar[str] = "softmax"

    W: FloatArray
    b: FloatArray
    beta: float = 1.0
    mix: float = 0.0
    eps: float = 1e-16

    def __post_init__(self) -> None:
        b = frozen_array(self.b, "b")
        if b.size < 2:
            raise ValueError(f"b must hold a bias for each of two classes or more, got {brief(b)}")
        W = _frozen_weights(self.W, b.size)
        beta, mix = read_first_step(self.beta, self.mix)
        values = {"W": W, "b": b, "beta": beta, "mix": mix, "eps": read_floor(self.eps)}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        super().__post_init__()

    @property
    def n_classes(self) -> int:
        """The number of biases."""
        return self.b.size

    @property
    def keeps_argmax(self) -> bool:
        """Whether the most likely class stays the same.

        It does where one positive slope multiplies all scores, and no bias differs.
        """
        return bool(self._has_one_slope and self.W[0] > 0 and not np.ptp(self.b) and self.beta > 0 and self.mix < 1)

    @property
    def _has_one_slope(self) -> bool:
        return self.W.ndim == 1 and not np.ptp(self.W)

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the calibrated probabilities, softmax(W x + b)."""
        found = np.empty(P.shape)
        for rows in row_blocks(*P.shape):
            found[rows] = self._softmax(first_step(logs_of(P[rows], self.eps), self.beta, self.mix))
        return found

    def evaluate_log(self, log_p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows given as logarithms, or as logits."""
        found, one_slope = np.empty(log_p.shape), self._has_one_slope
        for rows in row_blocks(*log_p.shape):
            x = scores_of_logits(log_p[rows], self.eps, self.beta, self.mix, differences=one_slope)
            found[rows] = self._softmax(x)
        return found

    def _softmax(self, x: FloatArray) -> FloatArray:
        z = x * self.W if self.W.ndim == 1 else x @ self.W.T
        z += self.b
        to_softmax(z)
        return z

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the formula of `evaluate`."""
        x = first_step_of(p, self.eps, self.beta, self.mix)
        if self.W.ndim == 1:
            return softmax_of([w * one + b for w, one, b in zip(self.W.tolist(), x, self.b.tolist(), strict=True)])
        rows = zip(self.W.tolist(), self.b.tolist(), strict=True)
        return softmax_of(
            [total([w * one for w, one in zip(row, x, strict=True) if w] + [Number(b)]) for row, b in rows]
        )


def _frozen_weights(values: ArrayInput, K: int) -> FloatArray:
    """Return a read-only copy of K numbers, or of K rows of K."""
    W = np.asarray(values)
    if W.ndim != 2:
        W = frozen_array(values, "W")
    elif W.dtype.kind in "iuf":
        W = W.astype(np.float64)
        check_finite(W.reshape(-1), "W", W.shape)
        W.flags.writeable = False
    if W.shape not in ((K,), (K, K)) or W.dtype != np.float64:
        raise ValueError(f"W must be {K} numbers, or {K} rows of {K} numbers, as b has {K}; got {brief(values)}")
    return W
