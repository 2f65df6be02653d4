"""The diagram of a comparison of calibrators: the distance of each to the best, and its calibration error."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.displays.base import Display
from fitontest.displays.canvas import SomeFigure, get_figure, style_axes
from fitontest.displays.palette import FILL, GAP, NEUTRAL, SERIES, get_background, get_foreground, get_line_color
from fitontest.results.frames import Records
from fitontest.results.text import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "os^DvP*X"  # of the evaluators: distinguishable without colour
FAR = 4.0  # multiple of the median difference beyond which a value is an arrow at the edge
LEAST = 1.0  # of the right end of the axis, how far error bars extend it to the left
ROW = 0.34  # inches
ERROR = "error_"


class ComparisonDisplay(Display):
    """Dot plot of recalibration methods, from the smallest held-out loss at the top to the largest.

    The left panel shows by how much the held-out loss of each exceeds the smallest, with the standard error of that
    paired difference. The marker of the chosen family is filled, and a line shows the loss of doing nothing. A
    difference that is several times the median is an arrow at the edge, with its number. A bar that goes on beyond the
    axis ends in an arrowhead. Squares show the differences on the test set, if there is one. The right panel shows the
    calibration error after calibration, by each evaluator.

    Made by `Comparison.plot`.

    Parameters
    ----------
    rows : list of dict
        As `Comparison.rows` returns them.
    loss : str
        Name of the loss.
    do_nothing : str, default="identity"
        The family whose loss is shown as a line.

    Attributes
    ----------
    figure_ : matplotlib Figure or SubFigure
        After `plot`.
    axes_ : tuple of matplotlib Axes
        The left panel and, if there are evaluators, the right one.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> comparison = fot.compare_calibrators(rng.random(500) < p**2, p, families=["platt", "beta"], evaluators=["flat"])
    >>> display = comparison.plot(Figure())
    >>> len(display.axes_), display.to_frame(part="errors").columns.tolist()
    (2, ['family', 'evaluator', 'error'])
    """

    def __init__(self, rows: Records, *, loss: str, do_nothing: str = "identity") -> None:
        if not rows:
            raise ValueError("rows must hold at least one calibrator, got none")
        self._rows, self.loss, self.do_nothing = rows, loss, do_nothing
        self.names = [str(row["family"]) for row in rows]
        self.evaluators = [key.removeprefix(ERROR) for key in rows[0] if key.startswith(ERROR)]
        self.tested = "test_score" in rows[0]

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the differences of the losses, and the errors after calibration."""
        parts = {"held_out": self._list_differences("")}
        if self.tested:
            parts["test"] = self._list_differences("test_")
        errors = [
            {"family": row["family"], "evaluator": name, "error": row[ERROR + name]}
            for row in self._rows
            for name in self.evaluators
        ]
        return {**parts, "errors": errors} if errors else parts

    def _list_differences(self, prefix: str) -> Records:
        keys = ("score", "to_best", "to_best_se")
        return [
            {"family": row["family"], **{key: row[prefix + key] for key in keys}, "chosen": row["chosen"]}
            for row in self._rows
        ]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return (9.0 if self.evaluators else 5.6), ROW * len(self.names) + 1.7

    def _summarise(self) -> str:
        return repr(self.names)

    def plot(self, figure: SomeFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty figure to draw in. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.figure_ = get_figure(figure, self.size)
        panels = self.figure_.subplots(1, 2 if self.evaluators else 1, sharey=True, squeeze=False)[0]
        self.axes_ = tuple(panels)
        self._draw_differences(panels[0])
        if self.evaluators:
            self._draw_errors(panels[1])
        panels[0].set_ylim(len(self.names) - 0.5, -0.5)
        return self

    def _draw_differences(self, ax: "Axes") -> None:
        parts = self.parts()
        drawn = parts["held_out"] + parts.get("test", [])
        limit = _find_limit([row["to_best"] + row["to_best_se"] for row in drawn])
        style_axes(ax)
        ax.axvline(0.0, color=get_foreground(ax), linewidth=0.8)
        self._draw_reference_line(ax, limit)
        offsets = {"held_out": -0.14, "test": 0.18} if self.tested else {"held_out": 0.0}
        least = min(0.0, *(row["to_best"] - row["to_best_se"] for row in drawn if row["to_best"] <= limit))
        ax.set_xlim(max(least, -LEAST * limit) - 0.06 * limit, 1.18 * limit)
        for part, offset in offsets.items():
            self._draw_series(ax, parts[part], offset, limit, test=part == "test")
        ax.locator_params(axis="x", nbins=5)
        ax.set_yticks(range(len(self.names)), self.names)
        for label, row in zip(ax.get_yticklabels(), self._rows, strict=True):
            label.set_fontweight("bold" if row["chosen"] else "normal")
        ax.set_xlabel(f"{self.loss[0].upper()}{self.loss[1:]}, minus the smallest (bars: its s.e.)")
        ax.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, columnspacing=1.0, fontsize="small", frameon=False
        )

    def _draw_reference_line(self, ax: "Axes", limit: float) -> None:
        difference = next((row["to_best"] for row in self._rows if row["family"] == self.do_nothing), 0.0)
        if 0 < difference <= limit:
            name = "do nothing (out of fold)" if self.tested else "do nothing"
            ax.axvline(difference, color=NEUTRAL, linewidth=1.0, linestyle=(0, (4, 2)), label=name)

    def _draw_series(self, ax: "Axes", rows: Records, offset: float, limit: float, *, test: bool) -> None:
        color: Any = get_line_color(ax, GAP if test else FILL)
        marker = "s" if test else "o"
        for k, row in enumerate(rows):
            mean, se, height = row["to_best"], row["to_best_se"], k + offset
            if mean > limit:
                self._draw_arrow(ax, short(mean, 2), limit, height, color)
                continue
            face = color if row["chosen"] else get_background(ax)
            ax.errorbar(mean, height, xerr=se, fmt="none", ecolor=color, elinewidth=1.4, capsize=2.5, zorder=2)
            self._draw_arrowheads(ax, mean - se, mean + se, height, color)
            ax.plot(mean, height, marker, color=color, markerfacecolor=face, markersize=6.5, zorder=3)
        name = "test set" if test else "out of fold"
        ax.plot([], [], marker, color=color, markerfacecolor=get_background(ax), label=name)
        if not test:
            ax.plot([], [], marker, color=get_foreground(ax), label="filled: chosen")

    def _draw_arrowheads(self, ax: "Axes", low: float, high: float, height: float, color: Any) -> None:
        """Draw arrowheads at the ends of the axis beyond which an error bar goes on."""
        first, last = ax.get_xlim()
        for marker, end, beyond in (("<", first, low < first), (">", last, high > last)):
            if beyond:
                ax.plot(end, height, marker, color=color, markersize=6, clip_on=False, zorder=3)

    def _draw_arrow(self, ax: "Axes", text: str, limit: float, height: float, color: Any) -> None:
        """Write a value beyond the limit at the edge."""
        arrow = f"{text} \N{RIGHTWARDS ARROW}"
        ax.annotate(arrow, (1.16 * limit, height), ha="right", va="center", fontsize="small", color=color)

    def _draw_errors(self, ax: "Axes") -> None:
        style_axes(ax)
        values = np.array([[row[ERROR + name] for name in self.evaluators] for row in self._rows])
        limit = _find_limit(values.max(axis=1).tolist())
        for k, name in enumerate(self.evaluators):
            color, marker = get_line_color(ax, SERIES[k % len(SERIES)]), MARKERS[k % len(MARKERS)]
            inside, offset = values[:, k] <= limit, 0.16 * (k - (len(self.evaluators) - 1) / 2)
            height = np.flatnonzero(inside) + offset  # so that equal errors do not hide one another
            ax.plot(values[inside, k], height, marker, color=color, markersize=6, label=name)
        for row in np.flatnonzero(values.max(axis=1) > limit).tolist():
            beyond = ", ".join(short(value, 2) for value in values[row] if value > limit)
            self._draw_arrow(ax, beyond, limit, row, get_foreground(ax))
        ax.set_xlim(-0.03 * limit, 1.18 * limit)
        ax.locator_params(axis="x", nbins=5)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("Calibration error left, by evaluator")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, fontsize="small", frameon=False)


def _find_limit(values: list[float]) -> float:
    """Return the end of an axis that shows all values except those far above the median."""
    positive = np.array([value for value in values if value > 0])
    if positive.size == 0:
        return 1e-3
    near = positive[positive <= FAR * np.median(positive)]
    return float(near.max())
