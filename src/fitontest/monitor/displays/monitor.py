"""The diagram of a monitor: evidence, level, slope and error against time, and the calibration before and since."""

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias, get_args

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display
from fitontest.displays.canvas import SomeFigure, get_figure
from fitontest.displays.reliability import SINGLE, ReliabilityDisplay
from fitontest.measures.plug_in import PlugIn
from fitontest.monitor.displays.monitor_artists import (
    TimeAxis,
    draw_error,
    draw_evidence,
    draw_interval,
    frame_panels,
    mark_batches,
)
from fitontest.results.checks import choose
from fitontest.results.exceptions import without_warnings
from fitontest.results.frames import Records
from fitontest.results.text import key_in_words
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MonitorPanels: TypeAlias = Literal["all", "batches", "calibration"]
PANELS = ("evidence", "level", "slope", "error")
HEIGHTS = (2.2, 1.0, 1.0, 1.0)  # of the panels
ALONE, TOGETHER = (6.4, 7.2), (10.6, 7.2)  # inches: without diagrams, with them
WIDTHS = (1.55, 1.0)  # of time and of the diagram
STACKED_HEIGHTS = (1.25, 1.0)  # where the diagram is below the panels
STACKED = 1.0  # most widths by height at which the diagram is below
FAMILY = "spline"  # of the maps that are drawn


class Monitored(Protocol):
    """What the diagram needs of a `MonitorEvidence`."""

    @property
    def log_limit(self) -> float: ...  # noqa: D102
    @property
    def alpha(self) -> float: ...  # noqa: D102
    @property
    def max_error(self) -> float | None: ...  # noqa: D102
    @property
    def alarm_since(self) -> int | None: ...  # noqa: D102
    @property
    def shown_onset(self) -> int | None: ...  # noqa: D102
    @property
    def segments(self) -> Mapping[Any, Any]: ...  # noqa: D102
    @property
    def named(self) -> Sequence[Any]: ...  # noqa: D102
    def rows(self) -> Records: ...  # noqa: D102
    def samples(self) -> Mapping[str, ScoreSample]: ...  # noqa: D102


class MonitorDisplay(Display):
    """Evidence against calibration, batch by batch, with the line of the alarm and what is known of level and slope.

    * The first panel has E on an axis of powers of ten, and, dashed, the evidence since the likeliest onset (CUSUM).
      The alarm is where E first reaches the dotted line at 1 / (1 - level); it stays. Thin lines are the evidence of
      segments, coloured where e-BH names them.
    * Level and slope have the shifts and slopes of the logits that all batches leave open, if they never changed: bands
      that hold at all times. They end where no line agrees with all batches.
    * The last panel has the lower bound of the mean error in some batch so far, beside the limit where one is tested.
    * The reliability diagram shows the rows since the likeliest onset and those before it; without an alarm
      all rows.

    Where all batches have times the axis is one of time, if these are dates or numbers that increase.

    Made by `MonitorEvidence.plot`.

    Parameters
    ----------
    evidence : MonitorEvidence
        What `Monitor.update` returns, of at least one batch.
    panels : {"all", "batches", "calibration"}, default="all"
        What is drawn: the panels of values after each batch, the reliability diagram, or both.

    Attributes
    ----------
    batches, segments : list of dict
        What is drawn of each batch, and of each segment and batch.
    diagrams : ReliabilityDisplay or None
        Of the rows since the likeliest onset, and of those before.
    figure_ : matplotlib Figure or SubFigure
        After `plot`, as are the following.
    axes_ : dict of str to matplotlib Axes
        "evidence", "level", "slope", "error", and "calibration" with the reliability diagram.
    legend_ : matplotlib Legend or None
        Of the first panel.

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
    >>> display.to_frame(part="batches")["batch"].tolist()
    ['1', '2', '3']
    """

    def __init__(self, evidence: Monitored, *, panels: MonitorPanels = "all") -> None:
        choose(panels, get_args(MonitorPanels), "panels")
        rows = evidence.rows() if hasattr(evidence, "samples") and hasattr(evidence, "rows") else None
        if not rows:
            raise ValueError(f"evidence must be what Monitor.update returns, of at least one batch; got {evidence!r}")
        self.batches = [row for row in rows if row.get("segment") is None]
        self.segments = [row for row in rows if row.get("segment") is not None]
        self.named = [key_in_words(key) for key in evidence.named]
        self.limit, self.alpha, self.max_error = evidence.log_limit / log(10.0), evidence.alpha, evidence.max_error
        self.alarm, self.onset = evidence.alarm_since, evidence.shown_onset
        samples = evidence.samples()
        self.panels: MonitorPanels = panels if samples else "batches"
        self.diagrams = None if self.panels == "batches" else _diagrams_of(samples)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        sizes = {"all": TOGETHER, "batches": ALONE, "calibration": SINGLE}
        return sizes[self.panels]

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``batches`` holds E as its logarithm to base 10, the evidence since the onset in the same unit, the ends of
        level and slope and the lower bound of the error after each batch, ``segments`` the evidence of each segment.
        The parts of `ReliabilityDisplay.parts` follow.
        """
        names = ("level_low", "level_high", "slope_low", "slope_high", "line_agrees", "error_low", "alarm")
        parts: dict[str, Records] = {
            "batches": [
                {
                    "batch": row["batch"],
                    "time": row["time"],
                    "log10_e": row["log_e"] / log(10.0),
                    "refuted": row["refuted"],
                    "log10_cusum": row["log_cusum"] / log(10.0),
                    **{name: row[name] for name in names},
                }
                for row in self.batches
            ]
        }
        if self.segments:
            parts["segments"] = [
                {"segment": row["segment"], "batch": row["batch"], "log10_e": row["log_e"] / log(10.0)}
                for row in self.segments
            ]
        return parts if self.diagrams is None else {**parts, **self.diagrams.parts()}

    def plot(self, figure: SomeFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty figure to draw in. By default a new pyplot figure is made. The reliability diagram is beside the
            other panels, or below them in a figure that is higher than wide.

        Returns
        -------
        self
        """
        self.figure_ = get_figure(figure, self.size)
        panels, place = _lay_out(self.figure_, self.panels)
        self.axes_, self.legend_ = dict(zip(PANELS, panels, strict=False)), None
        if panels:
            self._draw_batches(panels)
        if place is not None and self.diagrams:
            self.axes_["calibration"] = self._draw_diagrams(place)
        return self

    def _draw_batches(self, panels: list["Axes"]) -> None:
        """Draw the panels of values after each batch."""
        axis = TimeAxis.of(self.batches)
        parts = self.parts()
        rows = parts["batches"]
        frame_panels(panels, axis, alpha=self.alpha)
        segments = {
            name: (axis.at([row["batch"] for row in own]), [row["log10_e"] for row in own])
            for name, own in _by_segment(parts.get("segments", [])).items()
        }
        self.legend_ = draw_evidence(panels[0], axis, rows, self.limit, segments, self.named)
        draw_interval(panels[1], axis, rows, "level", 0.0)
        draw_interval(panels[2], axis, rows, "slope", 1.0)
        draw_error(panels[3], axis, rows, self.max_error)
        mark_batches(panels, axis, self.alarm, self.onset)

    def _draw_diagrams(self, ax: "Axes") -> "Axes":
        """Draw the reliability diagrams on the same axes, or that of all rows."""
        assert self.diagrams is not None
        self.diagrams.plot(ax)
        return ax

    def _summarise(self) -> str:
        alarm = "no alarm" if self.alarm is None else f"alarm since batch {self.batches[self.alarm]['batch']}"
        return f"{len(self.batches)} batch{'es' * (len(self.batches) > 1)}, {alarm}"


def _diagrams_of(samples: Mapping[str, ScoreSample]) -> ReliabilityDisplay:
    """Return the reliability diagrams of samples, on the same axes."""
    measured = []
    with without_warnings():
        for name, sample in samples.items():
            error = estimate_of(PlugIn(FAMILY), sample, sample.reduction, Redrawing(interval=None))
            measured.append((name, error, sample))
        return ReliabilityDisplay.side_by_side(measured, "probability", overlaid=True)


def _lay_out(figure: Any, panels: MonitorPanels) -> tuple[list["Axes"], Any]:
    """Return the axes of the panels, one below the other, and those of the reliability diagram."""
    if panels == "calibration":
        return [], figure.add_subplot()
    if panels == "batches":
        columns, place = figure.add_gridspec(len(PANELS), 1, height_ratios=HEIGHTS), None
    else:
        beside = figure.bbox.width / figure.bbox.height > STACKED
        shares: Any = {"width_ratios": WIDTHS} if beside else {"height_ratios": STACKED_HEIGHTS}
        whole = figure.add_gridspec(*((1, 2) if beside else (2, 1)), **shares)
        columns = whole[0].subgridspec(len(PANELS), 1, height_ratios=HEIGHTS)
        place = figure.add_subplot(whole[1])
    first = figure.add_subplot(columns[0])
    return [first, *(figure.add_subplot(columns[k], sharex=first) for k in range(1, len(PANELS)))], place


def _by_segment(rows: Records) -> dict[str, Records]:
    """Return records by their segment."""
    return {name: [row for row in rows if row["segment"] == name] for name in dict.fromkeys(r["segment"] for r in rows)}
