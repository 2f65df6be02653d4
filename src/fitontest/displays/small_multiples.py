"""Small multiples: the reliability diagrams of several families, or of several models, side by side on shared axes."""

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.displays.base import Display, Records
from fitontest.displays.canvas import SomeFigure, new_figure
from fitontest.displays.frame import legend_entries
from fitontest.displays.headline import headline
from fitontest.displays.palette import FILL
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (3.1, 3.9)  # inches
MOST_COLUMNS = 4


class SmallMultiples(Display):
    """Reliability diagrams side by side, with the same axes and one legend.

    Parameters
    ----------
    displays : mapping of str to ReliabilityDisplay
        The diagrams by their titles, all on one scale.

    Attributes
    ----------
    displays : dict
    figure_ : matplotlib Figure or SubFigure
        After `plot`.
    axes_ : dict of str to matplotlib Axes
        The panels, by their titles.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.5
    >>> display = fot.evaluate(y, p, families=["slope1", "beta"]).plot(figure=Figure())
    >>> [*display.axes_], display.to_frame(part="histogram").columns.tolist()
    (['slope1', 'beta'], ['panel', 'lower', 'upper', 'weight'])
    """

    def __init__(self, displays: Mapping[str, ReliabilityDisplay]) -> None:
        if not displays:
            raise ValueError("displays must hold at least one diagram, got none")
        names = {display.scale.name for display in displays.values()}
        if len(names) > 1:
            raise ValueError(f"displays must all be on one scale, got {sorted(names)}")
        self.displays = dict(displays)

    def plot(self, figure: SomeFigure = None) -> Self:
        """Draw the diagrams.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        self
        """
        self.figure_ = new_figure(self.size) if figure is None else figure
        grid = self.figure_.subplots(*self._shape(), squeeze=False)
        self.axes_: dict[str, Axes] = {}
        for ax, (title, display) in zip(grid.flat, self.displays.items(), strict=False):
            self._panel(ax, title, display)
            self.axes_[title] = ax
        self._label_outside(grid)
        self.legend_ = self._legend()
        return self

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a figure for it, in inches."""
        rows, columns = self._shape()
        return PANEL[0] * columns + 0.5, PANEL[1] * rows + 0.5

    def parts(self) -> dict[str, Records]:
        """Return the numbers of every diagram, see `ReliabilityDisplay.parts`, with the title of its ``panel``."""
        found: dict[str, Records] = {}
        for title, display in self.displays.items():
            for part, rows in display.parts().items():
                found.setdefault(part, []).extend({"panel": title, **row} for row in rows)
        return found

    def _shape(self) -> tuple[int, int]:
        """Return rows and columns of panels: one row of up to four, else as square as may be."""
        count = len(self.displays)
        columns = count if count <= MOST_COLUMNS else min(MOST_COLUMNS, int(np.ceil(np.sqrt(count))))
        return -(-count // columns), columns

    def _panel(self, ax: "Axes", title: str, display: ReliabilityDisplay) -> None:
        display.plot(ax, legend=False, color=FILL)
        widest([one.scale for one in self.displays.values()]).apply(ax)
        kind, numbers = headline(display.error)
        lines = [numbers] if kind.startswith(title) else [kind, numbers]
        bins = kind.removeprefix(title).removeprefix(", ") if kind.startswith(title) else ""
        ax.set_title("\n".join([textwrap.fill(title + (f", {bins}" if bins else ""), 34), *lines]), fontsize="medium")

    def _label_outside(self, grid: Any) -> None:
        """Keep the labels of the outer axes only: all panels have the same."""
        panels = [*self.axes_.values()]
        columns = grid.shape[1]
        for ax in grid.flat[len(panels) :]:
            ax.remove()
        for k, ax in enumerate(panels):
            below = self.displays[[*self.axes_][k]].histogram_ax_
            if k % columns:
                ax.set_ylabel("")
                below.set_ylabel("")
            if k + columns < len(panels):
                below.set_xlabel("")

    def _legend(self) -> Any:
        """Draw one legend of the marks that occur in any panel."""
        by_label: dict[str, Any] = {}
        for ax in self.axes_.values():
            by_label |= {label: handle for label, handle in legend_entries(ax).items() if "\n" not in label}
        return self.figure_.legend(
            [*by_label.values()], [*by_label], loc="outside lower center", ncols=4, fontsize="small", frameon=False
        )
