"""Atoms: single scores that many rows share, which deserve a level of their own beside a smooth map.

Where 40 % of the scores are exactly 0, a smooth map near 0 follows these rows and misses the others, or the reverse.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.entries import Entries
from fitontest.typing import BoolArray, FloatArray, IntArray

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
    def of_entries(cls, entries: Entries) -> "Atoms":
        """Return those of entries, where whole weights count rows."""
        w = entries.group_w
        return cls.of(entries.group_p, w, float(w.sum()) if entries.whole else entries.effective_rows)

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
        return np.asarray((wy + (own * self.p)[:, None]) / (self.w + own)[:, None])
