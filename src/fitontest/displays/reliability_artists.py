"""Drawing the parts of a reliability diagram on matplotlib axes; each function adds one part and returns its artist."""

from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.consistency import ConsistencyBand
from fitontest.displays.palette import GAP, NEUTRAL, Color, ink, paper
from fitontest.displays.scales import Scale
from fitontest.displays.shapes import Course, Shape
from fitontest.partitions.partition import Partition
from fitontest.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

PALEST, FULLEST = 0.15, 0.75  # opacity of the gap where few and where most scores lie
FILLED = 0.22  # opacity of the fill under the map
GAP_LABEL = "gap; shade: share of data"
NARROW = 0.012  # of the axis: bins below that have their gap drawn as a line
MANY = 60  # bins, beyond which outlines and marks would hide one another


def draw_diagonal(ax: "Axes", scale: Scale) -> "Line2D":
    """Draw where the map of calibrated scores lies."""
    ends = np.array([scale.lower, scale.upper])
    (line,) = ax.plot(ends, ends, color=ink(ax), linewidth=1.0, linestyle=(0, (4, 3)), zorder=2.5)
    return line


def draw_band(ax: "Axes", band: ConsistencyBand) -> "Artist":
    """Draw where the maps of calibrated scores with noisy labels lie."""
    label = f"if calibrated, {100 * band.level:g} %"
    return ax.fill_between(
        band.x, band.lower, band.upper, color=NEUTRAL, alpha=0.45, linewidth=0, zorder=2.2, label=label
    )


def draw_fill(ax: "Axes", shape: Shape, color: Color) -> "PolyCollection":
    """Fill the area under the map: up to the diagonal top of each bin, or under the curve over the data."""
    from matplotlib.collections import PolyCollection

    courses = _over_data(shape)
    if not shape.jumps:  # one polygon: between several, seams would show
        courses = [_within(shape.joined(), shape.low, shape.high)]
    fill = PolyCollection(
        [_down_to_zero(course) for course in courses], facecolor=color, alpha=FILLED, linewidth=0, zorder=1.2
    )
    ax.add_collection(fill, autolim=False)
    return fill


def draw_gap(ax: "Axes", shape: Shape) -> "PolyCollection":
    """Fill the area between map and diagonal, each piece the darker the larger its share of the data."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    gap = PolyCollection(
        [_to_diagonal(course) for course in _over_data(shape)],
        facecolor=[to_rgba(GAP, float(one)) for one in _opacity(shape)],
        linewidth=0,
        zorder=1.4,
        label=GAP_LABEL,
    )
    ax.add_collection(gap, autolim=False)
    return gap


def draw_stems(ax: "Axes", shape: Shape, scale: Scale) -> "LineCollection | None":
    """Draw the gap of bins too narrow to have a visible area, such as that of the scores at exactly 1, as lines."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    kept, opacity = np.flatnonzero(shape.table.occupied), _opacity(shape)
    width = np.diff(scale.at(np.clip(shape.pieces.borders, scale.lower, scale.upper)))[kept]
    narrow = width < NARROW
    if not shape.jumps or not narrow.any():
        return None
    p, y = shape.table.mean_p[kept][narrow], shape.table.mean_y[kept][narrow]
    lines = np.stack((np.column_stack((p, p)), np.column_stack((p, y))), axis=1)
    colors = [to_rgba(GAP, float(one)) for one in opacity[narrow]]
    stems = LineCollection([*lines], colors=colors, linewidths=3.0, capstyle="butt", zorder=2.1)
    ax.add_collection(stems, autolim=False)
    return stems


def gap_in_the_legend() -> "Patch":
    """Return a patch in the full shade, which the first bin need not have."""
    from matplotlib.patches import Patch

    return Patch(facecolor=GAP, alpha=FULLEST)


def draw_outline(ax: "Axes", shape: Shape) -> "LineCollection":
    """Draw the classic bars, flat at the share of positives in each bin."""
    from matplotlib.collections import LineCollection

    borders, kept = shape.pieces.borders, np.flatnonzero(shape.table.occupied)
    bars = []
    for b in kept.tolist():
        left, right, top = borders[b], borders[b + 1], shape.table.mean_y[b]
        bars.append([(left, 0.0), (left, top), (right, top), (right, 0.0)])
    outline = LineCollection(bars, colors=[ink(ax)], linewidths=0.7 if len(bars) <= MANY else 0.3, zorder=2.0)
    ax.add_collection(outline, autolim=False)
    return outline


def draw_tops(ax: "Axes", shape: Shape, style: dict[str, Any], label: str) -> "Line2D":
    """Draw the map of a binned family: one line, interrupted between the bins."""
    gap = np.full((1, 2), np.nan)
    pieces = [np.concatenate((np.column_stack((course.x, course.c)), gap)) for course in _over_data(shape)]
    x, c = np.concatenate(pieces)[:-1].T
    (line,) = ax.plot(x, c, linewidth=1.8, zorder=3.0, label=label, **style)
    return line


def draw_curve(ax: "Axes", shape: Shape, style: dict[str, Any], label: str) -> "tuple[Line2D, Line2D]":
    """Draw a continuous map: solid over the data, dotted where no score stands behind it."""
    course = shape.joined()
    inside = (course.x >= shape.low) & (course.x <= shape.high)
    (line,) = ax.plot(course.x[inside], course.c[inside], linewidth=1.8, zorder=3.0, label=label, **style)
    beyond = np.concatenate((course.c[course.x <= shape.low], [np.nan], course.c[course.x >= shape.high]))
    x = np.concatenate((course.x[course.x <= shape.low], [np.nan], course.x[course.x >= shape.high]))
    (extension,) = ax.plot(x, beyond, linewidth=1.0, linestyle=":", color=style["color"], zorder=2.8)
    return line, extension


def draw_means(ax: "Axes", shape: Shape, edge: Color) -> "Line2D":
    """Mark the mean score and the mean label of each bin."""
    kept = shape.table.occupied
    size = 4.5 if len(shape.table) <= MANY else 2.0
    (means,) = ax.plot(
        shape.table.mean_p[kept], shape.table.mean_y[kept], "o", markersize=size, color=edge,
        markerfacecolor=paper(ax), markeredgewidth=1.1, zorder=3.4, label="mean of a bin",
    )  # fmt: skip
    return means


def draw_knots(ax: "Axes", shape: Shape, edge: Color) -> "Line2D":
    """Mark the knots of a piecewise linear map."""
    (knots,) = ax.plot(
        shape.knots.x, shape.knots.c, "D", markersize=5, color=edge, markerfacecolor=paper(ax), markeredgewidth=1.2,
        zorder=3.4, label="knot",
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


def _opacity(shape: Shape) -> FloatArray:
    """Return the shade of the gap of each piece with data: pale to full, in proportion to its share of the data."""
    share = shape.share[shape.table.occupied]
    shade: FloatArray = PALEST + (FULLEST - PALEST) * share / share.max()
    return shade


def _over_data(shape: Shape) -> list[Course]:
    """Return the courses of the pieces with data, those of a curve cut at the first and the last score."""
    kept = [shape.courses[b] for b in np.flatnonzero(shape.table.occupied).tolist()]
    return kept if shape.jumps else [_within(course, shape.low, shape.high) for course in kept]


def _within(course: Course, low: float, high: float) -> Course:
    inside = (course.x >= low) & (course.x <= high)
    return Course(course.x[inside], course.c[inside])


def _down_to_zero(course: Course) -> FloatArray:
    return np.concatenate(([[course.x[0], 0.0]], np.column_stack((course.x, course.c)), [[course.x[-1], 0.0]]))


def _to_diagonal(course: Course) -> FloatArray:
    return np.concatenate((np.column_stack((course.x, course.c)), np.column_stack((course.x, course.x))[::-1]))
