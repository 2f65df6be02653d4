"""The artists of a decision curve diagram. Each drawing function adds them to matplotlib axes and returns them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fitontest.displays.canvas import style_axes
from fitontest.displays.companions import LOSSES, add_companion, find_companions, prepare_shrinking, set_xlabel_below
from fitontest.displays.palette import (
    DASHES,
    GAP,
    NEUTRAL,
    SERIES,
    blend_with_background,
    get_background,
    get_foreground,
    get_line_color,
    is_dark,
)
from fitontest.displays.scales import Scale
from fitontest.results.frames import Records, records
from fitontest.results.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

FEW_THRESHOLDS = 8  # most thresholds that are points with intervals
LOSS_HEIGHT, LOSS_DEPTH = 0.24, 0.29  # of the panel of losses, as shares of the height of the main axes
BAND_OPACITY, GAP_OPACITY, RANGE_OPACITY, DARK_GAIN = 0.15, 0.45, 0.09, 0.12
MODEL_WIDTH, RECALIBRATED_WIDTH = 1.8, 1.3  # points
RECALIBRATED_DASHES = (0, (3.0, 1.5))
DODGE = 5.0  # points between models at the same threshold
CUT_DISTANCE = 4.5  # points from the end of the axis to a triangle
X_LABEL = "Threshold probability"
COST_LABEL, SHORT_COST_LABEL = "Harm of a false positive : benefit of a true positive", "Harm : benefit"
LEAST_COST_INCHES = 4.0  # width of axes that hold the long label
MOST_COLORS = 3  # of models, side by side in a legend
COST_AXIS = "costs"


@dataclass(frozen=True, eq=False)
class ModelCurve:
    """What is drawn of a model.

    Attributes
    ----------
    name : str
    x, value : arrays of shape (T,)
        Thresholds, and the values there.
    low, high : arrays of shape (T,) or None
        Of the band.
    recalibrated, loss : arrays of shape (T,) or None
        The values after recalibration, and how much higher than before they are.
    """

    name: str
    x: FloatArray
    value: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    recalibrated: FloatArray | None
    loss: FloatArray | None

    def to_records(self) -> Records:
        """Return a record for each threshold."""
        none = np.full(self.x.size, np.nan)
        columns = {key: none if values is None else values for key, values in vars(self).items() if key != "name"}
        rows = records(threshold=columns.pop("x"), **columns)
        return [{"model": self.name, **row} for row in rows]


def frame_axes(
    main: "Axes", scale: Scale, y_limits: tuple[float, float], y_label: str, *, below: bool
) -> tuple[Any, float]:
    """Set scales and labels of the axes, and return the axes of losses below, if wanted, and how far they reach."""
    if LOSSES in find_companions(main) or main.lines:
        raise ValueError("ax must be empty axes, got axes that hold a diagram")
    style_axes(main)
    companion = None
    if below:
        gap = LOSS_DEPTH - LOSS_HEIGHT
        companion = add_companion(main, LOSSES, "below", size=LOSS_HEIGHT, gap=gap)
        set_xlabel_below(main, companion, LOSS_DEPTH, X_LABEL)
    else:
        prepare_shrinking(main)
        main.set_xlabel(X_LABEL)
    scale.apply(main, "x")
    main.set_ylim(*y_limits)
    main.set_ylabel(y_label)
    return companion, LOSS_DEPTH if below else 0.0


def draw_cost_axis(main: "Axes", scale: Scale) -> Any:
    """Draw an axis above that says what a threshold weighs, and follows the limits of the axis below."""
    from fitontest.displays.cost_ticks import set_cost_ticks

    top = main.inset_axes((0.0, 1.0, 1.0, 1e-6), label=COST_AXIS)
    top.patch.set_visible(False)
    for side in ("left", "right", "bottom"):
        top.spines[side].set_visible(False)
    top.spines["top"].set_color(get_foreground(main))
    top.yaxis.set_visible(False)
    top.xaxis.tick_top()
    top.xaxis.set_label_position("top")
    scale.apply(top, "x")
    set_cost_ticks(top, scale.name)
    top.tick_params(labelsize="small")
    figure: Any = main.get_figure(root=True)
    wide = main.get_window_extent().width / figure.dpi >= LEAST_COST_INCHES
    top.set_xlabel(COST_LABEL if wide else SHORT_COST_LABEL, fontsize="small")
    main.callbacks.connect("xlim_changed", lambda axes: top.set_xlim(axes.get_xlim()))
    return top


def draw_range(ax: "Axes", threshold_range: tuple[float, float]) -> Any:
    """Shade the thresholds of interest."""
    opacity = RANGE_OPACITY + (DARK_GAIN / 2 if is_dark(ax) else 0.0)
    return ax.axvspan(*threshold_range, color=get_foreground(ax), alpha=opacity, linewidth=0, zorder=0.5)


def draw_treat_all(main: "Axes", x: FloatArray, values: FloatArray) -> "Line2D":
    """Draw the curve of treating everybody, which ends where it leaves the axes."""
    (line,) = main.plot(x, values, color=NEUTRAL, linewidth=1.5, zorder=2.3)
    return line


def draw_treat_none(main: "Axes", x: FloatArray, values: FloatArray) -> "Line2D":
    """Draw the line of treating nobody."""
    (line,) = main.plot(x, values, color=get_foreground(main), linewidth=1.0, zorder=2.4)
    return line


def draw_model(main: "Axes", curve: ModelCurve, k: int, count: int, *, dashed: bool) -> tuple[Any, Any, Any, Any]:
    """Draw the k-th of several models, and return its line, that after recalibration, its band and the shaded loss."""
    color = get_line_color(main, SERIES[k % len(SERIES)])
    dashes = DASHES[k % len(DASHES)] if dashed else DASHES[0]
    opacity = DARK_GAIN if is_dark(main) else 0.0
    band: Any = None
    after: Any = None
    gap: Any = None
    if curve.x.size <= FEW_THRESHOLDS:
        where = _shift(main, DODGE * (k - (count - 1) / 2))
        main.plot(curve.x, curve.value, color=color, linewidth=0.7, alpha=0.6, transform=where, zorder=2.9)
        if curve.low is not None and curve.high is not None:
            band = main.vlines(curve.x, curve.low, curve.high, color=color, linewidth=1.6, zorder=3.0, transform=where)
        (line,) = main.plot(curve.x, curve.value, "o", color=color, markersize=5.5, transform=where, zorder=3.2)
        if curve.recalibrated is not None:
            (after,) = main.plot(
                curve.x, curve.recalibrated, "D", color=color, markersize=5.5, markerfacecolor=get_background(main),
                transform=where, zorder=3.3,
            )  # fmt: skip
        return line, after, band, gap
    if curve.low is not None and curve.high is not None:
        band = main.fill_between(
            curve.x, curve.low, curve.high, color=color, alpha=BAND_OPACITY + opacity, linewidth=0, zorder=2.0
        )
    if curve.recalibrated is not None:
        shade = blend_with_background(main, GAP if count == 1 else color, GAP_OPACITY + opacity)
        gap = main.fill_between(curve.x, curve.value, curve.recalibrated, color=shade, linewidth=0, zorder=2.1)
        (after,) = main.plot(
            curve.x, curve.recalibrated, color=color, linewidth=RECALIBRATED_WIDTH, linestyle=RECALIBRATED_DASHES,
            zorder=3.0,
        )  # fmt: skip
    (line,) = main.plot(curve.x, curve.value, color=color, linewidth=MODEL_WIDTH, linestyle=dashes, zorder=3.1)
    return line, after, band, gap


def draw_losses(ax: "Axes", curves: Sequence[ModelCurve], per: float | None, highest: float, *, dashed: bool) -> None:
    """Draw the losses of the models, in rows per thousand or as they are, on a scale from 0 to at most `highest`."""
    from matplotlib.ticker import FixedLocator, MaxNLocator

    factor, most = 1.0 if per is None else per, 0.0
    for k, curve in enumerate(curves):
        if curve.loss is None:
            continue
        values = factor * curve.loss
        most = max(most, float(values.max()))
        color = get_line_color(ax, SERIES[k % len(SERIES)])
        if curve.x.size <= FEW_THRESHOLDS:
            where = _shift(ax, DODGE * (k - (len(curves) - 1) / 2))
            shade = blend_with_background(ax, GAP, 0.8) if len(curves) == 1 else color
            ax.vlines(curve.x, 0.0, values, color=shade, linewidth=3.0, transform=where, zorder=2.5)
        elif len(curves) == 1:
            ax.fill_between(curve.x, 0.0, values, color=blend_with_background(ax, GAP, 0.8), linewidth=0, zorder=2.5)
        else:
            ax.plot(
                curve.x,
                values,
                color=color,
                linestyle=DASHES[k % len(DASHES)] if dashed else "-",
                linewidth=1.3,
                zorder=2.5,
            )
    ax.set_ylim(0.0, min(1.08 * most, factor * highest) if most > 0 else 1.0)
    ax.yaxis.set_major_locator(MaxNLocator(3) if most > 0 else FixedLocator([0.0]))
    ax.set_ylabel("Loss" if per is None else f"Loss per\n{per:,.0f}")


def mark_cuts(
    ax: "Axes", curves: Sequence[ModelCurve], limit: float, side: Literal["below", "above"]
) -> "list[Line2D]":
    """Mark with triangles where curves of models leave the axes below, or their losses above."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.get_figure(root=True)
    below = side == "below"
    points = -CUT_DISTANCE if below else CUT_DISTANCE
    moved = ax.get_xaxis_transform() + ScaledTranslation(0.0, points / 72, figure.dpi_scale_trans)
    marks: list[Line2D] = []
    for k, curve in enumerate(curves):
        values = curve.value if below else curve.loss
        if values is None:
            continue
        places = _find_crossings(values < limit if below else values > limit)
        if places.size:
            color = get_line_color(ax, SERIES[k % len(SERIES)])
            height = np.full(places.size, 0.0 if below else 1.0)
            marks += ax.plot(
                curve.x[places], height, "v" if below else "^", markersize=7, color=color, transform=moved,
                clip_on=False, markeredgecolor=get_background(ax), markeredgewidth=0.8, zorder=4.0,
            )  # fmt: skip
    return marks


def _find_crossings(beyond: BoolArray) -> IntArray:
    """Return the first places beyond the axes after places within, and the last ones before; if all are beyond, one."""
    if beyond.all():
        return np.array([beyond.size // 2])
    within = ~beyond
    entered = np.flatnonzero(beyond[1:] & within[:-1]) + 1
    left = np.flatnonzero(beyond[:-1] & within[1:])
    return np.union1d(entered, left)


def make_handles(main: "Axes", marks: Sequence[str], lines: Sequence[Any]) -> list[Any]:
    """Return the handles of a legend that explains the marks, among them "model" as often as there are lines."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ink = get_foreground(main)
    colors = [line.get_color() for line in lines] if len(lines) <= MOST_COLORS else [NEUTRAL]
    few = lines[0].get_linestyle() == "None"
    opacity = DARK_GAIN if is_dark(main) else 0.0

    def band(color: Any) -> Any:
        if few:
            return Line2D([], [], color=color, marker="|", linestyle="none", markersize=11, markeredgewidth=1.6)
        return Patch(facecolor=blend_with_background(main, color, BAND_OPACITY + opacity))

    def recalibrated(color: Any) -> Any:
        if few:
            face = get_background(main)
            return Line2D([], [], color=color, marker="D", linestyle="none", markerfacecolor=face, markersize=5.5)
        return Line2D([], [], color=color, linestyle=RECALIBRATED_DASHES, linewidth=RECALIBRATED_WIDTH)

    def gap(color: Any) -> Any:
        return Patch(facecolor=blend_with_background(main, GAP if len(lines) == 1 else color, GAP_OPACITY + opacity))

    handles: dict[str, Any] = {
        "band": tuple(map(band, colors)),
        "recalibrated": tuple(map(recalibrated, colors)),
        "gap": tuple(map(gap, colors)),
        "all": Line2D([], [], color=NEUTRAL, linewidth=1.5),
        "none": Line2D([], [], color=ink, linewidth=1.0),
        "range": Patch(facecolor=ink, alpha=1.5 * RANGE_OPACITY),
        "cut": Line2D([], [], marker="v", linestyle="none", color=NEUTRAL, markersize=7),
        "nothing": Line2D([], [], linestyle="none"),
    }
    models = iter(lines)
    return [next(models) if mark == "model" else handles[mark] for mark in marks]


def _shift(ax: "Axes", points: float) -> Any:
    """Return the coordinates of the data, moved aside by so many points."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.get_figure(root=True)
    return ax.transData + ScaledTranslation(points / 72, 0.0, figure.dpi_scale_trans)
