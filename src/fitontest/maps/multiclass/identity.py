"""The identity map of several classes: the rows are calibrated already."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fitontest.maps.expressions import Expression
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.stored import register
from fitontest.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class MulticlassIdentityMap(MulticlassMap):
    """g(p) = p, for any number of classes.

    Parameters
    ----------
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Examples
    --------
    >>> MulticlassIdentityMap()([[0.2, 0.3, 0.5]])
    array([[0.2, 0.3, 0.5]])
    """

    kind: ClassVar[str] = "multiclass_identity"

    @property
    def keeps_argmax(self) -> bool:
        """It does."""
        return True

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return P."""
        return P

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return p."""
        return list(p)
