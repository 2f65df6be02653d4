"""The diagram of decision curves: net benefit against the threshold, and what miscalibration takes from it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, Self, TypeAlias, get_args

import numpy as np

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes
from fitontest.displays.companions import place_legend
from fitontest.displays.scales import EPS, MARGIN, SCALE_NAMES, Scale, ScaleName, make_scale
from fitontest.displays.titles import without_formulas
from fitontest.results.checks import as_list, brief, choose, is_real
from fitontest.results.frames import Records, records
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray
from fitontest.risk.displays.decision_artists import (
    FEW_THRESHOLDS,
    ModelCurve,
    draw_cost_axis,
    draw_losses,
    draw_model,
    draw_range,
    draw_treat_all,
    draw_treat_none,
    frame_axes,
    make_handles,
    mark_cuts,
)

DecisionKind: TypeAlias = Literal["net benefit", "standardised", "interventions avoided", "difference"]
DecisionBand: TypeAlias = Literal["auto", "simultaneous", "pointwise"]
TREAT_ALL, TREAT_NONE = "treat all", "treat none"  # the names of the two strategies without a model
MOST_BANDS, MOST_RECALIBRATED = 3, 2  # models that have a band and a curve after recalibration unless told otherwise
PER = 1000.0  # rows that interventions avoided and losses are counted in
BELOW, MOST_BELOW = 0.12, 0.6  # shares of the highest value that an axis goes below 0, and goes for a model's curve
MOST_BELOW_BAR = 2.0  # the same for bars, the intervals of a few thresholds
MOST_ABOVE = 1.3  # times the highest curve that the axis goes up for bands
ROOM = 0.06  # above the highest value, as a share of it
OUTER = 0.05  # share of the thresholds at which the band of a difference may leave the axes, on either side
NOTHING = 0.1  # highest net benefit shown of rows without a positive one
GRID = 201  # points of the curve of "treat all"
SINGLE = 0.05  # least room beside few thresholds, and how near an end of [0, 1] an axis reaches it
MOST_RARE, LEAST_RATIO = 0.3, 20.0  # largest threshold, and largest by smallest, from which the axis is one of logits
NAMES = {
    "net benefit": "Net benefit",
    "standardised": "Standardised net benefit",
    "interventions avoided": "Interventions avoided per 1,000",
    "difference": "Difference in net benefit",
}


class Intervals(Protocol):
    """Values at the thresholds, with their intervals at each of them and at all at once."""

    @property
    def value(self) -> FloatArray: ...  # noqa: D102
    @property
    def low(self) -> FloatArray | None: ...  # noqa: D102
    @property
    def high(self) -> FloatArray | None: ...  # noqa: D102
    @property
    def band_low(self) -> FloatArray | None: ...  # noqa: D102
    @property
    def band_high(self) -> FloatArray | None: ...  # noqa: D102


class Decisions(Protocol):
    """What the diagram needs of a `DecisionCurve`."""

    @property
    def thresholds(self) -> FloatArray: ...  # noqa: D102
    @property
    def models(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def base_rate(self) -> float: ...  # noqa: D102
    @property
    def level(self) -> float: ...  # noqa: D102
    @property
    def family(self) -> str: ...  # noqa: D102
    @property
    def net_benefit(self) -> Mapping[str, Intervals]: ...  # noqa: D102
    @property
    def standardised(self) -> Mapping[str, Intervals]: ...  # noqa: D102
    @property
    def interventions_avoided(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def recalibrated(self) -> Mapping[str, FloatArray]: ...  # noqa: D102
    @property
    def loss(self) -> Mapping[str, FloatArray]: ...  # noqa: D102
    @property
    def share_above(self) -> Mapping[str, FloatArray]: ...  # noqa: D102
    def difference(self, a: str, b: str) -> Intervals: ...  # noqa: D102


class DecisionDisplay(Display):
    """Decision curves: how much good a model does at each threshold, and how much of it miscalibration takes away.

    The net benefit of a model at the threshold t is the share of true positives among the rows, less that of false
    positives times t / (1 - t), if rows with p >= t are treated. The axis above says what t weighs: harm of a false
    positive to benefit of a true one, t : 1 - t. A model is of use where its curve is above those of "treat all" and
    "treat none".

    The dashed curve of a model is its net benefit after recalibration, and the shade between the two what
    miscalibration costs. The panel below shows this loss on a scale of its own, in net true positives per 1,000 rows.
    It is the plug-in estimate, which noise alone makes larger than 0: `decision_loss` gives its interval.

    "Treat all" falls without end and is cut off a little below 0. The curve of a model is cut off only where it falls
    far below 0; triangles mark where, and the legend says so. The axis of thresholds ends where no score reaches them:
    from there on every model treats nobody, as the legend says.

    At most 8 thresholds are points with the intervals of these thresholds, joined by thin lines.

    Made by `DecisionCurve.plot`.

    Parameters
    ----------
    curve : DecisionCurve
        What `decision_curve` returns.
    kind : {"net benefit", "standardised", "interventions avoided", "difference"}, default="net benefit"
        What is drawn. "standardised": net benefit divided by the share of positives, so that 1 is the most there can
        be. "interventions avoided": how many fewer rows per 1,000 are treated than by "treat all" at the same number of
        true positives, (NB - NB_all) (1 - t) / t. "difference": net benefit of the first model minus that of another,
        paired.
    models : str or list of str, optional
        Which are drawn, by default all; of a difference the two.
    band : {"auto", "simultaneous", "pointwise"} or None, default="auto"
        Of the level of the curve. "simultaneous": holds the true curve at all thresholds at once. "pointwise": at each.
        "auto": simultaneous of at most 3 models, else none, since more bands hide one another.
    recalibrated : bool, optional
        Whether the curves after recalibration are drawn, of net benefit and of its standardised form. By default of at
        most 2 models. The panel of losses is drawn in any case.
    losses : bool, default=True
        Whether the panel of losses is drawn, of net benefit and of its standardised form.
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
    ax_, losses_ax_, cost_ax_ : matplotlib Axes or None
        After `plot`, as are the following: the main axes, the panel below, and the axis above.
    lines_, recalibrated_ : dict of str to Line2D
        The curves of the models.
    bands_, gaps_ : dict of str to artists
        Their bands, and the shades of their losses.
    treat_all_, treat_none_ : Line2D or None
        Of a difference there are none.
    figure_, legend_
        The figure of the axes, and the legend.

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
    >>> display = curve.plot(Figure())
    >>> display.to_frame(part="models")[["threshold", "loss"]].round(2).to_numpy().tolist()
    [[0.1, 0.02], [0.2, 0.03], [0.3, 0.05]]
    """

    def __init__(
        self,
        curve: Decisions,
        *,
        kind: DecisionKind = "net benefit",
        models: str | Iterable[str] | None = None,
        band: DecisionBand | None = "auto",
        recalibrated: bool | None = None,
        losses: bool = True,
        threshold_range: tuple[float, float] | None = None,
        scale: ScaleName = "auto",
        limits: ArrayInput = None,
    ) -> None:
        self.kind = choose(kind, get_args(DecisionKind), "kind")
        self.names = _read_models(models, curve.models, self.kind)
        self.base_rate, self.level, self.family = float(curve.base_rate), float(curve.level), curve.family
        self.threshold_range = _read_range(threshold_range)
        count = 1 if self.kind == "difference" else len(self.names)
        if band is not None and choose(band, get_args(DecisionBand), "band") == "auto":
            band = "simultaneous" if count <= MOST_BANDS else None
        self.band = band
        shows_losses = self.kind in ("net benefit", "standardised")
        self.shows_recalibrated = shows_losses and (
            count <= MOST_RECALIBRATED if recalibrated is None else recalibrated
        )
        self.shows_losses = shows_losses and losses
        thresholds = np.asarray(curve.thresholds, dtype=float)
        everybody = {TREAT_ALL: np.ones(thresholds.size), TREAT_NONE: np.zeros(thresholds.size)}
        treated = np.max([{**everybody, **curve.share_above}[name] for name in self.names], axis=0) > 0
        self.end = _find_end(treated) if limits is None else thresholds.size
        self.thresholds = thresholds[: self.end]
        self.first_idle = None if treated[-1] else float(thresholds[_count_treated(treated)])
        self.scale = _choose_scale(scale, self.thresholds, limits)
        self.curves = [self._read_difference(curve)] if self.kind == "difference" else self._read_models(curve)
        self.y_limits = self._choose_y_limits()

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return 5.2, 4.3 + 0.9 * self.shows_losses + 0.18 * len(self._legend_items())

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``models`` holds the value of each model at each threshold, the ends of its band, its value after recalibration
        and how much higher that is; ``treat all`` and ``treat none`` hold the values of these strategies. Values of
        interventions avoided are per 1,000 rows, all others per row.
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
        self.losses_ax_, depth = frame_axes(main, self.scale, self.y_limits, NAMES[self.kind], below=self.shows_losses)
        self.cost_ax_ = draw_cost_axis(main, self.scale)
        self.range_ = None if self.threshold_range is None else draw_range(main, self.threshold_range)
        self.treat_all_ = self.treat_none_ = None
        if self.kind != "difference":
            x = np.unique(np.clip(np.concatenate((self.scale.grid(GRID), self.thresholds)), 1e-9, 1 - 1e-9))
            self.treat_all_ = draw_treat_all(main, x, self._treat_all(x))
            self.treat_none_ = draw_treat_none(main, x, self._treat_none(x))
        else:
            draw_treat_none(main, np.asarray(self.scale.visible), np.zeros(2))
        self.lines_, self.recalibrated_, self.bands_, self.gaps_ = {}, {}, {}, {}
        for k, each in enumerate(self.curves):
            drawn = draw_model(main, each, k, len(self.curves), dashed=not self.shows_recalibrated)
            self.lines_[each.name], self.recalibrated_[each.name], self.bands_[each.name], self.gaps_[each.name] = drawn
        self.cuts_ = mark_cuts(main, self.curves, self.y_limits[0], "below")
        if self.losses_ax_ is not None:
            per = PER if self.kind == "net benefit" else None
            draw_losses(self.losses_ax_, self.curves, per, self._highest_loss, dashed=not self.shows_recalibrated)
            self.cuts_ += mark_cuts(self.losses_ax_, self.curves, self._highest_loss, "above")
            if self.threshold_range is not None:
                draw_range(self.losses_ax_, self.threshold_range)
        items = self._legend_items()
        handles = make_handles(main, [mark for mark, _ in items], [*self.lines_.values()])
        self.legend_ = place_legend(main, [text for _, text in items], handles, depth)
        return self

    def _legend_items(self) -> list[tuple[str, str]]:
        """Return the lines of the legend: the mark that each explains, "model" of models in turn, and its text."""
        items = [("model", without_formulas(each.name)) for each in self.curves]
        few = self.thresholds.size <= FEW_THRESHOLDS
        if any(each.low is not None for each in self.curves):
            held = "at all thresholds at once" if self.band == "simultaneous" else "at each threshold"
            items.append(("band", f"{100 * self.level:g} % {held}"))
        elif self.band is not None:
            items.append(("nothing", "no band: too few groups"))
        if self.shows_recalibrated:
            items.append(("recalibrated", f"after recalibration ({self.family})"))
            if not few:
                items.append(("gap", "lost by miscalibration"))
        if self.kind != "difference":
            items += [("all", TREAT_ALL), ("none", TREAT_NONE)]
        if self.threshold_range is not None:
            low, high = self.threshold_range
            items.append(("range", f"thresholds of interest, {low:g} to {high:g}"))
        if any(np.any(each.value < self.y_limits[0]) for each in self.curves) or self._cuts_losses():
            items.append(("cut", "curve goes on beyond the axis"))
        if self.first_idle is not None:
            items.append(("nothing", f"from {self.first_idle:.3g} on no score is as high: nobody is treated"))
        return items

    @property
    def _highest_loss(self) -> float:
        """Return the largest loss that the panel below shows: one as large as the main axes are high."""
        return self.y_limits[1] - self.y_limits[0]

    def _cuts_losses(self) -> bool:
        losses = [each.loss for each in self.curves if each.loss is not None]
        return self.shows_losses and any(np.any(loss > self._highest_loss) for loss in losses)

    def _summarise(self) -> str:
        return f"{self.kind} of {self.names}"

    def _read_models(self, curve: Decisions) -> list[ModelCurve]:
        """Return what is drawn of the models, in the unit of the kind."""
        if self.kind == "interventions avoided":
            return [self._make(name, curve.interventions_avoided[name], PER) for name in self.names]
        values = curve.net_benefit if self.kind == "net benefit" else curve.standardised
        unit = 1.0 if self.kind == "net benefit" else 1.0 / self.base_rate
        return [
            self._make(name, values[name], 1.0, unit * curve.recalibrated[name], unit * curve.loss[name])
            for name in self.names
        ]

    def _read_difference(self, curve: Decisions) -> ModelCurve:
        first, second = self.names
        return self._make(f"{first} minus {second}", curve.difference(first, second), 1.0)

    def _make(
        self,
        name: str,
        values: Intervals,
        factor: float,
        recalibrated: FloatArray | None = None,
        loss: FloatArray | None = None,
    ) -> ModelCurve:
        """Return the curve at the thresholds that are drawn, with the ends of the band that is asked for."""
        ends = {
            "simultaneous": (values.band_low, values.band_high), "pointwise": (values.low, values.high),
            None: (None, None),
        }[self.band]  # fmt: skip
        low, high = (None if end is None or np.all(np.isnan(end)) else factor * end[: self.end] for end in ends)
        if not self.shows_recalibrated or recalibrated is None:
            recalibrated = None
        else:
            recalibrated = recalibrated[: self.end]
        loss = None if loss is None or not (self.shows_losses or self.shows_recalibrated) else loss[: self.end]
        return ModelCurve(name, self.thresholds, factor * values.value[: self.end], low, high, recalibrated, loss)

    def _treat_all(self, x: FloatArray) -> FloatArray:
        """Return the values of "treat all" at thresholds, in the unit of the kind."""
        if self.kind == "interventions avoided":
            return np.zeros(x.size)
        benefit = self.base_rate - (1 - self.base_rate) * x / (1 - x)
        return benefit if self.kind == "net benefit" else benefit / self.base_rate

    def _treat_none(self, x: FloatArray) -> FloatArray:
        """Return the values of "treat none" at thresholds, in the unit of the kind."""
        if self.kind != "interventions avoided":
            return np.zeros(x.size)
        odds = np.divide(1 - x, x, out=np.full(x.size, np.inf), where=x > 0)
        return PER * (1 - self.base_rate - self.base_rate * np.asarray(odds))  # (0 - NB_all) (1 - t) / t

    def _choose_y_limits(self) -> tuple[float, float]:
        """Return the ends of the vertical axis: above all values, and not far below 0 unless a model's curve is."""
        values = np.concatenate([each.value for each in self.curves])
        drawn = [
            values,
            *(end for each in self.curves for end in (each.low, each.high, each.recalibrated) if end is not None),
        ]
        if self.kind == "difference":
            ends = [float(values.min()), float(values.max()), 0.0]
            for end in drawn[1:]:  # near 1 bands are many times as wide as the differences
                ends += np.quantile(end, (OUTER, 1 - OUTER)).tolist()
            low, high = min(ends), max(ends)
            room = ROOM * (high - low) or self.base_rate / 2
            return low - room, high + room
        x = np.clip(np.asarray(self.scale.visible), 1e-9, 1 - 1e-9)
        references = self._treat_none(x) if self.kind == "interventions avoided" else self._treat_all(x)
        curves = [*(each.recalibrated for each in self.curves if each.recalibrated is not None), values, references]
        high = max(float(np.concatenate(curves).max()), 0.0)
        few = self.thresholds.size <= FEW_THRESHOLDS  # whose intervals are bars, seen from end to end
        highest = max(float(np.nanmax(np.concatenate(drawn))), high)
        high = highest if few else min(highest, MOST_ABOVE * high)
        if self.base_rate == 0.0:  # no good can be done
            high = max(high, NOTHING)
        if high == 0.0:  # nobody is treated, and "treat all" does harm
            high = {"net benefit": self.base_rate, "standardised": 1.0}.get(self.kind, PER)
        lowest = float(np.nanmin(np.concatenate(drawn)) if few else values.min())
        least = max(lowest - ROOM * high, -(MOST_BELOW_BAR if few else MOST_BELOW) * high)
        return min(least, -BELOW * high), (1 + ROOM) * high


def _count_treated(treated: BoolArray) -> int:
    """Return the place behind the last threshold that a score reaches."""
    return int(np.flatnonzero(treated)[-1]) + 1 if treated.any() else 0


def _find_end(treated: BoolArray) -> int:
    """Return how many thresholds are drawn: of many those that a score reaches, and the first that none does."""
    reached = _count_treated(treated)
    few = treated.size <= FEW_THRESHOLDS
    return treated.size if few or not reached else min(reached + 1, treated.size)


def _choose_scale(name: ScaleName, thresholds: FloatArray, limits: ArrayInput) -> Scale:
    """Return the scale of the axis of thresholds, which ends where they end unless told otherwise."""
    choose(name, SCALE_NAMES, "scale")
    low, high = float(thresholds[0]), float(thresholds[-1])
    if name == "auto":
        name = "logit" if limits is None and high <= MOST_RARE and 0 < low < high / LEAST_RATIO else "probability"
    if limits is not None:
        return make_scale(name, limits)
    if name == "logit":
        low = float(min(thresholds[thresholds > 0], default=high))  # 0 has no logit
    link = Scale(name, low, high).link
    ends = link.forward(np.array([low, high]), EPS)
    room = MARGIN * (ends[1] - ends[0])
    if thresholds.size <= FEW_THRESHOLDS:
        room = max(4 * room, SINGLE if name == "probability" else 1.0 * (low == high))
    first, last = link.inverse(np.array([ends[0] - room, ends[1] + room])).tolist()
    if name == "logit":
        return Scale(name, max(first, EPS), min(last, 1 - EPS))
    return Scale(name, 0.0 if first < SINGLE else first, 1.0 if last > 1 - SINGLE else last)


def _read_models(models: str | Iterable[str] | None, known: Sequence[str], kind: str) -> list[str]:
    """Return the names of the models that are drawn."""
    names = [*known] if models is None else [str(name) for name in as_list(models, "models")]
    strategies = [TREAT_ALL, TREAT_NONE] if kind == "difference" else []
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
    if len(ends) != 2 or not all(map(is_real, ends)) or not 0 <= ends[0] < ends[1] < 1:
        raise ValueError(
            f"threshold_range must be two increasing thresholds between 0 and 1, got {brief(threshold_range)}"
        )
    return float(ends[0]), float(ends[1])
