"""The smaller axes that a diagram puts beside its own: insets outside the main axes, which give way to them.

So a diagram never moves what a user has laid out, and works in any figure: main axes and companions together take the
place that the main axes had.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fitontest.displays.canvas import tidy
from fitontest.displays.palette import ink, paper
from fitontest.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import StepPatch

OURS = "fitontest "  # how the labels of companions begin
HISTOGRAM = "histogram"  # of a reliability diagram
SIZES = "sizes"  # of a test-based one, as the next
PREDICTIONS = "predictions"


def companions(ax: "Axes") -> dict[str, Any]:
    """Return the smaller axes that a diagram has put there, by name."""
    labelled = {str(child.get_label()): child for child in ax.child_axes}
    return {label.removeprefix(OURS): child for label, child in labelled.items() if label.startswith(OURS)}


def add_companion(ax: "Axes", name: str, side: Literal["below", "right"], size: float, gap: float) -> Any:
    """Put axes below or right of `ax`, sharing the axis along which they lie; sizes are shares of the main axes."""
    if side == "below":
        made = ax.inset_axes((0.0, -size - gap, 1.0, size), sharex=ax, label=OURS + name)
        ax.tick_params(axis="x", labelbottom=False)
    else:
        made = ax.inset_axes((1.0 + gap, 0.0, size, 1.0), sharey=ax, label=OURS + name)
        made.tick_params(axis="y", labelleft=False)
    _smaller(ax).rooms[side] = size + gap
    made.set_facecolor(paper(ax))
    tidy(made)
    return made


class Smaller:
    """A locator that shrinks axes at each drawing to a part of the place that the figure's layout has for them then.

    Attributes
    ----------
    before : callable or None
        The locator that the axes had.
    rooms : dict
        What lies below and right of the axes, as a share of them.
    """

    def __init__(self, ax: "Axes") -> None:
        self.ax: Any = ax
        self.before: Any = ax.get_axes_locator()
        self.rooms = {"below": 0.0, "right": 0.0}

    def __call__(self, axes: Any, renderer: Any) -> Any:
        """Return the place of the axes."""
        from matplotlib.transforms import Bbox

        place = axes.get_position(original=True) if self.before is None else self.before(axes, renderer)
        width, height = place.width / (1 + self.rooms["right"]), place.height / (1 + self.rooms["below"])
        return Bbox.from_bounds(place.x0, place.y1 - height, width, height)

    def get_subplotspec(self) -> Any:
        """Return the cell of the grid, by which a tight layout knows the axes."""
        return self.ax.get_subplotspec()


def _smaller(ax: "Axes") -> Smaller:
    """Return the locator of the axes; cleared axes have lost their companions, but not their locator."""
    locator = ax.get_axes_locator()
    if not isinstance(locator, Smaller):
        locator = Smaller(ax)
        ax.set_axes_locator(locator)
    if len(companions(ax)) == 1:  # the first is being added
        locator.rooms = dict.fromkeys(locator.rooms, 0.0)
    return locator


def counts_axis(ax: "Axes", which: Literal["x", "y"], counts: FloatArray) -> None:
    """Make an axis of counts: few ticks, 50k instead of 50000, from zero to the largest yet drawn."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    whole = bool(np.all(counts == np.floor(counts)))
    axis.set_major_locator(MaxNLocator(nbins=2 if which == "x" else 3, integer=whole))
    axis.set_major_formatter(FuncFormatter(in_thousands))
    before = max(ax.get_xlim() if which == "x" else ax.get_ylim()) if ax.patches[1:] else 0.0
    ax.set(**{f"{which}lim": (0, max(before, 1.05 * float(counts.max())))})


def in_thousands(value: float, _position: int | None = None) -> str:
    """Return a count as it is read most easily: 50k, 1.5M."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:.3g}"


def note_beyond(ax: "Axes", beyond: tuple[float, float], *, upright: bool = False) -> None:
    """Write at the ends of a histogram which share of the data lies beyond the axis, in its outermost bars."""
    first, last = ((0.05, 0.03), (0.05, 0.97)) if upright else ((0.06, 0.96), (0.94, 0.96))
    for share, word, (x, y) in zip(beyond, ("below", "above"), (first, last), strict=True):
        if share > 0:
            told = f"{100 * share:.0f} %" if share >= 0.01 else "< 1 %"
            ax.text(
                x,
                y,
                f"{told} {word}",
                transform=ax.transAxes,
                fontsize="x-small",
                color=ink(ax),
                horizontalalignment="left" if x < 0.5 else "right",
                verticalalignment="bottom" if y < 0.5 else "top",
            )


def label_below(main: "Axes", below: "Axes", depth: float, text: str) -> None:
    """Put the x label of the main axes under the axes below it, where a user who changes it expects it to be."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = main.get_figure(root=True)
    size: Any = below.xaxis.get_ticklabels()[0].get_fontsize()
    points = 10.0 + 1.25 * size  # ticks, their texts, and some air
    main.set_xlabel(text)
    under = main.transAxes + ScaledTranslation(0.0, -points / 72, figure.dpi_scale_trans)
    main.xaxis.set_label_coords(0.5, -depth, transform=under)


def bars_of(ax: "Axes", heights: FloatArray, **style: Any) -> "StepPatch":
    """Draw a bar at each of 1, 2, ..., as one artist: bars in steps, with steps of height 0 between them."""
    places = np.arange(1, heights.size + 1)
    edges = np.column_stack((places - 0.4, places + 0.4)).ravel()
    steps = np.column_stack((heights, np.zeros(heights.size))).ravel()[:-1]
    return ax.stairs(steps, edges, fill=True, linewidth=0, **style)
