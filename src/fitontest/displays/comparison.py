"""The dot plot of any rows with intervals: segments, groups, calibrators, models, errors."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, Self

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.palette import FILL, GAP, get_background, get_foreground, get_line_color, get_muted
from fitontest.displays.scaling import Scaling, scale_ratios
from fitontest.displays.titles import without_formulas, write_title
from fitontest.results.frames import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, ROW, FRAME = 7.6, 0.3, 1.5  # inches
MOST, FARTHEST = 40, 20  # rows that are all drawn, and how many of more
LONGEST = 40  # letters of a name
LETTER = 5.2  # points of a letter beside the dots
APART = 14.0  # points between columns
HEAD = 13.0  # points above the axes, of the heads of the columns
NAME_LETTER, SIDE = 0.078, 0.3  # inches of a letter of a name, and beside names
MARGIN = 0.06  # of the span of the axis, on both sides
TOLERANCE_OPACITY = 0.12
MOST_RATIO = 20.0  # from 1, that an interval extends an axis of ratios to
_DATE = re.compile(r"\d{4}([-/. ]?(Q[1-4]|W?\d{1,2})([-/.]\d{1,2})?)?")


@dataclass(frozen=True)
class Dot:
    """A row of the diagram.

    Attributes
    ----------
    name : str
    value : float
    low, high : float or None
        Ends of the interval.
    columns : dict of str to str
        What stands beside it, by the heads of the columns.
    is_whole : bool
        Whether it is of all rows, which come last.
    color : str or None
        Of dots that are told apart by their colour.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = False
    color: str | None = None

    def state(self, tolerance: tuple[float, float] | None) -> str:
        """Return "within" the tolerance, "outside" of it, or "open" where the interval does not tell.

        Parameters
        ----------
        tolerance : tuple of float or None
            Without one all are "within".
        """
        if tolerance is None:
            return "within"
        if self.low is None or self.high is None:
            return "open"
        if self.low > tolerance[1] or self.high < tolerance[0]:
            return "outside"
        return "within" if self.low >= tolerance[0] and self.high <= tolerance[1] else "open"


class ComparisonDisplay(Display):
    """Dot plot of rows with intervals, such as the ratio of observed to expected events of segments.

    A filled dot has its interval within the tolerance, which is grey; an orange one wholly outside of it; of a ring the
    interval does not tell. Rows are sorted by their values, names that are dates keep their order, and all rows come
    last. Of more than 40 rows the 20 farthest from the reference are drawn.

    Made by ``plot`` of segments, comparisons of calibrators and comparisons of errors.

    Parameters
    ----------
    dots : iterable of Dot
        The rows.
    title, second : str
        Above the dots.
    label : str
        Of the axis.
    reference : float, optional
        Where a line is drawn: the value of calibrated scores, or of no difference.
    tolerance : (float, float), optional
        Between which values a row is as good as calibrated.
    is_ratio : bool, default=False
        Whether the axis is logarithmic.
    keep_order : bool, default=False
        Whether rows stay in the order given; those named by dates always do.

    Attributes
    ----------
    dots : list of Dot
        In the order drawn.
    total : int
        Rows given, but that of all rows.
    figure_, ax_ : matplotlib Figure or SubFigure, and Axes
        After `plot`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fitontest.displays.comparison import ComparisonDisplay, Dot
    >>> dots = [Dot("web", 1.01, 0.95, 1.06), Dot("phone", 1.40, 1.28, 1.53)]
    >>> display = ComparisonDisplay(dots, label="O:E", reference=1, tolerance=(0.9, 1.1), is_ratio=True).plot(Figure())
    >>> [row["state"] for row in display.rows("dots")]
    ['outside', 'within']
    """

    def __init__(
        self,
        dots: Iterable[Dot],
        *,
        title: str = "",
        second: str = "",
        label: str = "",
        reference: float | None = None,
        tolerance: tuple[float, float] | None = None,
        is_ratio: bool = False,
        keep_order: bool = False,
    ) -> None:
        given = list(dots)
        if not given:
            raise ValueError("dots must hold at least one row, got none")
        self.title, self.label, self.reference, self.tolerance, self.is_ratio = (
            title, label, reference, tolerance, is_ratio
        )  # fmt: skip
        rows = [dot for dot in given if not dot.is_whole]
        self.total = len(rows)
        if len(rows) > MOST:
            farthest = sorted(rows, key=self._distance, reverse=True)[:FARTHEST]
            rows = [dot for dot in rows if any(dot is one for one in farthest)]
        if not keep_order and not all(_DATE.fullmatch(dot.name) for dot in rows):
            rows = sorted(rows, key=lambda dot: -dot.value)
        self.dots = [*rows, *(dot for dot in given if dot.is_whole)]
        left_out = f"{len(rows)} of {self.total:,} shown" if len(rows) < self.total else ""
        self.second = "; ".join(part for part in (second, left_out) if part)

    def _distance(self, dot: Dot) -> float:
        """Return how far a row is from the reference: by the nearer end of its interval, if that leaves it out."""
        reference = self.reference or 0.0
        scale = (lambda value: log(max(value, 1e-9))) if self.is_ratio else float
        ends = dot.value if dot.low is None else dot.low, dot.value if dot.high is None else dot.high
        return max(scale(ends[0]) - scale(reference), scale(reference) - scale(ends[1]))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return WIDTH, FRAME + ROW * max(len(self.dots), 2)

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn, with what the dot says of the tolerance."""
        heads = dict.fromkeys(head for dot in self.dots for head in dot.columns)
        return {
            "dots": [
                {"name": dot.name, "value": dot.value, "low": dot.low, "high": dot.high,
                 "state": dot.state(self.tolerance), **{head: dot.columns.get(head) for head in heads}}
                for dot in self.dots
            ]
        }  # fmt: skip

    def _summarise(self) -> str:
        return f"{len(self.dots)} rows"

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.ax_ = get_axes(ax, self.size)
        self.figure_ = self.ax_.figure
        style_axes(self.ax_)
        if self.tolerance is not None:
            shade: Any = get_foreground(self.ax_)
            self.ax_.axvspan(*self.tolerance, color=shade, alpha=TOLERANCE_OPACITY, linewidth=0, zorder=0)
        if self.reference is not None:
            self.ax_.axvline(self.reference, color=get_muted(self.ax_), linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        self._frame(self.ax_)
        colors = [self._draw_dot(self.ax_, dot, k) for k, dot in enumerate(self.dots)]
        self._write_columns(self.ax_, colors)
        if self.title or self.second:
            names = max(len(_cut(dot.name)) for dot in self.dots)
            place: Any = self.figure_
            inches = place.bbox.width / place.get_figure(root=True).dpi - names * NAME_LETTER - SIDE
            heads = any(dot.columns for dot in self.dots)
            write_title(self.ax_, self.title, self.second, inches=max(inches, 2.0), raised=HEAD if heads else 0.0)
        return self

    def _color(self, ax: "Axes", dot: Dot) -> Any:
        outside = dot.state(self.tolerance) == "outside"
        return get_line_color(ax, dot.color or (GAP if outside else FILL))

    def _draw_dot(self, ax: "Axes", dot: Dot, height: int) -> Any:
        color: Any = self._color(ax, dot)
        if dot.low is not None and dot.high is not None:
            ax.plot([dot.low, dot.high], [height, height], color=color, linewidth=1.5, zorder=3)
        face = get_background(ax) if dot.state(self.tolerance) == "open" else color
        ax.plot(dot.value, height, "o", color=color, markerfacecolor=face, markersize=6, markeredgewidth=1.4, zorder=4)
        return color

    def _frame(self, ax: "Axes") -> None:
        names = [without_formulas(_cut(dot.name)) for dot in self.dots]
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        for text, dot in zip(ax.get_yticklabels(), self.dots, strict=True):
            text.set_fontweight("bold" if dot.is_whole else "normal")
            if dot.color is not None or dot.state(self.tolerance) == "outside":
                text.set_color(self._color(ax, dot))
        ax.set_ylim(len(names) - 0.4, -0.6)
        ends = self._ends()
        if self.is_ratio:
            room = max((ends[1] / ends[0]) ** MARGIN, 1.02)
            scale_ratios(f"{self.label} (log axis)", (ends[0] / room, ends[1] * room)).apply(ax, "x")
        else:
            room = MARGIN * ((ends[1] - ends[0]) or 1.0)
            Scaling(self.label, (ends[0] - room, ends[1] + room)).apply(ax, "x")
            ax.locator_params(axis="x", nbins=5)

    def _ends(self) -> tuple[float, float]:
        """Return the ends of the axis: those of all intervals, unless they are very far out."""
        values = [one for dot in self.dots for one in (dot.value, dot.low, dot.high) if one is not None]
        values += [one for one in (self.reference, *(self.tolerance or ())) if one is not None]
        if self.is_ratio:
            values = [min(max(one, 1.0 / MOST_RATIO), MOST_RATIO) for one in values]
        return min(values), max(values)

    def _write_columns(self, ax: "Axes", colors: Sequence[Any]) -> None:
        """Write the columns beside the dots, the first one to the left and numbers of the others to the right."""
        heads = list(dict.fromkeys(head for dot in self.dots for head in dot.columns))
        offset = APART
        for k, head in enumerate(heads):
            cells = [dot.columns.get(head, "") for dot in self.dots]
            width = LETTER * max(len(head), *map(len, cells))
            place, align = (offset, "left") if k == 0 else (offset + width, "right")
            self._write(ax, head, None, place, align, get_muted(ax))
            for row, (dot, cell, color) in enumerate(zip(self.dots, cells, colors, strict=True)):
                told = dot.state(self.tolerance) == "outside" and k == 0
                plain = get_foreground(ax) if k == 0 else get_muted(ax)
                self._write(ax, cell, row, place, align, color if told else plain)
            offset += width + APART

    def _write(self, ax: "Axes", text: str, row: int | None, offset: float, align: str, color: Any) -> None:
        """Write a cell beside a row, or above the axes."""
        coords: Any = "axes fraction" if row is None else ("axes fraction", "data")
        ax.annotate(
            text, (1.0, 1.0 if row is None else row), xycoords=coords, xytext=(offset, HEAD / 2 if row is None else 0),
            textcoords="offset points", ha=align, va="center", fontsize="small", color=color, annotation_clip=False,
            parse_math=False,
        )  # fmt: skip


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
