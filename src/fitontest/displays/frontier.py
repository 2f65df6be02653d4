"""The diagram of accuracy against readability: the loss of calibrators against how many values their maps have."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.displays.base import Display
from fitontest.displays.canvas import SomeFigure, get_figure, style_axes
from fitontest.displays.companions import format_count
from fitontest.displays.palette import FILL, NEUTRAL, get_background, get_foreground, get_line_color
from fitontest.results.frames import Records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LEAST_HEIGHT = 7.2, 3.6  # inches
ROW, FRAME = 0.22, 1.0  # inches: of a name, and of the labels of the axes
NAMES_AT = 1.07  # of the width of the axes
MARGIN = 0.06  # of the span of the losses, below and above
# The first digits that an axis of counts has room for, by the powers of ten that it spans.
WRITTEN = ((1.2, (1.0, 2.0, 3.0, 5.0, 7.0)), (2.2, (1.0, 2.0, 5.0)), (4.0, (1.0, 3.0)), (float("inf"), (1.0,)))


class FrontierDisplay(Display):
    """Scatter plot of recalibration methods: held-out loss against how many different probabilities each gives.

    The number is the probabilistic count of the values of its map.

    Down is more accurate, and left more readable. The candidates on the frontier are filled and joined by a step line,
    and their names are bold: no other has a loss as small and a count as small, and one of them smaller. A star marks
    the one that the rule chose. All names stand in a column at the right, from the largest loss down.

    Made by `Comparison.plot_frontier`.

    Parameters
    ----------
    rows : list of dict
        One for each candidate, with ``family``, ``loss``, ``probabilistic_count``, ``frontier`` and ``chosen``.
    loss : str
        Name of the loss.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure or SubFigure, and Axes
        After `plot`.
    names_ : list of Annotation
        The names, in the order of the rows.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> y = rng.random(500) < p**2
    >>> families = ["platt", "isotonic", fot.Flat(4)]
    >>> comparison = fot.compare_calibrators(y, p, families=families, evaluators=[], interpretability=True)
    >>> display = comparison.plot_frontier(Figure())
    >>> comparison.frontier
    ['platt', 'flat']
    """

    def __init__(self, rows: Records, *, loss: str) -> None:
        if not rows:
            raise ValueError("rows must hold at least one calibrator, got none")
        self._rows, self.loss = rows, loss

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the loss and the count of each candidate."""
        return {"calibrators": [dict(row) for row in self._rows]}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return WIDTH, max(LEAST_HEIGHT, ROW * len(self._rows) + FRAME)

    def _summarise(self) -> str:
        return repr([row["family"] for row in self._rows])

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
        self.ax_ = ax = self.figure_.add_subplot()
        style_axes(ax)
        counts, losses = (np.array([float(row[key]) for row in self._rows]) for key in ("probabilistic_count", "loss"))
        ax.set_xscale("log")
        ax.set_xlim(*_stretched(counts))
        _write_counts(ax)
        span = float(np.ptp(losses)) or 1e-3
        ax.set_ylim(losses.min() - MARGIN * span, losses.max() + MARGIN * span)
        ax.set_xlabel(
            "Probabilistic count of the calibrated scores (fewer values: more readable)\n"
            "bold, filled: no other has both a loss and a count as small"
        )
        ax.set_ylabel(f"{self.loss[0].upper()}{self.loss[1:]}")
        self._draw_frontier(ax, counts, losses)
        color = get_line_color(ax, FILL)
        for row, count, loss in zip(self._rows, counts, losses, strict=True):
            face = color if row["frontier"] else get_background(ax)
            shape, size = ("*", 13.0) if row["chosen"] else ("o", 7.0)
            above = 4 if row["frontier"] else 3  # many maps have a value for each row: their marks are near one another
            ax.plot(count, loss, shape, color=color, markerfacecolor=face, markersize=size, zorder=above, clip_on=False)
        self._draw_names(ax, counts, losses)
        return self

    def _draw_frontier(self, ax: "Axes", counts: FloatArray, losses: FloatArray) -> None:
        """Draw the step line below and to the left of which there is no candidate."""
        on = np.flatnonzero([row["frontier"] for row in self._rows])
        on = on[np.argsort(counts[on])]
        color = get_line_color(ax, FILL)
        ax.plot(counts[on], losses[on], drawstyle="steps-post", color=color, linewidth=1.2, alpha=0.6, zorder=2)

    def _draw_names(self, ax: "Axes", counts: FloatArray, losses: FloatArray) -> None:
        """Write the names in a column, far enough apart, each with a line to its mark."""
        low, high = ax.get_ylim()
        figure: Any = self.figure_
        inches = max(figure.bbox.height / figure.dpi - FRAME, 0.1)
        heights = _spread((losses - low) / (high - low), ROW / inches)
        names = [f"{row['family']}{' (chosen)' if row['chosen'] else ''}" for row in self._rows]
        self.names_ = [
            ax.annotate(
                name, (count, loss), xytext=(NAMES_AT, height), textcoords="axes fraction", va="center",
                fontsize="small", fontweight="bold" if row["frontier"] else "normal", annotation_clip=False,
                color=get_foreground(ax),
                arrowprops={"arrowstyle": "-", "color": NEUTRAL, "linewidth": 0.6, "shrinkB": 4.0, "shrinkA": 1.0,
                            "relpos": (0.0, 0.5)},
            )
            for row, name, count, loss, height in zip(self._rows, names, counts, losses, heights, strict=True)
        ]  # fmt: skip


def _stretched(counts: FloatArray) -> tuple[float, float]:
    """Return the ends of an axis of counts, at least a factor of two apart."""
    low, high = float(counts.min()), float(counts.max())
    room = max((high / low) ** 0.08, 1.15)
    return low / room, max(high * room, 2.0 * low)


def _spread(heights: FloatArray, apart: float) -> FloatArray:
    """Return heights near the given ones and in their order, `apart` from one another where [0, 1] holds so many.

    Names that would be nearer are moved up and down alike: the least moves in the sense of least squares, which is an
    isotonic regression of the heights less their place in the column.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(heights, kind="stable")
    steps = min(apart, 1.0 / max(heights.size - 1, 1)) * np.arange(heights.size)
    placed = isotonic_regression(heights[order] - steps).x
    spread = np.empty(heights.size)
    spread[order] = np.clip(placed, 0.0, 1.0 - steps[-1]) + steps
    return spread


def _write_counts(ax: "Axes") -> None:
    """Write the counts on the axis as short plain numbers such as 300 and 2M, not as powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = ax.get_xlim()
    written = next(digits for decades, digits in WRITTEN if high / low <= 10.0**decades)
    ax.xaxis.set_major_locator(LogLocator(subs=written))
    ax.xaxis.set_major_formatter(FuncFormatter(format_count))
    ax.xaxis.set_minor_formatter(NullFormatter())
