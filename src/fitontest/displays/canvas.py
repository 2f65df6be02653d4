"""Where a diagram is drawn: any axes, figure or sub-figure, and the smaller axes that a diagram puts beside its own.

The smaller axes are insets outside the main ones, so that a diagram never moves what a user has laid out.
"""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

from fitontest.displays.palette import ink, paper
from fitontest.displays.scales import Scale
from fitontest.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

Where: TypeAlias = Union["Axes", "FigureBase", None]
SomeFigure: TypeAlias = Union["FigureBase", None]
Side: TypeAlias = Literal["below", "right"]


def new_figure(size: tuple[float, float]) -> "Figure":
    """Return a figure of pyplot, as scikit-learn's displays make it, so that notebooks show it."""
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained")


def blank_figure(size: tuple[float, float]) -> "Figure":
    """Return a figure that pyplot does not know, to be saved."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def axes_for(ax: Where, size: tuple[float, float]) -> "Axes":
    """Return the axes to draw on: those given, new ones in the figure given, or in a new figure."""
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

    if isinstance(ax, Axes):
        return ax
    if ax is None:
        return new_figure(size).add_subplot()
    if isinstance(ax, FigureBase):
        return ax.add_subplot()
    raise ValueError(f"ax must be matplotlib axes, a Figure or a SubFigure, or None; got {ax!r}")


def companion(ax: "Axes", side: Side) -> Any:
    """Return the smaller axes that an earlier diagram put on that side, or None."""
    return next((child for child in ax.child_axes if child.get_label() == f"fitontest {side}"), None)


def add_companion(ax: "Axes", side: Side, size: float, gap: float) -> Any:
    """Put axes below or right of `ax`, sharing the axis along which they lie; sizes are shares of the main axes.

    The main axes give way, so that both together take the place that the main axes had.
    """
    if side == "below":
        made = ax.inset_axes((0.0, -size - gap, 1.0, size), sharex=ax, label="fitontest below")
        ax.tick_params(axis="x", labelbottom=False)
        _give_way(ax, bottom=(size + gap) / (1 + size + gap))
    else:
        made = ax.inset_axes((1.0 + gap, 0.0, size, 1.0), sharey=ax, label="fitontest right")
        made.tick_params(axis="y", labelleft=False)
        _give_way(ax, right=(size + gap) / (1 + size + gap))
    made.set_facecolor(paper(ax))
    tidy(made)
    return made


def _give_way(ax: "Axes", bottom: float = 0.0, right: float = 0.0) -> None:
    """Shrink axes at each drawing to a part of the place that the layout of the figure has for them then."""
    from matplotlib.transforms import Bbox

    before: Any = ax.get_axes_locator()

    def locate(axes: Any, renderer: Any) -> Bbox:
        place = axes.get_position(original=True) if before is None else before(axes, renderer)
        lift = place.height * bottom
        return Bbox.from_bounds(place.x0, place.y0 + lift, place.width * (1 - right), place.height - lift)

    ax.set_axes_locator(locate)


def tidy(ax: "Axes") -> None:
    """Take away the frame where it bounds nothing, and draw a faint grid behind the data."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, color=ink(ax), alpha=0.12, linewidth=0.6)
    ax.set_axisbelow(True)


def counts_axis(ax: "Axes", which: Literal["x", "y"], counts: FloatArray) -> None:
    """Make an axis of counts: few ticks, 50k instead of 50000, from zero to the largest yet drawn."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(nbins=3))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _in_thousands(value)))
    before = max(ax.get_xlim() if which == "x" else ax.get_ylim()) if ax.patches[1:] else 0.0
    ax.set(**{f"{which}lim": (0, max(before, 1.05 * float(counts.max())))})


def _in_thousands(value: float) -> str:
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def align_labels(main: "Axes", below: "Axes", scale: Scale) -> None:
    """Put the labels of the y axes, main and below, one above the other."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = main.get_figure(root=True)
    left = -0.74 if scale.name == "logit" else -0.48  # inches; the texts of logit ticks are longer
    for ax in (main, below):
        aside = ax.transAxes + ScaledTranslation(left, 0.0, figure.dpi_scale_trans)
        ax.yaxis.set_label_coords(0.0, 0.5, transform=aside)
