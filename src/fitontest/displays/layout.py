"""Where reliability diagrams stand: one on its axes, several models on the same axes, or panels side by side."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.canvas import AxesOrFigure, create_pyplot_figure, style_axes
from fitontest.displays.companions import HISTOGRAM, add_companion, find_companions
from fitontest.displays.comparison import ComparisonDisplay, Dot
from fitontest.displays.curve_names import name_curves
from fitontest.displays.diagram import Diagram
from fitontest.displays.diagram_artists import (
    draw_band,
    draw_bars,
    draw_curve,
    draw_new_group,
    draw_points,
    draw_polygon,
    draw_strokes,
    places_of_marks,
)
from fitontest.displays.palette import FILL, SERIES, Color, get_line_color, get_muted
from fitontest.displays.titles import name_error, value_in_words, write_key, write_title
from fitontest.results.text import capital, visible
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HISTOGRAM_HEIGHT, HISTOGRAM_GAP = 0.12, 0.1  # fractions of the height of the axes
STRIP = 0.06  # the same, of the histogram of one of several models
PANEL = (2.9, 3.7)  # inches
PANEL_GAP = 0.15  # fraction of the height of panels, between axes and histogram
MOST_PANELS = 12
COLUMNS = (4, 3)  # of more panels than one row holds
LETTERS_PER_INCH = 9.5  # of the title of a figure
DIAGONAL = np.column_stack([np.linspace(0.0, 1.0, 101)] * 2)  # as fractions of the axes
THIN_BAND = 0.12  # opacity of the bands of several models

Artists = dict[str, Any]


@dataclass(frozen=True)
class Style:
    """How diagrams are drawn.

    Attributes
    ----------
    color : matplotlib colour or None
    legend, ref_line : bool
        Whether there are a key and a diagonal.
    """

    color: Color | None = None
    legend: bool = True
    ref_line: bool = True


def draw_single(main: "Axes", diagram: Diagram, style: Style, *, small: bool = False) -> Artists:
    """Draw one diagram: its map or points, title, key, and the histogram below."""
    gap = PANEL_GAP if small else HISTOGRAM_GAP
    below = _prepare(main, diagram, HISTOGRAM_HEIGHT, gap)
    color = get_line_color(main, FILL) if style.color is None else style.color
    drawn: Artists = {}
    if style.ref_line:
        drawn["reference"] = diagram.plane.draw_reference(main, get_muted(main, 0.55))
    if diagram.band is not None:
        drawn["band"] = draw_band(main, diagram, diagram.banded(diagram.band), color)
    if diagram.new_group is not None:
        drawn["new_group"] = draw_new_group(main, diagram, color)
    if diagram.form == "bins":
        drawn["gap"], drawn["curve"], drawn["marks"] = draw_strokes(main, diagram, color)
    elif diagram.form == "polygon":
        drawn["gap"], drawn["curve"], drawn["marks"] = draw_polygon(main, diagram, color)
    elif diagram.curve is not None:
        drawn["curve"] = draw_curve(main, diagram, diagram.curve, color)
    if diagram.points is not None:
        drawn["points"], drawn["stems"] = draw_points(main, diagram, color)
    drawn["histogram"] = draw_bars(below, diagram, get_muted(below, 0.4))
    drawn["title"], drawn["second"] = write_title(main, diagram.title, diagram.second, small=small)
    lines = [*(diagram.key if style.legend and not small else []), *diagram.notes]
    drawn["key"] = write_key(main, below, lines, places_of_marks(diagram), small=small)
    return drawn


def _prepare(main: "Axes", diagram: Diagram, height: float, gap: float) -> Any:
    """Frame the axes, and return those of the histogram below."""
    if find_companions(main):
        raise ValueError("ax must be axes that hold no diagram yet; several models in one diagram are a dict of scores")
    below = add_companion(main, HISTOGRAM, "below", size=height, gap=gap)
    style_axes(main)
    main.set_box_aspect(1)
    main.set_anchor("S")
    diagram.plane.frame(main)
    main.tick_params(axis="x", labelbottom=True)
    bare_axes(below)
    labels = diagram.labels
    main.set_ylabel(labels[1])
    below.set_xlabel(labels[0])
    return below


def bare_axes(ax: Any) -> None:
    """Leave axes nothing but what is drawn on them and the label below."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(axis="both", which="both", left=False, bottom=False, labelleft=False, labelbottom=False)
    ax.set_facecolor("none")
    ax.margins(y=0.0)


def draw_panels(
    figure: Any, diagrams: Mapping[str, Diagram], style: Style, title: str | None
) -> tuple[dict[str, "Axes"], dict[str, Artists]]:
    """Draw diagrams side by side, on axes that are the same, with one key below."""
    rows, columns = grid_shape(len(diagrams))
    grid = figure.subplots(rows, columns, squeeze=False)
    axes, artists = {}, {}
    for k, (name, diagram) in enumerate(diagrams.items()):
        ax = grid.flat[k]
        artists[name] = draw_single(ax, diagram, style, small=True)
        axes[name] = ax
        if k % columns:
            ax.set_ylabel("")
        if k + columns < len(diagrams):
            artists[name]["histogram"].axes.set_xlabel("")
    for ax in grid.flat[len(diagrams) :]:
        ax.remove()
    letters = int(LETTERS_PER_INCH * PANEL[0] * columns)
    if title is not None:
        figure.suptitle(textwrap.fill(visible(title), letters), fontweight="bold", fontsize="large", parse_math=False)
    if style.legend:
        lines = list(dict.fromkeys(line.replace("\n", " ") for diagram in diagrams.values() for line in diagram.key))
        first = next(iter(axes.values()))
        wrapped = textwrap.fill(" \N{MIDDLE DOT} ".join(lines), int(1.5 * letters))
        figure.supxlabel(wrapped, fontsize="x-small", color=get_muted(first), parse_math=False)
    return axes, artists


def grid_shape(count: int) -> tuple[int, int]:
    """Return the numbers of rows and columns: one row of few panels, otherwise a grid with few empty places."""
    columns = count if count <= max(COLUMNS) else min(COLUMNS, key=lambda width: (-count % width) / width)
    return -(-count // columns), columns


def panels_size(count: int, *, has_title: bool) -> tuple[float, float]:
    """Return width and height of a figure of panels, in inches."""
    rows, columns = grid_shape(count)
    wider = 0.9 if columns == 1 else 0.3
    return PANEL[0] * columns + wider, (PANEL[1] + wider / 2) * rows + 0.35 + (0.35 if has_title else 0.0)


def draw_overlaid(
    ax: AxesOrFigure, diagrams: Mapping[str, Diagram], style: Style, title: str | None, size: tuple[float, float]
) -> tuple[dict[str, "Axes"], dict[str, Artists]]:
    """Draw the curves of several models on the same axes, each with its name; in a figure with their errors beside."""
    from matplotlib.axes import Axes

    place: Any = ax
    beside = None
    if not isinstance(ax, Axes):
        figure: Any = create_pyplot_figure(size) if ax is None else ax
        place, beside = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    main: Any = place
    first = next(iter(diagrams.values()))
    strips = _prepare(main, first, STRIP * len(diagrams), HISTOGRAM_GAP)
    if style.ref_line:
        first.plane.draw_reference(main, get_muted(main, 0.55))
    artists: dict[str, Artists] = {}
    courses = [_course(diagram) for diagram in diagrams.values()]
    for k, (name, diagram) in enumerate(diagrams.items()):
        color = get_line_color(main, SERIES[k])
        drawn: Artists = {}
        curve = diagram.curve
        assert curve is not None
        if diagram.band is not None:
            drawn["band"] = draw_band(main, diagram, diagram.banded(diagram.band), color, opacity=THIN_BAND)
        drawn["curve"] = draw_curve(main, diagram, curve, color)
        drawn["histogram"] = _draw_strip(strips, diagram, len(diagrams) - 1 - k, color)
        artists[name] = drawn
    colors = [get_line_color(main, SERIES[k]) for k in range(len(diagrams))]
    written = name_curves(main, [*diagrams], courses, colors, [DIAGONAL] if style.ref_line else [])
    for name, drawn in artists.items():
        drawn["name"] = written.get(name)
    strips.set_ylim(0, len(diagrams))
    same = len({diagram.error.n for diagram in diagrams.values()}) == 1
    second = f"{len(diagrams)} models" + (f", n = {first.error.n:,}" if same else "")
    write_title(main, title or "Calibration of models", second)
    if beside is not None:
        dots = [
            Dot(name, diagram.error.quoted, *_ends(diagram), columns={"error (95 % CI)": _error_beside(diagram)},
                color=SERIES[k])
            for k, (name, diagram) in enumerate(diagrams.items())
        ]  # fmt: skip
        label = f"{capital(name_error(first.error))} (smaller is better)"
        ComparisonDisplay(dots, label=label, reference=0.0, title=capital(name_error(first.error))).plot(beside)
        beside.set_box_aspect(0.3 + 0.12 * len(diagrams))
    return {next(iter(diagrams)): main}, artists


def _error_beside(diagram: Diagram) -> str:
    """Return the error with its interval, and in which direction it is."""
    error = value_in_words(diagram.error).replace(" (95 % CI)", "").replace("95 % CI ", "")
    return error if diagram.verdict is None else f"{error}\n{diagram.verdict.headline.lower()}"


def _ends(diagram: Diagram) -> tuple[float | None, float | None]:
    interval = diagram.error.interval
    return (None, None) if interval is None else (interval.low, interval.high)


def _course(diagram: Diagram) -> FloatArray:
    """Return the points of a curve as fractions of the axes."""
    curve, plane = diagram.curve, diagram.plane
    assert curve is not None
    at = np.column_stack((plane.x.at(curve.x), plane.y.at(diagram.heights(curve.x, curve.y))))
    return at[curve.drawn]


def _draw_strip(strips: Any, diagram: Diagram, level: int, color: Any) -> Any:
    heights = diagram.bars / max(float(diagram.bars.max()), 1e-300)
    edges = diagram.plane.edges(heights.size)
    return strips.stairs(level + 0.9 * heights, edges, baseline=level, fill=True, color=color, linewidth=0)
