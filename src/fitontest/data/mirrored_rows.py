"""Mirrored rows: two rows of one event, p and 1 - p, of which exactly one is positive.

A table of games often has a row for each side, and one of elections a row for each party, maybe on many days. Both rows
of an event say the same: their residuals are y - p and its negative. Over a group they cancel, so that they hide how
alike events are, while everything but the mean counts each event twice.

Rows are **mirrored** where scores come as p and 1 - p, within each group if rows belong to groups, and labels as y and
1 - y. Scores alone say which row is the mirror of which; labels say whether it is chance. Of independent rows one of
two events of true probability c is positive, and the other not, with probability 2 c (1 - c), and so do a row and what
its mirror says of the same event differ. So the squares of these differences are compared with what they would be, over
rows of the same p and 1 - p: mirrored rows never differ.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.typing import BoolArray, FloatArray, IntArray

ROUNDING = 5e-7  # by which scores of single precision, or of seven digits, miss 1 - p
MOST = 0.9  # of the rows, that must have a mirror
FEWEST = 10  # scores, up to their mirror, that have both
LEAST = 4.0  # events that would differ by chance
RATIO = 0.05  # of those that differ to those that would
PARTS = 20  # of the events in the order of their scores, each of which has a share of positives


@dataclass(frozen=True, eq=False)
class MirroredRows:
    """Which rows, or entries of n rows each, may be the mirrors of others by their scores.

    Attributes
    ----------
    n : int array of shape (m,)
        Rows behind each entry.
    folded : array of shape (m,)
        The larger one of p and 1 - p.
    upper : bool array of shape (m,)
        Whether an entry is on the side of p >= 1/2; of scores of 1/2 every other one.
    place : int array of shape (m,)
        Which entries have the same group and the same p up to its mirror: numbers from 0 to J - 1.
    partner : int array of shape (m,)
        Of a lower entry the upper one that it mirrors; of others, and of those without a mirror, their own place.

    Examples
    --------
    >>> rows = MirroredRows.of(np.array([0.2, 0.3, 0.8, 0.8]))
    >>> rows.partner, rows.upper
    (array([2, 1, 2, 3]), array([False, False,  True,  True]))
    """

    n: IntArray
    folded: FloatArray
    upper: BoolArray
    place: IntArray
    partner: IntArray

    @classmethod
    def of(cls, p: FloatArray, group: IntArray | None = None, n: IntArray | None = None) -> "MirroredRows":
        """Return the mirrors by scores and groups.

        Parameters
        ----------
        p : array of shape (m,)
            Scores.
        group : int array of shape (m,), optional
            By default all are in one.
        n : int array of shape (m,), optional
            Rows behind each entry, by default one; only entries of as many rows are mirrors of each other.
        """
        n = np.ones(p.size, dtype=np.intp) if n is None else np.asarray(n)
        group = np.zeros(p.size, dtype=np.intp) if group is None else group
        folded = np.maximum(p, 1.0 - p)
        order = np.lexsort((n, folded, group))
        new = (np.diff(group[order], prepend=-1) != 0) | (np.diff(folded[order], prepend=-1.0) > ROUNDING)
        place = np.empty(p.size, dtype=np.intp)
        place[order] = np.cumsum(new) - 1
        upper = p > 0.5
        middle = order[folded[order] <= 0.5 + ROUNDING]
        upper[middle[::2]], upper[middle[1::2]] = True, False
        return cls(n, folded, upper, place, _partners(place, n, upper))

    @property
    def sign(self) -> FloatArray:
        """1 of upper and -1 of lower entries, shape (m,)."""
        return np.where(self.upper, 1.0, -1.0)

    @cached_property
    def kept(self) -> IntArray:
        """One entry of each event, and those without a mirror."""
        return np.flatnonzero(self.partner == np.arange(self.partner.size))

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The lower entries that have a partner, and these partners."""
        lower = np.flatnonzero(self.partner != np.arange(self.partner.size))
        return lower, self.partner[lower]

    def folded_positives(self, positives: IntArray) -> IntArray:
        """Return how many rows of each entry are positive, or of a lower one negative: what it says of its event."""
        return np.where(self.upper, positives, self.n - positives)

    def are_there(self, positives: IntArray) -> bool:
        """Return whether rows are mirrored, by how many of the rows of each entry are positive."""
        above, below = self._sums(self.n, self.upper), self._sums(self.n, ~self.upper)
        even = (above == below) & (above > 0)
        if np.count_nonzero(even) < FEWEST or float((above + below)[even].sum()) < MOST * float(self.n.sum()):
            return False
        says = self.folded_positives(positives)
        one, other = self._sums(says, self.upper)[even], self._sums(says, ~self.upper)[even]
        events, score = above[even], np.empty(above.size)
        score[self.place] = self.folded
        c = _local_shares(score[even], one + other, 2.0 * events)
        expected = float((2.0 * events * c * (1.0 - c)).sum())
        return expected >= LEAST and float(((one - other) ** 2).sum()) <= RATIO * expected

    def _sums(self, values: IntArray, of: BoolArray) -> FloatArray:
        """Return the sums of values over the chosen entries of each place."""
        return np.asarray(np.bincount(self.place, values * of))


def mirrored_rows(
    p: FloatArray, positives: IntArray, group: IntArray | None = None, n: IntArray | None = None
) -> MirroredRows | None:
    """Return which rows mirror which, or None where they are not mirrored.

    Parameters
    ----------
    p, group, n
        As for `MirroredRows.of`.
    positives : int array of shape (m,)
        How many rows of each entry are positive.
    """
    rows = MirroredRows.of(p, group, n)
    return rows if rows.are_there(positives) else None


def _partners(place: IntArray, n: IntArray, upper: BoolArray) -> IntArray:
    """Return of each lower entry the upper one of its place that has as many lower ones before it, if as large."""
    partner = np.arange(place.size)
    order = np.lexsort((n, ~upper, place))
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    size = np.diff(first, append=place.size)
    above = np.add.reduceat(upper[order].astype(np.intp), first)
    rank = np.arange(place.size) - np.repeat(first, size)
    of_upper = np.repeat(above, size)
    found = np.flatnonzero((rank >= of_upper) & (rank < 2 * of_upper))
    lower, other = order[found], order[found - of_upper[found]]
    same = n[lower] == n[other]
    partner[lower[same]] = other[same]
    return partner


def _local_shares(score: FloatArray, positives: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the share of positives among places of near scores."""
    order = np.argsort(score, kind="stable")
    part = np.empty(score.size, dtype=np.intp)
    part[order] = np.arange(score.size) * min(PARTS, score.size) // score.size
    return np.asarray((np.bincount(part, positives) / np.bincount(part, rows))[part])
