"""The colours of the diagrams, told apart by colour-blind readers.

Lightness and line style distinguish them in grey print. The foreground colour is that of the axes: black on white, or
white on black.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Color: TypeAlias = str | tuple[float, ...]

FILL = "#0b6fae"  # blue
GAP = "#c8501a"  # orange: the gap between map and diagonal, what is outside a tolerance, or the second of several
NEUTRAL = "#8C8C8C"  # visible on black and on white
SERIES = (FILL, GAP, "#6aa84f", "#5b2a86", "#56B4E9", "#E69F00")
DARK = 1.5  # sum of red, green and blue below which a background is dark
LIFT = 0.5  # of the way to white that lines go on a dark background


def get_foreground(ax: "Axes") -> Any:
    """Return the colour of the texts of the axes, which contrasts with their background."""
    return ax.xaxis.label.get_color()


def get_opaque_background(ax: "Axes") -> tuple[float, float, float]:
    """Return the visible colour behind the axes. The axes and their figure may be transparent."""
    from matplotlib.colors import to_rgba

    visible = np.ones(3)
    for color in (ax.get_figure(root=True).get_facecolor(), ax.get_facecolor()):  # type: ignore[union-attr]
        *rgb, opacity = to_rgba(color)
        visible = visible + opacity * (np.array(rgb) - visible)
    red, green, blue = visible.tolist()
    return red, green, blue


def blend_with_background(ax: "Axes", color: Any, opacity: float) -> tuple[float, float, float]:
    """Return the opaque colour that looks like `color` of that opacity on the background."""
    from matplotlib.colors import to_rgb

    mixed = [
        under + opacity * (over - under) for under, over in zip(get_opaque_background(ax), to_rgb(color), strict=True)
    ]
    return mixed[0], mixed[1], mixed[2]


def is_dark(ax: "Axes") -> bool:
    """Return whether the background of the axes is dark."""
    return sum(get_opaque_background(ax)) < DARK


def get_line_color(ax: "Axes", color: Color) -> Color:
    """Return the colour of a line: on a dark background a lighter one, which stands out from fills of the colour."""
    from matplotlib.colors import to_rgb

    if not is_dark(ax):
        return color
    red, green, blue = (part + LIFT * (1.0 - part) for part in to_rgb(color))  # type: ignore[arg-type]
    return red, green, blue


def get_muted(ax: "Axes", strength: float = 0.62) -> tuple[float, float, float]:
    """Return the grey of texts that stand behind the others, on a light or a dark background."""
    return blend_with_background(ax, get_foreground(ax), strength)


def get_background(ax: "Axes") -> Any:
    """Return the background colour of the axes."""
    return ax.get_facecolor()
