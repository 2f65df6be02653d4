"""Which of many probabilities the exact binomial test rejects, decided without a p-value for each.

All predictions of a bin are tested against the same counts (k, n), and sorted predictions allow bounds: on one side of
k / n, over a run of predictions from a to b (b nearer to k / n), with i(p) the end of the far tail,

    near(a) + far(i(a); b)  <=  p-value  <=  near(b) + far(i(b); a),

because the near tail grows towards k / n, the far tail shrinks at a fixed end, and its end moves towards k / n. A run
whose bounds lie on one side of alpha is decided at once; others are cut into pieces, and single predictions get their
p-value. No shape of the acceptance region is assumed: with n = 30, k = 1 it has a gap.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.significance.binomial import far_index, p_values, representable
from fitontest.numerics.significance.binomial_law import cdf, sf
from fitontest.results.typing import BoolArray, FloatArray, IntArray

PIECES = 16  # of a run that is not decided: a search per piece costs less than a round with its fixed costs
SHORT = 8  # predictions in a run that are tested one by one
SAME = 1e-15  # p this near k / n, relatively: there k is the likeliest outcome, and the p-value is 1


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs first..last (inclusive) of sorted predictions in a bin, on one side of k / n each."""

    first: IntArray
    last: IntArray
    bin: IntArray
    high: BoolArray

    def take(self, chosen: BoolArray) -> "Runs":
        """Return the chosen runs."""
        return Runs(self.first[chosen], self.last[chosen], self.bin[chosen], self.high[chosen])

    def __len__(self) -> int:
        return self.first.size


def rejected(k: FloatArray, n: FloatArray, p: FloatArray, starts: IntArray, alpha: float) -> BoolArray:
    """Return whether the exact binomial test rejects each prediction at level alpha: p-value <= alpha.

    Parameters
    ----------
    k, n : arrays of shape (B,)
        Positives and rows of the bins.
    p : array of shape (G,)
        Predictions, in increasing order.
    starts : int array of shape (B + 1,)
        Bin b holds p[starts[b]] to p[starts[b + 1] - 1].
    alpha : float
        In (0, 1).
    """
    p = representable(p)
    out = np.zeros(p.size, dtype=bool)
    turns = np.zeros(p.size + 1, dtype=np.int8)  # +1 where a rejected run begins, -1 behind its end
    runs = _sides(k, n, p, starts)
    while len(runs):
        short = runs.last - runs.first < SHORT
        rows, of_run = _rows(runs.take(short))
        bins = runs.bin[short][of_run]
        out[rows] = p_values(k[bins], n[bins], p[rows]) <= alpha
        runs = runs.take(~short)
        surely, open_ = _decide(runs, k[runs.bin], n[runs.bin], p, alpha)
        turns[runs.first[surely]] += 1
        turns[runs.last[surely] + 1] -= 1
        runs = _cut(runs.take(open_))
    out |= np.cumsum(turns[:-1], dtype=np.int8).view(bool)
    return out


def _sides(k: FloatArray, n: FloatArray, p: FloatArray, starts: IntArray) -> Runs:
    """Return one run per bin and side; predictions equal to k / n up to rounding are in neither."""
    share = np.divide(k, n, out=np.full(k.shape, np.nan), where=n > 0)  # an empty bin has no predictions
    begin, end = starts[:-1], starts[1:]
    low_end = np.clip(np.searchsorted(p, share * (1.0 - SAME), side="left"), begin, end)
    high_begin = np.clip(np.searchsorted(p, share * (1.0 + SAME), side="right"), begin, end)
    bins = np.arange(k.size)
    high = np.repeat([False, True], k.size)
    runs = Runs(np.concatenate((begin, high_begin)), np.concatenate((low_end, end)) - 1, np.tile(bins, 2), high)
    return runs.take(runs.last >= runs.first)


def _decide(runs: Runs, k: FloatArray, n: FloatArray, p: FloatArray, alpha: float) -> tuple[BoolArray, BoolArray]:
    """Return which runs are rejected as a whole, and which the bounds leave undecided."""
    k = np.where(runs.high, n - k, k)  # seen from the low side; 1 - p is rounded, which the margins allow for
    a = np.where(runs.high, 1.0 - p[runs.last], p[runs.first])
    b = np.where(runs.high, 1.0 - p[runs.first], p[runs.last])
    margin = 1e-9 + 1e-15 * n
    above, below = alpha * (1.0 + margin), alpha * (1.0 - margin)
    near_a, near_b = sf(k - 1.0, n, a), sf(k - 1.0, n, b)
    surely = (n + 2.0) * near_b <= below  # no outcome of the far tail is likelier than k
    open_ = (near_a <= above) & ~surely
    if open_.any():
        k, n, a, b = k[open_], n[open_], a[open_], b[open_]
        lower = near_a[open_] + cdf(far_index(k, n, a, high=False), n, b)
        upper = near_b[open_] + cdf(far_index(k, n, b, high=False), n, a)
        surely[open_] = upper <= below[open_]
        open_[open_] = (lower <= above[open_]) & (upper > below[open_])
    return surely, open_


def _cut(runs: Runs) -> Runs:
    """Return the runs cut into pieces of equal length."""
    size = runs.last - runs.first + 1
    marks = runs.first + size * np.arange(PIECES + 1)[:, None] // PIECES
    first, last = marks[:-1].ravel(), marks[1:].ravel() - 1
    return Runs(first, last, np.tile(runs.bin, PIECES), np.tile(runs.high, PIECES)).take(last >= first)


def _rows(runs: Runs) -> tuple[IntArray, IntArray]:
    """Return the positions of all predictions in the runs, and the run of each."""
    size = runs.last - runs.first + 1
    of_run = np.repeat(np.arange(len(runs)), size)
    before = np.cumsum(size) - size
    return runs.first[of_run] + np.arange(of_run.size) - before[of_run], of_run
