"""Mirrored rows: two rows of one event, p and 1 - p, of which exactly one is positive.

A table of games often has a row for each side, and one of elections a row for each party, maybe on many days. Both rows
of an event say the same: their residuals are y - p and its negative. Over a group they cancel, so that they hide how
alike events are, while everything but the mean counts each event twice.

Rows are **mirrored** where scores come as p and 1 - p, within each group if rows belong to groups, and labels as y and
1 - y. Scores alone say which row is the mirror of which; labels say whether it is chance. Of independent rows one of
two events of true probability c is positive, and the other not, with probability 2 c (1 - c), and so do a row and what
its mirror says of the same event differ. So the squares of these differences are compared with what they would be, over
rows of the same p and 1 - p: mirrored rows never differ. Where a group is two rows alone their scores need not add up
to 1 but for a fifth, since odds have a margin.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.label_shares import near_shares
from fitontest.results.typing import BoolArray, FloatArray, IntArray

ROUNDING = 5e-7  # by which scores of single precision, or of seven digits, miss 1 - p
MARGIN = 0.2  # by which the scores of two rows, alone in their group, may miss 1
MOST = 0.5  # of the rows, that must have a mirror
FEWEST = 10  # scores, up to their mirror, that have both
LEAST = 8.0  # events that would differ by chance
LEAST_IN_GROUPS = 4.0  # where rows must have their mirrors in their own groups
TRIED = 1000  # entries that are looked at first
RATIO = 0.05  # of those that differ to those that would


@dataclass(frozen=True, eq=False)
class MirroredRows:
    """Which rows, or entries of n rows each, may be the mirrors of others by their scores.

    Attributes
    ----------
    n : int array of shape (m,)
        Rows behind each entry.
    grouped : bool
        Whether each has its mirror in its own group.
    folded : array of shape (m,)
        p of upper entries and 1 - p of lower ones.
    upper : bool array of shape (m,)
        Whether an entry is on the side of p >= 1/2; of scores of 1/2 every other one.
    place : int array of shape (m,)
        Which entries have the same group and the same p up to its mirror, or are the two of one group: numbers from 0
        to J - 1.
    partner : int array of shape (m,)
        Of a lower entry the upper one that it mirrors; of others, and of those without a mirror, their own place.

    Examples
    --------
    >>> rows = MirroredRows.of(np.array([0.2, 0.3, 0.8, 0.8]))
    >>> rows.partner, rows.upper
    (array([2, 1, 2, 3]), array([False, False,  True,  True]))
    """

    n: IntArray
    grouped: bool
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
        n, grouped = np.ones(p.size, dtype=np.intp) if n is None else np.asarray(n), group is not None
        either = np.abs(p - 0.5) <= ROUNDING  # which may be on any side
        if group is None:
            group = np.zeros(p.size, dtype=np.intp)
        else:
            one = (np.bincount(group) == 2) & (np.abs(np.bincount(group, p) - 1.0) <= MARGIN)
            either |= one[group]
        key = np.where(either, 0.5, np.maximum(p, 1.0 - p))
        order = np.lexsort((p, key, group))
        new = (np.diff(group[order], prepend=-1) != 0) | (np.diff(key[order], prepend=-1.0) > ROUNDING)
        place = np.empty(p.size, dtype=np.intp)
        place[order] = np.cumsum(new) - 1
        upper = p > 0.5
        beside = order[either[order]]
        upper[beside[::2]], upper[beside[1::2]] = False, True
        return cls(n, grouped, np.where(upper, p, 1.0 - p), upper, place, _partners(place, n, upper))

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

    @property
    def events(self) -> int:
        """How many events rows are of, those without a mirror among them."""
        return int(self.n[self.kept].sum())

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
        c = near_shares(score[even], one + other, 2.0 * events)
        expected = float((2.0 * events * c * (1.0 - c)).sum())
        least = LEAST_IN_GROUPS if self.grouped else LEAST
        return expected >= least and float(((one - other) ** 2).sum()) <= RATIO * expected

    def _sums(self, values: IntArray, of: BoolArray) -> FloatArray:
        """Return the sums of values over the chosen entries of each place."""
        return np.asarray(np.bincount(self.place, values * of))


def mirrored_rows(
    p: FloatArray, positives: IntArray, group: IntArray | None = None, n: IntArray | None = None
) -> MirroredRows | None:
    """Return which rows mirror which, or None where they are not mirrored.

    Parameters
    ----------
    p : array of shape (m,)
        Scores in increasing order.
    positives : int array of shape (m,)
        How many rows of each entry are positive.
    group, n
        As for `MirroredRows.of`.
    """
    some = 1.0 - p[np.linspace(0, p.size - 1, TRIED).astype(np.intp)]
    room = ROUNDING if group is None else MARGIN
    has_near = np.searchsorted(p, some + room, "right") > np.searchsorted(p, some - room)
    if float(has_near.mean()) < MOST / 2.0:  # hardly any score has a mirror
        return None
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
