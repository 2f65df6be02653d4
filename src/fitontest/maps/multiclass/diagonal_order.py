"""Maps that never change the order within a row: one increasing polygon for the scores of all classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import frozen_array
from fitontest.maps.expressions import Expression, line, pieces, softmax_of
from fitontest.maps.multiclass.first_step import first_step_of
from fitontest.maps.multiclass.in_order import InOrder, InOrderMap
from fitontest.maps.stored import register
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class DiagonalOrderMap(InOrderMap):
    """A map that keeps the order within a row: one increasing polygon of the scores, the same for all classes.

    g(p) = softmax(f(x_1), ..., f(x_K)), where f is straight between knots, with slopes of at least 0.

    x = ln q, q = (1 - mix) softmax(beta ln max(p, eps)) + mix / K. The first and the last piece have no end, so that f
    is defined for all scores and any number of classes. If all slopes are 1, g(p) is q.

    Parameters
    ----------
    knots : array-like of shape (B - 1,)
        Where the pieces meet, strictly increasing; at least one.
    slopes : array-like of shape (B,)
        Slopes of the pieces, at least 0.
    beta : float, default=1.0
        Inverse temperature of the first step, at least 0.
    mix : float, default=0.0
        Share of the uniform distribution, in [0, 1].
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
    >>> DiagonalOrderMap(knots=[-1.0], slopes=[0.5, 2.0])([[0.6, 0.3, 0.1]]).round(3)
    array([[0.651, 0.221, 0.128]])
    """

    kind: ClassVar[str] = "diagonal_order"

    knots: FloatArray
    slopes: FloatArray
    beta: float = 1.0
    mix: float = 0.0
    eps: float = 1e-16

    def __post_init__(self) -> None:
        knots, slopes = frozen_array(self.knots, "knots"), frozen_array(self.slopes, "slopes")
        if knots.size < 1 or not np.all(np.diff(knots) > 0):
            raise ValueError(f"knots must be strictly increasing, at least one; got {brief(self.knots)}")
        if slopes.size != knots.size + 1 or slopes.min() < 0:
            raise ValueError(
                f"slopes must be {knots.size + 1} numbers that are not negative, as there are {knots.size} knots; "
                f"got {brief(self.slopes)}"
            )
        self._put(knots=knots, slopes=slopes)
        super().__post_init__()

    def _values(self, rows: InOrder) -> FloatArray:
        piece = np.searchsorted(self.knots, rows.y, side="right")
        start, values = self._starts()
        return np.asarray(values[piece] + self.slopes[piece] * (rows.y - start[piece]))

    def _starts(self) -> tuple[FloatArray, FloatArray]:
        """Return a knot of each piece, and the value of f there; it is 0 at the first."""
        rises = self.slopes[1:-1] * np.diff(self.knots)
        values = np.concatenate(([0.0], np.cumsum(rises)))
        return np.append(self.knots[0], self.knots), np.append(0.0, values)

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the formula of `evaluate`."""
        x = first_step_of(p, self.eps, self.beta, self.mix)
        start, values = self._starts()
        parts = list(zip(values.tolist(), self.slopes.tolist(), start.tolist(), strict=True))
        return softmax_of(
            [pieces(one, self.knots, [line(value, slope, one - at) for value, slope, at in parts]) for one in x]
        )
