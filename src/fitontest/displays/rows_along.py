"""How many rows lie where along the axis of scores: how dense they are, and whether they bear a curve."""

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.planes import OUTER, Plane
from fitontest.displays.scales import find_core
from fitontest.results.typing import BoolArray, FloatArray, IntArray

BANDWIDTH = 0.02  # of the axis, of the density
FINE_CELLS = 400  # along the axis
MOST_DENSE = 4.5  # times as dense as rows spread evenly: a line is no wider from there on
LEAST_WIDTH, WIDER = 0.8, 1.3  # points
LEAST_ROWS = 10.0  # of effective weight, near a score that has a curve
LEAST_REACH, MOST_REACH = 0.025, 0.1  # of the axis, within which rows are near
LEAST_EVENTS, FACTOR = 5.0, 1.25  # expected, within a factor of the score, of curves of ratios


def line_widths(sample: ScoreSample, plane: Plane, x: FloatArray) -> FloatArray:
    """Return how wide a curve is at scores: the wider the denser the rows, on a scale that is the same everywhere."""
    return np.asarray(LEAST_WIDTH + WIDER * np.sqrt(np.minimum(density(sample, plane, x), MOST_DENSE)))


def density(sample: ScoreSample, plane: Plane, x: FloatArray) -> FloatArray:
    """Return the density of the rows at scores, as a multiple of that of rows spread evenly over the axis."""
    distinct, places = sample.distinct, plane.x.at(sample.distinct.p)
    inside = (places >= 0.0) & (places <= 1.0)
    counts, ends = np.histogram(places[inside], FINE_CELLS, (0.0, 1.0), weights=distinct.w[inside])
    middle = (ends[:-1] + ends[1:]) / 2
    at = plane.x.at(x)[:, None]
    kernel = sum(np.exp(-0.5 * ((at - place) / BANDWIDTH) ** 2) for place in (middle, -middle, 2.0 - middle))
    return np.asarray(kernel @ counts / (distinct.w.sum() * BANDWIDTH * np.sqrt(2.0 * np.pi)))


def find_pieces(sample: ScoreSample, plane: Plane, x: FloatArray) -> BoolArray:
    """Return at which of these increasing scores enough rows are near for a curve; holes and pieces are not short."""
    least, most = find_core(sample, OUTER)
    reach = float(np.clip(LEAST_ROWS / sample.effective_rows, LEAST_REACH, MOST_REACH))
    places = plane.x.at(x)
    if plane.is_ratio:
        enough = _events_near(sample, x) >= LEAST_EVENTS
    else:
        enough = _rows_near(sample, plane, places, reach) >= LEAST_ROWS
    enough &= (x >= least) & (x <= most) & (places >= 0.0) & (places <= 1.0)
    for a, b in _runs(~enough):
        if a > 0 and b < x.size and places[b - 1] - places[a] < reach / 2:
            enough[a:b] = True
    spread = plane.x.at(np.array([least, most]))
    if spread[1] - spread[0] > reach:  # else all of the scores lie in one short piece
        for a, b in _runs(enough):
            if places[b - 1] - places[a] < reach / 2:
                enough[a:b] = False
    return enough


def _rows_near(sample: ScoreSample, plane: Plane, places: FloatArray, reach: float) -> FloatArray:
    """Return how many rows of equal weight would tell as much as those near each place."""
    distinct = sample.distinct
    of_rows = plane.x.at(distinct.p)
    first, last = np.searchsorted(of_rows, places - reach, "left"), np.searchsorted(of_rows, places + reach, "right")
    w, w2 = (_between(column, first, last) for column in (distinct.w, distinct.w2))
    return np.divide(w * w, w2, out=np.zeros_like(w), where=w2 > 0.0)


def _events_near(sample: ScoreSample, x: FloatArray) -> FloatArray:
    """Return how many events are expected among the rows whose scores are within a factor of each score."""
    distinct = sample.distinct
    first, last = np.searchsorted(distinct.p, x / FACTOR, "left"), np.searchsorted(distinct.p, x * FACTOR, "right")
    return np.asarray(_between(distinct.w * distinct.p, first, last) / sample.row_weight)


def _between(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    sums = np.concatenate(([0.0], np.cumsum(values)))
    return np.asarray(sums[last] - sums[first])


def _runs(mask: BoolArray) -> list[list[int]]:
    """Return the ends (first, behind the last) of each run of true values."""
    steps = np.diff(np.concatenate(([False], mask, [False])).astype(np.int8))
    ends: list[list[int]] = np.flatnonzero(steps).reshape(-1, 2).tolist()
    return ends
