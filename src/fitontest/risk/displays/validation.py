"""The diagram of a validation: the calibration curve with its band, the risks by outcome, and the numbers."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, check_empty_figure
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.reliability_artists import CURVE_LABEL, THRESHOLD_LABEL
from fitontest.displays.scales import Scale, ScaleName, choose_scale, make_scale, merge_scales, name_scale
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.measures.estimate import Estimate
from fitontest.results.frames import Records, records
from fitontest.results.text import count, short, visible
from fitontest.results.typing import ArrayInput
from fitontest.risk.displays.validation_artists import Number, are_unequal, draw_numbers, draw_outcomes, draw_thresholds
from fitontest.uncertainty.bands import POINTS, quick_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVE = "ici"  # the statistic whose map is drawn
STATISTICS = {  # by name, what they are called beside the curve; None is a gap between lines
    "observed_expected": "O:E",
    "calibration_in_the_large": "In the large",
    "calibration_slope": "Slope",
    "": None,
    "ici": "ICI",
    "e50": "E50",
    "e90": "E90",
    "emax": "Emax",
    " ": None,
    "auc": "AUC",
    "brier": "Brier score",
    "scaled_brier": "Scaled Brier",
}
IN_PANELS = ("observed_expected", "calibration_slope", "ici", "auc")
DECISIONS = {"net_benefit": "Net benefit", "decision_loss": "Loss"}
MOST_THRESHOLDS = 3  # whose decisions are among the numbers


class Validated(Protocol):
    """What the diagram needs of a `Validation`."""

    @property
    def name(self) -> str | None: ...  # noqa: D102
    @property
    def sample(self) -> ScoreSample: ...  # noqa: D102
    @property
    def statistics(self) -> Mapping[str, Estimate]: ...  # noqa: D102
    @property
    def reasons(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def level(self) -> float: ...  # noqa: D102
    @property
    def thresholds(self) -> tuple[float, ...]: ...  # noqa: D102
    @property
    def random_state(self) -> int: ...  # noqa: D102


class ValidationPanel(ReliabilityDisplay):
    """The calibration curve of one validation, with the risks of events and non-events below it."""

    def __init__(self, validation: Validated, *, scale: ScaleName | Scale = "auto", limits: ArrayInput = None) -> None:
        if CURVE not in validation.statistics:
            reason = validation.reasons.get(CURVE, "it is not among its statistics")
            raise ValueError(f"validation must have an {CURVE.upper()}, whose map is drawn: {reason}")
        super().__init__(
            validation.statistics[CURVE], validation.sample, scale=scale, limits=limits, name=validation.name
        )
        self.validation = validation
        bars = self.cells.summarise(validation.sample)
        self.events = np.where(bars.w > 0, bars.w * bars.mean_y, 0.0)
        self.non_events = np.maximum(bars.w - self.events, 0.0)
        self.unequal = are_unequal(self.events, self.non_events)
        self.numbers = _tabulate(validation)

    def find_band(self) -> None:
        """Compute the band of the true map for the next `plot`, of the level of the validation."""
        if self.single is None and not self.has_one_bin:  # these have intervals of their own, or no map to see
            known = self.validation
            x = self.scale.grid(POINTS)
            self.band = quick_band(self.error, known.sample, x, known.random_state, level=known.level)

    def describe(self, width: int) -> list[str]:
        """Return the numbers that stand above the curve of one of several models."""
        del width
        named = {STATISTICS[name] for name in IN_PANELS}
        facts = [
            f"{label} {line.value}{f' ({line.interval})' if line.interval else ''}"
            for line in self.numbers
            if (label := line.label.partition(",")[0]) in named
        ]
        return [*facts, self.size_in_words]

    @property
    def size_in_words(self) -> str:
        """The rows and, where weights are counts, the events among them."""
        sample = self.validation.sample
        events = f", {count(round(sample.total * sample.base_rate))} events" if sample.whole else ""
        return f"n = {count(sample.n)}{events}"

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: those of a reliability diagram, with a histogram for each outcome."""
        parts = super().parts()
        ends = {"lower": self.cells.borders[:-1], "upper": self.cells.borders[1:]}
        parts["histogram"] = records(**ends, events=self.events, non_events=self.non_events)
        return parts

    def _label(self, name: str | None) -> str:
        del name
        return f"{CURVE_LABEL} ({self.error.measure.name})"

    def _draw_histogram(self, below: "Axes", style: dict[str, Any], *, first: bool) -> None:
        del first
        edges = self.scale.ends(self.cells)
        main = self.ax_
        self.events_, self.non_events_ = draw_outcomes(
            main, below, edges, (self.events, self.non_events), style["color"], unequal=self.unequal
        )
        self.counts_ = self.events_
        thresholds = self.validation.thresholds
        named = ", ".join(f"{threshold:g}" for threshold in thresholds)
        self.thresholds_ = draw_thresholds(main, thresholds, f"{THRESHOLD_LABEL} {named}") if thresholds else None


class ValidationDisplay(Display):
    """Calibration curve of a validation with its confidence band, histogram by outcome, and the statistics beside it.

    The curve is the map under which the validation measures ICI, E50, E90 and Emax; the band holds the true map at each
    score, with the level of the validation. Bars above the line below it count events by their risk, bars under the
    line non-events. Where one kind is many times as frequent as the other, each has a scale of its own, as the ticks
    and the legend say.

    The numbers stand beside the curve, or below the legend where the place is narrower than 6.2 inches; a place that is
    too low for that has none. Of errors the debiased value is quoted, with its interval, then the raw one, which is
    that of the curve, where there is room. A dash stands for what has no value. Decisions are those at the first three
    thresholds.

    Several models, or segments, have a panel each, with the same axes.

    Made by `Validation.plot`.

    Parameters
    ----------
    validation : Validation, or several of them
        What `validate` returns.
    scale : {"auto", "probability", "logit"}, default="auto"
        Of both axes, see `ReliabilityDisplay`.
    limits : (float, float), optional
        Ends of both axes.
    band : bool, default=True
        Whether there is a band.
    numbers : bool, default=True
        Whether the statistics are written, of a single validation.

    Attributes
    ----------
    panels : dict of ReliabilityDisplay
        The curves by name.
    numbers : list of Number
        The lines of the statistics, of a single validation.
    figure_, legend_
        After `plot`, as are the following.
    axes_ : dict of str to matplotlib Axes
        Of the curves.
    numbers_ : artist or None
        The numbers.

    References
    ----------
    Van Calster et al. (2016), A calibration hierarchy for risk models was defined, Journal of Clinical Epidemiology 74.
    https://doi.org/10.1016/j.jclinepi.2015.12.005

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 3, 300)
    >>> display = fot.risk.validate(rng.random(300) < risk, np.sqrt(risk)).plot(Figure())
    >>> display.to_frame(part="numbers")["label"].tolist()[:4]
    ['O:E', 'In the large', 'Slope', 'ICI, debiased']
    """

    def __init__(
        self,
        validation: Any,
        *,
        scale: ScaleName = "auto",
        limits: ArrayInput = None,
        band: bool = True,
        numbers: bool = True,
    ) -> None:
        validations = _read_validations(validation)
        samples = [each.sample for each in validations.values()]
        named = name_scale(scale, samples, limits)
        shared: Scale
        if limits is not None:
            shared = make_scale(named, limits)
        else:
            shared = merge_scales([choose_scale(named, sample) for sample in samples])
        self.panels = {name: ValidationPanel(each, scale=shared, limits=limits) for name, each in validations.items()}
        y_scale = merge_scales([panel.y_scale for panel in self.panels.values()])
        unequal = any(panel.unequal for panel in self.panels.values())
        for panel in self.panels.values():
            panel.y_scale, panel.unequal = y_scale, unequal
            if band:
                panel.find_band()
        single = len(self.panels) == 1
        level = next(iter(validations.values())).level
        explained = f"In brackets {100 * level:g} % intervals; the ICI is debiased"
        self._several = None if single else SmallMultiples(self.panels, title=explained)
        self.shows_numbers = numbers and single
        self.numbers = next(iter(self.panels.values())).numbers if self.shows_numbers else []

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        if self._several is not None:
            return self._several.size
        return (8.0, 6.4) if self.shows_numbers else ReliabilityDisplay.size

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        They are those of `ReliabilityDisplay.parts`, where ``histogram`` holds the weights of events and non-events per
        bar, and ``numbers``, the statistics as they are written. Of several models each record has its ``panel``.
        """
        if self._several is not None:
            return self._several.parts()
        (panel,) = self.panels.values()
        written = [vars(number).copy() for number in self.numbers if number.label]
        return panel.parts() | ({"numbers": written} if written else {})

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram, of several validations a figure. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.numbers_ = None
        if self._several is not None:
            figure = None if ax is None else check_empty_figure(ax, "ax", "a Figure or a SubFigure for several models")
            drawn = self._several.plot(figure)
            self.figure_, self.axes_, self.legend_ = drawn.figure_, drawn.axes_, drawn.legend_
            return self
        ((name, panel),) = self.panels.items()
        if ax is None:
            from fitontest.displays.canvas import create_pyplot_figure

            ax = create_pyplot_figure(self.size)
        panel.plot(ax)
        self.figure_, self.axes_, self.legend_ = panel.figure_, {name: panel.ax_}, panel.legend_
        if self.shows_numbers:
            title = [*([] if panel.name is None else [panel.name]), panel.size_in_words]
            self.numbers_ = draw_numbers(panel.ax_, panel.legend_, title, panel.validation.level, self.numbers)
        return self

    def _summarise(self) -> str:
        return ", ".join(f"{number.label} {number.value}" for number in self.numbers[:3]) or repr([*self.panels])


def _read_validations(validation: Any) -> dict[str, Validated]:
    """Return validations by name."""
    if hasattr(validation, "statistics"):
        return {str(validation.name or "model"): validation}
    if not isinstance(validation, Iterable) or not hasattr(validation, "__getitem__"):
        raise ValueError(f"validation must be what validate returns, got {validation!r}")
    validations = {visible(str(validation[key].name or key)): validation[key] for key in validation}
    if not validations:
        raise ValueError("validation must hold at least one validation, got none")
    return validations


def _tabulate(validation: Validated) -> list[Number]:
    """Return the lines of the statistics, and of decisions at a few thresholds."""
    lines = []
    for name, label in STATISTICS.items():
        if label is None:
            lines.append(Number(""))
        elif name in validation.statistics or name in validation.reasons:
            lines.append(_write(label, validation.statistics.get(name)))
    decisions = [
        _write(f"{label} at {threshold:g}", validation.statistics.get(f"{name}({threshold:g})"))
        for threshold in validation.thresholds[:MOST_THRESHOLDS]
        for name, label in DECISIONS.items()
    ]
    return [*lines, *([Number(""), *decisions] if decisions else [])]


def _write(label: str, estimate: Estimate | None) -> Number:
    """Return the line of a statistic."""
    if estimate is None:
        return Number(label, "\N{EN DASH}")
    printed, ends = estimate.measure.printed, estimate.interval
    interval = "" if ends is None else f"{printed(ends.low)} to {printed(ends.high)}"
    if estimate.debiased is not None and estimate.quotes_debiased:
        return Number(f"{label}, debiased", short(estimate.debiased), interval, short(estimate.value))
    return Number(label, printed(estimate.value), interval)
