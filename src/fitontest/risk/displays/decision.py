"""Decision curves as lines: net benefit against the threshold, and what miscalibration takes from it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fitontest.displays.curve import CurveDisplay, Panel
from fitontest.displays.lines import Line
from fitontest.displays.palette import SERIES
from fitontest.displays.scales import EPS, MARGIN, SCALE_NAMES, Scale, ScaleName, make_scale
from fitontest.displays.scaling import Scaling
from fitontest.results.checks import as_list, brief, choose, is_real
from fitontest.results.frames import Records, records
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.risk.displays.decision_titles import NO_BAND, STRATEGIES, rows_in_words, title_of
from fitontest.risk.validation.curve_in_words import TREAT_ALL, TREAT_NONE

DecisionKind: TypeAlias = Literal["net benefit", "standardised", "interventions avoided", "difference"]
DecisionBand: TypeAlias = Literal["first", "all"]
DecisionShow: TypeAlias = Literal["benefit", "loss"]
PER = 1000.0  # rows that benefits are counted in
FEW = 8  # most thresholds that are points with intervals
DODGE = 5.0  # points between models at the same threshold
BELOW, MOST_BELOW = 0.2, 0.6  # shares of the highest value that an axis goes below 0, and goes for a model's curve
MOST_ABOVE = 1.15  # times the highest curve that the axis goes up for bands
ROOM = 0.06  # above the highest value, as a share of it
OUTER = 0.05  # share of the thresholds at which the band of a difference may leave the axes, on either side
HIGHEST = 0.005  # share of the rows above the end of the axis, where there are many thresholds
GRID = 201  # points of the curve of "treat all"
SINGLE = 0.05  # room beside a few thresholds
MOST_RARE, LEAST_RATIO = 0.3, 20.0  # largest threshold, and largest by smallest, from which the axis is one of logits
LOSS_HEIGHT = 0.24  # of the panel of losses, by that of the main one
X_LABEL = "Threshold: treat above this risk (harm : benefit below)"
LABELS = {
    "net benefit": "Net benefit per 1,000",
    "standardised": "Standardised net benefit",
    "interventions avoided": "Interventions avoided per 1,000",
    "difference": "Difference in net benefit per 1,000",
}


class DecisionLines:
    """What is drawn of a `DecisionCurve`: its options are those of `DecisionCurve.plot`."""

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
        self.curve, self.simultaneous, self.spans = curve, simultaneous, _read_range(threshold_range)
        self.band = None if band is None else choose(band, get_args(DecisionBand), "band")
        self.names = _read_models(models, curve.models, self.kind)
        self.models = [name for name in self.names if name not in STRATEGIES] or list(curve.models)
        highest = np.max([curve.share_above[name] for name in self.models], axis=0)
        self.end = highest.size if limits is not None else _find_end(highest)
        self.t = np.asarray(curve.thresholds[: self.end], dtype=float)
        self.idle = float(self.t[np.argmin(highest[: self.end] > 0)]) if highest[self.end - 1] == 0 else None
        self.unit = 1.0 / max(curve.base_rate, 1e-300) if kind == "standardised" else PER
        self.scale = _choose_scale(scale, self.t, limits)

    def display(self) -> CurveDisplay:
        """Return the diagram, not yet drawn."""
        title, elsewhere = title_of(self.curve, self.models, self.end)
        panels = [Panel([*self.references, *self._lines()], Scaling(LABELS[self.kind], self.y_limits))]
        if self.show == "loss":
            panels.append(self._losses())
        return CurveDisplay(
            panels, partial(_frame_thresholds, self.scale), self._parts(), title=title,
            second="; ".join(filter(None, [elsewhere, *self._notes()])),
            kind=f"Decision curve, {LABELS[self.kind].lower()} by threshold", spans=self.spans,
        )  # fmt: skip

    @cached_property
    def columns(self) -> dict[str, dict[str, FloatArray]]:
        """By model the value at each threshold, the ends of its band, the value after recalibration, and the loss."""
        if self.kind == "difference":
            first, second = self.names
            values = {f"{first} minus {second}": self.curve.difference(first, second)}
        else:
            values = {name: getattr(self.curve, self.kind.replace(" ", "_"))[name] for name in self.names}
        none, per = np.full(self.t.size, np.nan), 1.0 if self.kind == "standardised" else PER
        columns = {}
        for k, (name, one) in enumerate(values.items()):
            ends = (one.band_low, one.band_high) if self.simultaneous else (one.low, one.high)
            is_banded = self.band == "all" or (self.band == "first" and k == 0)
            low, high = (none if end is None or not is_banded else per * end[: self.end] for end in ends)
            columns[name] = {"value": per * one.value[: self.end], "low": low, "high": high}
            lost = (self.curve.recalibrated, self.curve.loss)
            after = [self.unit * each[name][: self.end] for each in lost] if self.show == "loss" else [none, none]
            columns[name] |= dict(zip(("recalibrated", "loss"), after, strict=True))
        return columns

    @cached_property
    def references(self) -> list[Line]:
        """Treating all and treating none, in the unit of the kind; of a difference none at all."""
        x = np.unique(np.clip(np.concatenate((self.scale.grid(GRID), self.t)), 1e-9, 1 - 1e-9))
        zero, base = np.zeros(x.size), float(self.curve.base_rate)
        if self.kind == "difference":
            return [Line("no difference", x, zero, is_reference=True)]
        all_ = self.unit * (base - (1 - base) * x / (1 - x))
        values = {TREAT_NONE: zero, TREAT_ALL: all_}
        if self.kind == "interventions avoided":
            values = {TREAT_NONE: -all_ * (1 - x) / x, TREAT_ALL: zero}
        return [Line(name, x, y, is_reference=True) for name, y in values.items()]

    def _lines(self) -> list[Line]:
        """Return the lines of the models; of few thresholds marks with intervals, joined by thin lines."""
        lines, few = [], self.t.size <= FEW
        for k, (name, one) in enumerate(self.columns.items()):
            color = SERIES[k % len(SERIES)]
            shift = DODGE * (k - (len(self.columns) - 1) / 2) if few else 0.0
            low, high = (None, None) if np.isnan(one["low"]).all() else (one["low"], one["high"])
            marker = "o" if few else ""
            line = Line(name, self.t, one["value"], low, high, color, 0.7 if few else 1.8, marker, shift=shift)
            lines.append(line)
            if self.show == "loss":
                gap: dict[str, Any] = {"low": one["value"], "high": one["recalibrated"], "width": 1.3, "dashed": True}
                if few:
                    gap = {"low": None, "high": None, "width": 0.0, "marker": "D", "hollow": True}
                lines.append(replace(line, name="", y=one["recalibrated"], **gap))
        return lines

    def _losses(self) -> Panel:
        """Return the panel of what miscalibration takes, on a scale of its own."""
        marker = "o" if self.t.size <= FEW else ""
        lines = [
            Line("", self.t, one["loss"], color=SERIES[k % len(SERIES)], width=1.3, marker=marker)
            for k, one in enumerate(self.columns.values())
        ]
        most = max(float(line.y.max()) for line in lines)
        label = "Loss per\n1,000" if self.kind == "net benefit" else "Loss"
        return Panel(lines, Scaling(label, (0.0, 1.08 * most or 1.0)), LOSS_HEIGHT)

    def _parts(self) -> dict[str, Records]:
        """Return what is drawn of models, treating all and treating none, per 1,000 rows unless it is standardised."""
        parts = {"models": [
            {"model": name, **row} for name, one in self.columns.items() for row in records(threshold=self.t, **one)
        ]}  # fmt: skip
        if self.kind != "difference":
            at = {line.name: line.y[np.searchsorted(line.x, self.t)] for line in self.references}
            parts |= {name: records(threshold=self.t, value=at[name]) for name in (TREAT_ALL, TREAT_NONE)}
        return parts

    def _notes(self) -> list[str]:
        """Return what is said below the title of rows, bands and lines."""
        notes, first = [rows_in_words(self.curve)], next(iter(self.columns))
        if self.band is not None:
            whose = "" if len(self.columns) == 1 or self.band == "all" else f" of {first}"
            held = "at all thresholds at once" if self.simultaneous else "at each threshold"
            known = not np.isnan(self.columns[first]["low"]).all()
            notes.append(f"band: {100 * self.curve.level:g} % CI{whose} {held}" if known else NO_BAND)
        if self.show == "loss":
            notes.append(f"dashed: after recalibration ({self.curve.family})")
        notes += [f"grey: thresholds of interest, {100 * a:g} % to {100 * b:g} %" for a, b in self.spans]
        below = [name for name, one in self.columns.items() if np.any(one["value"] < self.y_limits[0])]
        if below:
            notes.append(f"{', '.join(below)} goes on below the axis")
        if self.idle is not None:
            notes.append(f"from {100 * self.idle:.3g} % on no score is as high: nobody is treated")
        return notes

    @cached_property
    def y_limits(self) -> tuple[float, float]:
        """The ends of the vertical axis: above all values, and not far below 0 unless a model's curve is."""
        every = self.columns.values()
        values = np.concatenate([one["value"] for one in every])
        bands = [end for one in every for end in (one["low"], one["high"]) if not np.isnan(end).any()]
        few = self.t.size <= FEW  # whose intervals are bars, seen from end to end
        base = self.unit * float(self.curve.base_rate)
        if self.kind == "difference":
            ends = [float(values.min()), float(values.max()), 0.0]
            for end in bands:  # near 1 bands are many times as wide as the differences
                ends += np.quantile(end, (0.0, 1.0) if few else (OUTER, 1 - OUTER)).tolist()
            room = ROOM * (max(ends) - min(ends)) or base / 2 or self.unit
            return min(ends) - room, max(ends) + room
        low, high = self.scale.visible
        seen = [line.y[(line.x >= low) & (line.x <= high)] for line in self.references]
        after = [one["recalibrated"] for one in every if self.show == "loss"]
        high = max(float(np.concatenate([*after, values, *seen]).max()), 0.0)
        highest, lowest = (float(one(np.concatenate([values, *bands]))) for one in (np.max, np.min))
        high = max(high, highest if few else min(highest, MOST_ABOVE * high))
        high = high or max(base, self.unit / 10)  # nobody is treated, or no good can be done
        least = lowest if few else max(float(values.min()), -MOST_BELOW * high)
        return min(least - ROOM * high, -BELOW * high), (1 + ROOM) * high


def _frame_thresholds(scale: Scale, ax: Any) -> None:
    """Scale and name an axis of thresholds."""
    from fitontest.displays.cost_ticks import set_cost_ticks

    scale.apply(ax, "x")
    set_cost_ticks(ax, scale.name)
    ax.set_xlabel(X_LABEL)


def _find_end(above: FloatArray) -> int:
    """Return how many thresholds are drawn: of many those that enough of the rows reach."""
    reached = np.flatnonzero(above >= HIGHEST)
    few = above.size <= FEW
    return above.size if few or not reached.size else max(int(reached[-1]) + 1, FEW + 1)


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
    if thresholds.size > FEW:
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


def _read_range(threshold_range: object) -> list[tuple[float, float]]:
    """Return the thresholds of interest, if there are any."""
    if threshold_range is None:
        return []
    ends = as_list(threshold_range, "threshold_range")
    if len(ends) != 2 or not all(map(is_real, ends)) or not 0 <= ends[0] < ends[1] < 1:
        raise ValueError(
            f"threshold_range must be two increasing thresholds between 0 and 1, got {brief(threshold_range)}"
        )
    return [(float(ends[0]), float(ends[1]))]
