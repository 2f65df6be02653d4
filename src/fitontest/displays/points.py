"""The points of a reliability diagram: shares of positives in bins, or at the scores, with their intervals."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.planes import Plane
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.results.frames import Records, records
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.effective_rows import effective_rows

MOST_POINTS = 10
LEAST_ROWS, LEAST_SHARE = 20.0, 0.1  # of a bin: so many rows, or this share of them where they are few
EVENTS_EACH = 10.0  # expected in a bin of ratios
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Points:
    """Shares of positives.

    Attributes
    ----------
    lower, upper : arrays of shape (K,)
        Between which scores the rows of each lie.
    p, share, weight : arrays of shape (K,)
        Mean score, share of positives and weight of these rows.
    low, high : arrays of shape (K,)
        The exact interval of Clopper and Pearson of the probability of a positive, of as many independent rows as tell
        as much: weights that are importances, and rows that belong together, count less. Not a number where rows belong
        to too few groups.
    """

    lower: FloatArray
    upper: FloatArray
    p: FloatArray
    share: FloatArray
    weight: FloatArray
    low: FloatArray
    high: FloatArray

    def to_records(self) -> Records:
        """Return one record per point."""
        return records(
            lower=self.lower, upper=self.upper, mean_prediction=self.p, empirical_probability=self.share,
            weight=self.weight, low=self.low, high=self.high,
        )  # fmt: skip


def points_of_bins(sample: ScoreSample, plane: Plane) -> Points:
    """Return the points of ten bins of equal width, of which small ones are merged with the smaller neighbour.

    Of ratios they are bins of as many expected events each.
    """
    if plane.is_ratio:
        return _tabulate(sample, _edges_of_events(sample))
    p = sample.rows.p
    inside = p[(p >= plane.x.lower) & (p <= plane.x.upper)]
    edges = plane.edges(MOST_POINTS)
    return _tabulate(sample, _merge_small(inside, edges, min(LEAST_ROWS, LEAST_SHARE * inside.size)))


def points_of_scores(sample: ScoreSample) -> Points:
    """Return a point for each distinct score."""
    p = sample.distinct.p
    return _tabulate(sample, np.append(p, p[-1]))


def _edges_of_events(sample: ScoreSample) -> FloatArray:
    """Return the ends of bins in which as many events are expected."""
    distinct = sample.distinct
    expected = np.cumsum(distinct.w * distinct.p)
    bins = int(np.clip(expected[-1] / sample.row_weight // EVENTS_EACH, 1, MOST_POINTS))
    first = np.searchsorted(expected, expected[-1] * np.arange(1, bins) / bins, "right")
    return np.unique(np.concatenate(([0.0], distinct.p[np.minimum(first, len(distinct) - 1)], [1.0])))


def _merge_small(p: FloatArray, edges: FloatArray, least: float) -> FloatArray:
    """Return the edges without those of bins that hold too few rows."""
    kept = edges.tolist()
    counts = np.histogram(p, edges)[0].tolist()
    while len(counts) > 1 and min(counts) < least:
        k = counts.index(min(counts))
        below = k > 0 and (k == len(counts) - 1 or counts[k - 1] < counts[k + 1])
        first = k - 1 if below else k
        counts[first : first + 2] = [counts[first] + counts[first + 1]]
        del kept[first + 1]
    return np.array(kept)


def _tabulate(sample: ScoreSample, edges: FloatArray) -> Points:
    """Return the points of bins between edges, closed on the left, and the last one on both sides."""
    rows = sample.rows
    starts = np.searchsorted(rows.p, edges, "left")
    starts[-1] = np.searchsorted(rows.p, edges[-1], "right")
    occupied = np.flatnonzero(np.diff(starts))
    unknown, columns = are_too_few(sample.groups), []
    for k in occupied.tolist():
        at = slice(int(starts[k]), int(starts[k + 1]))
        w = float(rows.w[at].sum())
        share = float(np.clip(rows.w[at] @ rows.y[at] / w, 0.0, 1.0))
        n = np.nan if unknown else effective_rows(sample, at)
        ends = (np.nan, np.nan) if unknown else share_interval(share * n, n, LEVEL)
        columns.append((edges[k], edges[k + 1], float(rows.w[at] @ rows.p[at]) / w, share, w, *ends))
    return Points(*np.array(columns, dtype=np.float64).reshape(-1, 7).T)
