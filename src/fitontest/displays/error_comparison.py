"""The diagram of two models' calibration errors: their held-out gains, and the difference of these."""

from typing import TYPE_CHECKING, Any, Self

from fitontest.displays.base import Display
from fitontest.displays.canvas import SomeFigure, get_figure, style_axes
from fitontest.displays.palette import FILL, GAP, get_foreground, get_line_color
from fitontest.results.frames import Records
from fitontest.results.text import capital, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODELS = 2
SIZE = (6.4, 3.6)  # inches
HEIGHTS = (2.0, 1.0)  # of the panels
MARGIN = 0.08  # of the span of the intervals and 0, on both sides


class ErrorComparisonDisplay(Display):
    """Dot plot of how much recalibration would gain for each of two models, and of the difference, with intervals.

    A line marks 0 in both panels. Where the interval of the difference does not hold it, one of the models is better
    calibrated: the upper one if the difference is negative. The p-value stands above the difference. The panels have
    scales of their own, since a paired difference may vary far less than the gains do.

    Made by `ErrorComparison.plot`.

    Parameters
    ----------
    rows : list of dict
        As `ErrorComparison.rows` returns them: those of the two models, and that of the difference.
    loss : str
        What the gains are measured in.
    compared : str
        What the gains estimate, such as "calibration error (squared)".
    level : float or None
        Of the intervals; None where there are none.

    Attributes
    ----------
    figure_ : matplotlib Figure or SubFigure
        After `plot`.
    axes_ : tuple of matplotlib Axes
        The panel of the gains and that of the difference.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> c = rng.random(500)
    >>> display = fot.compare_errors(rng.random(500) < c, c**2, c).plot(Figure())
    >>> display.to_frame(part="gains")["model"].tolist()
    ['p1', 'p2']
    """

    def __init__(self, rows: Records, *, loss: str, compared: str, level: float | None) -> None:
        if len(rows) != MODELS + 1:
            raise ValueError(f"rows must be those of two models and of their difference, got {len(rows)}")
        self._rows, self.loss, self.compared, self.level = rows, loss, compared, level

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the gains of the models, and the difference with its p-value."""
        keys = ("model", "gain", "se", "low", "high")
        gains = [{key: row[key] for key in keys} for row in self._rows[:MODELS]]
        return {"gains": gains, "difference": [{key: self._rows[MODELS][key] for key in (*keys, "p_value")}]}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return SIZE

    def _summarise(self) -> str:
        return repr([row["model"] for row in self._rows])

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
        self.axes_ = tuple(self.figure_.subplots(2, 1, height_ratios=HEIGHTS))
        parts, (upper, lower) = self.parts(), self.axes_
        (difference,) = parts["difference"]
        _draw_means(upper, parts["gains"], FILL)
        _draw_means(lower, [difference], GAP)
        lower.set_yticks([0], ["difference"])
        bars = "" if self.level is None else f" (bars: {100 * self.level:g} % intervals)"
        upper.set_xlabel(f"Held-out gain in {self.loss}{bars}", loc="left")
        lower.set_xlabel(f"{capital(self.compared)}, upper minus lower model", loc="left")
        p_value = difference["p_value"]
        told = "too few groups for an interval or a p-value" if p_value is None else f"p-value {short(p_value, 2)}"
        lower.set_title(told, fontsize="small", loc="right")
        return self


def _draw_means(ax: "Axes", rows: Records, color: Any) -> None:
    """Draw means with their intervals, from the top down, and a line at 0."""
    style_axes(ax)
    color = get_line_color(ax, color)
    ax.axvline(0.0, color=get_foreground(ax), linewidth=0.8)
    for height, row in enumerate(rows):
        mean, low, high = row["gain"], row["low"], row["high"]
        bars = None if low is None else [[mean - low], [high - mean]]
        ax.errorbar(
            mean, height, xerr=bars, fmt="o", color=color, markersize=6.5, elinewidth=1.4,
            capsize=2.5, zorder=3,
        )  # fmt: skip
    ends = (0.0, *(row[end] for row in rows for end in ("gain", "low", "high") if row[end] is not None))
    span = (max(ends) - min(ends)) or 1.0  # all are 0 where the models are equal
    ax.set_xlim(min(ends) - MARGIN * span, max(ends) + MARGIN * span)
    ax.locator_params(axis="x", nbins=5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_yticks(range(len(rows)), [row["model"] for row in rows])
