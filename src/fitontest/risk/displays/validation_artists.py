"""The artists of a validation beside its curve: the histogram by outcome, the thresholds, and the numbers."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fitontest.displays.companions import format_count, keep_numbers_on_figure
from fitontest.displays.headline import without_formulas
from fitontest.displays.palette import NEUTRAL, get_background, get_foreground
from fitontest.displays.reliability_artists import EVENT_LABEL, NON_EVENT_LABEL
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import StepPatch

MOST_UNEQUAL = 4.0  # times as high as the bars of one outcome may be those of the other on one scale
THRESHOLD_HEIGHT = 0.04  # of a mark of a threshold, as a share of the axes
WIDE = 6.8  # inches of a place that holds all numbers beside the curve
LEAST_BESIDE = 6.2  # inches of a place that holds them there without raw values
LEAST_RAW = 4.4  # inches of a place that has room for raw values below the legend
LEAST_CURVE = 4.6  # inches of height that curve, histogram and legend take
LINE_HEIGHT = 0.17  # inches of a line of numbers
LETTERS = 36  # of a line above the numbers
COLUMN_GAP, LINE_GAP = 9.0, 2.5  # points, of the numbers
ASIDE, BELOW, ABOVE_LEGEND = 16.0, 8.0, 1.0  # points from the axes and from the legend
OUTDENT = 32.0  # points that the numbers of a narrow place begin left of the axes
SCALES_DIFFER = " (other scale)"


@dataclass(frozen=True)
class Number:
    """A line of the numbers beside the curve.

    Attributes
    ----------
    label, value, interval, raw : str
        As printed. The value of an error is the debiased one where there is one, and `raw` then the other.
    """

    label: str
    value: str = ""
    interval: str = ""
    raw: str = ""


def are_unequal(events: FloatArray, non_events: FloatArray) -> bool:
    """Return whether on one scale the bars of one outcome would be too low beside those of the other."""
    low, high = sorted((float(events.max()), float(non_events.max())))
    return 0 < MOST_UNEQUAL * low < high


def draw_outcomes(
    main: "Axes",
    below: "Axes",
    edges: FloatArray,
    counts: tuple[FloatArray, FloatArray],
    color: Any,
    *,
    unequal: bool,
) -> "tuple[StepPatch, StepPatch]":
    """Draw events upwards and non-events downwards from a line, on one scale unless they are `unequal`."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

    events, non_events = counts
    highest = max(float(events.max()), 1e-12), max(float(non_events.max()), 1e-12)
    units = highest if unequal else (max(highest), max(highest))
    style: dict[str, Any] = {"fill": True, "edgecolor": get_background(below), "linewidth": 0.4}
    up = below.stairs(events / units[0], edges, facecolor=color, **style)
    down = below.stairs(-non_events / units[1], edges, facecolor=NEUTRAL, **style)
    below.axhline(0.0, color=get_foreground(below), linewidth=0.8)
    ticks: list[float] = []
    texts: list[str] = []
    for sign, unit, own in ((1, units[0], highest[0]), (-1, units[1], highest[1])):
        if own > 1e-12:
            values = [value for value in MaxNLocator(2, integer=unit >= 2).tick_values(0, own) if 0 < value <= own]
            ticks += [sign * value / unit for value in values[-1:]]
            texts += [format_count(value) for value in values[-1:]]
    below.yaxis.set_major_locator(FixedLocator(ticks))
    below.yaxis.set_major_formatter(FixedFormatter(texts))
    below.set_ylim(-1.08 * highest[1] / units[1], 1.08 * highest[0] / units[0])
    for label, face in ((EVENT_LABEL, color), (NON_EVENT_LABEL, NEUTRAL)):
        differs = SCALES_DIFFER if unequal and label == NON_EVENT_LABEL else ""
        main.scatter([], [], marker="s", color=face, label=f"{label}{differs}")
    return up, down


def draw_thresholds(main: "Axes", thresholds: Iterable[float], label: str) -> Any:
    """Mark the thresholds at the foot of the axes."""
    return main.vlines(
        [*thresholds], 0.0, THRESHOLD_HEIGHT, transform=main.get_xaxis_transform(), color=get_foreground(main),
        linewidth=2.2, zorder=3.6, label=label,
    )  # fmt: skip


def draw_numbers(main: "Axes", legend: Any, title: Sequence[str], level: float, lines: Sequence[Number]) -> Any:
    """Write the numbers in columns: beside the axes where the place is wide, else below the legend.

    In a place that is too small for either nothing is written, and None returned: the curve would have no room left.
    """
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea, VPacker

    figure: Any = main.get_figure(root=True)
    cell = main.get_subplotspec()
    share = 1.0 if cell is None else len(cell.colspan) / cell.get_gridspec().ncols
    inches = share * main.figure.bbox.width / figure.dpi
    beside = inches >= LEAST_BESIDE or legend is None
    needed = LINE_HEIGHT * (len(lines) + len(title) + 2) + (0.0 if beside else LEAST_CURVE)
    if legend is not None and main.figure.bbox.height / figure.dpi < needed:
        return None
    has_raw = inches >= (WIDE if beside else LEAST_RAW)
    style = {"color": get_foreground(main), "fontsize": "small"}
    columns: list[tuple[str, Any, list[str]]] = [
        ("", "left", [line.label for line in lines]),
        ("value", "right", [line.value for line in lines]),
        (f"{100 * level:g} % interval", "right", [line.interval for line in lines]),
        ("raw", "right", [line.raw for line in lines] if has_raw else []),
    ]
    packed: list[Any] = [
        VPacker(children=[TextArea(text, textprops=style) for text in (head, *texts)], align=align, pad=0, sep=LINE_GAP)
        for head, align, texts in columns
        if any(texts)
    ]
    table = HPacker(children=packed, align="top", pad=0, sep=COLUMN_GAP)
    wrapped = "\n".join(textwrap.fill(without_formulas(line), LETTERS) for line in title)
    head = TextArea(wrapped, textprops={**style, "fontsize": "medium"}, multilinebaseline=True)
    foot = [] if beside else [TextArea("", textprops=style)]  # room that a layout misjudges the height by
    block = VPacker(children=[head, table, *foot], align="left", pad=0, sep=3 * LINE_GAP)
    where: dict[str, Any] = {"xy": (1.0, 1.0), "xycoords": _above_legend(main, legend, block), "xybox": (ASIDE, 0.0)}
    if not beside:
        where = {"xy": (0.0, 0.0), "xycoords": legend, "xybox": (0.0 if inches >= LEAST_RAW else -OUTDENT, -BELOW)}
    numbers = AnnotationBbox(
        block, **where, boxcoords="offset points", box_alignment=(0.0, 1.0), frameon=False, pad=0.0,
        annotation_clip=False,
    )  # fmt: skip
    main.add_artist(numbers)
    keep_numbers_on_figure(main, numbers, beside=beside)
    return numbers


def _above_legend(main: "Axes", legend: Any, block: Any) -> Any:
    """Return coordinates of the axes, with a top so high that a block beside them ends above a legend that is wider.

    A layout gives the axes a width at which legend and block are apart; it would follow the block up, so it is left
    alone.
    """
    from matplotlib.transforms import Bbox

    figure: Any = main.get_figure(root=True)

    def find_place(renderer: Any) -> Any:
        axes = main.bbox.frozen()
        if legend is None or figure.get_layout_engine() is not None:
            return axes
        entries, gap = legend.get_window_extent(renderer), ABOVE_LEGEND * figure.dpi / 72
        if entries.x1 < axes.x1 + ASIDE * figure.dpi / 72:
            return axes
        top = min(entries.y1 + block.get_window_extent(renderer).height + gap, main.figure.bbox.y1 - gap)
        return Bbox.from_extents(axes.x0, axes.y0, axes.x1, max(axes.y1, top))

    return find_place
