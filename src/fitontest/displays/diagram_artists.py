"""The artists of a reliability diagram, drawn on matplotlib axes from its numbers."""

from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.curves import Curve, Strokes
from fitontest.displays.diagram import BARS, Diagram
from fitontest.displays.palette import (
    GAP,
    Color,
    blend_with_background,
    get_background,
    get_foreground,
    get_muted,
    is_dark,
)
from fitontest.displays.planes import Plane, within
from fitontest.displays.rows_along import MOST_DENSE, density
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND_OPACITY, DARK_BAND_OPACITY = 0.17, 0.33
LEAST_SHADE, MOST_SHADE = 0.14, 0.75  # of the gap, where the fewest and where the most rows are
MAP_WIDTH = 1.7  # points: of bins and polygons
LEAST_MARK, MOST_MARK = 14.0, 160.0  # square points, of a score with no rows and of one with all
POINT_SIZE = 4.0
MANY_BINS = 60


def draw_curve(ax: "Axes", diagram: Diagram, curve: Curve, color: Color) -> Any:
    """Draw the line of a map where rows bear it, as wide as they are many."""
    from matplotlib.collections import LineCollection

    y = within(diagram.heights(curve.x, curve.y), diagram.plane.y)
    ends = np.column_stack((curve.x, y))
    segments = np.stack((ends[:-1], ends[1:]), axis=1)
    joined = curve.drawn[:-1] & curve.drawn[1:]
    widths = ((curve.width[:-1] + curve.width[1:]) / 2)[joined]
    line = LineCollection(list(segments[joined]), linewidths=widths, colors=[color], capstyle="round", zorder=3)
    ax.add_collection(line, autolim=False)
    return line


def draw_band(ax: "Axes", diagram: Diagram, curve: Curve, color: Color, *, opacity: float | None = None) -> Any:
    """Fill the band under the curve."""
    shade = opacity or (DARK_BAND_OPACITY if is_dark(ax) else BAND_OPACITY)
    known = curve.drawn & np.isfinite(curve.lower)
    ends = [
        within(diagram.heights(curve.x, np.where(known, end, curve.y)), diagram.plane.y)
        for end in (curve.lower, curve.upper)
    ]
    return ax.fill_between(
        curve.x, ends[0], ends[1], where=known.tolist(), color=color, alpha=shade, linewidth=0, zorder=2
    )


def draw_new_group(ax: "Axes", diagram: Diagram, color: Color) -> Any:
    """Draw where the map of a new group lies, as a dashed outline."""
    band = diagram.new_group
    assert band is not None
    ends = [within(diagram.heights(band.x, end), diagram.plane.y) for end in (band.lower, band.upper)]
    return ax.fill_between(
        band.x, ends[0], ends[1], facecolor="none", edgecolor=color, linewidth=1.0, linestyle=(0, (4.0, 2.0)),
        zorder=2.1,
    )  # fmt: skip


def draw_points(ax: "Axes", diagram: Diagram, color: Color) -> tuple[Any, Any]:
    """Draw the shares of positives with their intervals: of single scores as large as their rows are many."""
    points, plane = diagram.points, diagram.plane
    assert points is not None
    x, y = within(points.p, plane.x), within(diagram.heights(points.p, points.share), plane.y)
    low, high = (within(diagram.heights(points.p, end), plane.y) for end in (points.low, points.high))
    single = diagram.form == "points"
    ink: Any = color if single else get_muted(ax, 0.85)
    stems = ax.vlines(x, low, high, color=ink, linewidth=1.6 if single else 1.0, zorder=4)
    stems.set_clip_on(False)
    if single:
        area = LEAST_MARK + (MOST_MARK - LEAST_MARK) * points.weight / points.weight.sum()
        marks: Any = ax.scatter(
            x, y, s=area, color=color, edgecolor=get_background(ax), linewidths=0.8, zorder=5, clip_on=False
        )
    else:
        (marks,) = ax.plot(
            x, y, "o", markersize=POINT_SIZE, markerfacecolor=get_background(ax), markeredgecolor=ink,
            markeredgewidth=1.0, zorder=5, clip_on=False,
        )  # fmt: skip
    return marks, stems


def draw_strokes(ax: "Axes", diagram: Diagram, color: Color) -> tuple[Any, Any, Any]:
    """Draw the bins of a map: the gap to the diagonal, a stroke for the map, and the means; their edges are ticks."""
    from matplotlib.collections import LineCollection, PolyCollection

    strokes = diagram.strokes
    assert strokes is not None
    shade = strokes.weight / strokes.weight.max()
    paths: list[FloatArray] = []
    lines: list[FloatArray] = []
    shades: list[float] = []
    for k in range(strokes.p.size):
        x = _along(strokes, k, diagram.plane)
        y = _between(strokes, k, x)
        inside = (y >= -1e-9) & (y <= 1.0 + 1e-9)
        lines.append(np.column_stack((x[inside], within(y[inside], diagram.plane.y))))
        shown = within(np.clip(y, 0.0, 1.0), diagram.plane.y)
        paths += _gaps(x, shown)
        shades += [float(shade[k])] * (len(paths) - len(shades))
    colors = [blend_with_background(ax, GAP, LEAST_SHADE + (MOST_SHADE - LEAST_SHADE) * one) for one in shades]
    gap = PolyCollection(paths, facecolor=colors, edgecolor=colors, linewidth=0.6, zorder=1)
    narrow = strokes.p.size > MANY_BINS
    stroke = LineCollection(
        [line for line in lines if len(line) > 1], colors=[color], linewidths=1.0 if narrow else MAP_WIDTH,
        capstyle="butt", zorder=3,
    )  # fmt: skip
    for artist in (gap, stroke):
        ax.add_collection(artist, autolim=False)
    marks = _draw_means(ax, diagram, strokes, size=2.5 if narrow else POINT_SIZE)
    edges = np.unique(np.concatenate((strokes.lower, strokes.upper)))
    ax.set_xticks(edges[(edges > diagram.plane.x.lower) & (edges < diagram.plane.x.upper)], minor=True)
    ax.tick_params(axis="x", which="minor", length=2.0, labelbottom=False)
    return gap, stroke, marks


def _draw_means(ax: "Axes", diagram: Diagram, strokes: Strokes, size: float) -> list[Any]:
    marks = []
    for several, marker in ((False, "o"), (True, "s")):
        own = (strokes.bins > 1) == several
        if own.any():
            x, y = within(strokes.p[own], diagram.plane.x), within(strokes.share[own], diagram.plane.y)
            marks += ax.plot(
                x, y, marker, linestyle="none", markersize=size, markerfacecolor=get_background(ax),
                markeredgecolor=get_foreground(ax), markeredgewidth=1.0, zorder=5, clip_on=False,
            )  # fmt: skip
    return marks


def _along(strokes: Strokes, k: int, plane: Plane) -> FloatArray:
    """Return scores from the lower to the upper end of a bin, more where it is curved."""
    low, high = float(strokes.lower[k]), float(strokes.upper[k])
    if plane.name == "probability":
        cuts = np.array([low, high, *_crossings(strokes, k)])
        return np.unique(cuts[(cuts >= low) & (cuts <= high)])
    ends = plane.x.link.forward(np.array([low, high]), 1e-9)
    inner = plane.x.link.inverse(np.linspace(ends[0], ends[1], 33)[1:-1])
    return np.concatenate(([low], inner, [high]))


def _crossings(strokes: Strokes, k: int) -> list[float]:
    """Return where a stroke meets 0, 1 and the diagonal."""
    low, high = strokes.lower[k], strokes.upper[k]
    slope = (strokes.last[k] - strokes.first[k]) / (high - low) if high > low else 0.0
    found = [low + (bound - strokes.first[k]) / slope for bound in (0.0, 1.0)] if slope else []
    return [*found, low + (strokes.first[k] - low) / (1.0 - slope)] if abs(1.0 - slope) > 1e-9 else found


def _between(strokes: Strokes, k: int, x: FloatArray) -> FloatArray:
    low, high = strokes.lower[k], strokes.upper[k]
    if high <= low:
        return np.full(x.size, strokes.first[k])
    part = (x - low) / (high - low)
    return np.asarray(strokes.first[k] + part * (strokes.last[k] - strokes.first[k]))


def _gaps(x: FloatArray, y: FloatArray) -> list[FloatArray]:
    """Return the outline between a stroke and the diagonal."""
    if x.size == 1:
        return []
    return [np.concatenate((np.column_stack((x, y)), np.column_stack((x, x))[::-1]))]


def draw_polygon(ax: "Axes", diagram: Diagram, color: Color) -> tuple[Any, Any, Any]:
    """Draw a map with knots where rows bear it: the gap to the diagonal, the line, and diamonds at the knots."""
    from matplotlib.collections import LineCollection, PolyCollection

    curve, plane = diagram.curve, diagram.plane
    assert curve is not None
    y = within(np.clip(curve.y, 0.0, 1.0), plane.y)
    dense = np.minimum(density(diagram.sample, plane, curve.x), MOST_DENSE) / MOST_DENSE
    both = curve.drawn[:-1] & curve.drawn[1:]
    corners = np.stack(
        [np.column_stack(pair) for pair in ((curve.x[:-1], y[:-1]), (curve.x[1:], y[1:]), (curve.x[1:], curve.x[1:]),
                                            (curve.x[:-1], curve.x[:-1]))], axis=1,
    )  # fmt: skip
    shades = LEAST_SHADE + (MOST_SHADE - LEAST_SHADE) * ((dense[:-1] + dense[1:]) / 2)[both]
    colors = [blend_with_background(ax, GAP, float(one)) for one in shades]
    gap = PolyCollection(list(corners[both]), facecolor=colors, edgecolor=colors, linewidth=0.4, zorder=1)
    ends = np.column_stack((curve.x, y))
    line = LineCollection(
        list(np.stack((ends[:-1], ends[1:]), axis=1)[both]), colors=[color], linewidths=MAP_WIDTH, capstyle="round",
        zorder=3,
    )  # fmt: skip
    for artist in (gap, line):
        ax.add_collection(artist, autolim=False)
    knots = diagram.knots[(diagram.knots > plane.x.lower) & (diagram.knots < plane.x.upper)]
    (marks,) = ax.plot(
        knots, within(diagram.values.at(knots), plane.y), "D", markersize=POINT_SIZE + 0.5,
        markerfacecolor=get_background(ax), markeredgecolor=color, markeredgewidth=1.2, zorder=5, clip_on=False,
    )  # fmt: skip
    return gap, line, marks


def draw_bars(below: "Axes", diagram: Diagram, color: Color) -> Any:
    """Draw the histogram of the scores; of few distinct ones a bar at each."""
    edges = diagram.plane.edges(BARS)
    if diagram.form == "points" and diagram.points is not None and not diagram.plane.is_ratio:
        points, width = diagram.points, 0.022 * (diagram.plane.x.upper - diagram.plane.x.lower)
        if diagram.plane.name == "probability":
            return below.bar(points.p, points.weight, width=width, color=color, linewidth=0)
    return below.stairs(diagram.bars, edges, fill=True, color=color, linewidth=0)


def places_of_marks(diagram: Diagram) -> FloatArray:
    """Return where marks are, as fractions of the axes, shape (M, 2)."""
    plane, found = diagram.plane, [np.empty((0, 2))]

    def add(x: FloatArray, *heights: FloatArray) -> None:
        for y in heights:
            known = np.isfinite(y)
            found.append(np.column_stack((plane.x.at(x[known]), plane.y.at(within(y[known], plane.y)))))

    if diagram.points is not None:
        at = diagram.points
        steps = [diagram.heights(at.p, at.low + part * (at.high - at.low)) for part in (0.0, 0.25, 0.75, 1.0)]
        add(at.p, diagram.heights(at.p, at.share), *steps)
    if diagram.curve is not None:
        shown = diagram.curve if diagram.band is None else diagram.banded(diagram.band)
        at_curve = shown.drawn
        add(shown.x[at_curve], *(diagram.heights(shown.x, y)[at_curve] for y in (shown.y, shown.lower, shown.upper)))
    if diagram.strokes is not None:
        add(diagram.strokes.p, diagram.strokes.share)
        add(diagram.strokes.upper, diagram.strokes.last)
        add(diagram.strokes.lower, diagram.strokes.first)
    return np.concatenate(found)
