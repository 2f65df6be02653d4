"""The diagram of a monitor: observed over expected events of each batch, the alarm, and the evidence below."""

import textwrap
from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, check_empty_figure, create_pyplot_figure, get_axes, style_axes
from fitontest.displays.companions import add_companion, find_companions
from fitontest.displays.comparison import Dot
from fitontest.displays.layout import LETTERS_PER_INCH, grid_shape
from fitontest.displays.palette import FILL, GAP, get_line_color
from fitontest.displays.titles import write_title
from fitontest.monitor.displays.monitor_artists import TimeAxis, draw_evidence, draw_ratios, ends_of, mark_alarm
from fitontest.monitor.displays.monitor_titles import alarm_lines, hypothesis_in_words, second_of, title_of
from fitontest.monitor.evidence.facts import Facts
from fitontest.monitor.history import Record
from fitontest.results.checks import choose
from fitontest.results.frames import Records
from fitontest.results.text import key_in_words, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MonitorPanels: TypeAlias = Literal["all", "batches", "segments"]
SIZE = (8.6, 4.8)  # inches, of the batches
PANEL = (2.3, 2.2)  # of a segment
SIDES = 1.0  # inches of a figure beside the axes
MOST = 12  # segments that have a panel
STRIP, GAP_HEIGHT = 0.36, 0.17  # of the height of the upper panel: the strip, and the room above it
STRIP_NAME = "evidence"
LABEL = "Observed / expected"
LAST = 3  # batches that the text above a segment is of


class MonitorDisplay(Display):
    """Observed over expected events of each batch with 95 % intervals, the alarm, and the evidence below.

    * The upper panel has the ratio of each batch, of non-events where these are rarer by the first scores. The
      tolerance is grey (10 % where the monitor has none in ratio), and what lies wholly outside of it is orange. A line
      stands at the batch of the alarm, with the batch since which the evidence grew most.
    * The strip below has the evidence after each batch, in steps. It is cut off at 1e6, from where on batches are
      triangles. The alarm is where it first reaches the line, and stays.
    * Segments have small panels of their own, at most 12, of which the text says what the last three batches come to.
      Classes of scores of several classes are such segments; all of them together have no ratio.

    Where all batches have times the axis is one of time, if these are dates or numbers that increase.

    Made by `MonitorEvidence.plot`.

    Parameters
    ----------
    evidence : MonitorEvidence
        What `Monitor.update` returns, of at least one batch.
    panels : {"all", "batches", "segments"}, default="all"
        What is drawn: all rows after each batch, the segments, or both.

    Attributes
    ----------
    batches : list of dict
        Name, time and evidence of each batch.
    dots : list of Dot
        The ratio of each batch that has one.
    segments : dict of str to list of Dot
        Those of the segments that are drawn.
    title, second : str
    figure_ : matplotlib Figure or SubFigure
        After `plot`, as are the following.
    axes_ : dict of str to matplotlib Axes
        "ratio" and "evidence", and those of segments by their names.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> monitor = fot.monitor.Monitor()
    >>> for month in range(3):
    ...     p = rng.beta(1, 3, 500)
    ...     evidence = monitor.update(rng.random(500) < p, p)
    >>> display = evidence.plot(Figure())
    >>> [(row["batch"], round(row["ratio"], 2)) for row in display.rows("batches")]
    [('1', 1.15), ('2', 1.01), ('3', 1.2)]
    """

    def __init__(self, evidence: Facts, *, panels: MonitorPanels = "all") -> None:
        choose(panels, get_args(MonitorPanels), "panels")
        if not isinstance(evidence, Facts) or not evidence.records:
            raise ValueError(f"evidence must be what Monitor.update returns, of at least one batch; got {evidence!r}")
        if panels == "segments" and not evidence.segments:
            raise ValueError("panels must be 'all' or 'batches' of a monitor without segments, got 'segments'")
        self.panels = panels
        self._evidence = evidence
        self.batches = _rows_of(evidence)
        self.axis = TimeAxis.of(self.batches)
        self.within = (1.0 - evidence.near, 1.0 + evidence.near)
        self.dots = self._dots_of(evidence)
        ranked = sorted(evidence.segments.items(), key=lambda item: (not item[1].is_infinite, -item[1].log_e))
        kept = [key for key, _ in ranked[:MOST]]
        shown = {} if panels == "batches" else {k: own for k, own in evidence.segments.items() if k in kept}
        self._shown = {key_in_words(key): own for key, own in shown.items()}
        self.segments = {name: self._dots_of(own) for name, own in self._shown.items()}
        self.title, self.second = title_of(evidence, self.axis), second_of(evidence)
        self.limit = evidence.log_limit / log(10.0)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        if not self._shown:
            return SIZE[0], self._height
        rows, columns = grid_shape(len(self._shown))
        height = PANEL[1] * rows + 0.4
        width = max(PANEL[0] * columns, SIZE[0] if self.panels == "all" else 0.0) + 0.4
        return (width, height + self._height) if self.panels == "all" else (width, height)

    @property
    def _height(self) -> float:
        """Height of what is drawn of all rows, in inches: without ratios the strip alone."""
        return SIZE[1] if self.dots else SIZE[1] / 2

    @property
    def text(self) -> str:
        """What the picture shows, for readers who do not see it."""
        parts = [] if self.panels == "segments" else [self.title, self.second]
        parts += [f"{name}: {self._last_in_words(name)}" for name in self.segments]
        against = hypothesis_in_words(self._evidence)
        return (
            f"Observed over expected {self._noun}, batch by batch, and evidence against {against}. {'; '.join(parts)}."
        )

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``batches`` holds the ratio of each batch with its interval, what it says of the tolerance, and the evidence as
        its logarithm to base 10; ``segments`` the ratios of segments.
        """
        known = {dot.name: dot for dot in self.dots}
        parts = {"batches": [{**row, **self._columns(known.get(row["batch"]))} for row in self.batches]}
        if self.segments:
            parts["segments"] = [
                {"segment": name, "batch": dot.name, **self._columns(dot)}
                for name, dots in self.segments.items()
                for dot in dots
            ]
        return parts

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. On axes all rows are drawn, with the strip inside their place; segments need an empty
            figure. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        from matplotlib.axes import Axes

        self.axes_: dict[str, Any] = {}
        if isinstance(ax, Axes) and self.panels != "segments":
            self._draw_batches(get_axes(ax, self.size))
            self.figure_ = ax.figure
            return self
        rule = "a Figure or a SubFigure of segments"
        figure: Any = create_pyplot_figure(self.size) if ax is None else check_empty_figure(ax, "ax", rule)
        self.figure_ = figure
        rows, columns = grid_shape(max(len(self._shown), 1))
        both = bool(self._shown) and self.panels == "all"
        heights = (self._height, PANEL[1] * rows) if both else (1.0,)
        grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
        if self.panels != "segments":
            root: Any = figure.get_figure(root=True)
            self._draw_batches(figure.add_subplot(grid[0]), figure.bbox.width / root.dpi - SIDES)
        if self._shown:
            self._draw_segments(figure, grid[-1].subgridspec(rows, columns), columns)
        if self.panels == "segments":
            letters = int(LETTERS_PER_INCH * self.size[0])
            title = textwrap.fill(visible(self._title_of_segments()), letters)
            figure.suptitle(title, fontweight="bold", fontsize="large", parse_math=False)
        return self

    def _draw_batches(self, main: Any, inches: float | None = None) -> None:
        """Draw the ratios of all rows, the evidence in the strip below, and the alarm through both.

        Parameters
        ----------
        main : matplotlib Axes
        inches : float, optional
            Width of the lines above.
        """
        if find_companions(main):
            raise ValueError("ax must be empty axes, got axes that hold a diagram")
        self.axes_["ratio"] = main
        if not self.dots:  # of several classes together
            self.axes_ = {STRIP_NAME: main}
            strip = main
        else:
            strip = self.axes_[STRIP_NAME] = add_companion(main, STRIP_NAME, "below", STRIP, GAP_HEIGHT)
            ends = ends_of(self.dots, headroom=self._evidence.alarm)
            draw_ratios(main, self.axis, self.dots, self.within, ends)
            main.set_ylabel(self._label)
        draw_evidence(strip, self.axis, self.batches, self.limit, hypothesis_in_words(self._evidence))
        self.axis.apply(strip)
        if strip is not main:
            main.tick_params(axis="x", labelbottom=False)
        self._mark(list(self.axes_.values()), self._evidence, alarm_lines(self._evidence, self.axis))
        write_title(main, self.title, self.second, inches=inches, raised=0.0 if self.dots else 16.0)

    def _mark(self, panels: list[Any], evidence: Facts, lines: list[str]) -> None:
        if evidence.alarm_since is not None:
            mark_alarm(panels, self.axis, evidence.batches[evidence.alarm_since], lines)

    def _draw_segments(self, figure: Any, grid: Any, columns: int) -> None:
        """Draw the ratios of segments on the same axes."""
        every = [dot for dots in self.segments.values() for dot in dots]
        ends = ends_of(every, headroom=False)
        first: Axes | None = None
        for k, (name, dots) in enumerate(self.segments.items()):
            ax = figure.add_subplot(grid[k // columns, k % columns], sharey=first)
            first = ax if first is None else first
            self.axes_[name] = ax
            style_axes(ax)
            draw_ratios(ax, self.axis, dots, self.within, ends)
            self.axis.apply(ax, small=True)
            ax.tick_params(labelsize="small", labelleft=k % columns == 0, labelbottom=k + columns >= len(self.segments))
            ax.set_ylabel("" if k % columns else self._label, fontsize="small")
            self._mark([ax], self._shown[name], [])
            _, second = write_title(ax, name, self._last_in_words(name), small=True)
            second.set_color(get_line_color(ax, GAP if self._is_outside(name) else FILL))

    def _last_in_words(self, name: str) -> str:
        """Return what the last batches of a segment come to."""
        records = self._shown[name].records[-LAST:]
        last = self._evidence.ratio_of(records)
        batches = f"last {len(records)} batches" if len(records) > 1 else "last batch"
        return f"{batches} O:E {'-' if last is None else f'{last.value:.2f}'}"

    def _title_of_segments(self) -> str:
        outside = [name for name in self._shown if self._is_outside(name)]
        kind = "classes" if self._evidence.is_by_class else "segments"
        total = len(self._evidence.segments)
        of_all = f"{len(self._shown)} of {total:,} {kind} shown, " if len(self._shown) < total else ""
        which = f"{len(outside)} of {len(self._shown)} {kind}" if outside else f"None of {len(self._shown)} {kind}"
        within = f"\N{PLUS-MINUS SIGN}{100 * self._evidence.near:g} %"
        return f"{of_all}{which} outside {within} in the last {LAST} batches"

    @property
    def _noun(self) -> str:
        """What is counted."""
        ratio = self._evidence.ratio_of(self._evidence.records)
        return "events" if ratio is None else ratio.noun

    @property
    def _label(self) -> str:
        return LABEL if self._noun == "events" else f"{LABEL} {self._noun}"

    def _is_outside(self, name: str) -> bool:
        """Return whether the last batches of a segment are wholly outside the tolerance."""
        last = self._dot(self._shown[name].records[-LAST:])
        return last is not None and last.state(self.within) == "outside"

    def _dots_of(self, evidence: Facts) -> list[Dot]:
        """Return the ratio of each batch that has one."""
        dots = (self._dot([record], record.batch) for record in evidence.records)
        return [dot for dot in dots if dot is not None]

    def _dot(self, records: Sequence[Record], name: str = "") -> Dot | None:
        ratio = self._evidence.ratio_of(records)
        if ratio is None or ratio.interval is None:
            return None
        return Dot(name, ratio.value, ratio.interval.low, ratio.interval.high)

    def _columns(self, dot: Dot | None) -> Mapping[str, Any]:
        if dot is None:
            return dict.fromkeys(("ratio", "low", "high", "state"))
        return {"ratio": dot.value, "low": dot.low, "high": dot.high, "state": dot.state(self.within)}

    def _summarise(self) -> str:
        count = len(self.batches)
        return f"{count} batch{'es' * (count > 1)}: {self.title}"


def _rows_of(evidence: Facts) -> Records:
    """Return names, times, and evidence of the batches."""
    refuted, alarm = evidence.refuted, evidence.alarm_since
    return [
        {
            "batch": record.batch,
            "time": record.time,
            "log10_e": log_e / log(10.0),
            "refuted": refuted is not None and k >= refuted[1],
            "alarm": alarm is not None and k >= alarm,
        }
        for k, (record, log_e) in enumerate(zip(evidence.records, evidence.log_es, strict=True))
    ]
