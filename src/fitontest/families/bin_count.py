"""Cross-validating the number of bins without fitting a map: the same numbers from cumulative sums.

Fitting the family for 40 bin counts in 10 folds touches every row 400 times. But a bin's map needs only sums over
the bin, and sums over any bin are differences of cumulative sums over the sorted groups. So per fold a handful of
cumulative sums serve all bin counts at once. With r = y - p and a bin offset d, the held-out Brier score is
sum r^2 - 2 d sum r + d^2 w. For the log loss the held-out rows must be visited, but still no map is fitted.

The arithmetic runs fold by fold, so that memory stays proportional to the number of rows.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.families.tuning import CVScores
from fitontest.losses import log_loss
from fitontest.partitions.equal_mass import equal_mass_ends
from fitontest.partitions.partition import Closed, uniform_edges
from fitontest.sample import Sample
from fitontest.typing import FloatArray, IntArray


@dataclass(frozen=True)
class BinRule:
    """What the bins are made by and how the map fills them: everything but their number."""

    scheme: str
    closed: Closed
    slope: float


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums per group of the pooled sample, over all rows or those of one fold."""

    n: FloatArray
    w: FloatArray
    wr: FloatArray
    wrr: FloatArray
    wy: FloatArray

    @classmethod
    def of(cls, sample: Sample, group: IntArray, chosen: IntArray | slice) -> "_Sums":
        rows, size = sample.rows, len(sample.groups)
        p, y, w, at = rows.p[chosen], rows.y[chosen], rows.w[chosen], group[chosen]
        r = y - p
        wr = w * r

        def summed(values: FloatArray) -> FloatArray:
            return np.bincount(at, values, size).astype(np.float64, copy=False)

        n = np.bincount(at, minlength=size).astype(np.float64)
        return cls(n, n if sample.unit else summed(w), summed(wr), summed(wr * r), summed(w * y))

    def without(self, other: "_Sums") -> "_Sums":
        """Return the sums over the rows that are not in `other`.

        Groups that lost all their rows are set to zero by their row count: subtraction alone can leave 1e-16 of
        weight behind, and a bin with such a weight would have a mean made of rounding errors.
        """
        gone = self.n == other.n
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("n", "w", "wr", "wrr", "wy"))
        return _Sums(*(np.where(gone, 0.0, a - b) for a, b in pairs))


def bin_count_scores(rule: BinRule, candidates: IntArray, sample: Sample, folds: IntArray, scoring: str) -> CVScores:
    """Return the cross-validation scores of the bin counts, as fitting every map would give them."""
    groups = sample.groups
    group = np.repeat(np.arange(len(groups)), groups.n)
    everything = _Sums.of(sample, group, slice(None))
    by_fold = np.split(np.argsort(folds, kind="stable"), np.cumsum(np.bincount(folds))[:-1])
    scores = np.empty((len(by_fold), candidates.size))
    for fold, rows in enumerate(by_fold):
        held_out = _Sums.of(sample, group, rows)
        train = everything.without(held_out)
        bounds = _bounds(rule, candidates, groups.p, train)
        if scoring == "brier":
            losses = _brier(rule, bounds, train, held_out)
        else:
            losses = _log_loss(rule, bounds, train, sample, group, rows)
        scores[fold] = losses / held_out.w.sum()
    return CVScores(tuple(int(k) for k in candidates), scores)


def _bounds(rule: BinRule, candidates: IntArray, p: FloatArray, train: _Sums) -> IntArray:
    """Return the bins of every candidate as group positions, shape (C, K_max + 1), padded with the last one.

    A held-out score between two training scores goes where the edge sends it: a left-closed edge is the first
    training score of the next bin, a right-closed one the last training score of this bin.
    """
    if rule.scheme == "equal_mass":
        present = np.flatnonzero(train.n > 0)
        ends = equal_mass_ends(train.w[present], candidates)
        inner = np.append(present, p.size)[ends]
        if rule.closed == "right":
            inner = np.where(ends < present.size, present[ends - 1] + 1, p.size)
    else:
        inner = np.full((candidates.size, int(candidates.max())), p.size, dtype=np.intp)
        for row, n_bins in zip(inner, candidates, strict=True):
            row[: n_bins - 1] = np.searchsorted(p, uniform_edges(int(n_bins)), side=rule.closed)
    return np.concatenate((np.zeros((candidates.size, 1), dtype=np.intp), inner), axis=1)


def _binned(values: FloatArray, bounds: IntArray) -> FloatArray:
    """Return the sum over each bin of each candidate, by differences of one cumulative sum."""
    return np.diff(np.concatenate(([0.0], np.cumsum(values)))[bounds], axis=1)


def _ratio(total: FloatArray, w: FloatArray, n: FloatArray) -> FloatArray:
    return np.divide(total, w, out=np.zeros_like(total), where=n > 0)


def _brier(rule: BinRule, bounds: IntArray, train: _Sums, held_out: _Sums) -> FloatArray:
    n, w = _binned(train.n, bounds), _binned(held_out.w, bounds)
    rest = _binned(held_out.wrr, bounds)
    if rule.slope == 1.0:
        d = _ratio(_binned(train.wr, bounds), _binned(train.w, bounds), n)
        loss = rest - 2.0 * d * _binned(held_out.wr, bounds) + d * d * w
    else:
        level = _ratio(_binned(train.wy, bounds), _binned(train.w, bounds), n)
        wy = _binned(held_out.wy, bounds)
        loss = np.where(n > 0, wy - 2.0 * level * wy + level * level * w, rest)  # y * y = y
    return np.asarray(loss.sum(axis=1))


def _log_loss(
    rule: BinRule, bounds: IntArray, train: _Sums, sample: Sample, group: IntArray, rows: IntArray
) -> FloatArray:
    n, train_w = _binned(train.n, bounds), _binned(train.w, bounds)
    if rule.slope == 1.0:
        offset, slope = _ratio(_binned(train.wr, bounds), train_w, n), np.ones_like(n)
    else:
        offset, slope = _ratio(_binned(train.wy, bounds), train_w, n), np.where(n > 0, 0.0, 1.0)
    p, y, w, at = sample.rows.p[rows], sample.rows.y[rows], sample.rows.w[rows], group[rows]
    losses = np.empty(bounds.shape[0])
    for c, row in enumerate(bounds):
        b = np.searchsorted(row[1:-1], at, side="right")
        losses[c] = float(w @ log_loss(y, offset[c, b] + slope[c, b] * p))
    return losses
