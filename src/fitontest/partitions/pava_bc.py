"""PAVA with block-size constraints (PAVA-BC): isotonic blocks that are neither too small nor too large.

One stack of blocks, as in PAVA. The top two blocks merge when together they stay within N_max and either the lower
one is still too small or their means are out of order; the shortest suffix of groups that weighs N_min is kept
back and closes the partition. Tied scores are pooled first, so a bin never splits ties. With unit weights and no
ties this is Algorithm 2 of the paper, whose text ("merge if the two weigh at most N_min") would lose the lower
bound once groups have different weights.

Where ties make the stack break a bound although some partition keeps both, the cuts are repaired: from the right,
each cut moves to the reachable position nearest to one of the algorithm's own.
"""

from dataclasses import dataclass
from math import floor, isfinite

import numpy as np

from fitontest.data.ordering import DistinctScores
from fitontest.data.score_sample import ScoreSample
from fitontest.partitions.block_chains import chain_starts, chains_apply
from fitontest.partitions.equal_bins import WEIGHT_TOLERANCE
from fitontest.partitions.monotone_sweep import MEAN_TOLERANCE
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner, midpoints_between
from fitontest.partitions.rule import register
from fitontest.results.checks import is_real
from fitontest.results.exceptions import BlockSizeWarning, warn_user
from fitontest.results.typing import BoolArray, FloatArray, IntArray


@register("pava_bc")
@dataclass(frozen=True)
class PavaBC(Partitioner):
    """Make bins at the jumps of an isotonic regression whose steps have a bounded number of rows (PAVA-BC).

    The weight of an isotonic block lies in [n_min, n_max].

    Parameters
    ----------
    n_min, n_max : float, optional
        Bounds on the weight (the number of rows, without weights) of a block. By default W / 20 and W / 5, for
        whole weights rounded down and at least 1.

    Raises
    ------
    ValueError
        Bounds given by the user that no partition can keep, with the reason. The defaults never raise: where
        heavy ties break them, `n_min` is kept, `n_max` given up for the blocks that need it, and a
        `BlockSizeWarning` is issued. Where only one bound is given, the default of the other one gives way.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI.
    https://doi.org/10.48550/arXiv.2306.14343

    Notes
    -----
    Deviations from the paper: ties are pooled; both bounds hold whenever any partition can keep them; the tail is
    merged only if the result stays within `n_max` (the authors' code tests 2 n_min <= n_max instead).

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import PavaBC
    >>> sample = ScoreSample([0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.8])
    >>> PavaBC(n_min=2, n_max=4).partition(sample).summarise(sample).n
    array([3, 3])
    """

    n_min: float | None = None
    n_max: float | None = None

    def __post_init__(self) -> None:
        for name, bound in (("n_min", self.n_min), ("n_max", self.n_max)):
            if bound is not None and not (is_real(bound) and isfinite(bound) and bound >= 0):
                raise ValueError(f"{name} must be a finite number, at least 0, or None; got {bound!r}")

    def partition(self, sample: ScoreSample) -> Partition:
        """Return a bin for each step, with a number of rows within the bounds."""
        distinct = sample.distinct
        cuts = self.cuts(distinct, sample.whole)
        return Partition(midpoints_between(distinct.p, cuts[1:-1]))

    def cuts(self, distinct: DistinctScores, whole: bool) -> IntArray:
        """Return where each bin starts among the distinct scores, and how many scores there are.

        `whole` says whether weights count rows.

        Parameters
        ----------
        distinct : DistinctScores
            Distinct scores in increasing order, with the weights and the weights of the positives.
        whole : bool
            Whether weights count rows, so that the default bounds are whole numbers.

        Returns
        -------
        cuts : int array of shape (B + 1,)
            Block b holds the groups cuts[b] to cuts[b + 1] - 1.

        Raises
        ------
        ValueError
            No blocks lie within the bounds that the user gave.
        """
        total = float(distinct.w.sum())
        n_min, n_max = self._bounds(total, whole)
        limits = Limits(n_min, n_max, 0.0 if whole else WEIGHT_TOLERANCE * total)
        cuts = stack_cuts(distinct, limits, whole)
        cumulative = np.concatenate(([0.0], np.cumsum(distinct.w)))
        if limits.hold(np.diff(cumulative[cuts])):
            return cuts
        reach = reachable(cumulative, limits)
        if reach[-1]:
            return repair(cumulative, limits, reach, cuts)
        if self.n_min is not None and self.n_max is not None:
            raise ValueError(_why_infeasible(distinct, limits))
        if self.n_max is not None:  # the default lower bound gives way to the user's upper one
            return PavaBC(0, self.n_max).cuts(distinct, whole)
        if self.n_min is not None and self.n_min > total + limits.slack:
            raise ValueError(_why_infeasible(distinct, limits))
        cuts = relaxed_cuts(distinct, limits, whole)
        _report(distinct, np.diff(cumulative[cuts]), limits)
        return cuts

    def _bounds(self, total: float, whole: bool) -> tuple[float, float]:
        n_min, n_max = total / 20, total / 5
        if whole:
            n_min, n_max = max(1, floor(n_min)), max(1, floor(n_max))
        if self.n_max is not None:
            n_max, n_min = float(self.n_max), min(n_min, float(self.n_max))
        if self.n_min is not None:
            n_min = float(self.n_min)
            if self.n_max is None:  # the default of the other bound gives way: room for two blocks of n_min
                n_max = max(n_max, 2.0 * n_min)
        return n_min, n_max


@dataclass(frozen=True)
class Limits:
    """Bounds on the weight of a block, and the slack within which two weights are equal."""

    n_min: float
    n_max: float
    slack: float

    def small(self, w: float) -> bool:
        """Return whether a block is below the lower bound."""
        return w < self.n_min - self.slack

    def fits(self, w: float) -> bool:
        """Return whether a block is within the upper bound."""
        return w <= self.n_max + self.slack

    def hold(self, w: FloatArray) -> bool:
        """Return whether all blocks are within both bounds."""
        return not self.small(float(w.min())) and self.fits(float(w.max()))


def stack_cuts(distinct: DistinctScores, limits: Limits, whole: bool) -> IntArray:
    """Return the cuts 0 = i_0 < ... < G of the stack algorithm, whether or not they keep the bounds."""
    return _stack(distinct, limits, whole, relax=False)


def relaxed_cuts(distinct: DistinctScores, limits: Limits, whole: bool) -> IntArray:
    """Return cuts that keep the lower bound and exceed the upper one only where ties force it."""
    return _stack(distinct, limits, whole, relax=True)


def _stack(distinct: DistinctScores, limits: Limits, whole: bool, relax: bool) -> IntArray:
    """Run the stack and close the partition with the tail. `relax` lets a small block exceed the upper bound."""
    n_min, n_max = limits.n_min - limits.slack, limits.n_max + limits.slack
    body = _tail_start(distinct.w, limits)
    if whole and chains_apply(distinct, n_min, n_max, body):
        starts = chain_starts(distinct, n_min, n_max, body)
    else:
        starts = _stack_starts(distinct, n_min, n_max, body, 0.0 if whole else MEAN_TOLERANCE, relax)
    last = float(distinct.w[starts[-1] : body].sum()) if starts else np.inf
    tail = float(distinct.w[body:].sum())
    if body < len(distinct) and not (last + tail <= n_max or (relax and last < n_min)):
        starts.append(body)
    return np.array([*starts, len(distinct)], dtype=np.intp)


def _stack_starts(
    distinct: DistinctScores, n_min: float, n_max: float, body: int, tolerance: float, relax: bool
) -> list[int]:
    """Return the first group of each block that the stack makes of the first `body` groups."""
    # plain floats and local names: this loop visits every group, and numpy scalars would make it five times slower
    starts: list[int] = []
    ws: list[float] = []
    ys: list[float] = []
    for i, (w1, y1) in enumerate(zip(distinct.w[:body].tolist(), distinct.wy[:body].tolist(), strict=True)):
        start = i
        while ws:
            w0, y0 = ws[-1], ys[-1]
            fits = w0 + w1 <= n_max
            if w0 < n_min:
                merge = fits or relax
            else:
                merge = fits and y0 * w1 >= y1 * w0 * (1.0 - tolerance)
            if not merge:
                break
            w1, y1, start = w0 + w1, y0 + y1, starts[-1]
            del ws[-1], ys[-1], starts[-1]
        ws.append(w1)
        ys.append(y1)
        starts.append(start)
    return starts


def _tail_start(w: FloatArray, limits: Limits) -> int:
    """Return where the shortest suffix of groups that weighs at least n_min begins."""
    if limits.n_min <= limits.slack:
        return w.size
    from_the_right = np.cumsum(w[::-1])
    length = int(np.searchsorted(from_the_right, limits.n_min - limits.slack)) + 1
    return max(w.size - length, 0)


def reachable(cumulative: FloatArray, limits: Limits) -> BoolArray:
    """Return for each cut position whether the groups before it can be partitioned within the bounds."""
    size = cumulative.size
    low = np.searchsorted(cumulative, cumulative - (limits.n_max + limits.slack), side="left")
    high = np.searchsorted(cumulative, cumulative - (limits.n_min - limits.slack), side="right")
    high = np.minimum(high, np.arange(size))  # a block has at least one group
    reach = [True] + [False] * (size - 1)
    count = [0, 1] + [0] * (size - 1)  # count[i] reachable positions before i
    for j, (a, b) in enumerate(zip(low.tolist()[1:], high.tolist()[1:], strict=True), start=1):
        if a < b and count[b] > count[a]:
            reach[j] = True
        count[j + 1] = count[j] + reach[j]
    return np.array(reach)


def repair(cumulative: FloatArray, limits: Limits, reach: BoolArray, cuts: IntArray) -> IntArray:
    """Return cuts within the bounds, as near to the given ones as the bounds allow."""
    marks = cumulative[cuts]
    at = np.searchsorted(marks, cumulative).clip(1, marks.size - 1)
    away = np.minimum(np.abs(cumulative - marks[at - 1]), np.abs(marks[at] - cumulative))
    away[cuts] = 0.0
    chosen = [cumulative.size - 1]
    while (j := chosen[-1]) > 0:
        low = int(np.searchsorted(cumulative, cumulative[j] - (limits.n_max + limits.slack), side="left"))
        high = int(np.searchsorted(cumulative, cumulative[j] - (limits.n_min - limits.slack), side="right"))
        options = low + np.flatnonzero(reach[low : min(high, j)])
        distance = away[options]
        nearest = options[distance <= distance.min() + limits.slack]
        chosen.append(int(nearest[-1]))
    return np.array(chosen[::-1], dtype=np.intp)


def _why_infeasible(distinct: DistinctScores, limits: Limits) -> str:
    total, heaviest = float(distinct.w.sum()), int(np.argmax(distinct.w))
    bounds = f"n_min={limits.n_min:g} and n_max={limits.n_max:g}"
    if limits.n_min > total:
        return f"n_min must not exceed the total weight {total:g}, got n_min={limits.n_min:g}"
    if limits.n_min > limits.n_max:
        return f"n_min must not exceed n_max, got {bounds}"
    if not limits.fits(float(distinct.w[heaviest])):
        return (
            f"n_max must be at least the weight of the heaviest score: the score {distinct.p[heaviest]:g} weighs "
            f"{distinct.w[heaviest]:g}, got n_max={limits.n_max:g}"
        )
    return f"n_min and n_max must allow a partition, but no cut of the {len(distinct)} distinct scores keeps {bounds}"


def _report(distinct: DistinctScores, w: FloatArray, limits: Limits) -> None:
    """Warn that the upper bound was given up; a single score leaves nothing to warn about."""
    over = w[w > limits.n_max + limits.slack]
    if over.size and len(distinct) > 1:
        warn_user(
            f"pava_bc: ties are too heavy for the default n_max = {limits.n_max:g}; {over.size} of {w.size} blocks "
            f"exceed it (the heaviest weighs {over.max():g}). Every block keeps n_min = {limits.n_min:g}.",
            BlockSizeWarning,
        )
