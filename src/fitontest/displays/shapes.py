"""What a reliability diagram shows of a map: its pieces with the data in them, its course, its knots.

A map that is made of bins has these bins as its pieces. A continuous map is cut at the bars of the histogram. Either
way the mean gap |c_hat(p) - p| of a piece, weighted by the share of the data in it, adds up to the plug-in error.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.sample import Sample
from fitontest.displays.scales import Scale, extent
from fitontest.maps.base import CalibrationMap
from fitontest.measures.plug_in_error import PlugInError
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.typing import FloatArray

BARS = 20  # of the histogram
COURSE = 401  # points along a curve
MOST_BINS = 200  # beyond which a map of bins is shown as a curve: no screen could tell its bins apart
FINE_COURSE = 1601  # points along such a curve
STEPS = 33  # points along the axis at which a piece that is curved on its scale is followed
MOST_KINKS = 2000  # beyond that many, the points along the curve show the map as well as a screen can


@dataclass(frozen=True, eq=False)
class Course:
    """The points (x, c_hat(x)) through which one piece of a map is drawn."""

    x: FloatArray
    c: FloatArray


@dataclass(frozen=True, eq=False)
class Shape:
    """A map over a sample, ready to be drawn.

    Attributes
    ----------
    jumps : bool
        Whether the map is drawn as bins, between which it may jump.
    pieces : Partition
    table : BinTable
        What stands in each piece.
    mean_gap : array of shape (B,)
        Weighted mean of |c_hat(p) - p| over the rows of each piece, NaN where there are none.
    courses : tuple of Course
        One per piece.
    knots : Course
        Where the map bends, if its family marks that.
    low, high : float
        The smallest and the largest score, as far as the axis reaches.
    """

    jumps: bool
    pieces: Partition
    table: BinTable
    mean_gap: FloatArray
    courses: tuple[Course, ...]
    knots: Course
    low: float
    high: float

    @property
    def share(self) -> FloatArray:
        """Share of the data in each piece."""
        share: FloatArray = self.table.w / self.table.w.sum()
        return share

    def joined(self) -> Course:
        """Return the course of all pieces in one."""
        x = np.concatenate([course.x for course in self.courses])
        c = np.concatenate([course.c for course in self.courses])
        if not self.jumps:  # neighbours share the point between them
            x, once = np.unique(x, return_index=True)
            c = c[once]
        return Course(x, c)

    def piece_records(self) -> Records:
        """Return one record per piece: its bounds, what stands in it, and how far the map is from the scores."""
        borders, table = self.pieces.borders, self.table
        return records(
            lower=borders[:-1],
            upper=borders[1:],
            n=table.n,
            weight=table.w,
            share=self.share,
            mean_prediction=table.mean_p,
            empirical_probability=table.mean_y,
            mean_gap=self.mean_gap,
        )

    def course_records(self) -> Records:
        """Return one record per point through which the map is drawn."""
        piece = np.repeat(np.arange(len(self.courses)), [course.x.size for course in self.courses])
        x, c = (np.concatenate([getattr(course, name) for course in self.courses]) for name in ("x", "c"))
        return records(piece=piece, x=x, y=c)


def shape_of(fitted: CalibrationMap, knots: FloatArray, sample: Sample, scale: Scale) -> Shape:
    """Return the shape of a map over a sample; `knots` are the scores to mark."""
    bins = fitted.partition
    jumps = bins is not None and bins.n_bins <= MOST_BINS
    pieces = bins if bins is not None and jumps else scale.cells(BARS)
    table = pieces.summarise(sample)
    low, high = np.clip(extent(sample), *scale.visible).tolist()
    return Shape(
        jumps=jumps,
        pieces=pieces,
        table=table,
        mean_gap=_mean_gap(fitted, pieces, table, sample),
        courses=tuple(_courses(fitted, knots, pieces, scale, (low, high), jumps=jumps)),
        knots=Course(knots, fitted.evaluate(knots)),
        low=low,
        high=high,
    )


def share_beyond(sample: Sample, scale: Scale) -> tuple[float, float]:
    """Return the shares of the data below and above what the axis shows."""
    below, above = (float(sample.w @ outside) for outside in (sample.p < scale.lower, sample.p > scale.upper))
    return below / sample.total, above / sample.total


def histogram_parts(cells: Partition, counts: FloatArray, beyond: tuple[float, float]) -> dict[str, Records]:
    """Return the parts of a diagram's table that tell of a histogram, and of the scores beyond its axis, if any."""
    parts = {"histogram": records(lower=cells.borders[:-1], upper=cells.borders[1:], weight=counts)}
    return parts | ({"beyond": records(below=beyond[:1], above=beyond[1:])} if any(beyond) else {})


def knots_of(error: PlugInError) -> FloatArray:
    """Return the scores to mark as knots, for families that have them."""
    if error.estimator is None or not error.estimator.has_knots or error.partition is None:
        return np.empty(0)
    return error.partition.edges


def _mean_gap(fitted: CalibrationMap, pieces: Partition, table: BinTable, sample: Sample) -> FloatArray:
    total = np.zeros(len(table))
    for p, _, w in sample.blocks():
        gap = np.abs(fitted.evaluate(p) - p)
        total += np.bincount(pieces.locate_checked(p), gap if w is None else gap * w, len(table))
    return table.per_weight(total)


def _courses(
    fitted: CalibrationMap,
    knots: FloatArray,
    pieces: Partition,
    scale: Scale,
    data: tuple[float, float],
    *,
    jumps: bool,
) -> list[Course]:
    straight = jumps and scale.name == "probability"
    points = STEPS if jumps else COURSE if fitted.partition is None else FINE_COURSE
    kinks = fitted.kinks if fitted.kinks.size <= MOST_KINKS else np.empty(0)
    between = np.empty(0) if straight else scale.grid(points)
    x_all = np.unique(np.concatenate((between, kinks, knots, data, () if jumps else scale.visible)))
    lower, upper = _reach(pieces) if jumps else (pieces.borders[:-1], pieces.borders[1:])
    found = []
    for a, b in zip(lower, upper, strict=True):
        if not jumps:  # nothing is drawn beyond the axis, where a logit has no place for 0 and 1
            a, b = np.clip((a, b), *scale.visible)
        inside = x_all[np.searchsorted(x_all, a, side="right") : np.searchsorted(x_all, b, side="left")]
        x = np.concatenate(([a], inside, [b]))
        found.append(Course(x, fitted.evaluate(x)))
    return found


def _reach(pieces: Partition) -> tuple[FloatArray, FloatArray]:
    """Return the first and the last float of each bin, so that a map is evaluated on the right side of its jumps."""
    lower, upper = pieces.borders[:-1].copy(), pieces.borders[1:].copy()
    if pieces.closed == "left":
        upper[:-1] = np.nextafter(upper[:-1], 0.0)
    else:
        lower[1:] = np.nextafter(lower[1:], 1.0)
    return lower, np.maximum(lower, upper)
