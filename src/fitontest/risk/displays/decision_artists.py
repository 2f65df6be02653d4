"""The artists of a decision curve diagram. Each drawing function adds them to matplotlib axes and returns them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.canvas import style_axes
from fitontest.displays.companions import LOSSES, add_companion, find_companions, prepare_shrinking
from fitontest.displays.curve_names import name_curves
from fitontest.displays.palette import (
    GAP,
    NEUTRAL,
    SERIES,
    blend_with_background,
    get_background,
    get_foreground,
    get_line_color,
    get_muted,
    is_dark,
)
from fitontest.displays.scales import Scale
from fitontest.results.frames import Records, records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_THRESHOLDS = 8  # most thresholds that are points with intervals
LOSS_HEIGHT, LOSS_GAP = 0.24, 0.05  # of the panel of losses, as shares of the height of the main axes
BAND_OPACITY, GAP_OPACITY, RANGE_OPACITY, DARK_GAIN = 0.15, 0.45, 0.09, 0.12
DASHES = (0, (3.0, 1.5))  # of curves after recalibration
DODGE = 5.0  # points between models at the same threshold
X_LABEL = "Threshold: treat above this risk (harm : benefit below)"
BESIDE = 0.85  # inches beside the axes, of the names of strategies
BENEATH = 0.25  # inches below the axes, of the second line of the ticks
APART = 0.07  # of the axes, between these names
POINTS = 200  # of the course of a line


@dataclass(frozen=True, eq=False)
class ModelCurve:
    """What is drawn of a model, in the unit of the axis.

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


def frame_axes(main: "Axes", scale: Scale, y_limits: tuple[float, float], y_label: str, *, below: bool) -> Any:
    """Set scales, ticks and labels of the axes, and return the axes of losses below, if wanted."""
    from fitontest.displays.cost_ticks import set_cost_ticks

    if find_companions(main) or main.lines:
        raise ValueError("ax must be empty axes, got axes that hold a diagram")
    style_axes(main)
    prepare_shrinking(main)
    locator: Any = main.get_axes_locator()
    figure: Any = main.get_figure(root=True)
    companion = add_companion(main, LOSSES, "below", LOSS_HEIGHT, LOSS_GAP) if below else None
    if figure.get_layout_engine() is None:  # which else makes room for names beside the axes
        place = main.get_position(original=True)
        width, height = (
            side / figure.dpi for side in (place.width * main.figure.bbox.width, place.height * main.figure.bbox.height)
        )
        locator.margins["right"] = BESIDE / max(width - BESIDE, BESIDE)
        locator.margins["below"] += BENEATH / max(height - BENEATH, BENEATH)
    scale.apply(main, "x")
    set_cost_ticks(main, scale.name)
    (main if companion is None else companion).set_xlabel(X_LABEL)
    main.set_ylim(*y_limits)
    main.set_ylabel(y_label)
    return companion


def draw_range(ax: "Axes", threshold_range: tuple[float, float]) -> Any:
    """Shade the thresholds of interest."""
    opacity = RANGE_OPACITY + (DARK_GAIN / 2 if is_dark(ax) else 0.0)
    return ax.axvspan(*threshold_range, color=get_foreground(ax), alpha=opacity, linewidth=0, zorder=0.5)


def draw_strategies(main: "Axes", x: FloatArray, values: Sequence[tuple[str, FloatArray]]) -> list[Any]:
    """Draw the curves of treating all and none, each with its name where it leaves the axes, or beside its end."""
    lines: list[Any] = []
    taken: list[float] = []
    low, high = main.get_ylim()
    first, last = main.get_xlim()
    for name, y in values:
        (line,) = main.plot(x, y, color=NEUTRAL, linewidth=1.2, zorder=2.3)
        lines.append(line)
        style: dict[str, Any] = {"color": get_muted(main), "fontsize": "small", "zorder": 4, "annotation_clip": False}
        shown = (x >= first) & (x <= last)
        beyond = np.flatnonzero(shown & ((y < low) | (y > high)))
        if beyond.size and beyond[0] > np.flatnonzero(shown)[0]:
            left = x[beyond[0]] < first + 0.8 * (last - first)
            main.annotate(
                name, (float(x[beyond[0]]), low if y[beyond[0]] < low else high), xytext=(5 if left else -5, 5),
                textcoords="offset points", ha="left" if left else "right", **style,
            )  # fmt: skip
            continue
        place = (y[shown][-1] - low) / (high - low)
        for other in taken:
            place = other - APART if abs(place - other) < APART else place
        taken.append(place)
        main.annotate(
            name, (1.0, float(np.clip(place, 0.0, 1.0))), xycoords="axes fraction", xytext=(5, 0),
            textcoords="offset points", va="center", **style,
        )  # fmt: skip
    return lines


def draw_model(main: "Axes", curve: ModelCurve, k: int, count: int) -> dict[str, Any]:
    """Draw the k-th of several models: its line, that after recalibration, its band and the shaded loss."""
    color = get_line_color(main, SERIES[k % len(SERIES)])
    opacity = DARK_GAIN if is_dark(main) else 0.0
    drawn: dict[str, Any] = {"band": None, "recalibrated": None, "gap": None}
    if curve.x.size <= FEW_THRESHOLDS:
        where = _shift(main, DODGE * (k - (count - 1) / 2))
        main.plot(curve.x, curve.value, color=color, linewidth=0.7, alpha=0.6, transform=where, zorder=2.9)
        if curve.low is not None and curve.high is not None:
            drawn["band"] = main.vlines(
                curve.x, curve.low, curve.high, color=color, linewidth=1.6, zorder=3.0, transform=where
            )
        (drawn["line"],) = main.plot(
            curve.x, curve.value, "o", color=color, markersize=5.5, transform=where, zorder=3.2
        )
        if curve.recalibrated is not None:
            (drawn["recalibrated"],) = main.plot(
                curve.x, curve.recalibrated, "D", color=color, markersize=5.5, markerfacecolor=get_background(main),
                transform=where, zorder=3.3,
            )  # fmt: skip
        return drawn
    if curve.low is not None and curve.high is not None:
        drawn["band"] = main.fill_between(
            curve.x, curve.low, curve.high, color=color, alpha=BAND_OPACITY + opacity, linewidth=0, zorder=2.0
        )
    if curve.recalibrated is not None:
        shade = blend_with_background(main, GAP if count == 1 else color, GAP_OPACITY + opacity)
        drawn["gap"] = main.fill_between(curve.x, curve.value, curve.recalibrated, color=shade, linewidth=0, zorder=2.1)
        (drawn["recalibrated"],) = main.plot(
            curve.x, curve.recalibrated, color=color, linewidth=1.3, linestyle=DASHES, zorder=3.0
        )
    (drawn["line"],) = main.plot(curve.x, curve.value, color=color, linewidth=1.8, zorder=3.1)
    return drawn


def name_models(main: "Axes", curves: Sequence[ModelCurve], scale: Scale, lines: Sequence[Any]) -> None:
    """Write the name of each model beside its curve, where it covers neither another one nor lines of strategies."""
    courses = [_course(main, scale, curve.x, curve.value) for curve in curves]
    after = [_course(main, scale, curve.x, curve.recalibrated) for curve in curves if curve.recalibrated is not None]
    strategies = [_course(main, scale, line.get_xdata(), line.get_ydata()) for line in lines]
    colors = [get_line_color(main, SERIES[k % len(SERIES)]) for k in range(len(curves))]
    name_curves(main, [curve.name for curve in curves], courses, colors, [*after, *strategies])


def _course(main: "Axes", scale: Scale, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the points of a curve that are seen, as fractions of the axes."""
    low, high = main.get_ylim()
    places = scale.at(np.asarray(x))
    at = np.linspace(max(places[0], 0.0), min(places[-1], 1.0), POINTS)
    course = np.column_stack((at, (np.interp(at, places, y) - low) / (high - low)))
    return course[(course[:, 1] > 0.0) & (course[:, 1] < 1.0)]


def draw_losses(ax: "Axes", curves: Sequence[ModelCurve], label: str) -> None:
    """Draw what miscalibration takes from the models, on a scale of its own."""
    from matplotlib.ticker import MaxNLocator

    most = 0.0
    for k, curve in enumerate(curves):
        if curve.loss is not None:
            most = max(most, float(curve.loss.max()))
            marker = "o" if curve.x.size <= FEW_THRESHOLDS else None
            color = get_line_color(ax, SERIES[k % len(SERIES)])
            ax.plot(curve.x, curve.loss, color=color, linewidth=1.3, marker=marker, markersize=4, zorder=2.5)
    ax.set_ylim(0.0, 1.08 * most if most > 0 else 1.0)
    ax.yaxis.set_major_locator(MaxNLocator(3))
    ax.set_ylabel(label)


def _shift(ax: "Axes", points: float) -> Any:
    """Return the coordinates of the data, moved aside by so many points."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.get_figure(root=True)
    return ax.transData + ScaledTranslation(points / 72, 0.0, figure.dpi_scale_trans)
