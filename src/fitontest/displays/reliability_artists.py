"""The artists of a reliability diagram. Each drawing function adds one to matplotlib axes and returns it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.data.known_groups import rho_in_words
from fitontest.displays.palette import (
    GAP,
    NEUTRAL,
    Color,
    blend_with_background,
    get_background,
    get_foreground,
    get_opaque_background,
    is_dark,
)
from fitontest.displays.scales import Scale
from fitontest.displays.shapes import (
    ROUNDING,
    SHARE_LEVEL,
    Course,
    Shape,
    SingleScores,
    clip_course,
    insert_crossings,
)
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records
from fitontest.results.text import short
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.bands import Band

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection, PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

MIN_OPACITY, MAX_OPACITY = 0.12, 0.8  # of the gap, for no data and for the largest share of the data
FILL_OPACITY = 0.22  # of the fill under the map
TRUTH_OPACITY = 0.14  # of the band of the true map
NEW_GROUP_OPACITY = 0.05  # of the band of a new group
DARK_OPACITY_GAIN = 0.16  # added to small opacities on a dark background
DIAGONAL_LABEL = "_fitontest diagonal"  # identifies the diagonal; legends leave it out
BAND_LABEL = "if calibrated, "
LEAST_MEMBER_OPACITY, MOST_MEMBER_OPACITY = 0.25, 0.7  # of the members of a mixture
TRUTH_LABEL = "true map, "
NEW_GROUP_LABEL = "map of a new group, "
SPLINE_LABEL = "a spline, "  # which does not fit
MEAN_LABEL = "mean of a bin"
KNOT_LABEL = "knot"
ATOM_LABEL = "scores that many rows share"
GAP_LABEL = "gap; shade: share of data"
SHARE_LABEL = "share of positives at one score"
SCORE_LABEL = f"{SHARE_LABEL}, exact {100 * SHARE_LEVEL:g} % interval"
TOO_LOW, TOO_HIGH = "scores too low", "scores too high"  # above the diagonal, and below it
ONE_BIN = "one bin was chosen:\nonly the means of scores\nand labels are compared"
WORD_OPACITY = 0.55
MAP_WIDTH, THIN_WIDTH = 1.8, 0.8  # points: of maps, and of those that go up and down all the time
MOST_VARIATION = 2.5  # of the values of a map that is drawn as wide as others; one that only rises has at most 1
LEAST_MARK, MOST_MARK = 18.0, 70.0  # square points: of a score with few rows, and of the one with most
EVENT_LABEL = "events"  # of a histogram by outcome
NON_EVENT_LABEL = "non-events"
CURVE_LABEL = "calibration curve"
THRESHOLD_LABEL = "thresholds"
CUT_LABEL = "map goes on beyond the axis"
CUT_DISTANCE = (
    4.5  # points from the end of the axis to the middle of a triangle, which leaves the mean of a bin visible
)
NARROW_WIDTH = 0.012  # fraction of the axis; the gap of narrower bins is also drawn as a line
MANY_BINS = 60  # above this number of bins, outlines are thinner and marks smaller


def draw_diagonal(ax: "Axes", scale: Scale) -> "Line2D":
    """Draw the diagonal, which is the map of calibrated scores."""
    ends = np.array([1e-16, 1 - 1e-16]) if scale.name == "logit" else np.array([-9.0, 10.0])  # beyond any axis
    (line,) = ax.plot(
        ends, ends, color=get_foreground(ax), linewidth=1.0, linestyle=(0, (4, 3)), zorder=2.5, label=DIAGONAL_LABEL
    )
    return line


def draw_band(ax: "Axes", band: Band, color: Color, *, first: bool) -> "Artist":
    """Draw a band, which contains most maps of calibrated scores, or the true map.

    The former is grey in the first diagram on the axes. The latter lies about the map and is mostly outline, so that
    the gap behind it can be seen.
    """
    from matplotlib.colors import to_rgb

    style: dict[str, Any] = {"color": NEUTRAL if first else color, "alpha": 0.45, "linewidth": 0}
    if band.kind != "consistency":
        rgb, shade = to_rgb(color), TRUTH_OPACITY + compute_opacity_gain(ax)  # type: ignore[arg-type]
        style = {"facecolor": (*rgb, shade), "edgecolor": (*rgb, 0.9), "linewidth": 0.9}
    return ax.fill_between(band.x, band.lower, band.upper, zorder=2.2, label=describe_band(band), **style)


def draw_new_group(ax: "Axes", band: Band, color: Color) -> "Artist":
    """Draw the band in which the map of a new group lies: a dashed outline, hardly filled, about the other band."""
    from matplotlib.colors import to_rgb

    rgb, shade = to_rgb(color), NEW_GROUP_OPACITY + compute_opacity_gain(ax) / 4  # type: ignore[arg-type]
    style: dict[str, Any] = {"facecolor": (*rgb, shade), "edgecolor": (*rgb, 0.9), "linewidth": 1.1}
    style["linestyle"] = (0, (4.0, 2.0))
    return ax.fill_between(band.x, band.lower, band.upper, zorder=2.15, label=describe_new_group(band), **style)


def describe_new_group(band: Band) -> str:
    """Return what the band of a new group contains, and how alike the labels of a group are, for the legend."""
    known = band.dependence
    assert known is not None
    alike = rho_in_words(known)
    if known.intercept == 0.0 and known.slope == 0.0:
        alike = f"{alike}: no spread over groups is seen"
    return f"{NEW_GROUP_LABEL}{100 * band.level:g} % at each score ({alike})"


def describe_band(band: Band) -> str:
    """Return what a band contains, for the legend."""
    level, refitted = f"{100 * band.level:g} %", "" if band.stand_in is None else f", refitted: {band.stand_in}"
    if band.kind == "consistency":
        return f"{BAND_LABEL}{level} ({band.draws} draws)"
    where = "each score" if band.kind == "confidence" else "all scores"
    if band.misfit is not None:  # it is not where the true map lies
        return f"{SPLINE_LABEL}{level} at {where} (it does not fit, p = {short(band.misfit, 2)})"
    return f"{TRUTH_LABEL}{level} at {where} ({band.draws} draws{refitted})"


def draw_areas(ax: "Axes", shape: Shape, scale: Scale, color: Color) -> tuple[Any, ...]:
    """Draw the fill under the map and the gap to the diagonal, and for bins also stems, veil and outline."""
    return (
        draw_fill(ax, shape, color),
        draw_gap(ax, shape),
        draw_stems(ax, shape, scale) if shape.jumps else None,
        draw_veil(ax, shape, scale) if shape.jumps else None,
        draw_outline(ax, shape) if shape.jumps else None,
    )


def draw_fill(ax: "Axes", shape: Shape, color: Color) -> "PolyCollection":
    """Fill the area under the map, over the bins with data or over the range of the data."""
    from matplotlib.collections import PolyCollection

    courses = _select_drawn_courses(shape)
    if not shape.jumps:
        courses = [clip_course(course, shape.low, shape.high) for course in courses]
    fill = PolyCollection(
        [_close_at_zero(_clip_to_probabilities(course)) for course in courses],
        facecolor=color,
        alpha=FILL_OPACITY + compute_opacity_gain(ax),
        linewidth=0,
        zorder=1.2,
    )
    ax.add_collection(fill, autolim=False)
    return fill


def draw_gap(ax: "Axes", shape: Shape) -> "PolyCollection":
    """Fill the area between map and diagonal. The shade of each piece shows its share of the data.

    The shades are opaque, so that they are the same with and without the fill behind them.
    """
    from matplotlib.collections import PolyCollection

    gap = PolyCollection(
        [_close_at_diagonal(_clip_to_probabilities(course)) for course in _select_courses_over_data(shape)],
        facecolor=[blend_with_background(ax, GAP, opacity) for opacity in _compute_opacity(ax, shape).tolist()],
        linewidth=0,
        zorder=1.4,
        label=GAP_LABEL,
    )
    ax.add_collection(gap, autolim=False)
    return gap


def draw_veil(ax: "Axes", shape: Shape, scale: Scale) -> "PolyCollection":
    """Fade the bins below the lowest and above the highest score."""
    from matplotlib.collections import PolyCollection

    sides = [(min(scale.lower, shape.low), shape.low), (shape.high, max(scale.upper, shape.high))]
    veil = PolyCollection(
        [[(a, 0.0), (a, 1.0), (b, 1.0), (b, 0.0)] for a, b in sides if a < b],
        transform=ax.get_xaxis_transform(),  # the full height
        facecolor=get_opaque_background(ax),
        alpha=0.75,
        linewidth=0,
        zorder=1.8,
    )
    ax.add_collection(veil, autolim=False)
    return veil


def draw_stems(ax: "Axes", shape: Shape, scale: Scale) -> "LineCollection | None":
    """Draw lines for the gap of bins whose area is too narrow to be visible, such as a bin of scores equal to 1."""
    from matplotlib.collections import LineCollection

    kept, opacity = _list_filled_pieces(shape), _compute_opacity(ax, shape)
    width = np.diff(scale.at(np.clip(shape.pieces.borders, scale.lower, scale.upper)))[kept]
    narrow = width < NARROW_WIDTH
    if not narrow.any():
        return None
    p, y = shape.table.mean_p[kept][narrow], shape.table.mean_y[kept][narrow]
    lines = np.stack((np.column_stack((p, p)), np.column_stack((p, y))), axis=1)
    colors = [blend_with_background(ax, GAP, shade) for shade in opacity[narrow].tolist()]
    stems = LineCollection([*lines], colors=colors, linewidths=3.0, capstyle="butt", zorder=2.1)
    ax.add_collection(stems, autolim=False)
    return stems


def make_gap_handle(ax: "Axes") -> Any:
    """Return the legend handle of the gap, a patch in the darkest shade."""
    from matplotlib.patches import Patch

    return Patch(facecolor=blend_with_background(ax, GAP, MAX_OPACITY))


def draw_outline(ax: "Axes", shape: Shape) -> "LineCollection":
    """Draw the outlines of flat bars, whose heights are the shares of positives in the bins."""
    from matplotlib.collections import LineCollection

    borders, bars = shape.pieces.borders, []
    for b in _list_filled_pieces(shape):
        left, right, top = borders[b], borders[b + 1], shape.table.mean_y[b]
        bars.append([(left, 0.0), (left, top), (right, top), (right, 0.0)])
    outline = LineCollection(
        bars, colors=[get_foreground(ax)], linewidths=0.7 if len(bars) <= MANY_BINS else 0.3, zorder=2.0
    )
    ax.add_collection(outline, autolim=False)
    return outline


def draw_map(
    ax: "Axes", shape: Shape, style: dict[str, Any], label: str, *, varies: bool = False
) -> "tuple[Line2D, Line2D]":
    """Draw the map, interrupted between bins and beyond [0, 1].

    It is solid over the scores, and dotted beyond them and over the outermost half per cent of the rows on either side.
    A map that `varies` may go up and down so often that a wide line would hide its own course.
    """
    courses, (first, last) = _select_drawn_courses(shape), shape.core
    inside = _join_with_breaks([_cut_to_probabilities(clip_course(course, first, last)) for course in courses])
    beyond = [_cut_to_probabilities(clip_course(course, -np.inf, first)) for course in courses]
    beyond += [_cut_to_probabilities(clip_course(course, last, np.inf)) for course in courses]
    width = THIN_WIDTH if varies and np.nansum(np.abs(np.diff(inside[1]))) > MOST_VARIATION else MAP_WIDTH
    (line,) = ax.plot(*inside, linewidth=width, zorder=3.0, label=label, **style)
    (extension,) = ax.plot(*_join_with_breaks(beyond), linewidth=1.0, linestyle=":", color=style["color"], zorder=2.8)
    return line, extension


def draw_map_at_scores(ax: "Axes", single: SingleScores, scale: Scale, style: dict[str, Any], label: str) -> "Line2D":
    """Draw the map of a sample of few scores: a thin line through its values at them, which alone are known."""
    (line,) = ax.plot(single.p, np.clip(single.c, *scale.visible), linewidth=1.0, zorder=2.9, label=label, **style)
    return line


def draw_single_scores(
    ax: "Axes", single: SingleScores, scales: tuple[Scale, Scale], color: Color
) -> "tuple[PathCollection, LineCollection]":
    """Mark the share of positives at each score, the larger the more rows there are, with its exact interval.

    What has no place on a logit axis is at the end of the axis.
    """
    x, y = np.clip(single.p, *scales[0].visible), np.clip(single.share, *scales[1].visible)
    low, high = np.clip((single.low, single.high), *scales[1].visible)
    whiskers = ax.vlines(x, low, high, color=color, linewidth=1.3, zorder=3.3)
    area = LEAST_MARK + (MOST_MARK - LEAST_MARK) * single.w / single.w.max()
    marks = ax.scatter(
        x, y, s=area, color=color, edgecolor=get_background(ax), linewidths=0.8, zorder=3.4, clip_on=False,
        label=SHARE_LABEL if np.isnan(single.low).all() else SCORE_LABEL,
    )  # fmt: skip
    return marks, whiskers


def draw_gaps_at_scores(ax: "Axes", single: SingleScores, scale: Scale) -> "LineCollection":
    """Draw the gap between map and diagonal as a line at each score, whose shade shows the share of the data."""
    from matplotlib.collections import LineCollection

    least = MIN_OPACITY + compute_opacity_gain(ax)
    opacity = least + (MAX_OPACITY - least) * single.w / single.w.max()
    ends = np.clip((single.p, single.c), *scale.visible)
    lines = [[(p, start), (p, end)] for p, start, end in zip(single.p, *ends, strict=True)]
    colors = [blend_with_background(ax, GAP, shade) for shade in opacity.tolist()]
    gaps = LineCollection(lines, colors=colors, linewidths=5.0, capstyle="butt", zorder=2.1, label=GAP_LABEL)
    ax.add_collection(gaps, autolim=False)
    return gaps


def draw_words(ax: "Axes") -> "list[Text]":
    """Write in the corners on which side of the diagonal scores are too low, and on which too high."""
    places = ((TOO_LOW, 0.03, 0.97, "left", "top"), (TOO_HIGH, 0.97, 0.03, "right", "bottom"))
    return [
        ax.text(
            x, y, word, transform=ax.transAxes, horizontalalignment=horizontal, verticalalignment=vertical,
            fontsize="small", fontstyle="italic", color=get_foreground(ax), alpha=WORD_OPACITY, zorder=2.6,
        )
        for word, x, y, horizontal, vertical in places
    ]  # fmt: skip


def draw_members(ax: "Axes", members: Records, color: Color) -> "list[Line2D]":
    """Draw the maps that a mixture is made of, thin behind it: the fainter, the less they weigh."""
    lines = []
    for name in dict.fromkeys(row["member"] for row in members):
        rows = [row for row in members if row["member"] == name]
        opacity = LEAST_MEMBER_OPACITY + (MOST_MEMBER_OPACITY - LEAST_MEMBER_OPACITY) * rows[0]["weight"]
        points = [row["x"] for row in rows], [row["y"] for row in rows]
        lines += ax.plot(*points, linewidth=0.8, color=color, alpha=opacity, zorder=2.7)
    return lines


def draw_cuts(ax: "Axes", cuts: Records, scale: Scale, color: Color) -> "list[Line2D]":
    """Mark where the map leaves the axis of `scale`: triangles just beyond its ends."""
    from matplotlib.transforms import ScaledTranslation

    marks: list[Line2D] = []
    figure: Any = ax.get_figure(root=True)
    for marker, end, side in zip("v^", scale.visible, (-1, 1), strict=True):
        x = [cut["x"] for cut in cuts if cut["y"] == end]
        if x:
            height = scale.at(np.full(len(x), end))
            moved = ScaledTranslation(0.0, side * CUT_DISTANCE / 72, figure.dpi_scale_trans)
            marks += ax.plot(
                x, height, marker, markersize=7, color=color, markeredgecolor=get_background(ax), markeredgewidth=0.8,
                transform=ax.get_xaxis_transform() + moved, clip_on=False, zorder=3.3, label=CUT_LABEL,
            )  # fmt: skip
    return marks


def _join_with_breaks(courses: list[Course]) -> tuple[FloatArray, FloatArray]:
    """Return the points of all courses, with NaN between one and the next."""
    x = [part for course in courses if course.x.size for part in (course.x, [np.nan])]
    c = [part for course in courses if course.x.size for part in (course.c, [np.nan])]
    return np.concatenate(x[:-1] or [[]]), np.concatenate(c[:-1] or [[]])


def draw_difference_of_means(ax: "Axes", shape: Shape) -> "LineCollection":
    """Draw the gap of the only bin at the mean of the scores, where alone it is known."""
    from matplotlib.collections import LineCollection

    p, y = shape.table.mean_p[0], shape.table.mean_y[0]
    color = blend_with_background(ax, GAP, MAX_OPACITY)
    line = LineCollection([[(p, p), (p, y)]], colors=[color], linewidths=5.0, zorder=2.1, label=GAP_LABEL)
    ax.add_collection(line, autolim=False)
    return line


def annotate_one_bin(ax: "Axes", shape: Shape) -> "Text":
    """Say beside the means of the only bin that nothing else is known of the map."""
    p, y = float(shape.table.mean_p[0]), float(shape.table.mean_y[0])
    return ax.annotate(
        ONE_BIN, (p, y), xytext=(10, -10), textcoords="offset points", verticalalignment="top",
        fontsize="small", color=get_foreground(ax), zorder=3.5,
    )  # fmt: skip


def draw_means(ax: "Axes", shape: Shape, edge: Color) -> "Line2D":
    """Mark the mean score and the mean label of each bin."""
    kept = shape.table.occupied
    size = 4.5 if len(shape.table) <= MANY_BINS else 2.0
    (means,) = ax.plot(
        shape.table.mean_p[kept], shape.table.mean_y[kept], "o", markersize=size, color=edge,
        markerfacecolor=get_background(ax), markeredgewidth=1.1, zorder=3.4, label=MEAN_LABEL,
    )  # fmt: skip
    return means


def draw_knots(ax: "Axes", shape: Shape, edge: Color) -> "Line2D":
    """Mark the knots of a piecewise linear map."""
    (knots,) = ax.plot(
        shape.knots.x, shape.knots.c, "D", markersize=5, color=edge, markerfacecolor=get_background(ax),
        markeredgewidth=1.2, zorder=3.4, label=KNOT_LABEL,
    )  # fmt: skip
    return knots


def draw_atoms(ax: "Axes", shape: Shape, scales: tuple[Scale, Scale], edge: Color) -> "Line2D":
    """Mark the values at scores that many rows share, which the line of the map passes by.

    Scores of exactly 0 and 1 have no place on a logit scale. They are marked at its ends.
    """
    x, y = np.clip(shape.atoms.x, *scales[0].visible), np.clip(shape.atoms.c, *scales[1].visible)
    (atoms,) = ax.plot(
        x, y, "o", markersize=6.5, color=edge, markerfacecolor=get_background(ax),
        markeredgewidth=1.4, zorder=3.5, label=ATOM_LABEL, clip_on=False,
    )  # fmt: skip
    return atoms


def draw_counts(
    ax: "Axes", counts: FloatArray, cells: Partition, scale: Scale, style: dict[str, Any], *, fill: bool
) -> "Artist":
    """Draw the histogram of the scores. An equal histogram on the axes is not drawn again."""
    from matplotlib.patches import StepPatch

    edges = scale.ends(cells)
    drawn: list[Any] = [patch.get_data() for patch in ax.patches if isinstance(patch, StepPatch)]
    if any(np.array_equal(data.values, counts) and np.array_equal(data.edges, edges) for data in drawn):
        return ax.stairs(counts, edges, visible=False)  # the same scores under another family
    if fill:
        return ax.stairs(counts, edges, fill=True, facecolor=NEUTRAL, edgecolor=get_background(ax), linewidth=0.4)
    return ax.stairs(counts, edges, edgecolor=style["color"], linestyle=style["linestyle"], linewidth=1.3)


def _list_filled_pieces(shape: Shape) -> list[int]:
    """Return the indices of the pieces to fill: bins with data, or those of a curve within the range of the data."""
    if shape.jumps:
        return [*map(int, np.flatnonzero(shape.table.occupied))]
    return [b for b, course in enumerate(shape.courses) if clip_course(course, shape.low, shape.high).x.size]


def compute_opacity_gain(ax: "Axes") -> float:
    """Return the addition to small opacities."""
    return DARK_OPACITY_GAIN if is_dark(ax) else 0.0


def _compute_opacity(ax: "Axes", shape: Shape) -> FloatArray:
    """Return the opacity of the gap of each filled piece, which is linear in its share of the data."""
    share = shape.share
    least = MIN_OPACITY + compute_opacity_gain(ax)
    opacity: FloatArray = least + (MAX_OPACITY - least) * share[_list_filled_pieces(shape)] / share.max()
    return opacity


def _select_courses_over_data(shape: Shape) -> list[Course]:
    """Return the courses of the filled pieces. Those of a curve are clipped to the range of the data."""
    courses = [shape.courses[b] for b in _list_filled_pieces(shape)]
    return courses if shape.jumps else [clip_course(course, shape.low, shape.high) for course in courses]


def _select_drawn_courses(shape: Shape) -> list[Course]:
    """Return the courses to draw: one for each bin with data, or one for a curve, whose pieces would show seams."""
    return [shape.courses[b] for b in _list_filled_pieces(shape)] if shape.jumps else [shape.joined()]


def _clip_to_probabilities(course: Course) -> Course:
    """Return the course with its values clipped to [0, 1]."""
    whole = insert_crossings(course, 0.0, 1.0)
    return Course(whole.x, np.clip(whole.c, 0.0, 1.0))


def _cut_to_probabilities(course: Course) -> Course:
    """Return the course with NaN for values beyond [0, 1], at which a line is interrupted."""
    whole = insert_crossings(course, 0.0, 1.0)
    inside = (whole.c >= -ROUNDING) & (whole.c <= 1 + ROUNDING)
    return Course(whole.x, np.where(inside, whole.c, np.nan))


def _close_at_zero(course: Course) -> FloatArray:
    return np.concatenate(([[course.x[0], 0.0]], np.column_stack((course.x, course.c)), [[course.x[-1], 0.0]]))


def _close_at_diagonal(course: Course) -> FloatArray:
    return np.concatenate((np.column_stack((course.x, course.c)), np.column_stack((course.x, course.x))[::-1]))
