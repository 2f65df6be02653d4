"""The identity map of several classes: the rows are calibrated already."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fitontest.maps.expressions import Expression
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.stored import register
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class MulticlassIdentityMap(MulticlassMap):
    """The calibration map that leaves the probabilities of all classes as they are.

    g(p) = p, for any number of classes.

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
        """Whether the most likely class stays the same: it does."""
        return True

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the probabilities."""
        return P

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the expressions of the probabilities themselves."""
        return list(p)
