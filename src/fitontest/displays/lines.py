"""Lines over an axis, with bands, marks and their names: what the diagrams of curves are drawn of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.curve_names import name_curves
from fitontest.displays.palette import FILL, NEUTRAL, get_background, get_line_color, get_muted, is_dark
from fitontest.results.text import visible
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND_OPACITY, DARK_GAIN = 0.15, 0.12
DASHES = (0, (3.0, 1.5))
COURSE = 200  # points of a line that names keep away from
APART = 12.0  # points between names beside the axes


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a diagram of curves.

    Attributes
    ----------
    name : str
        Written beside it, unless it is empty.
    x, y : arrays of shape (M,)
    low, high : arrays of shape (M,), optional
        Ends of the band, or of the intervals of marks.
    color : str
    width : float
        Points.
    marker : str
        Of matplotlib, at each point; hollow markers have the colour of the background inside.
    hollow, dashed, steps : bool
    shift : float
        Points to the right, of marks that would cover others.
    is_reference : bool
        Whether the line is thin and grey, with its name in grey where it leaves the axes.
    named_beside : bool
        Whether the name stands beside the right end of the axes.
    """

    name: str
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    color: str = FILL
    width: float = 1.8
    marker: str = ""
    hollow: bool = False
    dashed: bool = False
    steps: bool = False
    shift: float = 0.0
    is_reference: bool = False
    named_beside: bool = False

    def ink(self, ax: "Axes") -> Any:
        """Return the colour on a light or dark background."""
        return NEUTRAL if self.is_reference else get_line_color(ax, self.color)

    def draw(self, ax: "Axes") -> dict[str, Any]:
        """Draw the line and its band, or its marks with intervals, and return both as "line" and "band"."""
        from matplotlib.transforms import ScaledTranslation

        color = self.ink(ax)
        figure: Any = ax.get_figure(root=True)
        where = ax.transData + ScaledTranslation(self.shift / 72, 0.0, figure.dpi_scale_trans)
        band: Any = None
        if self.low is not None and self.high is not None and self.marker:
            band = ax.vlines(self.x, self.low, self.high, color=color, linewidth=1.6, zorder=3.0, transform=where)
        elif self.low is not None and self.high is not None:
            band = ax.fill_between(
                self.x, self.low, self.high, color=color, alpha=BAND_OPACITY + DARK_GAIN * is_dark(ax), linewidth=0,
                zorder=2.0, step="post" if self.steps else None,
            )  # fmt: skip
        (line,) = ax.plot(
            self.x, self.y, color=color, linewidth=1.2 if self.is_reference else self.width, transform=where,
            linestyle=DASHES if self.dashed else "-", drawstyle="steps-post" if self.steps else "default",
            marker=self.marker or None, markersize=5.5, markerfacecolor=get_background(ax) if self.hollow else color,
            zorder=2.3 if self.is_reference else 3.2,
        )  # fmt: skip
        return {"line": line, "band": band}

    def course(self, ax: "Axes") -> FloatArray:
        """Return points of the line that are seen, as fractions of the axes."""
        shown: Any = ax.transData - ax.transAxes
        x, y = (self.x.repeat(2)[1:], self.y.repeat(2)[:-1]) if self.steps else (self.x, self.y)
        with np.errstate(divide="ignore", invalid="ignore"):
            places = shown.transform(np.column_stack((x, y)))
        places = places[np.isfinite(places).all(axis=1)]
        at, every = np.linspace(0, len(places) - 1, COURSE), np.arange(len(places))
        course = np.column_stack([np.interp(at, every, column) for column in places.T])
        return course[((course > 0.0) & (course < 1.0)).all(axis=1)]


def write_names(ax: "Axes", lines: Sequence[Line]) -> None:
    """Write the name of each line: of curves where no other one is, of references and by wish beside the axes."""
    courses = [line.course(ax) for line in lines]
    inside = [k for k, line in enumerate(lines) if line.name and not line.is_reference and not line.named_beside]
    others = [course for k, course in enumerate(courses) if k not in inside]
    name_curves(
        ax, [lines[k].name for k in inside], [courses[k] for k in inside], [lines[k].ink(ax) for k in inside], others
    )
    ends: list[tuple[float, Line]] = []
    for line, course in zip(lines, courses, strict=True):
        if line.name and (line.is_reference or line.named_beside) and len(course):
            if line.is_reference and course[-1, 0] < 1.0 - 2 / COURSE:
                _write_at_border(ax, line, course)
            else:
                ends.append((float(course[-1, 1]), line))
    ends.sort(key=lambda one: one[0])
    for place, (_, line) in zip(_spread(ax, [place for place, _ in ends]), ends, strict=True):
        _write_beside(ax, line, (1.0, place), (5.0, 0.0), "left", "center")


def _spread(ax: "Axes", places: list[float]) -> list[float]:
    """Return increasing heights, as fractions of the axes, moved so far apart that names do not overlap."""
    figure: Any = ax.get_figure(root=True)
    box: Any = ax.get_window_extent()
    least = min(APART * figure.dpi / 72 / box.height, 1.0 / max(len(places), 1))
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + least)
    for k in reversed(range(len(places))):
        places[k] = min(places[k], 1.0 - least * (len(places) - 1 - k))
    return places


def _write_at_border(ax: "Axes", line: Line, course: FloatArray) -> None:
    """Write a name where the line leaves the axes at the bottom or the top."""
    x, y = course[-1].tolist()
    left = x < 0.8
    place = (x, 0.0 if y < 0.5 else 1.0)
    offset = (5.0 if left else -5.0, 5.0 if y < 0.5 else -5.0)
    _write_beside(ax, line, place, offset, "left" if left else "right", "bottom" if y < 0.5 else "top")


def _write_beside(
    ax: "Axes", line: Line, place: tuple[float, float], offset: tuple[float, float], ha: str, va: str
) -> None:
    ink = get_muted(ax) if line.is_reference else line.ink(ax)
    ax.annotate(
        visible(line.name), place, xycoords="axes fraction", xytext=offset, textcoords="offset points", ha=ha, va=va,
        color=ink, fontsize="small", zorder=4, annotation_clip=False, parse_math=False,
        fontweight="normal" if line.is_reference else "bold",
    )  # fmt: skip
