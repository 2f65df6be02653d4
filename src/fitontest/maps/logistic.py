"""Logistic maps: a sigmoid of a linear function of the linked score (Platt scaling)."""

from dataclasses import dataclass
from typing import ClassVar

from fitontest.maps.base import CalibrationMap, clipping, finite_number
from fitontest.maps.expressions import Expression, logit_of, sigmoid_of
from fitontest.maps.stored import register
from fitontest.numerics.links import LOGIT, find_link, sigmoid
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class LogisticMap(CalibrationMap):
    """A logistic curve, as of Platt or temperature scaling.

    c_hat(p) = 1 / (1 + exp(-(slope * g(p) + intercept))), with g the logit or the identity.

    Parameters
    ----------
    slope, intercept : float
        With slope < 0 the map is decreasing, and its JSON says so.
    link : {"logit", "identity"}
        The function g.
    eps : float
        Scores are clipped to [eps, 1 - eps] before the logit.

    Examples
    --------
    >>> LogisticMap(slope=1.0, intercept=0.0, link="logit", eps=1e-16)([0.25, 0.5]).round(12)
    array([0.25, 0.5 ])
    """

    kind: ClassVar[str] = "logistic"

    slope: float
    intercept: float
    link: str
    eps: float

    def __post_init__(self) -> None:
        find_link(self.link)
        for name in ("slope", "intercept"):
            object.__setattr__(self, name, finite_number(getattr(self, name), name))
        object.__setattr__(self, "eps", clipping(self.eps, "eps"))

    @property
    def decreasing(self) -> bool:
        """Whether the slope is negative."""
        return self.slope < 0

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the sigmoid of the line in the linked score."""
        return sigmoid(self.slope * find_link(self.link).forward(p, self.eps) + self.intercept)

    def expression(self, p: Expression) -> Expression:
        """Return the formula of `evaluate`."""
        linked = logit_of(p, self.eps) if self.link == LOGIT.name else p
        return sigmoid_of(self.slope * linked + self.intercept)
