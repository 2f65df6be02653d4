"""The shape of a map in a reliability diagram: its pieces with the data in them, its course, its knots.

The pieces of a map of bins are the bins. The pieces of a continuous map are the bars of the histogram. The sum of the
mean gaps |c_hat(p) - p| of the pieces, weighted by their shares of the data, is the plug-in error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.scales import Scale, find_core, find_score_range
from fitontest.families.stacking import LEAST_NAMED
from fitontest.maps.base import CalibrationMap
from fitontest.measures.estimate import Estimate
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.effective_rows import effective_rows

BARS = 20  # of the histogram
CURVE_POINTS = 401  # along a continuous map
MOST_BINS = 200  # a map of more bins is drawn as a curve, because no screen resolves them
FINE_CURVE_POINTS = 1601  # along a curve of very many bins
PIECE_POINTS = 33  # along the axis, for bins whose map is curved on the scale
MOST_KINKS = 2000  # more kinks are left out, because no screen resolves them
OUTER = 0.005  # share of the rows on either side beyond which a map is dotted, since so few rows bear it
FEW_SCORES = 20  # so many distinct scores are drawn one by one
ROWS_EACH = 2  # rows at most of them, so that they are values and not single rows
SHARE_LEVEL = 0.95  # of the exact interval of the share of positives at one score
ROUNDING = 1e-9  # a value that exceeds the axis by less does not leave it


@dataclass(frozen=True, eq=False)
class Course:
    """The points (x, c_hat(x)) through which one piece of a map is drawn."""

    x: FloatArray
    c: FloatArray


@dataclass(frozen=True, eq=False)
class Shape:
    """The table of a reliability diagram: a map over a sample.

    Attributes
    ----------
    jumps : bool
        Whether the map is drawn as bins. It may jump between them.
    pieces : Partition
    table : BinTable
        Counts and means of the rows in each piece.
    mean_gap : array of shape (B,)
        Weighted mean of |c_hat(p) - p| over the rows of each piece, NaN for a piece without rows.
    mean_map : array of shape (B,)
        Weighted mean of c_hat(p) over the rows of each piece, NaN for a piece without rows.
    courses : tuple of Course
        One per piece.
    knots : Course
        The points to mark as knots, if the family has them.
    atoms : Course
        The scores with values of their own, which the courses pass by, and these values.
    low, high : float
        The smallest and the largest score, clipped to the axis.
    core : tuple of float
        The scores between which all rows are but the outermost half per cent on either side, clipped to the axis.
    """

    jumps: bool
    pieces: Partition
    table: BinTable
    mean_gap: FloatArray
    mean_map: FloatArray
    courses: tuple[Course, ...]
    knots: Course
    atoms: Course
    low: float
    high: float
    core: tuple[float, float]

    @property
    def share(self) -> FloatArray:
        """Share of the data in each piece."""
        share: FloatArray = self.table.w / self.table.w.sum()
        return share

    def values_to_show(self) -> FloatArray:
        """Return the mean values of the map in the pieces, and its values at the lowest and the highest score."""
        ends = [course.c[(course.x == self.low) | (course.x == self.high)] for course in self.courses]
        return np.concatenate((self.mean_map[self.table.occupied], *ends))

    def joined(self) -> Course:
        """Return one course for all pieces."""
        x = np.concatenate([course.x for course in self.courses])
        c = np.concatenate([course.c for course in self.courses])
        if not self.jumps:  # adjacent pieces share a point
            x, first = np.unique(x, return_index=True)
            c = c[first]
        return Course(x, c)

    def piece_records(self) -> Records:
        """Return one record per piece: its bounds, the counts and means of its rows, and the mean gap."""
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
        """Return one record per point of the courses."""
        piece = np.repeat(np.arange(len(self.courses)), [course.x.size for course in self.courses])
        x, c = (np.concatenate([getattr(course, name) for course in self.courses]) for name in ("x", "c"))
        return records(piece=piece, x=x, y=c)


def compute_shape(fitted: CalibrationMap, knots: FloatArray, sample: ScoreSample, scale: Scale) -> Shape:
    """Return the shape of a map over a sample. `knots` are the scores to mark as knots."""
    bins = fitted.partition
    jumps = bins is not None and bins.n_bins <= MOST_BINS
    pieces = bins if bins is not None and jumps else scale.cells(BARS)
    table = pieces.summarise(sample)
    low, high = np.clip(find_score_range(sample), *scale.visible).tolist()
    first, last = np.clip(find_core(sample, OUTER), *scale.visible).tolist()
    mean_gap, mean_map = _compute_means(fitted, pieces, table, sample)
    rest, at = fitted.split_atoms()
    at = at[((scale.visible[0] <= at) & (at <= scale.visible[1])) | (at == 0.0) | (at == 1.0)]
    return Shape(
        jumps=jumps,
        pieces=pieces,
        table=table,
        mean_gap=mean_gap,
        mean_map=mean_map,
        courses=tuple(_compute_courses(rest, knots, pieces, scale, (low, first, last, high), jumps=jumps)),
        knots=Course(knots, fitted.evaluate(knots)),
        atoms=Course(at, fitted.evaluate(at)),
        low=low,
        high=high,
        core=(first, last),
    )


@dataclass(frozen=True, eq=False)
class SingleScores:
    """The distinct scores of a sample that has few of them, each with the share of positives among its rows.

    Attributes
    ----------
    p, w : arrays of shape (G,)
        Scores in increasing order, and the weight of the rows of each.
    share : array of shape (G,)
        Share of positives.
    low, high : arrays of shape (G,)
        Ends of the exact interval of Clopper and Pearson of the probability of a positive; not a number where rows
        belong to too few groups.
    c : array of shape (G,)
        The map at the scores.
    """

    p: FloatArray
    w: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    c: FloatArray

    def to_records(self) -> Records:
        """Return one record per score."""
        return records(
            score=self.p, weight=self.w, empirical_probability=self.share, low=self.low, high=self.high, value=self.c
        )


def find_single_scores(fitted: CalibrationMap, sample: ScoreSample) -> SingleScores | None:
    """Return the distinct scores of a sample that has few of them, or None where it has many.

    Weights that are importances count as the rows of equal weight that would vary as much, and rows that belong
    together as the independent ones that would. Of too few groups nothing is known of the ends.
    """
    distinct = sample.distinct
    if sample.has_pooled_scores or len(distinct) > FEW_SCORES or np.median(distinct.n) < ROWS_EACH:
        return None
    share = np.clip(distinct.wy / distinct.w, 0.0, 1.0)
    low, high = np.full((2, share.size), np.nan)
    if not are_too_few(sample.groups):
        rows = _rows_at_each_score(sample)
        ends = [share_interval(k, n, SHARE_LEVEL) for k, n in zip((share * rows).tolist(), rows.tolist(), strict=True)]
        low, high = np.array(ends).T
    return SingleScores(distinct.p, distinct.w, share, low, high, fitted.evaluate(distinct.p))


def _rows_at_each_score(sample: ScoreSample) -> FloatArray:
    """Return how many independent rows the rows of each distinct score tell as much as."""
    distinct = sample.distinct
    if sample.groups is None:
        return np.asarray(distinct.w if sample.whole else distinct.w**2 / distinct.w2)
    p = sample.rows.p
    starts, stops = (np.searchsorted(p, distinct.p, side).tolist() for side in ("left", "right"))
    return np.array([effective_rows(sample, slice(*ends)) for ends in zip(starts, stops, strict=True)])


def tabulate_members(error: Estimate, sample: ScoreSample, scale: Scale) -> Records:
    """Return the points of the maps that a mixture of families is made of, over the scores; none of any other map."""
    family = error.estimator
    if family is None or not family.mixes:
        return []
    rows: Records = []
    for (name, member), weight in zip(family.members_.items(), family.weights_.tolist(), strict=True):
        if weight < LEAST_NAMED:
            continue
        shape = compute_shape(member.map_, np.empty(0), sample, scale)
        course = clip_course(shape.joined(), shape.low, shape.high)
        rows += [{"member": name, "weight": weight, **row} for row in records(x=course.x, y=course.c)]
    return rows


def compute_shares_beyond(sample: ScoreSample, scale: Scale) -> tuple[float, float]:
    """Return the shares of the data below and above the axis."""
    below, above = (float(sample.w @ outside) for outside in (sample.p < scale.lower, sample.p > scale.upper))
    return below / sample.total, above / sample.total


def tabulate_histogram(cells: Partition, counts: FloatArray, beyond: tuple[float, float]) -> dict[str, Records]:
    """Return the parts of the table of a diagram: the histogram, and the shares of the data beyond its axis, if any."""
    parts = {"histogram": records(lower=cells.borders[:-1], upper=cells.borders[1:], weight=counts)}
    return parts | ({"beyond": records(below=beyond[:1], above=beyond[1:])} if any(beyond) else {})


def find_knots(error: Estimate) -> FloatArray:
    """Return the scores to mark as knots. Only some families have them."""
    bins: Any = error.partition
    if error.estimator is None or not error.estimator.has_knots or bins is None:
        return np.empty(0)
    edges: FloatArray = bins.edges
    return edges


def clip_course(course: Course, low: float, high: float) -> Course:
    """Return the points of a course over an interval of scores."""
    inside = (course.x >= low) & (course.x <= high)
    return Course(course.x[inside], course.c[inside])


def insert_crossings(course: Course, lower: float, upper: float) -> Course:
    """Return the course with the points where it crosses two values, between which it is straight."""
    at, x, c = [np.arange(course.x.size, dtype=np.float64)], [course.x], [course.c]
    for bound in (lower, upper):
        k = np.flatnonzero((course.c[:-1] - bound) * (course.c[1:] - bound) < 0)
        fraction = (bound - course.c[k]) / (course.c[k + 1] - course.c[k])
        at.append(k + fraction)
        x.append(course.x[k] + fraction * (course.x[k + 1] - course.x[k]))
        c.append(np.full(k.size, bound))
    order = np.argsort(np.concatenate(at), kind="stable")
    return Course(np.concatenate(x)[order], np.concatenate(c)[order])


def tabulate_cuts(shape: Shape, lower: float, upper: float) -> Records:
    """Return one record for each part of the map over the scores that lies beyond an axis from `lower` to `upper`.

    ``x`` is where it crosses the end ``y`` of the axis (the middle of a part that does not), ``value`` is its value
    furthest beyond.
    """
    found = []
    for course in shape.courses if shape.jumps else [shape.joined()]:
        over = insert_crossings(clip_course(course, shape.low, shape.high), lower, upper)
        for beyond, end, furthest in (
            (over.c < lower - ROUNDING, lower, np.min),
            (over.c > upper + ROUNDING, upper, np.max),
        ):
            steps = np.flatnonzero(np.diff(np.concatenate(([False], beyond, [False])).astype(np.int8)))
            for start, stop in steps.reshape(-1, 2).tolist():
                if start > 0:
                    x = over.x[start - 1]
                elif stop < over.x.size:
                    x = over.x[stop]
                else:
                    x = (over.x[0] + over.x[-1]) / 2
                found.append({"x": float(x), "y": end, "value": float(furthest(over.c[start:stop]))})
    return found


def _compute_means(
    fitted: CalibrationMap, pieces: Partition, table: BinTable, sample: ScoreSample
) -> tuple[FloatArray, FloatArray]:
    gaps, values = np.zeros(len(table)), np.zeros(len(table))
    for p, _, w in sample.blocks():
        c = fitted.evaluate(p)
        index, gap = pieces.locate_checked(p), np.abs(c - p)
        gaps += np.bincount(index, gap if w is None else gap * w, len(table))
        values += np.bincount(index, c if w is None else c * w, len(table))
    return table.per_weight(gaps), table.per_weight(values)


def _compute_courses(
    fitted: CalibrationMap,
    knots: FloatArray,
    pieces: Partition,
    scale: Scale,
    data: tuple[float, ...],
    *,
    jumps: bool,
) -> list[Course]:
    straight = jumps and scale.name == "probability"
    points = PIECE_POINTS if jumps else CURVE_POINTS if fitted.partition is None else FINE_CURVE_POINTS
    kinks = fitted.kinks if fitted.kinks.size <= MOST_KINKS else np.empty(0)
    spaced = np.empty(0) if straight else scale.grid(points)
    x_all = np.unique(np.concatenate((spaced, kinks, knots, data, () if jumps else scale.visible)))
    lower, upper = find_bounds(pieces) if jumps else (pieces.borders[:-1], pieces.borders[1:])
    courses = []
    for a, b in zip(lower, upper, strict=True):
        if not jumps:  # the logits of 0 and 1 are infinite
            a, b = np.clip((a, b), *scale.visible)
        inside = x_all[np.searchsorted(x_all, a, side="right") : np.searchsorted(x_all, b, side="left")]
        x = np.concatenate(([a], inside, [b]))
        courses.append(Course(x, fitted.evaluate(x)))
    return courses


def find_bounds(pieces: Partition) -> tuple[FloatArray, FloatArray]:
    """Return the first and the last float of each bin, at which a map has the value of that bin."""
    lower, upper = pieces.borders[:-1].copy(), pieces.borders[1:].copy()
    if pieces.closed == "left":
        upper[:-1] = np.nextafter(upper[:-1], 0.0)
    else:
        lower[1:] = np.nextafter(lower[1:], 1.0)
    return lower, np.maximum(lower, upper)
