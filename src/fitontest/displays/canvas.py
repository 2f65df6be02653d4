"""The axes, figures and subfigures in which diagrams are drawn."""

from typing import TYPE_CHECKING, Any, TypeAlias, Union

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

AxesOrFigure: TypeAlias = Union["Axes", "FigureBase", None]
SomeFigure: TypeAlias = Union["FigureBase", None]


def create_pyplot_figure(size: tuple[float, float]) -> "Figure":
    """Return a new pyplot figure, which notebooks show, as the displays of scikit-learn do."""
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained")


def create_figure(size: tuple[float, float]) -> "Figure":
    """Return a new figure that pyplot does not manage, for saving."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def get_axes(ax: AxesOrFigure, size: tuple[float, float]) -> "Axes":
    """Return the axes to draw on: the given ones, or new ones in the given figure or in a new figure."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        if ax.name != "rectilinear":
            raise ValueError(f"ax must be rectilinear axes, got {ax.name} axes")
        return ax
    if ax is None:
        return create_pyplot_figure(size).add_subplot()
    return check_empty_figure(ax, "ax", "rectilinear axes, a Figure or a SubFigure").add_subplot()


def get_figure(figure: SomeFigure, size: tuple[float, float]) -> "FigureBase":
    """Return the figure to draw in: the given empty one, or a new one."""
    return create_pyplot_figure(size) if figure is None else check_empty_figure(figure, "figure")


def check_empty_figure(figure: object, name: str, rule: str = "a Figure or a SubFigure") -> "FigureBase":
    """Return the figure. Raise ValueError for another object, and for a figure that has axes already."""
    from matplotlib.figure import FigureBase

    if not isinstance(figure, FigureBase):
        raise ValueError(f"{name} must be {rule} of matplotlib, or None; got {figure!r}")
    axes: Any = figure.axes
    if axes:
        raise ValueError(f"{name} must be a figure without axes, got one with {len(axes)}; pass its axes instead")
    return figure


def style_axes(ax: "Axes") -> None:
    """Leave the left and the bottom spine alone, without a grid."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=False)
