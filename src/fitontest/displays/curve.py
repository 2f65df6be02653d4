"""The diagram of curves: lines over an axis, such as net benefit over thresholds, and panels below on the same axis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.companions import add_companion, find_companions, prepare_shrinking
from fitontest.displays.lines import Line, write_names
from fitontest.displays.palette import get_foreground, is_dark
from fitontest.displays.scaling import Scaling
from fitontest.displays.titles import write_title
from fitontest.results.frames import Records

SIZE = (6.6, 4.6)  # inches
PANEL_GAP = 0.07  # of the height of the first panel, between panels
SPAN_OPACITY, DARK_GAIN = 0.09, 0.06
BESIDE, BENEATH = 0.85, 0.25  # inches of names beside the axes, and of the second line of ticks


@dataclass(frozen=True, eq=False)
class Panel:
    """Lines on the same axes.

    Attributes
    ----------
    lines : sequence of Line
    y : Scaling
        Of the vertical axis.
    height : float
        By that of the first panel.
    """

    lines: Sequence[Line]
    y: Scaling
    height: float = 1.0


class CurveDisplay(Display):
    """Diagram of curves: lines with bands over an axis, each with its name beside it.

    * `decision_curve` draws the net benefit of models by threshold, beside treating all and none.
    * `plan_evaluation` draws how wide intervals are and how often an error is found, by number of rows.
    * ``measure(y, p, "ecce")`` and ``"ks"`` draw residuals cumulated along the scores.
    * `validity_curves` draws for which share of the rows scores are no further than eps from what they stand for.
    * `rank_curves`, and ``plot_ranks`` of several models, draw how evaluators order models.

    Their ``plot`` makes it from the columns that `parts` returns.

    Parameters
    ----------
    panels : sequence of Panel
        The first is the largest; the others stand below it.
    x : Scaling or callable
        Of the horizontal axis that panels share, or what frames it on the axes given to it.
    parts : mapping of str to list of dict
        The numbers drawn.
    title, second : str
        Above the panels.
    kind : str
        What the picture is, for readers who do not see it.
    spans : sequence of (float, float), optional
        Stretches of the horizontal axis that are shaded.
    size : (float, float), optional
        Of the figure, in inches.

    Attributes
    ----------
    panels : list of Panel
    title, second : str
    axes_ : list of matplotlib Axes
        Of the panels, after `plot`, as are the following.
    ax_ : matplotlib Axes
        The first.
    artists_ : dict of str to dict
        Of each line that has a name the "line" and the "band".
    figure_ : matplotlib Figure or SubFigure

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> display = fot.measure(rng.random(500) < p**1.5, p, "ecce").plot(Figure())
    >>> display.to_frame(part="range").round(3).to_dict("records")
    [{'from_share': 0.032, 'to_share': 0.968, 'low': -0.101, 'high': 0.001}]
    """

    def __init__(
        self,
        panels: Sequence[Panel],
        x: Scaling | Callable[[Any], None],
        parts: Mapping[str, Records],
        *,
        title: str,
        second: str = "",
        kind: str,
        spans: Sequence[tuple[float, float]] = (),
        size: tuple[float, float] = SIZE,
    ) -> None:
        self.panels, self.title, self.second, self.kind = list(panels), title, second, kind
        self._x, self._parts, self._spans, self._size = x, parts, spans, size

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn, by part."""
        return {name: [dict(row) for row in rows] for name, rows in self._parts.items()}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return self._size[0], self._size[1] * (1.0 + 0.75 * sum(panel.height for panel in self.panels[1:]))

    @property
    def text(self) -> str:
        """What the picture shows, for readers who do not see it."""
        return f"{self.kind}. {'; '.join(part for part in (self.title, self.second) if part)}."

    def _summarise(self) -> str:
        return f"{self.kind}: {', '.join(line.name for line in self.panels[0].lines if line.name) or self.title}"

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Empty axes, which all panels share the place of, or a figure. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        main = get_axes(ax, self.size)
        if find_companions(main) or main.lines:
            raise ValueError("ax must be empty axes, got axes that hold a diagram")
        self.ax_, self.figure_ = main, main.figure
        style_axes(main)
        prepare_shrinking(main)
        below = [
            add_companion(main, f"panel {k}", "below", panel.height, PANEL_GAP)
            for k, panel in enumerate(self.panels[1:], 1)
        ]
        self.axes_ = [main, *below]
        self._leave_room(main)
        if isinstance(self._x, Scaling):
            self._x.apply(main, "x")
        else:
            self._x(main)
        label = main.get_xlabel()
        for ax_above in self.axes_[:-1]:
            ax_above.set_xlabel("")
            ax_above.tick_params(axis="x", labelbottom=False)
        self.axes_[-1].set_xlabel(label)
        self.artists_: dict[str, dict[str, Any]] = {}
        for panel, place in zip(self.panels, self.axes_, strict=True):
            panel.y.apply(place, "y")
            for ends in self._spans:
                opacity = SPAN_OPACITY + DARK_GAIN * is_dark(place)
                place.axvspan(*ends, color=get_foreground(place), alpha=opacity, linewidth=0, zorder=0.5)
            for line in panel.lines:
                drawn = line.draw(place)
                if line.name:
                    self.artists_.setdefault(line.name, drawn)
            write_names(place, panel.lines)
        write_title(main, self.title, self.second)
        return self

    def _leave_room(self, main: Any) -> None:
        """Let the axes shrink for names beside and ticks below, where no layout makes room for them."""
        figure = main.get_figure(root=True)
        if figure.get_layout_engine() is not None:
            return
        place, inside = main.get_position(original=True), main.figure.bbox
        width, height = (side / figure.dpi for side in (place.width * inside.width, place.height * inside.height))
        margins = main.get_axes_locator().margins
        margins["right"] = BESIDE / max(width - BESIDE, BESIDE)
        margins["below"] += BENEATH / max(height - BENEATH, BENEATH)
