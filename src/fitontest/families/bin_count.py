"""Cross-validating the number of bins without fitting a map: the same numbers from a few sums.

Fitting the family for 40 bin counts in 10 folds touches every row 400 times. But a bin's map needs only sums over
the bin, so per fold the rows are summed once, over the segments between any two neighbouring edges of any bin
count, and the bins of every count add up their segments. With r = y - p and a bin offset d, the held-out Brier score
is sum r^2 - 2 d sum r + d^2 w. For the log loss the held-out rows must be visited per bin count, but still no map
is fitted.

Sums are added, never subtracted: total less held-out would leave rounding errors where a fold holds heavy rows. The
arithmetic runs fold by fold, so that memory stays proportional to the number of rows.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.ordering import Rows
from fitontest.data.score_sample import ScoreSample
from fitontest.families.tuning import CVScores
from fitontest.numerics.losses import log_loss
from fitontest.partitions.equal_bins import EqualBins
from fitontest.results.typing import BoolArray, FloatArray, IntArray

BATCH = 64  # bin counts that are worked on together


def bin_count_scores(
    scheme: EqualBins,
    slope: float,
    candidates: IntArray,
    sample: ScoreSample,
    folds: list[IntArray],
    scoring: str,
) -> CVScores:
    """Return the cross-validation scores of the bin counts, as fitting every map would give them.

    Parameters
    ----------
    scheme : EqualMass or EqualWidth
        What makes the bins; its closure counts, its number of bins does not.
    slope : {0.0, 1.0}
        Of the map.
    candidates : int array of shape (C,)
    folds : list of int arrays
        Sorted rows of the sample that each fold holds out.
    """
    if candidates.size > BATCH:  # the sums of a batch take its size times the number of its bins
        parts = np.split(candidates, range(BATCH, candidates.size, BATCH))
        batches = [bin_count_scores(scheme, slope, part, sample, folds, scoring) for part in parts]
        tried = tuple(k for part in batches for k in part.candidates)
        return CVScores(tried, np.concatenate([part.folds for part in batches], axis=1))
    rows, distinct = sample.rows, sample.distinct
    tied = len(distinct) < len(rows)
    first = np.append(distinct.first, len(rows))
    signal = rows.y - rows.p if slope == 1.0 else rows.y  # what the map averages over a bin
    fixed = candidate_bins(scheme, candidates, distinct.p, distinct.w) if scheme.name == "equal_width" else None
    scores = np.empty((len(folds), candidates.size))
    for fold, held_out in enumerate(folds):
        train_w = np.array(rows.w)
        train_w[held_out] = 0.0
        distinct_w = np.add.reduceat(train_w, distinct.first) if tied else train_w
        bins = fixed or candidate_bins(scheme, candidates, distinct.p, distinct_w)
        starts = first[bins.cuts[:-1]]
        means, filled = _means(bins, np.add.reduceat(train_w, starts), np.add.reduceat(train_w * signal, starts))
        at = np.searchsorted(distinct.first, held_out, side="right") - 1 if tied else held_out
        losses = _brier if scoring == "brier" else _log_loss
        scores[fold] = losses(slope, bins, means, filled, _Rows.of(rows, held_out, at))
    return CVScores(tuple(int(k) for k in candidates), scores)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The held-out rows of a fold and their groups."""

    p: FloatArray
    y: FloatArray
    w: FloatArray
    at: IntArray

    @classmethod
    def of(cls, rows: Rows, chosen: IntArray, at: IntArray) -> "_Rows":
        return cls(rows.p[chosen], rows.y[chosen], rows.w[chosen], at)


@dataclass(frozen=True, eq=False)
class CandidateBins:
    """The bins of all candidates, one candidate after the other, as runs of segments of the sorted groups.

    Attributes
    ----------
    cuts : int array of shape (S + 1,)
        Group positions where any bin begins or ends: segment s holds the groups from cuts[s] to cuts[s + 1].
    begins : int array
        Group position where each bin begins.
    starts : int array
        First segment of each bin, in a row of segments that is repeated once per candidate.
    first_bin : int array of shape (C,)
        Where the bins of each candidate begin.
    """

    cuts: IntArray
    begins: IntArray
    starts: IntArray
    first_bin: IntArray

    @classmethod
    def of(cls, bounds: IntArray, n_distinct: int) -> "CandidateBins":
        """Return the bins between the group positions in each row of `bounds`, padded with the number of groups."""
        used = np.zeros(n_distinct + 1, dtype=bool)
        used[bounds] = True
        cuts = np.flatnonzero(used)
        segment = np.searchsorted(cuts, bounds[:, :-1])
        segment += np.arange(bounds.shape[0])[:, None] * (cuts.size - 1)
        # a bin that begins where the next one does holds no group: equal-width bins between two scores
        real = bounds[:, :-1] < bounds[:, 1:]
        first_bin = np.concatenate(([0], np.cumsum(real.sum(axis=1))[:-1]))
        return cls(cuts, bounds[:, :-1][real], segment[real], first_bin)

    @property
    def ends(self) -> IntArray:
        """Group position where each bin ends."""
        ends = np.append(self.begins[1:], self.cuts[-1])
        ends[self.first_bin[1:] - 1] = self.cuts[-1]
        return ends

    def gathered(self, segments: FloatArray) -> FloatArray:
        """Return the sum over the segments of each bin, along the first axis."""
        copies = self.first_bin.size, *(1 for _ in segments.shape[1:])
        return np.asarray(np.add.reduceat(np.tile(segments, copies), self.starts))

    def per_candidate(self, values: FloatArray) -> FloatArray:
        """Return the sum over the bins of each candidate."""
        return np.add.reduceat(values, self.first_bin)


def candidate_bins(scheme: EqualBins, candidates: IntArray, p: FloatArray, w: FloatArray) -> CandidateBins:
    """Return the bins of all candidates over groups at the scores `p` that have the training weights `w`."""
    return CandidateBins.of(scheme.bounds(candidates, p, w), p.size)


def _means(bins: CandidateBins, w: FloatArray, signal: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the mean signal of every bin over the training rows, 0 where there are none, and where there are."""
    w = bins.gathered(w)
    filled = w > 0
    return np.divide(bins.gathered(signal), w, out=np.zeros_like(w), where=filled), filled


def _brier(slope: float, bins: CandidateBins, means: FloatArray, filled: BoolArray, held_out: _Rows) -> FloatArray:
    segment = np.searchsorted(bins.cuts, held_out.at, side="right") - 1
    r = held_out.y - held_out.p

    def summed(values: FloatArray) -> FloatArray:
        sums = np.bincount(segment, values, bins.cuts.size - 1)
        return bins.gathered(sums.astype(np.float64, copy=False))

    w, wr = summed(held_out.w), held_out.w * r
    untouched = summed(wr * r)
    if slope == 1.0:
        loss = untouched - 2.0 * means * summed(wr) + means * means * w
    else:
        wy = summed(held_out.w * held_out.y)
        loss = np.where(filled, wy - 2.0 * means * wy + means * means * w, untouched)  # y * y = y
    # where the fit is exact, rounding must not push a score below 0: the rule takes scores up to a multiple of the best
    return np.asarray(np.maximum(bins.per_candidate(loss), 0.0) / held_out.w.sum())


def _log_loss(slope: float, bins: CandidateBins, means: FloatArray, filled: BoolArray, held_out: _Rows) -> FloatArray:
    slopes = np.ones_like(means) if slope == 1.0 else np.where(filled, 0.0, 1.0)
    losses = np.empty(bins.first_bin.size)
    ends = np.append(bins.first_bin[1:], means.size)
    for c, (start, end) in enumerate(zip(bins.first_bin, ends, strict=True)):
        b = start + np.searchsorted(bins.begins[start + 1 : end], held_out.at, side="right")
        losses[c] = float(held_out.w @ log_loss(held_out.y, means[b] + slopes[b] * held_out.p))
    return np.asarray(losses / held_out.w.sum())
