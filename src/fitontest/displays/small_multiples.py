"""Small multiples: the reliability diagrams of several families, models or classes, side by side on shared axes.

The class of the diagrams is a parameter of the functions: the module of the reliability diagram imports this one.
"""

import textwrap
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fitontest.data.predictions import NAMES, ClassScores, Names
from fitontest.data.sample import Sample
from fitontest.displays.base import BinaryDisplay, Display
from fitontest.displays.canvas import SomeFigure, Where, empty_figure, figure_for, settle
from fitontest.displays.frame import SHARED, legend_entries
from fitontest.displays.headline import headline
from fitontest.displays.palette import FILL, Color
from fitontest.displays.scales import Scale, ScaleName, scale_for, widest
from fitontest.measures.plug_in_error import PlugInError
from fitontest.results.frames import Records
from fitontest.typing import ArrayInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (3.1, 4.3)  # inches, with a title of one line
LINE = 0.2  # inches, of further lines
WIDTH = 34  # letters in a line of a title
MOST_COLUMNS = 4
MOST_CLASSES = 16  # more panels are too small to be compared


class PanelDisplay(BinaryDisplay):
    """Base of the diagrams that can be panels of small multiples.

    Its subclasses are made of an error and its sample, with the options `scale` and `limits`.
    """

    error: PlugInError
    scale: Scale
    ax_: "Axes"
    histogram_ax_: Any
    add_band: ClassVar[Callable[..., None]]

    @abstractmethod
    def plot(self, ax: Where = None, *, color: Color | None = None, legend: bool = True) -> Self:
        """Draw the diagram."""


class SmallMultiples(Display):
    """Reliability diagrams side by side, with the same axes and one legend.

    Parameters
    ----------
    displays : mapping of str to ReliabilityDisplay
        The diagrams by their titles, all on one scale.
    title : str, optional
        Of the whole figure.

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

    def __init__(self, displays: Mapping[str, PanelDisplay], *, title: str | None = None) -> None:
        if not displays:
            raise ValueError("displays must hold at least one diagram, got none")
        names = {display.scale.name for display in displays.values()}
        if len(names) > 1:
            raise ValueError(f"displays must all be on one scale, got {sorted(names)}")
        self.displays, self.title = dict(displays), title

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
        self.figure_ = figure_for(figure, self.size)
        grid = self.figure_.subplots(*self._shape(), squeeze=False)
        self.axes_: dict[str, Axes] = {}
        for ax, (title, display) in zip(grid.flat, self.displays.items(), strict=False):
            self._panel(ax, title, display)
            self.axes_[title] = ax
        self._label_outside(grid)
        if self.title is not None:
            self.figure_.suptitle(self.title, fontsize="large")
        self.legend_ = self._legend()
        settle(self.figure_)
        return self

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a figure for it, in inches."""
        rows, columns = self._shape()
        lines = max(_title(title, display).count("\n") for title, display in self.displays.items())
        foot, head = 0.5, 0.0 if self.title is None else 0.3
        return PANEL[0] * columns + 0.5, (PANEL[1] + LINE * lines) * rows + foot + head

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

    def _told(self) -> str:
        return repr([*self.displays])

    def _panel(self, ax: "Axes", title: str, display: PanelDisplay) -> None:
        display.plot(ax, legend=False, color=FILL)
        widest([one.scale for one in self.displays.values()]).apply(ax)
        ax.set_title(_title(title, display), fontsize="medium")

    def _label_outside(self, grid: Any) -> None:
        """Keep the labels of the outer axes only: all panels have the same."""
        displays, columns = [*self.displays.values()], grid.shape[1]
        for ax in grid.flat[len(displays) :]:
            ax.remove()
        for k, display in enumerate(displays):
            if k % columns:
                display.ax_.set_ylabel("")
                display.histogram_ax_.set_ylabel("")
            if k + columns < len(displays):
                display.ax_.set_xlabel("")

    def _legend(self) -> Any:
        """Draw one legend of the marks that occur in any panel."""
        panels = [legend_entries(ax) for ax in self.axes_.values()]
        marks = {text: handle for entries in panels for text, handle in entries if text.startswith(SHARED)}
        return self.figure_.legend(
            [*marks.values()], [*marks], loc="outside lower center", ncols=4, fontsize="small", frameon=False
        )


def _title(title: str, display: PanelDisplay) -> str:
    """Return the title of a panel, the family's own if it is called so."""
    lines = headline(display.error)
    if title != display.error.family:
        lines = [title, *lines]
    return "\n".join(textwrap.fill(line, WIDTH) for line in lines)


def panels(
    display: Callable[..., PanelDisplay],
    measured: Iterable[tuple[str, PlugInError, Sample]],
    scale: ScaleName,
    limits: ArrayInput = None,
    *,
    title: str | None = None,
    **options: Any,
) -> SmallMultiples:
    """Return the diagrams of (name, error, sample), by that class of displays, all with the same axes."""
    each = list(measured)
    if scale == "logit" and limits is None:
        common = widest([scale_for(scale, sample, error.map) for _, error, sample in each])
        limits = (common.lower, common.upper)
    drawn = {name: display(error, sample, scale=scale, limits=limits, **options) for name, error, sample in each}
    return SmallMultiples(drawn, title=title)


def side_by_side(
    display: Callable[..., PanelDisplay],
    errors: Iterable[PlugInError],
    sample: Sample,
    scale: ScaleName,
    **options: Any,
) -> SmallMultiples:
    """Return the diagrams of errors that were measured on the same sample, all with the same axes."""
    titled = ((title, error, sample) for title, error in _titled(errors))
    return panels(display, titled, scale, **options)


def _titled(errors: Iterable[PlugInError]) -> Iterator[tuple[str, PlugInError]]:
    """Yield each error with its title: a further one of the same family is numbered."""
    seen: Counter[str] = Counter()
    for error in errors:
        seen[error.family] += 1
        yield f"{error.family} ({seen[error.family]})" if seen[error.family] > 1 else error.family, error


def by_class(
    display: Callable[..., PanelDisplay],
    scores: ClassScores,
    measure: Callable[[Sample], PlugInError],
    band: dict[str, Any],
    *,
    scale: ScaleName,
    limits: ArrayInput = None,
    name: str | None = None,
) -> SmallMultiples:
    """Return the diagrams of every class, as yet to be drawn; `band` holds options of `add_band`."""
    check_few(len(scores.classes), scores.names)
    measured = [
        (f"class {label}", measure(sample).under("classwise"), sample) for label, sample in scores.one_vs_rest()
    ]
    several = panels(display, measured, scale, limits, title=name, name=name)
    if band["draws"]:
        for title, _, sample in measured:
            several.displays[title].add_band(sample, **band)
    return several


def figure_of_classes(ax: Where, *, plain: bool) -> SomeFigure:
    """Return where the diagrams of the classes are drawn, or refuse axes, and options of a single diagram."""
    if not plain:
        raise ValueError("color, fill, legend and ref_line must be left out with reduction='classwise'")
    return (
        None if ax is None else empty_figure(ax, "ax", "a Figure or a SubFigure with reduction='classwise', not axes,")
    )


def check_few(n_classes: int, names: Names = NAMES) -> None:
    """Raise ValueError for more classes than can be drawn."""
    if n_classes > MOST_CLASSES:
        raise ValueError(
            f"{names.y_prob} must have at most {MOST_CLASSES} columns to be drawn with {names.reduction}='classwise', "
            f"got {n_classes}; draw single classes without a reduction, with {names.y_true} == label and the "
            f"column of that class, or see the table of calibration_error"
        )
