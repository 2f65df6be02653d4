"""Beta maps: a sigmoid that is linear in ln p and ln(1 - p) (beta calibration)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import CalibrationMap, clipping, finite_number
from fitontest.maps.expressions import Expression, ln_complement, sigmoid_of, within_unit
from fitontest.maps.stored import register
from fitontest.numerics.links import clip_unit, sigmoid
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class BetaMap(CalibrationMap):
    """The curve of beta calibration.

    c_hat(p) = 1 / (1 + exp(-(a ln p - b ln(1 - p) + intercept))).

    Parameters
    ----------
    a, b : float
        Exponents; with a, b >= 0 the map is non-decreasing. With a < 0 it falls where scores are small, with b < 0
        where they are large; its JSON then says ``"decreasing": true``. Of the fits only betacal's give such maps.
    intercept : float
        What is added to the logit.
    eps : float
        Scores are clipped to [eps, 1 - eps].

    Examples
    --------
    >>> BetaMap(a=1.0, b=1.0, intercept=0.0, eps=2.2e-16)([0.25, 0.5]).round(12)
    array([0.25, 0.5 ])
    """

    kind: ClassVar[str] = "beta"

    a: float
    b: float
    intercept: float
    eps: float

    def __post_init__(self) -> None:
        for name in ("a", "b", "intercept"):
            object.__setattr__(self, name, finite_number(getattr(self, name), name))
        object.__setattr__(self, "eps", clipping(self.eps, "eps"))

    @property
    def decreasing(self) -> bool:
        """Whether an exponent is negative: the map falls towards an end of [0, 1], or everywhere if both are."""
        return self.a < 0 or self.b < 0

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the sigmoid of the linear function of ln p and ln(1 - p)."""
        q = clip_unit(p, self.eps)
        return sigmoid(self.a * np.log(q) - self.b * np.log1p(-q) + self.intercept)

    def expression(self, p: Expression) -> Expression:
        """Return the formula of `evaluate`."""
        q = within_unit(p, self.eps)
        return sigmoid_of(self.a * q.ln() - self.b * ln_complement(q, self.eps) + self.intercept)
