"""Bins that divide scores evenly without a look at the labels: equal widths, with edges at i / K, and equal masses.

Each of equal mass holds as nearly the same weight as whole groups of tied scores allow. The bins are made from the
left. With B bins still to make and weight R left, the goal is R / B; groups are taken until it is reached. The group
that reaches it stays, unless it alone is heavier than the goal, is not the first of its bin, and the bin is at least as
near the goal without it. Without ties and weights the sizes are exactly those of ``numpy.array_split``.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.partitions.partition import Closed, Partition, check_closed, uniform_edges
from fitontest.partitions.partitioner import Partitioner, check_n_bins, edges_between
from fitontest.partitions.rule import register
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True)
class EqualBins(Partitioner):
    """Base of the rules that divide scores evenly, without a look at the labels.

    Attributes
    ----------
    name : {"equal_mass", "equal_width"}
        What the rule is registered as.
    """

    name: ClassVar[Literal["equal_mass", "equal_width"]]

    n_bins: int = 10
    closed: Closed = "left"

    def __post_init__(self) -> None:
        check_n_bins(self.n_bins)
        check_closed(self.closed)

    @abstractmethod
    def bounds(self, candidates: IntArray, p: FloatArray, w: FloatArray) -> IntArray:
        """Return where the bins of each candidate begin and end among distinct scores, as bins of its own number.

        Parameters
        ----------
        candidates : int array of shape (C,)
            Numbers of bins.
        p : array of shape (G,)
            Distinct scores, in increasing order.
        w : array of shape (G,)
            Their weights; a score without weight makes no bin, but lies in one.

        Returns
        -------
        bounds : int array of shape (C, B + 1)
            From 0 to G; bins that a candidate does not have are empty ones at the end.
        """


FEW = 10_000  # bins that are kept for the next call


@register("equal_width")
class EqualWidth(EqualBins):
    """Make bins of equal width.

    The edges of `n_bins` bins in [0, 1] are i / n_bins.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins, at least 1. Some may be empty.
    closed : {"left", "right"}, default="left"
        A score exactly on an edge belongs to the bin above it ("left") or below it ("right"). Scores rounded to a
        few decimals land on edges often, and libraries disagree: this is why the rule is a parameter.

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import EqualWidth
    >>> EqualWidth(4).partition(ScoreSample([0, 1], [0.1, 0.9])).edges
    array([0.25, 0.5 , 0.75])
    """

    name = "equal_width"

    def partition(self, sample: ScoreSample) -> Partition:  # noqa: ARG002 - equal width uses no data
        """Return the bins; the data are not used."""
        return _bins(int(self.n_bins), self.closed)

    def bounds(self, candidates: IntArray, p: FloatArray, w: FloatArray) -> IntArray:  # noqa: ARG002 - as said above
        """Return where the edges lie among the scores."""
        bounds = np.full((candidates.size, int(candidates.max()) + 1), p.size, dtype=np.intp)
        bounds[:, 0] = 0
        for row, n_bins in zip(bounds, candidates, strict=True):
            row[1:n_bins] = np.searchsorted(p, uniform_edges(int(n_bins)), side=self.closed)
        return bounds


def _bins(n_bins: int, closed: Closed) -> Partition:
    """Return the bins; few of them are kept, since to check their edges takes longer than to bin 1000 rows."""
    return _few_bins(n_bins, closed) if n_bins <= FEW else Partition(uniform_edges(n_bins), closed)


@lru_cache(maxsize=8)
def _few_bins(n_bins: int, closed: Closed) -> Partition:
    return Partition(uniform_edges(n_bins), closed)


WEIGHT_TOLERANCE = 1e-12  # of the total: sums of weights that differ by less are equal


@register("equal_mass")
class EqualMass(EqualBins):
    """Make bins with the same number of rows; equal scores are never split.

    There are at most `n_bins` bins, of equal weight.

    Parameters
    ----------
    n_bins : int, default=10
        Largest number of bins. Fewer are made when there are fewer distinct scores, or when heavy ties leave no room;
        no bin is empty. `Partition.n_bins` is the number made.
    closed : {"left", "right"}, default="left"
        The same rows share bins either way; the edges are the first score of the next bin, or the last of this.

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import EqualMass
    >>> p = [0.1, 0.2, 0.2, 0.2, 0.3, 0.4]
    >>> partition = EqualMass(3).partition(ScoreSample([0, 1, 0, 0, 1, 1], p))
    >>> partition.edges, partition.locate(p)
    (array([0.2, 0.3]), array([0, 1, 1, 1, 2, 2]))
    """

    name = "equal_mass"

    def partition(self, sample: ScoreSample) -> Partition:
        """Return bins of equal weight for the scores."""
        distinct = sample.distinct
        ends = equal_mass_ends(distinct.w, np.array([self.n_bins]))[0]
        return Partition(edges_between(distinct.p, ends[ends < len(distinct)], self.closed), self.closed)

    def bounds(self, candidates: IntArray, p: FloatArray, w: FloatArray) -> IntArray:  # noqa: ARG002 - weights decide
        """Return where the bins begin and end among the distinct scores.

        A score without weight between two with weight goes where the edge sends it: a left-closed edge is the first
        of them in the next bin, a right-closed one the last of this bin.
        """
        present = np.flatnonzero(w)
        ends = equal_mass_ends(w[present], candidates)
        last = ends == present.size
        inner = present[np.where(last, 0, ends)] if self.closed == "left" else present[ends - 1] + 1
        begin = np.zeros((candidates.size, 1), dtype=np.intp)
        return np.concatenate((begin, np.where(last, w.size, inner)), axis=1)


def equal_mass_ends(w: FloatArray, n_bins: IntArray) -> IntArray:
    """Return where each bin ends, for several bin counts at once.

    Parameters
    ----------
    w : array of shape (G,)
        Weights of the sorted groups.
    n_bins : int array of shape (L,)
        Requested bin counts.

    Returns
    -------
    ends : int array of shape (L, max(n_bins))
        ``ends[l, b]`` is one past the last group of bin b; G from the last bin on.
    """
    if w.size and w.min() == w.max() == 1.0 and WEIGHT_TOLERANCE * w.size * float(n_bins.max()) < 0.5:
        return _ends_of_single_rows(w.size, n_bins)
    return _ends_of_groups(w, n_bins)


def _ends_of_single_rows(size: int, n_bins: IntArray) -> IntArray:
    """Return the ends where every group is a row: the first bins have one row more, where not all can be of a size."""
    bins = np.arange(1, min(int(n_bins.max()), size) + 1)
    smaller, larger = size // n_bins[:, None], size % n_bins[:, None]  # rows of a bin, and bins with one row more
    return np.asarray(np.minimum(bins * smaller + np.minimum(bins, larger), size))


def _ends_of_groups(w: FloatArray, n_bins: IntArray) -> IntArray:
    """Return the ends by taking group after group."""
    distinct = w.size
    order = np.argsort(n_bins, kind="stable")
    requested = n_bins[order]
    ends = np.full((n_bins.size, min(int(requested[-1]), distinct)), distinct, dtype=np.intp)
    cumulative = np.concatenate(([0.0], np.cumsum(w)))
    total = cumulative[-1]
    slack = WEIGHT_TOLERANCE * total
    start = np.zeros(n_bins.size, dtype=np.intp)
    for step in range(ends.shape[1] - 1):
        active = int(np.searchsorted(requested, step + 1, side="right"))  # counts with a cut still to make
        begin = start[active:]
        done = cumulative[begin]
        goal = (total - done) / (requested[active:] - step)
        reached = cumulative.searchsorted(done + (goal - slack))
        reached = np.minimum(np.maximum(reached, begin + 1), distinct)
        heavy = w[reached - 1] > goal + slack
        if heavy.any():
            over, under = cumulative[reached] - done - goal, goal - (cumulative[reached - 1] - done)
            reached = reached - (heavy & (reached - 1 > begin) & (under <= over + slack))
        start[active:] = reached
        ends[order[active:], step] = reached
    return ends
