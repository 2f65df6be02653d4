"""Step maps: constant between jumps, with values of their own at the jumps."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import CalibrationMap, frozen_array
from fitontest.maps.expressions import Choice, Expression, Number, balanced
from fitontest.maps.stored import register
from fitontest.numerics.search import positions
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, FloatArray


@register
@dataclass(frozen=True, eq=False)
class StepsMap(CalibrationMap):
    """A calibration map of steps, as of isotonic regression.

    c_hat(p) = c[j] for p between the jumps x[j-1] and x[j], and at[j] for p = x[j].

    Before the first jump c_hat is c[0], after the last it is c[M].

    Parameters
    ----------
    x : array-like of shape (M,)
        Strictly increasing jumps in [0, 1]; there may be none.
    c : array-like of shape (M + 1,)
        Values between the jumps, in [0, 1].
    at : array-like of shape (M,)
        Values at the jumps, in [0, 1].

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> StepsMap(x=[0.25, 0.5], c=[0.0, 0.5, 1.0], at=[0.25, 0.75])([0.0, 0.25, 0.4, 0.5, 1.0])
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> StepsMap(x=[], c=[0.3], at=[])(0.6)
    np.float64(0.3)
    """

    kind: ClassVar[str] = "steps"

    x: FloatArray
    c: FloatArray
    at: FloatArray

    def __post_init__(self) -> None:
        x = _frozen_column(self.x, "x")
        if not np.all(np.diff(x) > 0) or (x.size and not (x[0] >= 0 and x[-1] <= 1)):
            raise ValueError(f"x must be strictly increasing jumps in [0, 1], got {brief(x)}")
        object.__setattr__(self, "x", x)
        for name, size, where in (("c", x.size + 1, "per piece"), ("at", x.size, "per jump")):
            values = _frozen_column(getattr(self, name), name)
            if values.size != size or not np.all((values >= 0) & (values <= 1)):
                raise ValueError(f"{name} must hold one value in [0, 1] {where} ({size}), got {values}")
            object.__setattr__(self, name, values)

    @property
    def kinks(self) -> FloatArray:
        """The scores at which the map jumps, as the next floats on both sides.

        A line through them is vertical at a jump and passes by `at`.
        """
        return np.unique(np.nextafter(self.x, [[0.0], [1.0]]))

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the value of the piece or of the jump at each score."""
        jump, piece = positions(self.x, p, "left"), positions(self.x, p, "right")
        values = np.asarray(self.c[piece])
        at_jump = jump < piece
        values[at_jump] = self.at[jump[at_jump]]
        return values

    def expression(self, p: Expression) -> Expression:
        """Return the value of the score's piece or jump."""

        def split(j: int, left: Expression, right: Expression) -> Expression:
            x, at = float(self.x[j]), float(self.at[j])
            if at == self.c[j]:
                return Choice(p, "<=", x, left, right)
            after = right if at == self.c[j + 1] else Choice(p, "<=", x, Number(at), right)
            return Choice(p, "<", x, left, after)

        return balanced([Number(value) for value in self.c.tolist()], split)


def _frozen_column(values: ArrayInput, name: str) -> FloatArray:
    """Return a read-only float64 copy of a column of finite numbers, which may be empty."""
    return _frozen_empty() if _is_empty(values) else frozen_array(values, name)


def _frozen_empty() -> FloatArray:
    empty = np.empty(0)
    empty.flags.writeable = False
    return empty


def _is_empty(values: ArrayInput) -> bool:
    try:
        return np.shape(values) == (0,)
    except ValueError:  # rows of different lengths, which `frozen_array` refuses by name
        return False
