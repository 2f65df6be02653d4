"""The identity map: the scores are probabilities already."""

from dataclasses import dataclass
from typing import ClassVar

from fitontest.maps.base import CalibrationMap
from fitontest.maps.expressions import Expression
from fitontest.maps.stored import register
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class IdentityMap(CalibrationMap):
    """The calibration map that leaves scores as they are.

    c_hat(p) = p.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.maps.IdentityMap()([0.2, 0.9])
    array([0.2, 0.9])
    """

    kind: ClassVar[str] = "identity"

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the scores."""
        return p

    def expression(self, p: Expression) -> Expression:
        """Return the expression of the scores themselves."""
        return p
