"""The stack of PAVA-BC for large samples: whole stretches of groups at once instead of one group after the other.

A settled block that starts at s and ends at e takes in what follows as soon as that does not raise its mean: at the
next j > e where mean(s..j) is at most the lowest mean so far. So the ends of a block are the record minima of one
running mean, which a stretch of groups gives in a few vectorised passes. A chain of records ends when the groups behind
the last record weigh n_min (they settle as a block of their own), when the block is full, or when its mean falls to
that of the block below, which takes it in. Each of these ends uses up groups of weight n_min or more, or a block, so
there are few chains when blocks are large.
"""

import numpy as np

from fitontest.data.ordering import DistinctScores
from fitontest.results.typing import FloatArray, IntArray

# Up to these totals means of whole weights compare as their fractions do: different ones are 1 / total**2 apart
EXACT = 2.0**25  # as float64
EXACT_LONG = 2.0 ** (np.finfo(np.longdouble).nmant // 2 - 1)  # as extended floats, where the machine has them
FEW = 200  # groups per chain below which the plain loop is as fast
STRETCH = 4  # a look ahead reaches this many times n_min first, and twice as far each time


def chains_apply(distinct: DistinctScores, n_min: float, n_max: float, body: int) -> bool:
    """Return whether `chain_starts` gives what the plain stack gives, and faster: whole weights and large blocks.

    No group may be so heavy that a block below n_min cannot take it in.
    """
    total = float(distinct.w.sum())
    return body * n_min >= FEW * total and total <= max(EXACT, EXACT_LONG) and n_min + float(distinct.w.max()) <= n_max


def chain_starts(distinct: DistinctScores, n_min: float, n_max: float, body: int) -> list[int]:
    """Return the first group of each block that the stack makes of the first `body` groups."""
    stack = _Stack(distinct, n_min, n_max, body)
    while stack.end < body:
        stack.settle()
        stack.grow()
    return stack.starts


class _Stack:
    """The blocks so far: their starts, and where the top one ends."""

    def __init__(self, distinct: DistinctScores, n_min: float, n_max: float, body: int) -> None:
        self.n_min, self.n_max, self.body = n_min, n_max, body
        self.w = np.concatenate(([0.0], np.cumsum(distinct.w[:body])))  # before each group
        self.y = np.concatenate(([0.0], np.cumsum(distinct.wy[:body])))
        self.kind: type = np.float64 if self.w[-1] <= EXACT else np.longdouble
        self.starts: list[int] = []
        self.end = 0

    def settle(self) -> None:
        """Begin a block behind the top one: the groups that weigh n_min, or all that are left."""
        self.starts.append(self.end)
        self.end = min(self.reach(self.end, self.n_min), self.body)

    def grow(self) -> None:
        """Let the top block take in what does not raise its mean, and the blocks below take in the top block."""
        seen, ahead = self.end, STRETCH * self.n_min
        while True:
            start = self.starts[-1]
            full = int(np.searchsorted(self.w, self.w[start] + self.n_max, side="right")) - 1
            stop = min(full, self.body, self.reach(seen, ahead))
            ends, ended = self.records(start, seen, stop)
            if self.merge(start, ends):
                seen, ahead = self.end, STRETCH * self.n_min
                continue
            if ended or stop in (full, self.body) or self.reach(self.end, self.n_min) <= stop:
                return
            seen, ahead = stop, 2 * ahead

    def records(self, start: int, seen: int, stop: int) -> tuple[IntArray, bool]:
        """Return the ends in seen+1..stop that the block can have, and whether a block settles before the next."""
        mean = self.mean(start, np.arange(seen + 1, stop + 1))
        lowest = np.minimum.accumulate(np.concatenate((self.mean(start, [self.end]), mean)))
        ends = seen + 1 + np.flatnonzero(mean <= lowest[:-1])
        before = np.concatenate(([self.end], ends))[:-1]
        settled = self.w[ends - 1] - self.w[before] >= self.n_min
        if settled.any():
            return ends[: int(np.argmax(settled))], True
        return ends, False

    def merge(self, start: int, ends: IntArray) -> bool:
        """Move the end of the top block to the last of `ends`, or to the first where the block below takes it in."""
        if ends.size == 0:
            return False
        self.end = int(ends[-1])
        if len(self.starts) == 1:
            return False
        low = self.mean(start, ends) <= self.mean(self.starts[-2], [start])
        if not low.any() or not self.fits(first := int(ends[np.argmax(low)])):
            return False
        self.end = first
        while len(self.starts) > 1 and self.fits(first) and self.top_is_low():
            self.starts.pop()
        return True

    def fits(self, end: int) -> bool:
        """Return whether the top two blocks together, up to `end`, are within n_max."""
        return bool(self.w[end] - self.w[self.starts[-2]] <= self.n_max)

    def top_is_low(self) -> bool:
        """Return whether the mean of the top block is at most that of the block below."""
        below, start = self.starts[-2:]
        return bool(self.mean(start, [self.end])[0] <= self.mean(below, [start])[0])

    def mean(self, start: int, ends: IntArray | list[int]) -> FloatArray:
        """Return the mean labels of the groups start..end-1."""
        y = (self.y[ends] - self.y[start]).astype(self.kind, copy=False)
        mean: FloatArray = y / (self.w[ends] - self.w[start])
        return mean

    def reach(self, start: int, weight: float) -> int:
        """Return the first end at which the groups from `start` on weigh as much; beyond the body if never."""
        return int(np.searchsorted(self.w, self.w[start] + weight))
