"""Where a diagram is drawn: any axes, figure or sub-figure."""

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from fitontest.displays.palette import ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

Where: TypeAlias = Union["Axes", "FigureBase", None]
SomeFigure: TypeAlias = Union["FigureBase", None]


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

    if isinstance(ax, Axes):
        if ax.name != "rectilinear":
            raise ValueError(f"ax must be rectilinear axes, got {ax.name} axes")
        return ax
    if ax is None:
        return new_figure(size).add_subplot()
    return empty_figure(ax, "ax", "rectilinear axes, a Figure or a SubFigure").add_subplot()


def figure_for(figure: SomeFigure, size: tuple[float, float]) -> "FigureBase":
    """Return the figure to draw in: an empty one that was given, or a new one."""
    return new_figure(size) if figure is None else empty_figure(figure, "figure")


def empty_figure(figure: object, name: str, rule: str = "a Figure or a SubFigure") -> "FigureBase":
    """Return the figure, or refuse what is none and a figure with axes, over which others would be drawn."""
    from matplotlib.figure import FigureBase

    if not isinstance(figure, FigureBase):
        raise ValueError(f"{name} must be {rule} of matplotlib, or None; got {figure!r}")
    held: Any = figure.axes
    if held:
        raise ValueError(f"{name} must be a figure without axes, got one with {len(held)}; pass its axes instead")
    return figure


def settle(figure: "FigureBase") -> None:
    """Carry a constrained layout out some rounds before the first drawing, in which it would not come to rest."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    whole: Any = figure.get_figure(root=True)
    engine = whole.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        for _ in range(3):
            engine.execute(whole)


def tidy(ax: "Axes") -> None:
    """Take away the frame where it bounds nothing, and draw a faint grid behind the data."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, color=ink(ax), alpha=0.12, linewidth=0.6)
    ax.set_axisbelow(True)
