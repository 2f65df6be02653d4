"""The dot plot of segments: the error of each, with intervals that hold together, before and after a repair."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.headline import without_formulas
from fitontest.displays.palette import FILL, GAP, NEUTRAL, get_foreground, get_line_color
from fitontest.results.checks import is_whole
from fitontest.results.frames import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, ROW, FRAME = 7.2, 0.27, 1.5  # inches
MOST = 25  # segments that are drawn unless more are asked for
LONGEST = 46  # letters of a name
BESIDE = 0.2  # of a row, from the middle to the dots before and after
MARGIN = 0.05  # of the span, beside it


@dataclass(frozen=True)
class Dot:
    """A segment in the diagram.

    Attributes
    ----------
    segment : str
    value : float
    low, high : float or None
        Of the interval.
    null_low, null_high : float or None
        Where segments whose scores are calibrated would be.
    stands_out : bool
        Whether its adjusted p-value is at most the level.
    n : int
        Rows.
    """

    segment: str
    value: float
    low: float | None
    high: float | None
    null_low: float | None
    null_high: float | None
    stands_out: bool
    n: int


class Dotted(Protocol):
    """What the diagram needs of a result on segments."""

    def dots(self) -> list[Dot]: ...  # noqa: D102
    @property
    def dot_label(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Dots:
    """Segments to be drawn, with what their axis is called.

    Attributes
    ----------
    each : list of Dot
    dot_label : str
    """

    each: list[Dot]
    dot_label: str

    def dots(self) -> list[Dot]:
        """Return the segments."""
        return self.each


class SegmentsDisplay(Display):
    """Dot plot of the errors of segments, with intervals that hold for all of them together.

    Dots that stand out are filled. A grey bar is where the dot of a segment would be whose scores are calibrated. With
    `after`, the same segments after a repair are drawn below each as a ring.

    Made by `FoundSegments.plot`, and by `SegmentedEvaluation.plot` with ``adjust="max"``.

    Parameters
    ----------
    before : FoundSegments or SegmentedEvaluation
        Whose segments are drawn, in its order.
    after : FoundSegments or SegmentedEvaluation, optional
        The same segments of other scores; those that it does not have are left out.
    most : int, default=25
        Segments at most.

    Attributes
    ----------
    figure_ : matplotlib Figure or SubFigure
        After `plot`.
    ax_ : matplotlib Axes

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p, site = rng.random(2000), rng.choice(["a", "b", "c"], 2000)
    >>> y = rng.random(2000) < np.where(site == "b", p**1.5, p)
    >>> display = fot.evaluate(y, p, by=site, adjust="max").plot(figure=Figure())
    >>> display.to_frame(part="before")["segment"].tolist()
    ['b', 'c', 'a']
    """

    def __init__(self, before: Dotted, after: Dotted | None = None, *, most: int = MOST) -> None:
        if not is_whole(most) or most < 1:
            raise ValueError(f"most must be a whole number, at least 1; got {most!r}")
        every = before.dots()
        if not every:
            raise ValueError("before must have segments to draw, got none")
        self.before, self.left_out = every[:most], len(every) - len(every[:most])
        others = {} if after is None else {dot.segment: dot for dot in after.dots()}
        self.after = [others.get(dot.segment) for dot in self.before]
        self.label = before.dot_label

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return WIDTH, FRAME + ROW * len(self.before) * (1.5 if any(self.after) else 1.0)

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn."""
        parts = {"before": [asdict(dot) for dot in self.before]}
        return parts | ({"after": [asdict(dot) for dot in self.after if dot is not None]} if any(self.after) else {})

    def _summarise(self) -> str:
        return f"{len(self.before)} segments"

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
        self.ax_.grid(visible=False, axis="y")
        self.ax_.axvline(0.0, color=get_foreground(self.ax_), linewidth=0.9)
        shift = BESIDE if any(self.after) else 0.0
        color = get_line_color(self.ax_, GAP)
        for place, (dot, other) in enumerate(zip(self.before, self.after, strict=True)):
            _draw_null(self.ax_, dot, place - shift)
            _draw_dot(self.ax_, dot, place - shift, color, filled=dot.stands_out)
            if other is not None:
                _draw_null(self.ax_, other, place + shift)
                _draw_dot(self.ax_, other, place + shift, get_line_color(self.ax_, FILL), filled=other.stands_out)
        self._name(self.ax_)
        self._explain(self.ax_)
        return self

    def _name(self, ax: "Axes") -> None:
        names = [f"{_cut(dot.segment)}  ({dot.n:,})" for dot in self.before]
        ax.set_yticks(range(len(names)), [without_formulas(name) for name in names], fontsize="small")
        ax.set_ylim(len(names) - 0.4, -0.6)
        drawn = [*self.before, *(dot for dot in self.after if dot is not None)]
        ends = [0.0, *(end for dot in drawn for end in _ends(dot))]
        span = (max(ends) - min(ends)) or 1.0
        ax.set_xlim(min(ends) - MARGIN * span, max(ends) + MARGIN * span)
        more = f"\n{self.left_out} more are not drawn" if self.left_out else ""
        ax.set_xlabel(f"{self.label}{more}", loc="left", fontsize="small")

    def _explain(self, ax: "Axes") -> None:
        """Draw the legend above the axes, from the left end of the figure: beside long names axes are narrow."""
        from matplotlib.lines import Line2D
        from matplotlib.transforms import blended_transform_factory

        both = any(self.after)
        color: Any = get_line_color(ax, GAP)
        blue: Any = get_line_color(ax, FILL)
        handles = [Line2D([], [], color=color, marker="o", linewidth=1.4, label="before" if both else "stands out")]
        if both:
            handles.append(Line2D([], [], color=blue, marker="o", linewidth=1.4, label="after"))
        if both or not all(dot.stands_out for dot in self.before):
            ring: dict[str, Any] = {"color": color, "marker": "o", "markerfacecolor": "none", "linestyle": "none"}
            handles.append(Line2D([], [], **ring, label="does not stand out"))
        handles.append(Line2D([], [], color=NEUTRAL, linewidth=5.0, alpha=0.4, label="if calibrated"))
        ax.legend(
            handles=handles, loc="lower left", bbox_to_anchor=(0.01, 1.0), ncols=len(handles), frameon=False,
            bbox_transform=blended_transform_factory(ax.figure.transSubfigure, ax.transAxes),
            fontsize="small", borderaxespad=0.2, handlelength=1.6,
        )  # fmt: skip


def _ends(dot: Dot) -> Sequence[float]:
    values = (dot.value, dot.low, dot.high, dot.null_low, dot.null_high)
    return [value for value in values if value is not None]


def _draw_null(ax: "Axes", dot: Dot, height: float) -> None:
    if dot.null_low is not None and dot.null_high is not None:
        ax.plot(
            [dot.null_low, dot.null_high], [height, height], color=NEUTRAL, linewidth=6.0, alpha=0.35,
            solid_capstyle="butt", zorder=2,
        )  # fmt: skip


def _draw_dot(ax: "Axes", dot: Dot, height: float, color: Any, *, filled: bool) -> None:
    if dot.low is not None and dot.high is not None:
        ax.plot([dot.low, dot.high], [height, height], color=color, linewidth=1.3, zorder=3)
    face = color if filled else ax.get_facecolor()
    ax.plot(dot.value, height, "o", color=color, markerfacecolor=face, markersize=5.5, zorder=4)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
