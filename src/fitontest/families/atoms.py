"""Atoms: single scores that many rows share, which deserve a level of their own beside a smooth map.

Where 40 % of the scores are exactly 0, a smooth map near 0 follows these rows and misses the others, or the reverse.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.entries import Entries, count_effective_rows
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Solution
from fitontest.maps.atoms import AtomsMap
from fitontest.results.checks import check_flag
from fitontest.results.typing import BoolArray, FloatArray, IntArray

SHARE, ROWS = 0.02, 30  # of the rows, and rows at least, that one score must have
MOST = 10  # such scores; where there are more, the scores are a grid, and
LARGE_SHARE = 0.10  # of the rows is asked of each
ROUNDING = 1e-12  # relative, of sums of weights


@dataclass(frozen=True, eq=False)
class Atoms:
    """The scores that have levels of their own.

    Attributes
    ----------
    place : int array of shape (A,)
        Their places among the distinct scores.
    p, w : arrays of shape (A,)
        These scores, and the weight of each.
    rest : bool array of shape (G,)
        Which distinct scores the smooth map is fitted to: the others, or all where there are no others.

    Examples
    --------
    >>> import numpy as np
    >>> atoms = Atoms.of(np.array([0.0, 0.3, 0.7]), np.array([400.0, 10.0, 20.0]), rows=430.0)
    >>> atoms.p, atoms.rest
    (array([0.]), array([False,  True,  True]))
    """

    place: IntArray
    p: FloatArray
    w: FloatArray
    rest: BoolArray

    @classmethod
    def of(cls, p: FloatArray, w: FloatArray, rows: float) -> "Atoms":
        """Return those among distinct scores with weights w, which tell as much as that many rows of equal weight.

        They are the scores of at least 2 % of the rows and 30 rows, if there are at most ten; else those of at least
        10 % of the rows.
        """
        share = w / w.sum() * (1.0 + ROUNDING)
        enough = share * rows >= ROWS
        place = np.flatnonzero((share >= SHARE) & enough)
        if place.size > MOST:
            place = np.flatnonzero((share >= LARGE_SHARE) & enough)
        rest = np.ones(p.size, dtype=bool)
        if place.size < p.size:
            rest[place] = False
        return cls(place, p[place], w[place], rest)

    @classmethod
    def none(cls, entries: Entries) -> "Atoms":
        """Return those of a map that gives no score of the entries a level of its own."""
        empty = np.zeros(0)
        return cls(empty.astype(np.intp), empty, empty, np.ones(entries.distinct_p.size, dtype=bool))

    @classmethod
    def of_entries(cls, entries: Entries) -> "Atoms":
        """Return those of entries, where whole weights count rows."""
        w = entries.distinct_w
        return cls.of(entries.distinct_p, w, float(w.sum()) if entries.whole else count_effective_rows(entries))

    @classmethod
    def of_sample(cls, sample: ScoreSample) -> "Atoms":
        """Return those of a sample, where whole weights count rows."""
        return cls.of(sample.distinct.p, sample.distinct.w, sample.effective_rows)

    def __len__(self) -> int:
        return self.place.size

    def levels(self, wy: FloatArray, prior: float, total: float) -> FloatArray:
        """Return the mean label at each atom, shape (A, B), with its share of prior rows whose labels are the score.

        Parameters
        ----------
        wy : array of shape (A, B)
            Weight of the positives.
        prior : float
            Weight of the prior rows of all scores together.
        total : float
            Weight of all rows.
        """
        own = prior * self.w / total
        levels = (wy + (own * self.p)[:, None]) / (self.w + own)[:, None]
        return np.clip(levels, 0.0, 1.0)  # sums of weights are rounded


def solve_beside_atoms(
    sample: ScoreSample, atoms: object, solve: Callable[[ScoreSample], Solution], prior: float = 0.0
) -> Solution:
    """Return what a family fits to the rows of no atom, in a map with the levels of the atoms around it.

    Parameters
    ----------
    sample : ScoreSample
    atoms : bool
        The family's setting; False leaves all rows to the family.
    solve : callable
        Fits the family to a sample; it draws its folds of these rows alone.
    prior : float, default=0.0
        Prior rows of all scores together, whose labels are the scores; each level gets its share of them.
    """
    found = Atoms.of_sample(sample) if check_flag(atoms, "atoms") else None
    if found is None or len(found) == 0:
        return solve(sample)
    distinct = sample.distinct
    rest = found.rest[np.searchsorted(distinct.p, sample.rows.p)]
    solution = solve(sample if rest.all() else sample.take(rest))
    levels = found.levels(distinct.wy[found.place][:, None], prior * sample.row_weight, float(distinct.w.sum()))
    return replace(solution, map=AtomsMap(found.p, levels[:, 0], solution.map))


def values_beside_atoms(
    entries: Entries,
    positives: IntArray,
    atoms: object,
    own_values: Callable[[Entries, IntArray], FloatArray],
) -> FloatArray:
    """Return the values at the distinct scores for several labellings, as `solve_beside_atoms` fits them, shape (G, B).

    Parameters
    ----------
    entries, positives
        As for `Family.fit_many`.
    atoms : bool
        The family's setting.
    own_values : callable
        That of the family for the entries of no atom.
    """
    found = Atoms.of_entries(entries) if check_flag(atoms, "atoms") else None
    if found is None or len(found) == 0:
        return own_values(entries, positives)
    wy = entries.distinct_wy(positives)[found.place]
    levels = found.levels(wy, 0.0, float(entries.distinct_w.sum()))
    if found.rest.all():
        return levels
    rest = found.rest[entries.place]
    if "rest of atoms" not in entries.memory:
        entries.memory["rest of atoms"] = entries.without(np.flatnonzero(~rest))
    values = np.empty((found.rest.size, positives.shape[1]))
    values[found.rest] = own_values(entries.memory["rest of atoms"], positives[rest])
    values[found.place] = levels
    return values
