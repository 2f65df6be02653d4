"""The diagram of a planned evaluation: how wide the interval is, and how often an error is found, by number of rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from fitontest.displays.base import Display
from fitontest.displays.canvas import SomeFigure, get_figure, style_axes
from fitontest.displays.palette import get_background, get_foreground, get_line_color, get_series_style
from fitontest.results.frames import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (4.0, 3.4)  # inches
LEGEND = 0.7  # inches
MOST_TICKS = 5  # numbers of rows that are named on an axis
LOW, HIGH = 0.75, 1.35  # room beside the sizes and widths, as factors


class PlanDisplay(Display):
    """Line plots of the half-width of the 95 % interval and of the power, against the number of test rows.

    There is a line for each family of calibration maps, and a panel of the power for each true error. Each line is of
    the least favourable case: the widest interval over the true errors, the least power over the ways of being wrong. A
    dotted line is what is wanted, and a ring where a family's line meets it: so many rows are needed. The family that
    needs the fewest is named, its ring is filled, and the bar through it is the simulation error of that number.

    Made by `EvaluationPlan.plot`.

    Parameters
    ----------
    rows : list of dict
        As `EvaluationPlan.rows` returns them.
    needed : list of dict
        The rows needed, as in ``EvaluationPlan.to_dict()["needed"]``.

    Attributes
    ----------
    figure_ : matplotlib Figure or SubFigure
        After `plot`.
    axes_ : tuple of matplotlib Axes
        The panel of the width, if there is any, and one of the power for each true error.
    legend_ : matplotlib Legend
        Of the families.

    Examples
    --------
    >>> import fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> plan = fot.apps.plan_evaluation(n=[100, 400], errors=[0.1], families=["isotonic"], draws=20)
    >>> plan.plot(Figure()).to_frame(part="power")["n"].tolist()
    [100, 400]
    """

    def __init__(self, rows: Records, *, needed: Records) -> None:
        self._widths = _worst(rows, "width", max)
        self._powers = _worst([row for row in rows if row["error"] > 0.0], "power", min)
        if not self._widths and not self._powers:
            raise ValueError(
                "rows must hold a width or a power, got none: no interval exists, and no error was planted"
            )
        self._needed = _hardest(needed)

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: half-widths and powers by number of rows, and the rows needed."""
        widths = [{"family": row["family"], "n": row["n"], "half_width": row["value"] / 2} for row in self._widths]
        keys = ("family", "n", "error")
        powers = [{**{key: row[key] for key in keys}, "power": row["value"]} for row in self._powers]
        return {"width": widths, "power": powers, "needed": [dict(row) for row in self._needed]}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches: its panels stand side by side."""
        return PANEL[0] * len(self._panels()), PANEL[1] + LEGEND

    def _summarise(self) -> str:
        return repr(self._families())

    def plot(self, figure: SomeFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty figure to draw in. By default a new pyplot figure is made. Panels are side by side in a figure that
            is wide enough, and else one below the other.

        Returns
        -------
        self
        """
        drawn: Any = get_figure(figure, self.size)
        self.figure_ = drawn
        panels = self._panels()
        columns = _choose_columns(len(panels), drawn.bbox.width / drawn.bbox.height)
        grid: Any = drawn.subplots(-(-len(panels) // columns), columns, squeeze=False)
        self.axes_ = tuple(grid.flat[: len(panels)])
        for ax in grid.flat[len(panels) :]:
            ax.remove()
        for ax, error in zip(self.axes_, panels, strict=True):
            self._draw_panel(ax, error)
        handles, names = self.axes_[0].get_legend_handles_labels()
        self.legend_ = self.figure_.legend(
            handles, names, loc="outside lower center", ncols=min(len(names), 3 * columns), frameon=False
        )
        return self

    def _families(self) -> list[str]:
        return list(dict.fromkeys(row["family"] for row in [*self._widths, *self._powers]))

    def _panels(self) -> list[float | None]:
        """Return what the panels are of: None for the width, and the errors."""
        errors = sorted({row["error"] for row in self._powers})
        return [*([None] if self._widths else []), *errors]

    def _draw_panel(self, ax: "Axes", error: float | None) -> None:
        """Draw the lines of the families, what is wanted, and the rows that it takes."""
        style_axes(ax)
        is_width = error is None
        rows = self._widths if is_width else [row for row in self._powers if row["error"] == error]
        half = 0.5 if is_width else 1.0
        for k, family in enumerate(self._families()):
            own = [row for row in rows if row["family"] == family]
            series, dashes = get_series_style(k)
            ax.plot(
                [row["n"] for row in own], [half * row["value"] for row in own], color=get_line_color(ax, series),
                linestyle=dashes, marker="o", markersize=3.5, linewidth=1.6, label=family,
            )  # fmt: skip
        _scale_rows(ax, sorted({row["n"] for row in rows}))
        if is_width:
            _scale_widths(ax, [half * row["value"] for row in rows])
            ax.set_title("Half-width of the 95 % interval", loc="left", fontsize="medium")
        else:
            ax.set_ylim(-0.02, 1.05)
            ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
            ax.set_title(f"Power: an error of {error:g} is found", loc="left", fontsize="medium")
        ax.set_xlabel("Test rows")
        self._mark_needed(ax, error, half)

    def _mark_needed(self, ax: "Axes", error: float | None, half: float) -> None:
        """Draw what is wanted and a ring for each family that reaches it, with its range; name the fewest rows."""
        requirement = "width" if error is None else "power"
        needed = [row for row in self._needed if (row["requirement"], row["error"]) == (requirement, error)]
        if not needed:
            return
        height = half * needed[0]["wanted"]
        ax.axhline(height, color=get_foreground(ax), linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
        met = [row for row in needed if row["relation"] != "more than"]
        best = min(met, key=lambda row: row["n"], default=None)
        low, high = ax.get_xlim()
        for row in met:
            color = get_line_color(ax, get_series_style(self._families().index(row["family"]))[0])
            if row is best and row["relation"] == "about":
                ends = [row["low"] or low, row["high"] or high]
                ax.plot(ends, [height, height], color=color, linewidth=5.0, alpha=0.4, zorder=2.5)
            if row["relation"] == "about":
                face = color if row is best else get_background(ax)
                ax.plot(
                    row["n"], height, "o", color=color, markerfacecolor=face, markersize=7, zorder=4 + (row is best)
                )
        ax.set_xlim(low, high)
        if best is not None:
            _name_answer(ax, best, height, is_width=error is None)


def _name_answer(ax: "Axes", best: Mapping[str, Any], height: float, *, is_width: bool) -> None:
    """Write the fewest rows into a free corner, with a line to the mark where there is one."""
    marked = best["relation"] == "about"
    color = get_foreground(ax)
    line = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkB": 5.0}
    ax.annotate(
        f"{'' if marked else 'at most '}{best['n']:,} rows\nby {best['family']}", (best["n"], height),
        xytext=(0.97, 0.9 if is_width else 0.12), textcoords="axes fraction", ha="right",
        va="top" if is_width else "bottom", fontsize="small", color=color, zorder=6,
        arrowprops=line if marked else None,
    )  # fmt: skip


def _worst(rows: Records, key: str, least_favourable: Any) -> Records:
    """Return the least favourable value of each family and size, and of each error where it is a power."""
    values: dict[tuple[Any, ...], float] = {}
    for row in sorted(rows, key=lambda row: row["n"]):
        if row[key] is not None:
            place = (row["family"], row["n"], None if key == "width" else row["error"])
            values[place] = least_favourable(row[key], values.get(place, row[key]))
    return [{"family": family, "n": n, "error": error, "value": value} for (family, n, error), value in values.items()]


def _hardest(needed: Records) -> Records:
    """Return what each family needs for each requirement, whichever way the scores are wrong."""
    most: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row in needed:
        place = (row["requirement"], row["error"], row["family"])
        most[place] = max(most.get(place, row), row, key=lambda row: (row["relation"] == "more than", row["n"]))
    return [dict(row) for row in most.values()]


def _choose_columns(panels: int, ratio: float) -> int:
    """Return how many panels stand side by side in a figure so many times as wide as high."""
    shape = PANEL[0] / PANEL[1]
    return min(range(1, panels + 1), key=lambda columns: abs(ratio * -(-panels // columns) / columns - shape))


def _scale_rows(ax: "Axes", sizes: list[int]) -> None:
    """Set a logarithmic axis of numbers of rows, some of which it names."""
    ax.set_xscale("log")
    ax.set_xlim(LOW * sizes[0], HIGH * sizes[-1])
    step = -(-len(sizes) // MOST_TICKS)
    ax.set_xticks(sizes[::step], [f"{n:,}" for n in sizes[::step]])
    ax.set_xticks([], minor=True)


def _scale_widths(ax: "Axes", halves: list[float]) -> None:
    """Set a logarithmic axis of half-widths, with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_yscale("log")
    ax.set_ylim(LOW * min(halves), HIGH * max(halves))
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
