"""Cross-validating the number of bins for many labellings of the same scores at once.

The scores of `bin_count_scores`, for many label columns. The folds, the bins of every candidate and the sums of p are
the same in each labelling, so a fold keeps them; a labelling adds the sums of its labels over the bins, which are
differences of prefix sums where the weights are whole. The signal y - p, which slope 1 averages over a bin, is summed
in two parts: the label less the end of [0, 1] next to the score, and that end less the score. So scores next to 0 and 1
keep their digits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.entries import Entries, in_tie_order
from fitontest.families.bin_count import CandidateBins, candidate_bins
from fitontest.families.tuning import first_within
from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.partitions.equal_bins import EqualBins
from fitontest.results.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Unchanged:
    """The held-out rows at which a map is the identity, or whose Brier score under the identity the formula needs.

    Attributes
    ----------
    rows : int array of shape (k,)
    if_negative, if_positive : arrays of shape (C, k) or (1, k)
        Weighted Brier score of the score itself for either label, 0 where a candidate does not count it.
    """

    rows: IntArray
    if_negative: FloatArray
    if_positive: FloatArray

    @classmethod
    def of(cls, entries: Entries, held_out: IntArray, counted: BoolArray) -> "Unchanged":
        """Return the rows that any candidate counts; `counted` has shape (C, h)."""
        some = np.flatnonzero(counted.any(axis=0))
        rows = held_out[some]
        w, p = np.where(counted[:, some], entries.w[rows], 0.0), entries.p[rows]
        return cls(rows, w * p**2, w * (1.0 - p) ** 2)

    def losses(self, y: FloatArray) -> FloatArray:
        """Return the sum over the rows for labels of shape (m, B)."""
        labels = y[self.rows]
        return np.asarray(self.if_positive @ labels + self.if_negative @ (1.0 - labels))


@dataclass(frozen=True, eq=False)
class FoldRows:
    """The bins of all candidates in one fold as runs of the sorted rows.

    Attributes
    ----------
    held_out : int array of shape (h,)
        Rows that the fold holds out.
    bins : CandidateBins
        What the other rows make.
    starts : int array of shape (S,)
        First row of each segment of `bins`.
    begin, end : int arrays
        Rows begin..end-1 are in the bin.
    """

    held_out: IntArray
    bins: CandidateBins
    starts: IntArray
    begin: IntArray
    end: IntArray

    @classmethod
    def of(cls, scheme: EqualBins, candidates: IntArray, entries: Entries, held_out: IntArray) -> "FoldRows":
        """Return the bins that the training rows make."""
        w = np.array(entries.w)
        w[held_out] = 0.0
        bins = candidate_bins(scheme, candidates, entries.distinct_p, np.add.reduceat(w, entries.first))
        first = np.append(entries.first, len(entries))
        return cls(held_out, bins, first[bins.cuts[:-1]], first[bins.begins], first[bins.ends])

    def sums(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums over the training rows and over the held-out rows of each bin, by additions alone.

        Total less held-out would leave rounding errors where a fold holds heavy rows.
        """
        held = np.zeros_like(values)
        held[self.held_out] = values[self.held_out]
        train, held = (self.bins.gathered(np.add.reduceat(rows, self.starts)) for rows in (values - held, held))
        return train, held

    def sums_of_whole(self, values: FloatArray, prefix_sums: PrefixSums) -> tuple[FloatArray, FloatArray]:
        """Return the same of whole numbers, whose sums may be subtracted."""
        among_held_out = np.searchsorted(self.held_out, self.begin), np.searchsorted(self.held_out, self.end)
        held = PrefixSums.of(values[self.held_out], exact=True).between(*among_held_out)
        return prefix_sums.between(self.begin, self.end) - held, held

    def inside(self, chosen: IntArray) -> BoolArray:
        """Return for each candidate which held-out rows are in one of the chosen bins, shape (C, h)."""
        inside = np.zeros((self.bins.first_bin.size, self.held_out.size), dtype=bool)
        candidate = np.searchsorted(self.bins.first_bin, chosen, side="right") - 1
        for c, b in zip(candidate, chosen, strict=True):
            inside[c, slice(*np.searchsorted(self.held_out, [self.begin[b], self.end[b]]))] = True
        return inside


@dataclass(frozen=True, eq=False)
class FoldBins:
    """The bins of all candidates in one fold, with what their scores have in common in all labellings.

    Attributes
    ----------
    rows : FoldRows
    train_w, held_w : arrays
        Weight of the training rows and of the held-out rows of each bin.
    train_shift, held_shift : arrays
        Weighted sums of the end of [0, 1] next to the score less the score; for slope 0 nothing.
    unchanged : Unchanged
    total : float
        Weight of the held-out rows.
    """

    rows: FoldRows
    train_w: FloatArray
    held_w: FloatArray
    train_shift: FloatArray
    held_shift: FloatArray
    unchanged: Unchanged
    total: float

    @classmethod
    def of(
        cls, scheme: EqualBins, slope: float, candidates: IntArray, entries: Entries, held_out: IntArray
    ) -> "FoldBins":
        """Return the bins of a fold for maps of the slope."""
        rows = FoldRows.of(scheme, candidates, entries, held_out)
        train_w, held_w = rows.sums(entries.w)
        shifts = rows.sums(entries.w * (near_ends(entries, slope) - slope * entries.p))
        if slope == 1.0:  # with residuals r and an offset d: sum w (r - d)^2 begins with sum w r^2
            counted = np.ones((1, held_out.size), dtype=bool)
        else:
            counted = rows.inside(np.flatnonzero(train_w == 0))  # a bin without training rows is left as it is
        unchanged = Unchanged.of(entries, held_out, counted)
        return cls(rows, train_w, held_w, *shifts, unchanged, float(entries.w[held_out].sum()))

    def scores(self, labels: "RowLabels") -> FloatArray:
        """Return the mean Brier score over the held-out rows of each candidate in each labelling, shape (C, B)."""
        if labels.whole:
            train, held = self.rows.sums_of_whole(labels.signal, labels.prefix_sums)
        else:
            train, held = self.rows.sums(labels.signal)
        filled = self.train_w > 0
        held += self.held_shift[:, None]
        mean = train + self.train_shift[:, None]
        mean /= np.where(filled, self.train_w, np.inf)[:, None]
        loss = (mean * self.held_w[:, None] - 2.0 * held) * mean
        if labels.slope == 0.0:
            loss += held * filled[:, None]  # y * y = y
        summed: FloatArray = np.add.reduceat(loss, self.rows.bins.first_bin) + self.unchanged.losses(labels.y)
        return np.maximum(summed, 0.0) / self.total  # as in `bin_count_scores`


@dataclass(frozen=True, eq=False)
class RowLabels:
    """Labels of the sorted rows in many labellings.

    Attributes
    ----------
    slope : {0.0, 1.0}
        Of the maps.
    y : array of shape (m, B)
    signal : array of shape (m, B)
        Weighted distances of the labels from `near_ends`.
    whole : bool
        Whether the weights, and so the signals, are whole numbers.
    """

    slope: float
    y: FloatArray
    signal: FloatArray
    whole: bool

    @classmethod
    def of(cls, entries: Entries, positives: IntArray, slope: float) -> "RowLabels":
        """Return the labels, those of tied rows in their order; of entries of several rows the shares of positives."""
        y = in_tie_order(entries, positives).astype(np.float64)
        signal = y - (entries.n * near_ends(entries, slope))[:, None] if slope == 1.0 else y
        if not entries.unit:
            signal = signal * (entries.w / entries.n)[:, None]
        return cls(slope, y if entries.single else y / entries.n[:, None], signal, entries.whole)

    @cached_property
    def prefix_sums(self) -> PrefixSums:
        """Exact prefix sums of the signal."""
        return PrefixSums.of(self.signal, exact=True)


def applies(entries: Entries) -> bool:
    """Return whether the place of every row among the sorted rows is known before the labels are.

    An entry of several rows is held out as a whole: its labels are drawn independently, so nothing is learnt twice.
    """
    return not entries.tied or entries.placed


def near_ends(entries: Entries, slope: float) -> FloatArray:
    """Return the end of [0, 1] next to each score; 0 for maps of slope 0, which average the labels alone."""
    return np.where(entries.p > 0.5, slope, 0.0)


def chosen_counts(candidates: IntArray, folds: list[FoldBins], labels: RowLabels, tolerance: float) -> IntArray:
    """Return the number of bins that the rule of `CVScores.choose` takes in each labelling, shape (B,)."""
    scores = np.mean([fold.scores(labels) for fold in folds], axis=0)
    return np.asarray(candidates[first_within(scores.T, tolerance)])
