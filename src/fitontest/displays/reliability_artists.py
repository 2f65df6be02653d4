"""Drawing the parts of a reliability diagram on matplotlib axes; each function adds one part and returns its artist."""

from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.palette import GAP, NEUTRAL, Color, ground, ink, paper, tint
from fitontest.displays.scales import Scale
from fitontest.displays.shapes import Course, Shape
from fitontest.partitions.partition import Partition
from fitontest.typing import FloatArray
from fitontest.uncertainty.bands import ConsistencyBand

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D

PALEST, FULLEST = 0.12, 0.8  # opacity of the gap where few and where most scores lie
FILLED = 0.22  # opacity of the fill under the map
ON_DARK = 0.16  # what is added to pale shades on a dark background, where the eye needs more
DIAGONAL = "_fitontest diagonal"  # the label by which it is found, which no legend shows
BAND_LABEL = "if calibrated, "
MEAN_LABEL = "mean of a bin"
KNOT_LABEL = "knot"
GAP_LABEL = "gap; shade: share of data"
NARROW = 0.012  # of the axis: bins below that have their gap drawn as a line
MANY = 60  # bins, beyond which outlines and marks would hide one another


def draw_diagonal(ax: "Axes", scale: Scale) -> "Line2D":
    """Draw where the map of calibrated scores lies."""
    ends = np.array([1e-16, 1 - 1e-16]) if scale.name == "logit" else np.array([-9.0, 10.0])  # beyond any axis
    (line,) = ax.plot(ends, ends, color=ink(ax), linewidth=1.0, linestyle=(0, (4, 3)), zorder=2.5, label=DIAGONAL)
    return line


def draw_band(ax: "Axes", band: ConsistencyBand, color: Color) -> "Artist":
    """Draw where the maps of calibrated scores with noisy labels lie."""
    label = f"{BAND_LABEL}{100 * band.level:g} % ({band.draws} draws)"
    return ax.fill_between(
        band.x, band.lower, band.upper, color=color, alpha=0.45, linewidth=0, zorder=2.2, label=label
    )


def draw_areas(ax: "Axes", shape: Shape, scale: Scale, color: Color) -> tuple[Any, ...]:
    """Fill the areas: under the map, between it and the diagonal (also as lines); of bins fade and outline them too."""
    return (
        draw_fill(ax, shape, color),
        draw_gap(ax, shape),
        draw_stems(ax, shape, scale) if shape.jumps else None,
        draw_veil(ax, shape, scale) if shape.jumps else None,
        draw_outline(ax, shape) if shape.jumps else None,
    )


def draw_fill(ax: "Axes", shape: Shape, color: Color) -> "PolyCollection":
    """Fill the area under the map: up to the diagonal top of each bin, or under the curve over the data."""
    from matplotlib.collections import PolyCollection

    courses = _unbroken(shape)
    if not shape.jumps:
        courses = [_within(course, shape.low, shape.high) for course in courses]
    fill = PolyCollection(
        [_down_to_zero(course) for course in courses],
        facecolor=color,
        alpha=FILLED + on_dark(ax),
        linewidth=0,
        zorder=1.2,
    )
    ax.add_collection(fill, autolim=False)
    return fill


def draw_gap(ax: "Axes", shape: Shape) -> "PolyCollection":
    """Fill the area between map and diagonal, each piece in the shade of its share of the data.

    The shades are opaque, so that they are the same above the diagonal, where the fill lies behind them, and below.
    """
    from matplotlib.collections import PolyCollection

    gap = PolyCollection(
        [_to_diagonal(course) for course in _over_data(shape)],
        facecolor=[tint(ax, GAP, one) for one in _opacity(ax, shape).tolist()],
        linewidth=0,
        zorder=1.4,
        label=GAP_LABEL,
    )
    ax.add_collection(gap, autolim=False)
    return gap


def draw_veil(ax: "Axes", shape: Shape, scale: Scale) -> "PolyCollection":
    """Fade what bins show where there are no scores, below the lowest and above the highest."""
    from matplotlib.collections import PolyCollection

    sides = [(min(scale.lower, shape.low), shape.low), (shape.high, max(scale.upper, shape.high))]
    veil = PolyCollection(
        [[(a, 0.0), (a, 1.0), (b, 1.0), (b, 0.0)] for a, b in sides if a < b],
        transform=ax.get_xaxis_transform(),  # over the whole height
        facecolor=ground(ax),
        alpha=0.75,
        linewidth=0,
        zorder=1.8,
    )
    ax.add_collection(veil, autolim=False)
    return veil


def draw_stems(ax: "Axes", shape: Shape, scale: Scale) -> "LineCollection | None":
    """Draw the gap of bins too narrow to have a visible area, such as that of the scores at exactly 1, as lines."""
    from matplotlib.collections import LineCollection

    kept, opacity = _shown(shape), _opacity(ax, shape)
    width = np.diff(scale.at(np.clip(shape.pieces.borders, scale.lower, scale.upper)))[kept]
    narrow = width < NARROW
    if not narrow.any():
        return None
    p, y = shape.table.mean_p[kept][narrow], shape.table.mean_y[kept][narrow]
    lines = np.stack((np.column_stack((p, p)), np.column_stack((p, y))), axis=1)
    colors = [tint(ax, GAP, one) for one in opacity[narrow].tolist()]
    stems = LineCollection([*lines], colors=colors, linewidths=3.0, capstyle="butt", zorder=2.1)
    ax.add_collection(stems, autolim=False)
    return stems


def gap_in_the_legend(ax: "Axes") -> Any:
    """Return a patch in the full shade, which the first bin need not have."""
    from matplotlib.patches import Patch

    return Patch(facecolor=tint(ax, GAP, FULLEST))


def draw_outline(ax: "Axes", shape: Shape) -> "LineCollection":
    """Draw the classic bars, flat at the share of positives in each bin."""
    from matplotlib.collections import LineCollection

    borders, bars = shape.pieces.borders, []
    for b in _shown(shape):
        left, right, top = borders[b], borders[b + 1], shape.table.mean_y[b]
        bars.append([(left, 0.0), (left, top), (right, top), (right, 0.0)])
    outline = LineCollection(bars, colors=[ink(ax)], linewidths=0.7 if len(bars) <= MANY else 0.3, zorder=2.0)
    ax.add_collection(outline, autolim=False)
    return outline


def draw_map(ax: "Axes", shape: Shape, style: dict[str, Any], label: str) -> "tuple[Line2D, Line2D]":
    """Draw the map, interrupted between bins: solid over the data, dotted where no score stands behind it."""
    courses = _unbroken(shape)
    inside = _interrupted([_within(course, shape.low, shape.high) for course in courses])
    beyond = [_within(course, -np.inf, shape.low) for course in courses]
    beyond += [_within(course, shape.high, np.inf) for course in courses]
    (line,) = ax.plot(*inside, linewidth=1.8, zorder=3.0, label=label, **style)
    (extension,) = ax.plot(*_interrupted(beyond), linewidth=1.0, linestyle=":", color=style["color"], zorder=2.8)
    return line, extension


def _interrupted(courses: list[Course]) -> tuple[FloatArray, FloatArray]:
    """Return the points of all courses, with NaN between one and the next."""
    x = [one for course in courses if course.x.size for one in (course.x, [np.nan])]
    c = [one for course in courses if course.x.size for one in (course.c, [np.nan])]
    return np.concatenate(x[:-1] or [[]]), np.concatenate(c[:-1] or [[]])


def draw_means(ax: "Axes", shape: Shape, edge: Color) -> "Line2D":
    """Mark the mean score and the mean label of each bin."""
    kept = shape.table.occupied
    size = 4.5 if len(shape.table) <= MANY else 2.0
    (means,) = ax.plot(
        shape.table.mean_p[kept], shape.table.mean_y[kept], "o", markersize=size, color=edge,
        markerfacecolor=paper(ax), markeredgewidth=1.1, zorder=3.4, label=MEAN_LABEL,
    )  # fmt: skip
    return means


def draw_knots(ax: "Axes", shape: Shape, edge: Color) -> "Line2D":
    """Mark the knots of a piecewise linear map."""
    (knots,) = ax.plot(
        shape.knots.x, shape.knots.c, "D", markersize=5, color=edge, markerfacecolor=paper(ax), markeredgewidth=1.2,
        zorder=3.4, label=KNOT_LABEL,
    )  # fmt: skip
    return knots


def draw_counts(
    ax: "Axes", counts: FloatArray, cells: Partition, scale: Scale, style: dict[str, Any], *, fill: bool
) -> "Artist":
    """Draw the histogram of the scores, unless it is there already."""
    from matplotlib.patches import StepPatch

    edges = scale.ends(cells)
    seen: list[Any] = [patch.get_data() for patch in ax.patches if isinstance(patch, StepPatch)]
    if any(np.array_equal(one.values, counts) and np.array_equal(one.edges, edges) for one in seen):
        return ax.stairs(counts, edges, visible=False)  # the same scores under another family
    if fill:
        return ax.stairs(counts, edges, fill=True, facecolor=NEUTRAL, edgecolor=paper(ax), linewidth=0.4)
    return ax.stairs(counts, edges, edgecolor=style["color"], linestyle=style["linestyle"], linewidth=1.3)


def _shown(shape: Shape) -> list[int]:
    """Return the pieces to paint: bins with data, and of a curve all bars between the first and the last score."""
    if shape.jumps:
        return [*map(int, np.flatnonzero(shape.table.occupied))]
    return [b for b, course in enumerate(shape.courses) if _within(course, shape.low, shape.high).x.size]


def on_dark(ax: "Axes") -> float:
    """Return what is added to pale shades."""
    return ON_DARK if sum(ground(ax)) < 1.5 else 0.0


def _opacity(ax: "Axes", shape: Shape) -> FloatArray:
    """Return the shade of the gap of each painted piece: pale to full, in proportion to its share of the data."""
    share = shape.share
    palest = PALEST + on_dark(ax)
    shade: FloatArray = palest + (FULLEST - palest) * share[_shown(shape)] / share.max()
    return shade


def _over_data(shape: Shape) -> list[Course]:
    """Return the courses of the painted pieces, those of a curve cut at the first and the last score."""
    courses = [shape.courses[b] for b in _shown(shape)]
    return courses if shape.jumps else [_within(course, shape.low, shape.high) for course in courses]


def _unbroken(shape: Shape) -> list[Course]:
    """Return what is drawn in one go: each bin with data, or the whole of a curve, in which seams would show."""
    return [shape.courses[b] for b in _shown(shape)] if shape.jumps else [shape.joined()]


def _within(course: Course, low: float, high: float) -> Course:
    inside = (course.x >= low) & (course.x <= high)
    return Course(course.x[inside], course.c[inside])


def _down_to_zero(course: Course) -> FloatArray:
    return np.concatenate(([[course.x[0], 0.0]], np.column_stack((course.x, course.c)), [[course.x[-1], 0.0]]))


def _to_diagonal(course: Course) -> FloatArray:
    return np.concatenate((np.column_stack((course.x, course.c)), np.column_stack((course.x, course.x))[::-1]))
