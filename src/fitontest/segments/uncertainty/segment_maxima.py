"""Many segments with one maximum: cumulated residuals of every segment under labels that are redrawn for all at once.

T_h is the ECCE of segment h, or its KS, in units of the standard deviation of the sum of its residuals. All labels are
redrawn together, so that T of every segment is known for the same labels, whether segments overlap, nest or share no
row. With T_(1) >= ... >= T_(m) observed and T* of B sets of labels, the step-down p-value of the j-th is

    p_(j) = (1 + #{b : max over i >= j of T*_(i),b >= T_(j)}) / (B + 1),   then the running maximum over j.

With q the upper point of max_h T*_h, the intervals [ECCE_h - q s_h, ECCE_h + q s_h] hold together, where s_h is sigma_h
or, where it is larger, the root of the sum of squared residuals w^2 (y - p)^2 over the sum of weights.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.dependence import Dependence
from fitontest.data.row_labels import RowLabels
from fitontest.data.samples import Samples
from fitontest.measures.cumulative import CumulativeError
from fitontest.numerics.squares import squared_residuals
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.progress import track
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.features.cuts import LEAST_VARIANCE
from fitontest.segments.uncertainty.segment_entries import SegmentEntries
from fitontest.uncertainty.dependence import dependence_of
from fitontest.uncertainty.seminorm import upper_point

BLOCK = 2_000_000  # labels that are drawn together
ROUNDING = 1e-6  # relative, of sums of labels in single precision


@dataclass(frozen=True, eq=False)
class SegmentMaxima:
    """The cumulated residuals of segments, of the real labels and of redrawn ones.

    Attributes
    ----------
    error : array of shape (m,)
        ECCE or KS of each segment.
    sigma : array of shape (m,)
        Its unit: sqrt(sum w^2 p (1 - p)) / sum w.
    noise : array of shape (m,)
        By how much its labels vary more than calibrated ones, at least 1.
    tested : bool array of shape (m,)
        Whether its variance sum w^2 p (1 - p) is at least 5; there is too little to test in others.
    drawn : array of shape (B, number of tested segments)
        T of redrawn labels.
    contradicted : bool array of shape (m,)
        Whether a label contradicts a score of exactly 0 or 1, which refutes the segment whatever its T is. Such labels
        are left out of T, so that they tell nothing of other rows.
    sigma_of_all : float
        The unit of all rows together.
    """

    error: FloatArray
    sigma: FloatArray
    noise: FloatArray
    tested: BoolArray
    drawn: FloatArray
    contradicted: BoolArray
    sigma_of_all: float

    @classmethod
    def of(cls, segments: Samples, measure: CumulativeError, draws: int, seed: int) -> "SegmentMaxima":
        """Return the maxima of segments, whose labels are drawn from their scores.

        Parameters
        ----------
        segments : Samples
            By segment, of one score in each row; they may overlap.
        measure : CumulativeError
        draws, seed : int
        """
        return cls.of_entries(SegmentEntries.of(segments), measure, dependence_of(segments.whole), draws, seed)

    @classmethod
    def of_entries(
        cls, entries: SegmentEntries, measure: CumulativeError, dependence: Dependence | None, draws: int, seed: int
    ) -> "SegmentMaxima":
        """Return the maxima of segments of entries.

        Parameters
        ----------
        entries : SegmentEntries
        measure : CumulativeError
        dependence : Dependence or None
            How alike labels of rows that belong together are.
        draws, seed : int
        """
        walks = _Walks(entries, measure)
        variance = walks.variances
        total = walks.totals
        tested = variance >= LEAST_VARIANCE
        sigma = np.sqrt(variance) / total
        residuals = np.where(entries.contradicted, 0.0, entries.wy - entries.w * entries.p)
        contradicted = np.array([bool(entries.contradicted[rows].any()) for rows in entries.rows], dtype=bool)
        observed = walks.sizes(residuals[None], np.ones(tested.size, dtype=bool))[0] / total
        labels = entries.labels(entries.p, dependence)
        drawn = walks.drawn(labels, draws, seed, tested) / np.sqrt(variance[tested])
        of_all = float(np.sqrt(entries.w2 @ (entries.p * (1.0 - entries.p)))) / float(entries.w.sum())
        return cls(observed, sigma, walks.noise, tested, drawn, contradicted, of_all)

    @cached_property
    def standardised(self) -> FloatArray:
        """T of each segment; NaN of those that are not tested."""
        return np.asarray(np.where(self.tested, self.error / np.where(self.tested, self.sigma, 1.0), np.nan))

    @cached_property
    def adjusted_p_values(self) -> FloatArray:
        """The step-down p-values, the smallest of contradicted segments; NaN of others that are not tested."""
        t = np.where(self.contradicted, np.inf, self.standardised)[self.tested]
        order = np.argsort(-t, kind="stable")
        later = np.maximum.accumulate(self.drawn[:, order[::-1]], axis=1)[:, ::-1]  # of this and all smaller ones
        exceed = np.count_nonzero(later >= t[order] * (1.0 - ROUNDING), axis=0)
        stepped = np.maximum.accumulate((1.0 + exceed) / (1.0 + self.drawn.shape[0]))
        found = np.where(self.contradicted, 1.0 / (1.0 + self.drawn.shape[0]), np.nan)
        found[np.flatnonzero(self.tested)[order]] = stepped
        return found

    @property
    def maxima(self) -> FloatArray:
        """The largest T of each set of redrawn labels."""
        return np.asarray(self.drawn.max(axis=1, initial=0.0))

    def reach(self, level: float) -> float:
        """Return q, how many standard deviations intervals reach on either side that hold together.

        Parameters
        ----------
        level : float in (0, 1)
        """
        return upper_point(self.maxima, 1.0 - level)

    @property
    def multicalibration_error(self) -> float:
        """The largest T in units of all rows: max_h T_h times their sigma, as Guy et al. (2025) define it."""
        return self.largest * self.sigma_of_all

    @property
    def largest(self) -> float:
        """The largest T of the segments that are tested; 0 where none is."""
        return float(np.max(self.standardised[self.tested], initial=0.0))


@dataclass(frozen=True, eq=False)
class _Walks:
    """The walks of segments over the entries."""

    entries: SegmentEntries
    measure: CumulativeError

    @cached_property
    def variances(self) -> FloatArray:
        """The sum of w^2 p (1 - p) in each segment."""
        each = self.entries.w2 * self.entries.p * (1.0 - self.entries.p)
        return np.array([each[rows].sum() for rows in self.entries.rows])

    @cached_property
    def noise(self) -> FloatArray:
        """The root of the squared residuals of each segment over its variance, at least 1."""
        each = squared_residuals(self.entries.p, self.entries.w2, self.entries.wy / self.entries.w)
        each = np.where(self.entries.contradicted, 0.0, each)
        squares = np.array([each[rows].sum() for rows in self.entries.rows])
        known = self.variances > 0.0
        ratio = np.where(known, squares, 1.0) / np.where(known, self.variances, 1.0)
        return np.asarray(np.sqrt(np.maximum(1.0, ratio)))

    @cached_property
    def totals(self) -> FloatArray:
        """The sum of the weights in each segment."""
        return np.array([self.entries.w[rows].sum() for rows in self.entries.rows])

    @cached_property
    def _ends(self) -> list[IntArray | None]:
        """Which entries of each segment are the last of their score; None where each is."""
        ends = []
        for rows in self.entries.rows:
            last = np.append(np.diff(self.entries.p[rows]) > 0.0, [True])
            ends.append(None if last.all() else np.flatnonzero(last))
        return ends

    def sizes(self, residuals: FloatArray, chosen: BoolArray) -> FloatArray:
        """Return the statistic of the chosen segments, times the sum of their weights, shape (B, chosen).

        Parameters
        ----------
        residuals : array of shape (B, m)
            Of all entries.
        chosen : bool array of shape (segments,)
        """
        found = [self._size(residuals, int(place)) for place in np.flatnonzero(chosen)]
        return np.stack(found, axis=1) if found else np.empty((residuals.shape[0], 0))

    def _size(self, residuals: FloatArray, place: int) -> FloatArray:
        rows, ends = self.entries.rows[place], self._ends[place]
        steps = residuals if rows.size == residuals.shape[1] else residuals[:, rows]
        if ends is not None:
            steps = np.add.reduceat(steps, np.concatenate(([0], ends[:-1] + 1)), axis=1)
        return self.measure.sizes(steps)

    def drawn(self, labels: RowLabels, draws: int, seed: int, chosen: BoolArray) -> FloatArray:
        """Return the same for redrawn labels, shape (draws, chosen)."""
        expected = self.entries.w * self.entries.p
        with one_blas_thread():
            blocks = [
                self.sizes(each - expected.astype(np.float32), chosen)
                for each in _drawn_labels(labels, draws, seed, len(self.entries))
            ]
        return np.concatenate(blocks).astype(np.float64)


def _drawn_labels(labels: RowLabels, draws: int, seed: int, size: int) -> Iterator[FloatArray]:
    """Yield sets of labels, shape (B, m)."""
    each = max(1, BLOCK // size)
    for start in track(range(0, draws, each), "draws"):
        columns = min(each, draws - start)
        drawn = labels.draw(slice(0, size), columns, (seed, start), labels.numbers(columns, (seed, start)))
        yield np.ascontiguousarray(drawn.T)
