"""A map with values of its own at single scores, which many rows share, and another map everywhere else."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import CalibrationMap, frozen_array
from fitontest.maps.expressions import Choice, Expression, Number, shared
from fitontest.maps.stored import register
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class AtomsMap(CalibrationMap):
    """A calibration map with values of its own at single scores, and another map elsewhere.

    c_hat(p) = levels_k where p = at_k, and rest(p) where p is none of these scores.

    A score is one of them only if it is the same float: apply the map to scores of the precision it was fitted to.

    Parameters
    ----------
    at : array-like of shape (K,)
        Scores in [0, 1], strictly increasing; at least one.
    levels : array-like of shape (K,)
        The values there, in [0, 1].
    rest : CalibrationMap
        The map of all other scores.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> from fitontest.maps import IdentityMap
    >>> from fitontest.maps.atoms import AtomsMap
    >>> AtomsMap(at=[0.0, 0.5], levels=[0.02, 0.4], rest=IdentityMap())([0.0, 0.25, 0.5])
    array([0.02, 0.25, 0.4 ])
    """

    kind: ClassVar[str] = "atoms"

    at: FloatArray
    levels: FloatArray
    rest: CalibrationMap

    def __post_init__(self) -> None:
        at, levels = frozen_array(self.at, "at"), frozen_array(self.levels, "levels")
        if at.ndim != 1 or at.size == 0 or at[0] < 0 or at[-1] > 1 or not np.all(np.diff(at) > 0):
            raise ValueError(f"at must hold strictly increasing scores in [0, 1], at least one; got {brief(at)}")
        if levels.shape != at.shape:
            raise ValueError(f"levels must hold one value per score, shape {at.shape}; got shape {levels.shape}")
        if levels.min() < 0 or levels.max() > 1:
            raise ValueError(f"levels must lie in [0, 1], got {brief(levels)}")
        if not isinstance(self.rest, CalibrationMap):
            raise ValueError(f"rest must be a calibration map, got {brief(self.rest)}")
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "levels", levels)

    @property
    def kinks(self) -> FloatArray:
        """The scores with values of their own, and those at which the other map bends or jumps."""
        return np.unique(np.concatenate([self.at, self.rest.kinks]))

    @property
    def leaves_unit_interval(self) -> bool:
        """Whether values of the other map may be outside [0, 1]."""
        return self.rest.leaves_unit_interval

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the levels at their scores, and the other map's values elsewhere."""
        place = np.minimum(np.searchsorted(self.at, p), self.at.size - 1)
        return np.where(self.at[place] == p, self.levels[place], self.rest.evaluate(p))

    def expression(self, p: Expression) -> Expression:
        """Return the choice among the levels and the other map's expression."""
        (rest,) = shared([self.rest.expression(p)])
        chosen = rest
        for score, level in zip(self.at[::-1].tolist(), self.levels[::-1].tolist(), strict=True):
            chosen = Choice(p, "<", score, rest, Choice(p, "<=", score, Number(level), chosen))
        return chosen

    def split_atoms(self) -> tuple[CalibrationMap, FloatArray]:
        """Return the map of all other scores, which has no spikes, and the scores with values of their own.

        Examples
        --------
        >>> from fitontest.maps import IdentityMap
        >>> AtomsMap(at=[0.5], levels=[0.4], rest=IdentityMap()).split_atoms()
        (IdentityMap(), array([0.5]))
        """
        rest, inner = self.rest.split_atoms()
        return rest, np.unique(np.concatenate((self.at, inner)))
