"""The artists of the diagram of a monitor. Each drawing function adds them to matplotlib axes and returns them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.displays.canvas import style_axes
from fitontest.displays.palette import FILL, GAP, NEUTRAL, SERIES, get_foreground, get_line_color, is_dark
from fitontest.displays.titles import without_formulas
from fitontest.results.frames import Records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {"evidence": "Evidence E", "level": "Level", "slope": "Slope", "error": "Error \N{GREATER-THAN OR EQUAL TO}"}
BAND_OPACITY, DARK_GAIN = 0.25, 0.12
FEW = 60  # most batches whose values are marked by points
MOST_NAMED = 5  # segments that have a colour
MOST_LETTERS = 18  # of their names
LETTER, SPACE = 0.085, 0.18  # inches of a letter of a tick label, and between two of them
LEAST_LETTERS = 2
LEAST_ROOM = 0.25  # powers of ten above and below the evidence
LARGEST_PLAIN, SMALLEST_PLAIN = 4, -2  # powers of ten that are written out
LIMITS = {"level": (-1.5, 1.5), "slope": (0.4, 2.5)}  # of the values that are looked at
LEAST_SPREAD = {"level": 0.1, "slope": 0.1}  # that the axis shows on either side of the ideal
LEFT, RIGHT = 0.12, 0.8  # of the axis, between which names of onset and alarm stand on their own side
EDGE = 0.6  # of the distance of two batches, before the first and after the last
ABOVE = 0.15  # of the highest error, of room above it


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

    def apply(self, ax: "Axes") -> None:
        """Set limits, ticks and the label of the lowest axes, whose ticks all others share."""
        ax.set_xlim(self.x[0] - EDGE * self.step, self.x[-1] + EDGE * self.step)
        ax.set_xlabel(self.name)
        if self.are_dates:
            from matplotlib import dates

            untyped: Any = dates
            locator = untyped.AutoDateLocator(minticks=4, maxticks=8)
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


def frame_panels(panels: Sequence["Axes"], axis: TimeAxis, *, alpha: float) -> None:
    """Set the style, the names and the axis of time of the panels."""
    for ax, name in zip(panels, NAMES.values(), strict=False):
        style_axes(ax)
        ax.set_ylabel(name)
        ax.tick_params(axis="x", labelbottom=ax is panels[-1])
    axis.apply(panels[-1])
    figure: Any = panels[0].figure
    figure.align_ylabels(panels)
    if len(panels) > 1:
        title = f"{100 * (1 - alpha):g} % at all times, if they never changed"
        panels[1].set_title(title, loc="right", fontsize="small")


def draw_evidence(
    ax: "Axes",
    axis: TimeAxis,
    rows: Records,
    limit: float,
    segments: Mapping[str, tuple[FloatArray, Sequence[float]]],
    named: Sequence[str],
) -> Any:
    """Draw the evidence, that since the onset and that of segments, in powers of ten, and return the legend."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    color = get_line_color(ax, FILL)
    marker = "o" if axis.x.size <= FEW else None
    e = np.array([row["log10_e"] for row in rows])
    cusum = np.array([row["log10_cusum"] for row in rows])
    x, drawn = _from_one(axis, e)
    cusum_label = f"CUSUM{' of all rows' if segments else ''}"
    ax.axhline(limit, color=get_foreground(ax), linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    for k, (name, (places, values)) in enumerate(_others_first(segments, named).items()):
        is_named = name in named[:MOST_NAMED]
        style: dict[str, Any] = {"color": NEUTRAL, "alpha": 0.55, "linewidth": 0.8, "zorder": 1.8}
        if is_named:
            chosen = SERIES[1 + named.index(name)]
            style = {"color": get_line_color(ax, chosen), "linewidth": 1.3, "zorder": 2.2}
            style["label"] = without_formulas(shorten(name, MOST_LETTERS, placeholder="...") or name[:MOST_LETTERS])
        elif k == 0:
            style["label"] = "other segments" if named else "segments"
        ax.plot(places, values, **style)
    ax.plot(
        axis.x, cusum, color=color, alpha=0.7, linewidth=1.1, linestyle=(0, (4.0, 2.0)), label=cusum_label,
        zorder=2.6,
    )  # fmt: skip
    ax.plot(x, drawn, color=color, linewidth=1.8, label="E", zorder=3.0)
    ax.plot(axis.x, e, color=color, linestyle="none", marker=marker, markersize=3.5, zorder=3.0)
    values = [*e, *cusum, 0.0, limit, *(value for _, own in segments.values() for value in own)]
    low, high = min(values), max(values)
    room = max(LEAST_ROOM, 0.06 * (high - low))
    ax.set_ylim(low - room, high + room)
    refuted = [k for k, row in enumerate(rows) if row["refuted"]]
    if refuted:
        ax.plot(
            axis.x[refuted], np.ones(len(refuted)), "^", color=get_line_color(ax, GAP), markersize=6, clip_on=False,
            transform=ax.get_xaxis_transform(), label="E infinite", zorder=4.0,
        )  # fmt: skip
    ax.yaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda power, _: _power_in_words(power)))
    ax.annotate(
        f"alarm at E = {10**limit:.4g}", (0.0, limit), xycoords=("axes fraction", "data"), xytext=(4, 2),
        textcoords="offset points", fontsize="small", color=get_foreground(ax), zorder=3.5,
    )  # fmt: skip
    handles, texts = ax.get_legend_handles_labels()
    order = sorted(range(len(texts)), key=lambda k: (texts[k] != "E", texts[k] != cusum_label, "segments" in texts[k]))
    return ax.legend(
        [handles[k] for k in order], [texts[k] for k in order], loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3,
        fontsize="small", frameon=False, borderaxespad=0.2, columnspacing=1.2, handlelength=1.8,
    )  # fmt: skip


def draw_interval(ax: "Axes", axis: TimeAxis, rows: Records, name: str, ideal: float) -> Any:
    """Draw the values of level or slope that are left open, and a line at the ideal."""
    first, last = LIMITS[name]
    agrees = np.array([row["line_agrees"] for row in rows])
    low = np.array([first if row[f"{name}_low"] is None else row[f"{name}_low"] for row in rows])
    high = np.array([last if row[f"{name}_high"] is None else row[f"{name}_high"] for row in rows])
    color = get_line_color(ax, FILL)
    ax.axhline(ideal, color=get_foreground(ax), linewidth=0.9, zorder=2.5)
    opacity = BAND_OPACITY + DARK_GAIN * is_dark(ax)
    band: Any
    if axis.x.size > 1:
        band = ax.fill_between(axis.x, low, high, where=agrees.tolist(), color=color, alpha=opacity, linewidth=0)
        for end in (low, high):
            ax.plot(axis.x, np.where(agrees, end, np.nan), color=color, linewidth=1.2, zorder=3.0)
    else:
        band = ax.vlines(axis.x[agrees], low[agrees], high[agrees], color=color, linewidth=2.0)
    known = [row[f"{name}_{end}"] for row in rows for end in ("low", "high") if row["line_agrees"]]
    known = [value for value in known if value is not None]
    spread = LEAST_SPREAD[name]
    bottom, top = min([ideal - spread, *known]), max([ideal + spread, *known])
    ax.set_ylim(bottom - 0.05 * (top - bottom), top + 0.05 * (top - bottom))
    _limit_ticks(ax, 4)
    if not agrees[-1] and name == "level":
        agreeing = np.flatnonzero(agrees)
        is_low = agreeing.size > 0 and low[agreeing[-1]] + high[agreeing[-1]] < bottom + top  # where the band ends
        ax.annotate(
            "no line agrees with all batches", (0.99, 0.95 if is_low else 0.05), xycoords="axes fraction", ha="right",
            va="top" if is_low else "bottom", fontsize="small", color=get_foreground(ax),
        )  # fmt: skip
    return band


def draw_error(ax: "Axes", axis: TimeAxis, rows: Records, max_error: float | None) -> Any:
    """Draw the lower bound of the mean error, and the largest one that is allowed."""
    low = np.array([row["error_low"] or 0.0 for row in rows])
    x, held = np.append(axis.x, axis.x[-1] + EDGE * axis.step), np.append(low, low[-1])  # until the next batch
    color = get_line_color(ax, GAP)
    ax.fill_between(x, 0.0, held, step="post", color=color, alpha=BAND_OPACITY + DARK_GAIN * is_dark(ax), linewidth=0)
    (line,) = ax.plot(x, held, color=color, linewidth=1.5, drawstyle="steps-post", zorder=3.0)
    top = max(float(low.max()), max_error or 0.0)
    ax.set_ylim(0.0, (1.0 + ABOVE) * top if top > 0.0 else 0.01)
    _limit_ticks(ax, 3)
    if max_error is not None:
        ax.axhline(max_error, color=get_foreground(ax), linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=2.0)
        ax.annotate(
            f"limit {max_error:g}", (0.0, max_error), xycoords=("axes fraction", "data"), xytext=(4, 1),
            textcoords="offset points", fontsize="small", color=get_foreground(ax),
        )  # fmt: skip
    elif top == 0.0:
        ax.annotate(
            "no bound above 0 yet", (0.0, 0.0), xycoords="axes fraction", xytext=(4, 4),
            textcoords="offset points", fontsize="small", color=get_foreground(ax),
        )  # fmt: skip
    return line


def mark_batches(panels: Sequence["Axes"], axis: TimeAxis, alarm: int | None, onset: int | None) -> None:
    """Draw lines through all panels at the batches of onset and alarm, which are named on top of the first."""
    marks = (
        [(alarm, "-", "alarm")] if onset is None or onset == alarm else [(onset, ":", "onset"), (alarm, "-", "alarm")]
    )
    if alarm is not None and onset == alarm:
        marks = [(alarm, "-", "onset, alarm")]
    top = panels[0]
    for k, (place, style, name) in enumerate(marks):
        if place is None:
            continue
        x = float(axis.x[place])
        for ax in panels:
            ax.axvline(x, color=get_line_color(ax, GAP), linewidth=1.0, linestyle=style, alpha=0.8, zorder=1.4)
        at = (x - axis.x[0]) / max(axis.x[-1] - axis.x[0], axis.step)
        right = at > (LEFT if name == "onset" else RIGHT)
        top.annotate(
            name, (x, 0.98 - 0.09 * (k if len(marks) > 1 else 0)), xycoords=("data", "axes fraction"),
            xytext=(-3 if right else 3, 0), textcoords="offset points", ha="right" if right else "left", va="top",
            fontsize="small", color=get_line_color(top, GAP), zorder=3.5,
        )  # fmt: skip


def _from_one(axis: TimeAxis, e: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the evidence with that of before the first batch, which is 1."""
    return np.concatenate(([axis.x[0] - EDGE * axis.step], axis.x)), np.concatenate(([0.0], e))


def _others_first(segments: Mapping[str, Any], named: Sequence[str]) -> dict[str, Any]:
    """Return the segments that are not named, then those that are."""
    return {name: segments[name] for name in sorted(segments, key=lambda name: name in named[:MOST_NAMED])}


def _power_in_words(power: float) -> str:
    """Return a power of ten as a number."""
    if SMALLEST_PLAIN <= power <= LARGEST_PLAIN:
        return f"{10.0**power:,g}" if power < 0 else f"{10 ** round(power):,}"
    return f"1e{round(power):+03d}"


def _limit_ticks(ax: "Axes", most: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10]))


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
