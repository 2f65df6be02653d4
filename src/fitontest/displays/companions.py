"""Companion axes: smaller axes below and beside the main axes of a diagram.

They are insets outside the main axes, which shrink accordingly. Main axes and companions together occupy the place that
the main axes had. A diagram therefore changes no layout of the user and works in any figure.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fitontest.displays.canvas import style_axes
from fitontest.displays.palette import get_background
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import StepPatch

LABEL_PREFIX = "fitontest "  # beginning of the labels of companions
HISTOGRAM = "histogram"  # of a reliability diagram
SIZES = "sizes"  # of a test-based diagram, as PREDICTIONS
PREDICTIONS = "predictions"
LEGEND_ROOM = 6.0  # points below a legend


def find_companions(ax: "Axes") -> dict[str, Any]:
    """Return the companions of the axes by name."""
    labelled = {str(child.get_label()): child for child in ax.child_axes}
    return {
        label.removeprefix(LABEL_PREFIX): child for label, child in labelled.items() if label.startswith(LABEL_PREFIX)
    }


def add_companion(ax: "Axes", name: str, side: Literal["below", "right"], size: float, gap: float) -> Any:
    """Add axes below or right of `ax` that share an axis with it. `size` and `gap` are fractions of the main axes."""
    margins = _get_shrinking_locator(ax).margins
    if side == "below":  # and below other companions
        companion = ax.inset_axes((0.0, -margins[side] - size - gap, 1.0, size), sharex=ax, label=LABEL_PREFIX + name)
        ax.tick_params(axis="x", labelbottom=False)
    else:
        companion = ax.inset_axes((1.0 + gap, 0.0, size, 1.0), sharey=ax, label=LABEL_PREFIX + name)
        companion.tick_params(axis="y", labelleft=False)
    margins[side] += size + gap
    companion.set_facecolor(get_background(ax))
    style_axes(companion)
    return companion


class ShrinkingLocator:
    """A locator that makes room for companions: at each drawing it shrinks the place that the layout gives the axes.

    Attributes
    ----------
    original : callable or None
        The previous locator of the axes.
    legend : artist or None
        What is below the axes.
    above : float
        Points that a title takes.
    margins : dict
        Room for the companions below and right of the axes, as fractions of the axes.
    """

    def __init__(self, ax: "Axes") -> None:
        self.ax: Any = ax
        self.original: Any = ax.get_axes_locator()
        self.margins = {"below": 0.0, "right": 0.0}
        self.legend: Any = None
        self.above = 0.0

    def __call__(self, axes: Any, renderer: Any) -> Any:
        """Return the bounding box of the axes."""
        from matplotlib.transforms import Bbox

        place = axes.get_position(original=True) if self.original is None else self.original(axes, renderer)
        place = self._lower(self._lift(place, renderer))
        width, height = place.width / (1 + self.margins["right"]), place.height / (1 + self.margins["below"])
        return Bbox.from_bounds(place.x0, place.y1 - height, width, height)

    def _lift(self, place: Any, renderer: Any) -> Any:
        """Return the place, cut off below so that the legend is on the figure, unless a layout makes room."""
        from matplotlib.transforms import Bbox

        figure = self.ax.get_figure(root=True)
        legend = self.legend
        if legend is None or legend.axes is None or figure.get_layout_engine() is not None:
            return place
        inches = legend.get_window_extent(renderer).height / figure.dpi + (LEGEND_ROOM + _measure_xlabel(self.ax)) / 72
        lift = inches / figure.get_size_inches()[1] - place.y0
        return place if lift <= 0 else Bbox.from_extents(place.x0, min(place.y0 + lift, place.y1), place.x1, place.y1)

    def _lower(self, place: Any) -> Any:
        """Return the place, cut off above so that the title is on the figure, unless a layout makes room."""
        from matplotlib.transforms import Bbox

        figure = self.ax.get_figure(root=True)
        if figure.get_layout_engine() is not None:
            return place
        most = 1.0 - self.above / 72 / figure.get_size_inches()[1]
        return place if place.y1 <= most else Bbox.from_extents(place.x0, place.y0, place.x1, max(most, place.y0))

    def get_subplotspec(self) -> Any:
        """Return the grid cell of the axes, which a tight layout needs."""
        return self.ax.get_subplotspec()


def prepare_shrinking(ax: "Axes") -> None:
    """Let axes without companions shrink too, where no layout does it, so that a legend below is on the figure."""
    locator = _find_shrinking_locator(ax)
    if locator is None:
        ax.set_axes_locator(ShrinkingLocator(ax))
    else:
        locator.margins = dict.fromkeys(locator.margins, 0.0)


def _find_shrinking_locator(ax: "Axes") -> ShrinkingLocator | None:
    locator = ax.get_axes_locator()
    return locator if isinstance(locator, ShrinkingLocator) else None


def _get_shrinking_locator(ax: "Axes") -> ShrinkingLocator:
    """Return the shrinking locator of the axes. Axes that were cleared have kept it, but lost their companions."""
    locator = _find_shrinking_locator(ax)
    if locator is None:
        locator = ShrinkingLocator(ax)
        ax.set_axes_locator(locator)
    if not find_companions(ax):
        locator.margins = dict.fromkeys(locator.margins, 0.0)
    return locator


def keep_on_figure(ax: "Axes", legend: Any) -> None:
    """Let the axes shrink, where no layout does it, so that a legend below them is on the figure."""
    locator = _find_shrinking_locator(ax)
    if locator is not None:
        locator.legend = legend


def keep_title_on_figure(ax: "Axes", points: float) -> None:
    """Let the axes shrink, where no layout does it, so that a title of this height is on the figure."""
    locator = _find_shrinking_locator(ax)
    if locator is not None:
        locator.above = points


def _measure_xlabel(ax: "Axes") -> float:
    """Return how many points the texts under the lowest axes take: those of its ticks, and the label of the axes."""
    lines = 1 + ax.get_xlabel().count("\n")
    lowest: Any = next(iter(find_companions(ax).values()), ax)
    ticks: Any = lowest.xaxis.get_ticklabels()[0].get_fontsize()
    label: Any = ax.xaxis.label.get_fontsize()
    return float(14.0 + 1.25 * ticks + 1.25 * lines * label)


def format_counts_axis(ax: "Axes", which: Literal["x", "y"], counts: FloatArray) -> None:
    """Format an axis of counts: few ticks, short texts such as 50k, and limits from 0 to the largest count drawn."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(nbins=2 if which == "x" else 3, integer=True))
    axis.set_major_formatter(EngFormatter(sep=""))
    ax.set(**{f"{which}lim": (0, 1.05 * float(counts.max()))})


def draw_bars(ax: "Axes", heights: FloatArray, **style: Any) -> "StepPatch":
    """Draw bars at 1, 2, ... as one artist. Between them are steps of height 0."""
    places = np.arange(1, heights.size + 1)
    edges = np.column_stack((places - 0.4, places + 0.4)).ravel()
    steps = np.column_stack((heights, np.zeros(heights.size))).ravel()[:-1]
    return ax.stairs(steps, edges, fill=True, linewidth=0, **style)
