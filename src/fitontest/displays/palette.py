"""Colours for colour-blind readers (Okabe and Ito's set) and for grey print, where lightness and line style tell.

What has to stand out from the background follows the axes: black on white, white on black.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Color: TypeAlias = str | tuple[float, ...]

FILL = "#0072B2"  # blue
GAP = "#D55E00"  # vermilion: the distance that an error is the mean of, and what a test rejects
NEUTRAL = "#8C8C8C"  # visible on black and on white
SERIES = (FILL, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", GAP)  # that of the gap last
DASHES: tuple[tuple[int, tuple[float, ...] | None], ...] = (
    (0, None),
    (0, (5.0, 1.5)),
    (0, (1.2, 1.2)),
    (0, (5.0, 1.5, 1.2, 1.5)),
)


def series(k: int) -> tuple[str, tuple[int, tuple[float, ...] | None]]:
    """Return colour and line style of the k-th of several overlaid diagrams."""
    return SERIES[k % len(SERIES)], DASHES[k % len(DASHES)]


def ink(ax: "Axes") -> Any:
    """Return the colour in which the axes write, which stands out from their background."""
    return ax.xaxis.label.get_color()


def ground(ax: "Axes") -> tuple[float, float, float]:
    """Return the colour that is seen behind the axes, where they or their figure may be transparent."""
    from matplotlib.colors import to_rgba

    seen = np.ones(3)
    for color in (ax.get_figure(root=True).get_facecolor(), ax.get_facecolor()):  # type: ignore[union-attr]
        *rgb, opacity = to_rgba(color)
        seen = seen + opacity * (np.array(rgb) - seen)
    red, green, blue = seen.tolist()
    return red, green, blue


def tint(ax: "Axes", color: Any, opacity: float) -> tuple[float, float, float]:
    """Return the opaque colour that is seen where `color` of that opacity lies on the background."""
    from matplotlib.colors import to_rgb

    mixed = [under + opacity * (over - under) for under, over in zip(ground(ax), to_rgb(color), strict=True)]
    return mixed[0], mixed[1], mixed[2]


def paper(ax: "Axes") -> Any:
    """Return the background of the axes."""
    return ax.get_facecolor()
