"""The artists of the diagram of a monitor. Each drawing function adds them to matplotlib axes and returns them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.canvas import style_axes
from fitontest.displays.comparison import TOLERANCE_OPACITY, Dot
from fitontest.displays.palette import FILL, GAP, get_foreground, get_line_color, get_muted
from fitontest.displays.planes import FARTHEST
from fitontest.displays.scaling import RATIO_TICKS, Scaling, scale_ratios
from fitontest.displays.titles import letters_of, without_formulas
from fitontest.results.frames import Records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 60  # most batches whose dots are large
LETTER, SPACE = 0.085, 0.18  # inches of a letter of a tick label, and between two of them
LEAST_LETTERS = 2
EDGE = 0.6  # of the distance of two batches, before the first and after the last
TICKS = tuple(sorted((*RATIO_TICKS, 0.9, 1.1)))
LEAST_SPAN = (0.8, 1.25)  # of an axis of ratios
MARGIN, HEADROOM = 0.05, 0.24  # of the span of the axis of ratios: at its ends, and above for the text at the alarm
LEAST = 1e-9  # ratio that a bar on a logarithmic axis may begin at
LOWEST, HIGHEST = -1.0, 6.0  # powers of ten between which evidence is drawn
SMALL = 0.72  # size of letters in the strip, by those of the figure
LEFT = 0.3  # of the axis, from which on the text at the alarm is left of it


@dataclass(frozen=True)
class TimeAxis:
    """Where batches stand on the axis that all panels share.

    Attributes
    ----------
    x : array of shape (batches,)
        Their places: dates, numbers, or 0, 1, 2 and so on.
    labels : sequence of str
        What is written there; empty where the axis has numbers or dates of its own.
    name : str
        Of the axis.
    are_dates : bool
        Whether places are days since 1970.
    places : mapping of str to int
        The number of each batch by its name.
    """

    x: FloatArray
    labels: Sequence[str]
    name: str
    are_dates: bool
    places: Mapping[str, int]

    @classmethod
    def of(cls, rows: Records) -> "TimeAxis":
        """Return the places of batches."""
        places = {row["batch"]: k for k, row in enumerate(rows)}
        times = [row["time"] for row in rows]
        if len(rows) > 1 and all(time is not None for time in times):
            for read, are_dates in ((_days, True), (float, False)):
                x = _increasing(times, read)
                if x is not None:
                    return cls(x, (), "Time", are_dates, places)
        known = all(time is not None for time in times)
        labels = times if known else [row["batch"] for row in rows]
        return cls(np.arange(float(len(rows))), labels, "Time" if known else "Batch", False, places)

    def at(self, batches: Sequence[str]) -> FloatArray:
        """Return the places of batches by their names."""
        return np.array([self.x[self.places[batch]] for batch in batches])

    @property
    def step(self) -> float:
        """The usual distance of two batches."""
        return float(np.median(np.diff(self.x))) if self.x.size > 1 else 1.0

    def apply(self, ax: "Axes", *, small: bool = False) -> None:
        """Set limits and ticks, of small axes few, and the label where ticks are bare numbers of batches."""
        ax.set_xlim(self.x[0] - EDGE * self.step, self.x[-1] + EDGE * self.step)
        if not small and self.name == "Batch" and all(label.isdigit() for label in self.labels):
            ax.set_xlabel(self.name)
        if self.are_dates:
            from matplotlib import dates

            untyped: Any = dates
            locator = untyped.AutoDateLocator(minticks=2 if small else 4, maxticks=4 if small else 8)
            ax.xaxis.set_major_locator(locator)
            ax.xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator))
        elif self.labels:
            kept = range(0, self.x.size, self._every(ax))
            ax.set_xticks([float(self.x[k]) for k in kept], [without_formulas(self.labels[k]) for k in kept])

    def _every(self, ax: "Axes") -> int:
        """Return which batches are named, every k-th, so that names do not overlap."""
        figure: Any = ax.get_figure(root=True)
        inches = ax.get_position().width * ax.figure.bbox.width / figure.dpi
        longest = max(LEAST_LETTERS, *map(len, self.labels))
        most = max(1, int(inches / (LETTER * longest + SPACE)))
        return -(-self.x.size // most)


def draw_ratios(
    ax: "Axes", axis: TimeAxis, dots: Sequence[Dot], tolerance: tuple[float, float], ends: tuple[float, float]
) -> None:
    """Draw the ratios of batches with their intervals on a logarithmic axis, and the tolerance in grey.

    Ratios beyond the axis are triangles at its end. Dots have the names of their batches.
    """
    style_axes(ax)
    shade: Any = get_foreground(ax)
    ax.axhspan(*tolerance, color=shade, alpha=TOLERANCE_OPACITY, linewidth=0, zorder=0)
    ax.axhline(1.0, color=get_muted(ax), linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    few = axis.x.size <= FEW
    for dot, x in zip(dots, axis.at([dot.name for dot in dots]), strict=True):
        color: Any = get_line_color(ax, GAP if dot.state(tolerance) == "outside" else FILL)
        ends_of_bar = [max(dot.low or 0.0, LEAST), dot.high or 0.0]
        ax.plot([x, x], ends_of_bar, color=color, linewidth=1.6 if few else 0.8, zorder=3)
        beyond = "v" if dot.value < ends[0] else "^" if dot.value > ends[1] else "o"
        height = min(max(dot.value, ends[0]), ends[1])
        ax.plot(x, height, beyond, color=color, markersize=5 if few else 2.5, clip_on=beyond == "o", zorder=4)
    scale_ratios("", ends, TICKS).apply(ax, "y")


def ends_of(dots: Sequence[Dot], *, headroom: bool) -> tuple[float, float]:
    """Return the ends of the axis of ratios: those of all intervals, unless they are very far out."""
    values = [one for dot in dots for one in (dot.low, dot.high, dot.value) if one is not None]
    low, high = np.log(np.clip([min([*values, LEAST_SPAN[0]]), max([*values, LEAST_SPAN[1]])], *FARTHEST))
    span = high - low
    return float(np.exp(low - MARGIN * span)), float(np.exp(high + (HEADROOM if headroom else MARGIN) * span))


def draw_evidence(ax: Any, axis: TimeAxis, rows: Records, limit: float, against: str) -> Any:
    """Draw the evidence in steps, in powers of ten cut off above, and the level of the alarm."""
    style_axes(ax)
    top = max(HIGHEST, float(np.ceil(limit)) + 1.0)
    ink, alarm = get_foreground(ax), get_line_color(ax, GAP)
    e = np.array([row["log10_e"] for row in rows])
    above = (e > top) | np.array([row["refuted"] for row in rows])
    drawn = np.where(above, top, np.clip(e, LOWEST, top))
    x = np.concatenate(([axis.x[0] - EDGE * axis.step], axis.x, [axis.x[-1] + EDGE * axis.step]))
    (line,) = ax.plot(
        x, np.concatenate(([0.0], drawn, drawn[-1:])), color=ink, linewidth=1.5, drawstyle="steps-post", zorder=3
    )
    if above.any():
        ax.plot(axis.x[above], drawn[above], "^", color=ink, markersize=5, clip_on=False, zorder=4)
    ax.axhline(limit, color=alarm, linewidth=1.2, zorder=2)
    (size,) = letters_of(SMALL)
    early = bool((drawn[: e.size // 3 + 1] >= limit).any())  # where the text would stand on the steps
    ax.annotate(
        f"alarm at {10**limit:,.4g}", (float(early), limit), xycoords=("axes fraction", "data"),
        xytext=(-4 if early else 4, 2), textcoords="offset points", ha="right" if early else "left", fontsize=size,
        color=alarm, zorder=5,
    )  # fmt: skip
    powers = [*(np.arange(0.0, HIGHEST, 2.0).tolist() if top == HIGHEST else [0.0]), top]
    Scaling("Evidence", (LOWEST, top), {power: _power_in_words(power, top) for power in powers}).apply(ax, "y")
    ax.annotate(
        f"evidence against {against}; may be looked at after every batch", (0.0, 1.0), xycoords="axes fraction",
        xytext=(0.0, 6.0), textcoords="offset points", fontsize=size, color=get_muted(ax), parse_math=False,
        annotation_clip=False,
    )  # fmt: skip
    return line


def _power_in_words(power: float, top: float) -> str:
    """Return a power of ten as a number, and the cut as what lies above it."""
    if power == top:
        return f">1e{top:.0f}"
    return f"{10**power:g}" if power < 4 else f"1e{power:.0f}"


def mark_alarm(panels: Sequence[Any], axis: TimeAxis, batch: str, lines: Sequence[str] = ()) -> None:
    """Draw a line through panels at the batch of the alarm, with texts on top of the first, the first one bold."""
    (x,) = axis.at([batch]).tolist()
    for ax in panels:
        ax.axvline(x, color=get_line_color(ax, GAP), linewidth=1.2, zorder=2)
    top = panels[0]
    left = (x - axis.x[0]) > LEFT * (axis.x[-1] - axis.x[0])
    for k, line in enumerate(lines):
        top.annotate(
            line, (x, 1.0), xycoords=("data", "axes fraction"), xytext=(-5 if left else 5, -2 - 13 * k),
            textcoords="offset points", ha="right" if left else "left", va="top", fontsize="small",
            color=get_line_color(top, GAP), fontweight="normal" if k else "bold", parse_math=False, zorder=6,
        )  # fmt: skip


def _days(time: str) -> float:
    from matplotlib import dates

    untyped: Any = dates
    return float(untyped.date2num(datetime.fromisoformat(time)))


def _increasing(times: Sequence[str], read: Any) -> FloatArray | None:
    """Return times as increasing numbers; None where they are not."""
    try:
        x = [read(time) for time in times]
    except (ValueError, TypeError):
        return None
    return np.array(x) if all(a < b for a, b in pairwise(x)) else None
