"""The diagram of decision curves: net benefit against the threshold, and what miscalibration takes from it."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes
from fitontest.displays.scales import EPS, MARGIN, SCALE_NAMES, Scale, ScaleName, make_scale
from fitontest.displays.titles import write_title
from fitontest.results.checks import as_list, brief, choose, is_real
from fitontest.results.frames import Records, records
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.risk.displays.decision_artists import (
    FEW_THRESHOLDS,
    ModelCurve,
    draw_losses,
    draw_model,
    draw_range,
    draw_strategies,
    frame_axes,
    name_models,
)
from fitontest.risk.displays.decision_titles import NO_BAND, STRATEGIES, rows_in_words, title_of
from fitontest.risk.validation.curve_in_words import TREAT_ALL, TREAT_NONE

DecisionKind: TypeAlias = Literal["net benefit", "standardised", "interventions avoided", "difference"]
DecisionBand: TypeAlias = Literal["first", "all"]
DecisionShow: TypeAlias = Literal["benefit", "loss"]
PER = 1000.0  # rows that benefits are counted in
BELOW, MOST_BELOW = 0.2, 0.6  # shares of the highest value that an axis goes below 0, and goes for a model's curve
MOST_ABOVE = 1.15  # times the highest curve that the axis goes up for bands
ROOM = 0.06  # above the highest value, as a share of it
OUTER = 0.05  # share of the thresholds at which the band of a difference may leave the axes, on either side
HIGHEST = 0.005  # share of the rows above the end of the axis, where there are many thresholds
GRID = 201  # points of the curve of "treat all"
SINGLE = 0.05  # room beside a few thresholds
MOST_RARE, LEAST_RATIO = 0.3, 20.0  # largest threshold, and largest by smallest, from which the axis is one of logits
NAMES = {
    "net benefit": "Net benefit per 1,000",
    "standardised": "Standardised net benefit",
    "interventions avoided": "Interventions avoided per 1,000",
    "difference": "Difference in net benefit per 1,000",
}


class DecisionDisplay(Display):
    """Decision curves: how much good models do at each threshold, beside treating all and treating none.

    The net benefit of a model at the threshold t is the share of true positives among the rows, less that of false
    positives times t / (1 - t), if rows with p >= t are treated; here of 1,000 rows. Below each threshold stands what
    it weighs: harm of a false positive to benefit of a true one, t : 1 - t. A model is of use where its curve is above
    those of "treat all" and "treat none". The title says where a difference is shown: where its band, which holds at
    all thresholds at once, leaves out 0.

    "Treat all" falls without end and is cut off a little below 0. The axis ends at the 99.5 % quantile of the scores,
    of the model whose scores are highest. At most 8 thresholds are points with their intervals, joined by thin lines.

    Made by `DecisionCurve.plot`.

    Parameters
    ----------
    curve : DecisionCurve
        What `decision_curve` returns.
    show : {"benefit", "loss"}, default="benefit"
        "loss": beside the curves, dashed, those after recalibration, with a shade between the two, and below a panel of
        what miscalibration takes. It is the plug-in estimate, which noise alone makes larger than 0: `decision_loss`
        gives its interval.
    kind : {"net benefit", "standardised", "interventions avoided", "difference"}, default="net benefit"
        What is drawn. "standardised": net benefit divided by the share of positives, so that 1 is the most there can
        be. "interventions avoided": how many fewer rows per 1,000 are treated than by "treat all" at the same number of
        true positives, (NB - NB_all) (1 - t) / t. "difference": net benefit of the first model minus that of another,
        paired.
    models : list of str, optional
        Which are drawn, by default all; of a difference the two.
    band : {"first", "all"} or None, default="first"
        Whose band is drawn, of the level of the curve.
    simultaneous : bool, default=False
        Whether the band holds the true curve at all thresholds at once; else at each of them.
    threshold_range : (float, float), optional
        Thresholds of interest, which are shaded.
    scale : {"auto", "probability", "logit"}, default="auto"
        Of the axis of thresholds. "auto" is the logit scale where the largest threshold is at most 0.3 and the smallest
        one less than a twentieth of it, as for rare events; else probability.
    limits : (float, float), optional
        Ends of the axis of thresholds.

    Attributes
    ----------
    curves : list of ModelCurve
        What is drawn of the models.
    scale : Scale
        Of the thresholds.
    y_limits : (float, float)
    title, second : str
    ax_, losses_ax_ : matplotlib Axes or None
        After `plot`, as are the following: the main axes, and the panel below.
    artists_ : dict of str to dict
        Of each model its "line", "recalibrated", "band" and "gap".
    treat_all_, treat_none_ : Line2D or None
        Of a difference there are none.
    figure_
        The figure of the axes.

    References
    ----------
    Vickers, Elkin (2006), Decision curve analysis, Medical Decision Making 26.
    https://doi.org/10.1177/0272989X06295361

    Van Calster, Vickers (2015), Calibration of risk prediction models: impact on decision-analytic performance, Medical
    Decision Making 35. https://doi.org/10.1177/0272989X14547233

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 3, 1000)
    >>> curve = fot.risk.decision_curve(rng.random(1000) < risk, np.sqrt(risk), thresholds=[0.1, 0.2, 0.3])
    >>> display = curve.plot(Figure(), show="loss")
    >>> display.to_frame(part="models")[["threshold", "loss"]].round(1).to_numpy().tolist()
    [[0.1, 15.6], [0.2, 34.5], [0.3, 54.2]]
    """

    def __init__(
        self,
        curve: Any,
        *,
        show: DecisionShow = "benefit",
        kind: DecisionKind = "net benefit",
        models: Iterable[str] | None = None,
        band: DecisionBand | None = "first",
        simultaneous: bool = False,
        threshold_range: tuple[float, float] | None = None,
        scale: ScaleName = "auto",
        limits: ArrayInput = None,
    ) -> None:
        self.kind = choose(kind, get_args(DecisionKind), "kind")
        self.show = choose(show, get_args(DecisionShow), "show")
        if show == "loss" and kind not in ("net benefit", "standardised"):
            raise ValueError(
                f"show must be 'benefit' unless kind is 'net benefit' or 'standardised', got kind={kind!r}"
            )
        self.names = _read_models(models, curve.models, self.kind)
        self.band = None if band is None else choose(band, get_args(DecisionBand), "band")
        self.simultaneous = simultaneous
        self.base_rate, self.level, self.family = float(curve.base_rate), float(curve.level), curve.family
        self.threshold_range = _read_range(threshold_range)
        drawn = [name for name in self.names if name not in STRATEGIES] or list(curve.models)
        highest = np.max([curve.share_above[name] for name in drawn], axis=0)
        self.end = highest.size if limits is not None else _find_end(highest)
        self.thresholds = np.asarray(curve.thresholds, dtype=float)[: self.end]
        self.idle = float(self.thresholds[np.argmin(highest[: self.end] > 0)]) if highest[self.end - 1] == 0 else None
        self.scale = _choose_scale(scale, self.thresholds, limits)
        self.curves = [self._read_difference(curve)] if self.kind == "difference" else self._read_models(curve)
        self.y_limits = self._choose_y_limits()
        self.title, self.second = self._write(curve, drawn)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return 6.6, 4.6 + 1.0 * (self.show == "loss")

    @property
    def text(self) -> str:
        """What the picture shows, for readers who do not see it."""
        return f"Decision curve, {NAMES[self.kind].lower()} by threshold. {self.title}; {self.second}."

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``models`` holds the value of each model at each threshold, the ends of its band, and where losses are shown its
        value after recalibration and how much higher that is; ``treat all`` and ``treat none`` hold the values of these
        strategies. All are per 1,000 rows, but for standardised ones.
        """
        parts = {"models": [row for each in self.curves for row in each.to_records()]}
        if self.kind != "difference":
            parts[TREAT_ALL] = records(threshold=self.thresholds, value=self._treat_all(self.thresholds))
            parts[TREAT_NONE] = records(threshold=self.thresholds, value=self._treat_none(self.thresholds))
        return parts

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. The panel below the axes is inside the layout of the figure. By default a new pyplot
            figure is made.

        Returns
        -------
        self
        """
        main = get_axes(ax, self.size)
        self.ax_, self.figure_ = main, main.figure
        self.losses_ax_ = frame_axes(main, self.scale, self.y_limits, NAMES[self.kind], below=self.show == "loss")
        panels = [main] if self.losses_ax_ is None else [main, self.losses_ax_]
        self.ranges_ = [] if self.threshold_range is None else [draw_range(one, self.threshold_range) for one in panels]
        x = np.unique(np.concatenate((np.clip(self.scale.grid(GRID), 1e-9, 1 - 1e-9), self.thresholds)))
        self.treat_all_ = self.treat_none_ = None
        if self.kind == "difference":
            lines = draw_strategies(main, x, [("no difference", np.zeros(x.size))])
        else:
            strategies = [(TREAT_NONE, self._treat_none(x)), (TREAT_ALL, self._treat_all(x))]
            lines = self.treat_none_, self.treat_all_ = draw_strategies(main, x, strategies)
        count = len(self.curves)
        self.artists_ = {each.name: draw_model(main, each, k, count) for k, each in enumerate(self.curves)}
        name_models(main, self.curves, self.scale, lines)
        if self.losses_ax_ is not None:
            draw_losses(self.losses_ax_, self.curves, "Loss per\n1,000" if self.kind == "net benefit" else "Loss")
        write_title(main, self.title, self.second)
        return self

    def _write(self, curve: Any, models: Sequence[str]) -> tuple[str, str]:
        """Return the title, and below it what is said of other thresholds, rows, bands and lines."""
        title, elsewhere = title_of(curve, models, self.end)
        parts = [elsewhere, rows_in_words(curve)]
        if self.band is not None:
            whose = "" if len(self.curves) == 1 or self.band == "all" else f" of {self.curves[0].name}"
            held = "at all thresholds at once" if self.simultaneous else "at each threshold"
            known = self.curves[0].low is not None
            parts.append(f"band: {100 * self.level:g} % CI{whose} {held}" if known else NO_BAND)
        if self.show == "loss":
            parts.append(f"dashed: after recalibration ({self.family})")
        if self.threshold_range is not None:
            low, high = self.threshold_range
            parts.append(f"grey: thresholds of interest, {100 * low:g} % to {100 * high:g} %")
        below = [each.name for each in self.curves if np.any(each.value < self.y_limits[0])]
        if below:
            parts.append(f"{', '.join(below)} goes on below the axis")
        if self.idle is not None:
            parts.append(f"from {100 * self.idle:.3g} % on no score is as high: nobody is treated")
        return title, "; ".join(part for part in parts if part)

    def _summarise(self) -> str:
        return f"{self.kind} of {self.names}"

    @property
    def _per(self) -> float:
        """By what values per row are multiplied."""
        return 1.0 if self.kind == "standardised" else PER

    def _read_models(self, curve: Any) -> list[ModelCurve]:
        """Return what is drawn of the models, in the unit of the kind."""
        values = {
            "net benefit": "net_benefit", "standardised": "standardised",
            "interventions avoided": "interventions_avoided",
        }[self.kind]  # fmt: skip
        unit = PER if self.kind == "net benefit" else 1.0 / max(self.base_rate, 1e-300)
        curves = []
        for k, name in enumerate(self.names):
            losses = (unit * curve.recalibrated[name], unit * curve.loss[name]) if self.show == "loss" else (None, None)
            curves.append(self._make(name, getattr(curve, values)[name], k, *losses))
        return curves

    def _read_difference(self, curve: Any) -> ModelCurve:
        first, second = self.names
        return self._make(f"{first} minus {second}", curve.difference(first, second), 0)

    def _make(
        self,
        name: str,
        values: Any,
        k: int,
        recalibrated: FloatArray | None = None,
        loss: FloatArray | None = None,
    ) -> ModelCurve:
        """Return the curve at the thresholds that are drawn, with the ends of the band that is asked for."""
        ends = (values.band_low, values.band_high) if self.simultaneous else (values.low, values.high)
        if self.band is None or (self.band == "first" and k > 0):
            ends = (None, None)
        low, high = (None if end is None or np.all(np.isnan(end)) else self._per * end[: self.end] for end in ends)
        after, lost = (None if one is None else one[: self.end] for one in (recalibrated, loss))
        return ModelCurve(name, self.thresholds, self._per * values.value[: self.end], low, high, after, lost)

    def _treat_all(self, x: FloatArray) -> FloatArray:
        """Return the values of "treat all" at thresholds, in the unit of the kind."""
        if self.kind == "interventions avoided":
            return np.zeros(x.size)
        benefit = self.base_rate - (1 - self.base_rate) * x / (1 - x)
        return PER * benefit if self.kind == "net benefit" else benefit / max(self.base_rate, 1e-300)

    def _treat_none(self, x: FloatArray) -> FloatArray:
        """Return the values of "treat none" at thresholds, in the unit of the kind."""
        if self.kind != "interventions avoided":
            return np.zeros(x.size)
        return PER * ((1 - self.base_rate) - self.base_rate * (1 - x) / x)  # (0 - NB_all) (1 - t) / t

    def _choose_y_limits(self) -> tuple[float, float]:
        """Return the ends of the vertical axis: above all values, and not far below 0 unless a model's curve is."""
        values = np.concatenate([each.value for each in self.curves])
        bands = [end for each in self.curves for end in (each.low, each.high) if end is not None]
        few = self.thresholds.size <= FEW_THRESHOLDS  # whose intervals are bars, seen from end to end
        if self.kind == "difference":
            ends = [float(values.min()), float(values.max()), 0.0]
            for end in bands:  # near 1 bands are many times as wide as the differences
                ends += np.quantile(end, (0.0, 1.0) if few else (OUTER, 1 - OUTER)).tolist()
            room = ROOM * (max(ends) - min(ends)) or self._per * self.base_rate / 2 or self._per
            return min(ends) - room, max(ends) + room
        x = np.clip(np.asarray(self.scale.visible), 1e-9, 1 - 1e-9)
        references = self._treat_none(x) if self.kind == "interventions avoided" else self._treat_all(x)
        after = [each.recalibrated for each in self.curves if each.recalibrated is not None]
        high = max(float(np.concatenate([*after, values, references]).max()), 0.0)
        highest, lowest = (float(one(np.concatenate([values, *bands]))) for one in (np.max, np.min))
        high = max(high, highest if few else min(highest, MOST_ABOVE * high))
        high = high or self._per * max(self.base_rate, 0.1)  # nobody is treated, or no good can be done
        least = lowest if few else max(float(values.min()), -MOST_BELOW * high)
        return min(least - ROOM * high, -BELOW * high), (1 + ROOM) * high


def _find_end(above: FloatArray) -> int:
    """Return how many thresholds are drawn: of many those that enough of the rows reach."""
    reached = np.flatnonzero(above >= HIGHEST)
    few = above.size <= FEW_THRESHOLDS
    return above.size if few or not reached.size else max(int(reached[-1]) + 1, FEW_THRESHOLDS + 1)


def _choose_scale(name: ScaleName, thresholds: FloatArray, limits: ArrayInput) -> Scale:
    """Return the scale of the axis of thresholds, which ends where they end unless told otherwise."""
    choose(name, SCALE_NAMES, "scale")
    low, high = float(thresholds[0]), float(thresholds[-1])
    if name == "auto":
        name = "logit" if limits is None and high <= MOST_RARE and low < high / LEAST_RATIO else "probability"
    if limits is not None:
        return make_scale(name, limits)
    if thresholds.size > FEW_THRESHOLDS:
        return Scale(name, max(low, EPS if name == "logit" else 0.0), high)
    link = Scale(name, low, high).link
    ends = link.forward(np.array([low, high]), EPS)
    room = max(4 * MARGIN * (ends[1] - ends[0]), SINGLE if name == "probability" else 1.0 * (low == high))
    first, last = link.inverse(np.array([ends[0] - room, ends[1] + room])).tolist()
    return Scale(name, max(first, EPS if name == "logit" else 0.0), min(last, 1 - EPS if name == "logit" else 1.0))


def _read_models(models: Iterable[str] | None, known: Sequence[str], kind: str) -> list[str]:
    """Return the names of the models that are drawn."""
    names = [*known] if models is None else [str(name) for name in as_list(models, "models")]
    strategies = [*STRATEGIES] if kind == "difference" else []
    for name in names:
        choose(name, [*known, *strategies], "models")
    if len(set(names)) < len(names):
        raise ValueError(f"models must differ, got {brief(names)}")
    if kind == "difference" and len(names) != 2:
        raise ValueError(f"models must be the two whose difference is drawn, got {brief(names)}")
    return names


def _read_range(threshold_range: object) -> tuple[float, float] | None:
    """Return the thresholds of interest, if there are any."""
    if threshold_range is None:
        return None
    ends = as_list(threshold_range, "threshold_range")
    if len(ends) != 2 or not all(map(is_real, ends)) or not 0 < ends[0] < ends[1] < 1:
        raise ValueError(
            f"threshold_range must be two increasing thresholds between 0 and 1, got {brief(threshold_range)}"
        )
    return float(ends[0]), float(ends[1])
