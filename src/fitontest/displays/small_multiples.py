"""Small multiples: the reliability diagrams of several families, models or classes, side by side on shared axes."""

import textwrap
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fitontest.data.predictions import PREDICTED
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import BinaryDisplay, Display
from fitontest.displays.canvas import AxesOrFigure, SomeFigure, check_empty_figure, get_figure
from fitontest.displays.class_choice import ClassChoice, describe_heaviest, describe_worst, pick_classes
from fitontest.displays.frame import SHARED_LABELS, list_legend_entries
from fitontest.displays.headline import describe_error, describe_measure, name_error
from fitontest.displays.palette import Color
from fitontest.displays.reliability_artists import NEW_GROUP_LABEL
from fitontest.displays.scales import Scale, ScaleName, choose_scale, merge_scales, name_scale
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.results.exceptions import without_warnings
from fitontest.results.frames import Records
from fitontest.results.text import visible
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_WIDTH = 2.9  # inches
PANEL_HEIGHT = 3.5  # inches, with histogram and texts of ticks, without title and label
LINE_HEIGHT = 0.17  # inches, of a line of a title or a legend
LABEL_HEIGHT = 0.3  # inches, of the label of the last row
TITLE_WIDTH = 34  # letters in a line of a title
COLUMNS = (5, 4, 3)  # of more panels than one row holds; that with the fullest last row is used
LETTERS_PER_INCH = 10  # of the title of the figure
ENTRY_WIDTH = 2.9  # inches, of an entry of the legend
MOST_ENTRIES = 4  # of a legend, as a rule
TITLE_ROOM, LABEL_ROOM, LEFT_ROOM, RIGHT_ROOM = 0.15, 0.6, 0.7, 0.2  # inches around panels where no layout makes room
LEAST_PANEL = 1.0  # inches of height, below which panels are left where they are


class PanelDisplay(BinaryDisplay):
    """Base of the diagrams that can be panels of small multiples.

    Its subclasses are made of an error and its sample, with the options `scale`, `limits` and `name`.
    """

    error: Estimate
    estimates: tuple[Estimate, ...]
    scale: Scale
    y_scale: Scale
    advice: str | None
    counts: FloatArray
    ax_: "Axes"
    histogram_ax_: Any
    add_band: ClassVar[Callable[..., None]]

    @classmethod
    def side_by_side(
        cls,
        measured: Iterable[tuple[str, Estimate, ScoreSample]],
        scale: ScaleName = "auto",
        limits: ArrayInput = None,
        *,
        title: str | None = None,
        band: dict[str, Any] | None = None,
        **options: Any,
    ) -> "SmallMultiples":
        """Return several diagrams with the same axes, not yet drawn.

        Each comes with a title, an error and its sample.

        Parameters
        ----------
        measured : iterable of (str, Estimate, ScoreSample)
            Title, error and rows of each diagram.
        scale, limits
            Of all axes.
        title : str, optional
            Of the figure.
        band : dict, optional
            Options of `add_band`, by default of the band that a diagram has unless told otherwise; with ``kind=None``
            there is none.
        **options
            Of the diagrams.
        """
        entries, banded = list(measured), {"kind": "auto"} if band is None else band
        named = name_scale(scale, [sample for _, _, sample in entries], limits)
        common: Any = named
        if limits is None and named == "logit":
            common = merge_scales([choose_scale(named, sample) for _, _, sample in entries])
        make: Any = cls  # whose options are those of its subclass
        displays = {
            panel: make(error, sample, scale=common, limits=limits, **options) for panel, error, sample in entries
        }
        y_scale = merge_scales([one.y_scale for one in displays.values()])
        for (panel, _, sample), one in zip(entries, displays.values(), strict=True):
            one.y_scale = y_scale
            if banded["kind"] is not None:
                displays[panel].add_band(sample, **banded)
        return SmallMultiples(displays, title=title)

    @classmethod
    def of_classes(
        cls,
        samples: Samples,
        measure: Measure,
        band: dict[str, Any],
        redrawing: Redrawing | None = None,
        *,
        scale: ScaleName = "auto",
        limits: ArrayInput = None,
        name: str | None = None,
        classes: ClassChoice = None,
        **options: Any,
    ) -> "SmallMultiples":
        """Return the diagrams of classes, not yet drawn.

        Parameters
        ----------
        samples : Samples
            By class: each against the rest, or the confidence of the rows in which it is predicted.
        measure : Measure
            Whose map is drawn.
        band : dict
            Options of `add_band`.
        redrawing : Redrawing, optional
            Of the labels, for intervals.
        scale, limits
            Of all axes.
        name : str, optional
            Of the scores.
        classes : int or array-like of labels, optional
            How many, or which, are drawn.
        **options
            Of the diagrams.
        """
        by_predicted = samples.name == PREDICTED
        if redrawing is not None:
            redrawing = redrawing.of(measure, samples.size, len(samples.whole.classes))
        places, ranked = pick_classes(classes, samples.labels, lambda: _weigh(samples, measure))
        drawn = {label: samples[label] for label in (samples.labels[place] for place in places)}
        measured = [
            (
                f"{samples.name} {label}",
                estimate_of(measure, sample, sample.reduction or "classwise", redrawing),
                sample,
            )
            for label, sample in drawn.items()
        ]
        describe = describe_heaviest if by_predicted else describe_worst
        facts = [describe(len(drawn), len(samples), name_error(measured[0][1]))] if ranked else []
        total = len(samples.whole.classes)
        if len(samples) < total:
            facts.append(f"{total - len(samples)} of {total} classes never predicted")
        title = join_title(name, facts)
        return cls.side_by_side(measured, scale, limits, title=title, band=band, name=name, **options)

    def describe(self, width: int) -> list[str]:
        """Return the lines of the title of a panel, below its name.

        Parameters
        ----------
        width : int
            Letters of a line.
        """
        return describe_error(self.error, width) + [describe_measure(estimate) for estimate in self.estimates]

    @abstractmethod
    def plot(
        self, ax: AxesOrFigure = None, *, color: Color | None = None, legend: bool = True, advise: bool = True
    ) -> Self:
        """Draw the diagram."""


class SmallMultiples(Display):
    """Reliability diagrams side by side, with the same axes and one legend.

    Parameters
    ----------
    displays : mapping of str to ReliabilityDisplay
        The diagrams by their titles. All have the same scale.
    title : str, optional
        Title of the figure.

    Attributes
    ----------
    displays : dict
        The diagrams by their titles.
    figure_ : matplotlib Figure or SubFigure
        After `plot`.
    axes_ : dict of str to matplotlib Axes
        The panels by their titles.

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
            An empty figure to draw in. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.figure_ = get_figure(figure, self.size)
        grid = self.figure_.subplots(*self._grid_shape(), squeeze=False)
        self.axes_: dict[str, Axes] = {}
        for ax, (title, display) in zip(grid.flat, self.displays.items(), strict=False):
            self._draw_panel(ax, title, display)
            self.axes_[title] = ax
        free = self._remove_inner_labels(grid)
        if self.title is not None:
            self.figure_.suptitle(self._wrap_title(), fontsize="large", parse_math=False)
        self.legend_ = self._draw_legend(free)
        place: Any = self.figure_
        if place.get_layout_engine() is None:
            self._make_room(has_legend_below=free is None)
        return self

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        rows, columns = self._grid_shape()
        lines, title = self._title_lines(), self._title_height()
        legend = 0.0 if self._has_free_place() else 0.2 + 0.25 * -(-MOST_ENTRIES // columns)
        wider = 0.5 if columns == 1 else 0.0  # for the label below, and titles
        height = (PANEL_HEIGHT + 1.3 * wider + LINE_HEIGHT * lines) * rows + LABEL_HEIGHT + legend + title
        return PANEL_WIDTH * columns + 0.4 + wider, height

    def parts(self) -> dict[str, Records]:
        """Return the numbers of every diagram as in `ReliabilityDisplay.parts`, with its title as ``panel``."""
        parts: dict[str, Records] = {}
        for title, display in self.displays.items():
            for part, rows in display.parts().items():
                parts.setdefault(part, []).extend({"panel": title, **row} for row in rows)
        return parts

    def _grid_shape(self) -> tuple[int, int]:
        """Return the numbers of rows and columns: one row of few panels, otherwise a grid with few empty places."""
        count = len(self.displays)
        columns = count if count <= max(COLUMNS) else min(COLUMNS, key=lambda width: -count % width / width)
        return -(-count // columns), columns

    def _title_lines(self) -> int:
        """Return the lines of the longest title of a panel."""
        return 1 + max(_format_title(name, display).count("\n") for name, display in self.displays.items())

    def _title_height(self) -> float:
        """Return the inches of the title of the figure."""
        return 0.0 if self.title is None else 0.1 + LINE_HEIGHT * (1 + self._wrap_title().count("\n"))

    def _legend_columns(self) -> int:
        """Return how many entries of the legend stand side by side: one for each panel, if the figure is so wide."""
        return max(1, min(self._grid_shape()[1], int(self._inches()[0] / ENTRY_WIDTH)))

    def _inches(self) -> tuple[float, float]:
        """Return width and height of the figure, which may be part of another."""
        place: Any = self.figure_
        width, height = place.bbox.size / self._dpi
        return float(width), float(height)

    @property
    def _dpi(self) -> float:
        """Pixels of an inch of the whole figure."""
        figure: Any = next(iter(self.axes_.values())).get_figure(root=True)
        return float(figure.dpi)

    def _make_room(self, *, has_legend_below: bool) -> None:
        """Move the panels, so that titles and legend have room on a figure without a layout, unless it is too low."""
        (width, height), (rows, _) = self._inches(), self._grid_shape()
        titles = LINE_HEIGHT * self._title_lines() + TITLE_ROOM
        below = LABEL_ROOM
        if has_legend_below:
            below += self.legend_.get_window_extent().height / self._dpi
        above, gap = self._title_height() + titles, titles + LABEL_ROOM
        panel = (height - above - below - (rows - 1) * gap) / rows
        if panel < LEAST_PANEL:
            return
        self.figure_.subplots_adjust(
            left=LEFT_ROOM / width, right=1.0 - RIGHT_ROOM / width, bottom=below / height, top=1.0 - above / height,
            hspace=gap / panel,
        )  # fmt: skip

    def _has_free_place(self) -> bool:
        """Return whether the last row of the grid has a place without a panel, which holds the legend."""
        rows, columns = self._grid_shape()
        return rows * columns > len(self.displays)

    def _wrap_title(self) -> str:
        letters = int(LETTERS_PER_INCH * PANEL_WIDTH * self._grid_shape()[1])
        return textwrap.fill(visible(self.title or ""), letters)

    def _summarise(self) -> str:
        return repr([*self.displays])

    def _draw_panel(self, ax: "Axes", title: str, display: PanelDisplay) -> None:
        displays = self.displays.values()
        display.plot(ax, legend=False, advise=self._is_first_of_its_scores(display))
        merge_scales([other.scale for other in displays]).apply(ax, "x")
        merge_scales([other.y_scale for other in displays]).apply(ax, "y")
        ax.set_title(_format_title(title, display), fontsize="small", parse_math=False)

    def _is_first_of_its_scores(self, display: PanelDisplay) -> bool:
        """Return whether no panel before that of the display has the same histogram."""
        first = next(other for other in self.displays.values() if np.array_equal(other.counts, display.counts))
        return first is display

    def _remove_inner_labels(self, grid: Any) -> Any:
        """Keep only the labels of the outer axes, because all panels have the same. Return the first free axes."""
        displays, columns = [*self.displays.values()], grid.shape[1]
        free = [*grid.flat[len(displays) :]]
        for ax in free[1:]:
            ax.remove()
        for k, display in enumerate(displays):
            if k % columns:
                display.ax_.set_ylabel("")
                display.histogram_ax_.set_ylabel("")
            below = "" if k + columns < len(displays) else textwrap.fill(display.ax_.get_xlabel(), TITLE_WIDTH)
            display.ax_.set_xlabel(below)
        return free[0] if free else None

    def _draw_legend(self, free: Any) -> Any:
        """Draw one legend of the marks that occur in the panels: in a free place of the grid, or below the panels."""
        panels = [list_legend_entries(ax) for ax in self.axes_.values()]
        shared = ((text, handle) for entries in panels for text, handle in entries if text.startswith(SHARED_LABELS))
        marks = {_without_rho(text): handle for text, handle in shared}
        texts = [text if len(text) <= TITLE_WIDTH else text.replace(" (", "\n(") for text in marks]
        style: dict[str, Any] = {"fontsize": "medium" if self._legend_columns() > 1 else "small", "frameon": False}
        if free is not None:
            free.set_axis_off()
            return free.legend([*marks.values()], texts, loc="center left", bbox_to_anchor=(0.0, 0.6), **style)
        ncols = self._legend_columns()
        return self.figure_.legend([*marks.values()], texts, loc="outside lower center", ncols=ncols, **style)


def _without_rho(text: str) -> str:
    """Return the text of a mark without what panels differ in."""
    return text.partition(" (")[0] if text.startswith(NEW_GROUP_LABEL) else text


def _format_title(title: str, display: PanelDisplay) -> str:
    """Return the title of a panel and the description of its error. A title that is the family is not repeated."""
    lines = display.describe(TITLE_WIDTH)
    if title != display.error.measure.name:
        lines = [visible(title), *lines]
    return "\n".join(textwrap.fill(line, TITLE_WIDTH) for line in lines)


def leave_out_identity(
    measured: Iterable[tuple[str, Estimate, ScoreSample]],
) -> list[tuple[str, Estimate, ScoreSample]]:
    """Return (title, error, sample) without identity maps, whose diagram is the diagonal, unless all are such."""
    entries = list(measured)
    return [entry for entry in entries if entry[1].map is None or entry[1].map.kind != "identity"] or entries


def _weigh(samples: Samples, measure: Measure) -> list[float]:
    """Return by what the classes are ranked: see `class_choice`."""
    with without_warnings():  # those that are drawn warn when they are fitted once more
        return [
            float(estimate_of(measure, sample)) * (sample.total if samples.name == PREDICTED else 1.0)
            for sample in samples.values()
        ]


def join_title(name: str | None, facts: Iterable[str]) -> str | None:
    """Return the title of a figure: the name of the scores and what must be said of the choice of panels."""
    said = "; ".join(facts)
    return ": ".join(part for part in (name, said) if part) or None


def check_classes_figure(ax: AxesOrFigure, why: str, *, plain: bool) -> SomeFigure:
    """Return the figure for the diagrams of the classes. Raise ValueError for axes and for options of one diagram."""
    if not plain:
        raise ValueError(f"color, fill, legend and ref_line must be left out with {why}")
    return None if ax is None else check_empty_figure(ax, "ax", f"a Figure or a SubFigure with {why}, not axes,")
