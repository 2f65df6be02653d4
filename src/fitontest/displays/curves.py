"""The course of a map in a reliability diagram: its curve over the rows, and the bins of one that jumps."""

from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.planes import Plane, within
from fitontest.displays.rows_along import find_pieces, line_widths
from fitontest.maps.base import CalibrationMap
from fitontest.measures.estimate import Estimate
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.results.typing import BoolArray, FloatArray
from fitontest.uncertainty.bands import Band

CELLS = 100  # along the axis: no picture resolves more
FINE_CELLS = 400  # of a map with knots, which are to be seen
NARROW, WIDEST = 0.02, 0.04  # of the axis: bins narrower than this are drawn together, up to this width


@dataclass(frozen=True, eq=False)
class Curve:
    """A map over the scores, drawn where rows bear it.

    Attributes
    ----------
    x, y : arrays of shape (M,)
        Mean scores of cells of the axis, and the mean value of the map over their rows.
    width : array of shape (M,)
        Of the line, in points.
    drawn : bool array of shape (M,)
        Whether there is a curve at the score.
    lower, upper : arrays of shape (M,)
        Ends of the band; not a number where there is none.
    """

    x: FloatArray
    y: FloatArray
    width: FloatArray
    drawn: BoolArray
    lower: FloatArray
    upper: FloatArray

    def to_records(self) -> Records:
        """Return one record per point."""
        return records(x=self.x, y=self.y, drawn=self.drawn, width=self.width, lower=self.lower, upper=self.upper)

    def banded(self, band: Band, fitted: "Values") -> "Curve":
        """Return the curve with a band about it."""
        c = fitted.smooth(self.x)
        lower, upper = (np.interp(self.x, band.x, end) for end in (band.lower, band.upper))
        about = (np.clip(self.y - (c - lower), 0.0, 1.0), np.clip(self.y + (upper - c), 0.0, 1.0))
        if band.kind == "consistency":  # which lies about the diagonal
            about = (lower, upper)
        inside = (self.x >= band.x[0]) & (self.x <= band.x[-1])
        return replace(self, lower=np.where(inside, about[0], np.nan), upper=np.where(inside, about[1], np.nan))


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a map, of non-events where these are drawn.

    Attributes
    ----------
    map : CalibrationMap
    of_non_events : bool
    """

    map: CalibrationMap
    of_non_events: bool = False

    def at(self, p: FloatArray) -> FloatArray:
        """Return the values at scores."""
        return 1.0 - self.map.evaluate(1.0 - p) if self.of_non_events else self.map.evaluate(p)

    def smooth(self, p: FloatArray) -> FloatArray:
        """Return the values that scores shared by many rows would have without these rows."""
        rest = self.map.split_atoms()[0]
        return 1.0 - rest.evaluate(1.0 - p) if self.of_non_events else rest.evaluate(p)


def curve_of(values: Values, sample: ScoreSample, plane: Plane, knots: FloatArray) -> Curve:
    """Return the curve of a map: in each cell of the axis its mean over the rows there, else its value in the middle.

    A map with knots is drawn as it is.
    """
    edges = plane.edges(FINE_CELLS if knots.size else CELLS)
    middle = plane.x.link.inverse(_middles(plane.x.link.forward(edges, 1e-9)))
    if knots.size:
        x = np.unique(np.concatenate((edges, knots[(knots > edges[0]) & (knots < edges[-1])])))
        y = values.at(x)
    else:
        x, y = _mean_over_rows(values, sample, edges, middle)
    known = np.full(x.size, np.nan)
    return Curve(x, y, line_widths(sample, plane, x), find_pieces(sample, plane, x), known, known)


def _middles(ends: FloatArray) -> FloatArray:
    return np.asarray((ends[:-1] + ends[1:]) / 2)


def _mean_over_rows(
    values: Values, sample: ScoreSample, edges: FloatArray, middle: FloatArray
) -> tuple[FloatArray, FloatArray]:
    distinct = sample.distinct
    inside = (distinct.p >= edges[0]) & (distinct.p <= edges[-1])
    p, w = distinct.p[inside], distinct.w[inside]
    cell = np.clip(np.searchsorted(edges, p, "right") - 1, 0, middle.size - 1)
    total, sum_p, sum_c = (np.bincount(cell, w * column, middle.size) for column in (np.ones_like(p), p, values.at(p)))
    x, y = middle.copy(), values.smooth(middle)
    some = total > 0.0
    x[some], y[some] = sum_p[some] / total[some], sum_c[some] / total[some]
    return np.maximum.accumulate(x), y  # rounding may take a mean out of its cell


@dataclass(frozen=True, eq=False)
class Strokes:
    """The bins of a map that jumps, narrow neighbours drawn together.

    Attributes
    ----------
    lower, upper : arrays of shape (B,)
        Ends of each bin.
    first, last : arrays of shape (B,)
        The map at these ends.
    p, share, weight : arrays of shape (B,)
        Mean score, share of positives and weight of the rows of each.
    bins : int array of shape (B,)
        How many bins are drawn together in it.
    gap : array of shape (B,)
        Mean distance of the map from the scores of its rows.
    """

    lower: FloatArray
    upper: FloatArray
    first: FloatArray
    last: FloatArray
    p: FloatArray
    share: FloatArray
    weight: FloatArray
    bins: FloatArray
    gap: FloatArray

    @property
    def note(self) -> str:
        """Which bins are drawn together, or ""."""
        several = self.bins > 1
        if not several.any():
            return ""
        counted = " + ".join(f"{one:.0f}" for one in self.bins[several].tolist())
        if several.sum() > 3:
            counted = f"{self.bins[several].sum():.0f}"
        rows = 100 * self.weight[several].sum() / self.weight.sum()
        return f"squares: {counted} bins narrower than {NARROW:.2g},\ndrawn together; {rows:.0f} % of the rows"


def bin_records(fitted: CalibrationMap, pieces: Partition, sample: ScoreSample) -> Records:
    """Return one record per bin: its ends, rows, weight and share, means, and the mean distance of map and scores.

    The distances, weighted by the shares, add up to the error.
    """
    table = pieces.summarise(sample)
    return records(
        lower=pieces.borders[:-1], upper=pieces.borders[1:], n=table.n, weight=table.w, share=table.w / table.w.sum(),
        mean_prediction=table.mean_p, empirical_probability=table.mean_y,
        mean_gap=_mean_gaps(fitted, pieces, sample),
    )  # fmt: skip


def _mean_gaps(fitted: CalibrationMap, pieces: Partition, sample: ScoreSample) -> FloatArray:
    table, gaps = pieces.summarise(sample), np.zeros(pieces.n_bins)
    for p, _, w in sample.blocks():
        gap = np.abs(fitted.evaluate(p) - p)
        gaps += np.bincount(pieces.locate_checked(p), gap if w is None else gap * w, pieces.n_bins)
    return table.per_weight(gaps)


def strokes_of(error: Estimate, sample: ScoreSample, plane: Plane) -> Strokes:
    """Return the bins of a map as they are drawn; those without rows are left out."""
    fitted = error.map
    assert fitted is not None
    pieces = fitted.partition
    assert pieces is not None
    table, gaps = pieces.summarise(sample), _mean_gaps(fitted, pieces, sample)
    slope = 1.0 if error.shifts_by_gap else 0.0
    lower, upper = (within(ends, plane.x) for ends in (pieces.borders[:-1], pieces.borders[1:]))
    places = plane.x.at(lower), plane.x.at(upper)
    occupied = np.flatnonzero(table.occupied & ((places[1] > places[0]) | (table.w > 0)))
    drawn = []
    for own in _together(occupied.tolist(), *places):
        w = table.w[own]
        p, share, gap = (float(w @ column[own] / w.sum()) for column in (table.mean_p, table.mean_y, gaps))
        a, b = float(lower[own[0]]), float(upper[own[-1]])
        if slope or len(own) > 1:
            ends = share + slope * (a - p), share + slope * (b - p)
        else:  # as it was fitted: an isotonic step need not be the share of positives
            low, high = _inside(pieces, own[0])
            ends = tuple(fitted.evaluate(np.array([low, high])).tolist())
        drawn.append((a, b, *ends, p, share, float(w.sum()), len(own), gap))
    return Strokes(*np.array(drawn, dtype=np.float64).reshape(-1, 9).T)


def _inside(pieces: Partition, k: int) -> tuple[float, float]:
    """Return the first and the last float of a bin."""
    low, high = float(pieces.borders[k]), float(pieces.borders[k + 1])
    if pieces.closed == "left":
        high = high if k == pieces.n_bins - 1 else float(np.nextafter(high, 0.0))
    elif k > 0:
        low = float(np.nextafter(low, 1.0))
    return low, max(low, high)


def _together(occupied: list[int], lower: FloatArray, upper: FloatArray) -> list[list[int]]:
    """Return which bins are drawn as one: neighbours that are narrow, unless all of them are too wide."""
    groups: list[list[int]] = []
    for k in occupied:
        last = groups[-1] if groups else []
        narrow = upper[k] - lower[k] < NARROW
        joins = last and narrow and upper[last[-1]] - lower[last[-1]] < NARROW and upper[k] - lower[last[0]] <= WIDEST
        if joins:
            last.append(k)
        else:
            groups.append([k])
    return groups
