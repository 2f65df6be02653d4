"""A decision curve in words: where a model is shown to be of use, and a table of a few thresholds."""

from typing import Any

import numpy as np

from fitontest.data.known_groups import NOT_LEARNT
from fitontest.measures.notes import lines_on_rows
from fitontest.results.quoting import PER, confidence, in_decimals
from fitontest.results.short_print import short_print
from fitontest.results.table import Section
from fitontest.results.text import count, percent, sentence, short
from fitontest.results.typing import BoolArray, FloatArray, IntArray

TREAT_ALL = "treat all"
TREAT_NONE = "treat none"
MOST_SHOWN = 10  # thresholds of the printed table
STEPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # between these thresholds, if there are enough
FEWEST_SHOWN = 4
MOST_RANGES = 3
BENEFIT = (
    f"Net benefit per {count(PER)} rows at a threshold t: true positives less false ones times t / (1 - t), of "
    "treating rows whose score is at least t. Treating none has 0."
)
RECALIBRATED = (
    "Recalibrated: the net benefit with what recalibrating by {family} first would gain, which is the loss, by the map "
    "of these rows, label noise included; the measure decision_loss has an interval of that gain. Treated: "
    "the share of rows whose score is at least t."
)
PAIR = 2  # models whose difference is printed
MOST_NAMED = 4  # models whose net benefits a line has
FEW_ROWS = 2.0  # of each label, below whose worth it is not said what recalibration gains


def brief_of(curve: Any) -> list[Section]:
    """Return what a `DecisionCurve` prints: where models are of use, and their net benefits at one threshold."""
    known = curve.groups
    groups = f" in {count(known.sizes.groups)} groups" if known is not None and not known.sizes.are_single else ""
    rows = f"n = {count(curve.n)}{groups}, {percent(curve.base_rate)} events."
    alone, at = len(curve.models) == 1, _telling_threshold(curve)
    first = [*map(sentence, curve.notes), *_better(curve), *(_worse(curve) if alone else [])]
    further = [*([] if alone else _worse(curve)), *_of_losses(curve)]
    return [short_print(first, (), [*_at_threshold(curve, at), rows], further)]


def tables_of(curve: Any) -> list[Section]:
    """Return where models are of use, and tables of a few thresholds; of two models their difference too."""
    shown = choose_thresholds(curve.thresholds)
    several = len(curve.models) > 1
    header, body = _table_of_models(curve, shown) if several else _table_of_one(curve, shown)
    lead = [*sentences_of(curve), *_of_losses(curve)]
    notes = "\n".join([*map(sentence, curve.notes), *lines_on_rows(curve.groups)])
    pair = [_paired(curve, shown)] if len(curve.models) == PAIR else []
    return [Section(lead="\n".join(lead)), *pair, Section(_title(curve), header, body, notes)]


def explain_curve(curve: Any) -> list[str]:
    """Return what the words and columns of a `DecisionCurve` mean, a paragraph each."""
    over = "" if curve.thresholds.size == 1 else f" over all {count(curve.thresholds.size)} thresholds"
    shown = f"Better, worse and more: the {100 * curve.level:g} % band{over} leaves out 0; elsewhere nothing is shown."
    return [
        *sentences_of(curve),
        BENEFIT,
        shown,
        RECALIBRATED.format(family=curve.family),
        *_of_losses(curve),
        *map(sentence, curve.notes),
        *lines_on_rows(curve.groups),
    ]


def sentences_of(curve: Any) -> list[str]:
    """Return where one of two models is better than the other, and where models are better than treating all and none.

    A line each; where any is worse than one of them, there are lines for that.
    """
    return [*_better(curve), *_worse(curve)]


def _better(curve: Any) -> list[str]:
    """Return where models are better than each other, and than treating all and none."""
    if curve.net_benefit[curve.models[0]].band_low is None:
        return [f"Nothing is shown, since {NOT_LEARNT}."]
    gains = {name: (curve.net_benefit[name].band_low, curve.against_all[name].band_low) for name in curve.models}
    masks = {name: (benefit > 0.0) & (against > 0.0) for name, (benefit, against) in gains.items()}
    return [*_of_pair(curve), _of_each(curve, "Better than treating all and none", masks, nowhere="nowhere shown")]


def _worse(curve: Any) -> list[str]:
    """Return where models are worse than treating all, or than treating none."""
    if curve.net_benefit[curve.models[0]].band_high is None:
        return []
    said = []
    for what, gains in (("all", curve.against_all), ("none", curve.net_benefit)):
        masks = {name: gains[name].band_high < 0.0 for name in curve.models}
        if any(mask.any() for mask in masks.values()):
            said.append(_of_each(curve, f"Worse than treating {what}", masks))
    return said


def _of_each(curve: Any, what: str, masks: dict[str, BoolArray], nowhere: str = "") -> str:
    """Return at which thresholds something is true of each model."""
    places = {name: ranges_in_words(mask, curve.thresholds, in_percent=True) for name, mask in masks.items()}
    if len(masks) == 1:
        (place,) = places.values()
        return f"{what} {place}." if place else f"{what}: {nowhere}."
    said = [f"{name} {place or nowhere}" for name, place in places.items() if place or nowhere]
    return f"{what}: {'; '.join(said)}."


def _telling_threshold(curve: Any) -> int:
    """Return the place of the threshold where most is gained: by the first of two models, else by the best of all."""
    if len(curve.models) == PAIR:
        gain = np.abs(curve.difference(*curve.models).value)
    else:
        best = np.maximum(curve.net_benefit[TREAT_ALL].value, 0.0)
        gain = np.max([curve.net_benefit[name].value for name in curve.models], axis=0) - best
    return int(np.argmax(gain))


def _at_threshold(curve: Any, at: int) -> list[str]:
    """Return the net benefits of the models and of treating all at one threshold, and the difference of two."""
    level, t = confidence(curve.level), f"{100 * curve.thresholds[at]:.3g} %"
    values = {name: float(curve.net_benefit[name].value[at]) for name in (*curve.models[:MOST_NAMED], TREAT_ALL)}
    texts = dict(zip(values, in_decimals([*values.values()], "benefit"), strict=True))
    alone = len(curve.models) == 1
    shown = curve.net_benefit[curve.models[0]] if alone else None
    if shown is not None and shown.low is not None:
        number, low, high = in_decimals([float(one[at]) for one in (shown.value, shown.low, shown.high)], "benefit")
        texts[curve.models[0]] = f"{number} ({level} {low} to {high})"
    lines = [f"Net benefit per {count(PER)} at {t}: {', '.join(f'{name} {text}' for name, text in texts.items())}."]
    if len(curve.models) == PAIR:
        gap = curve.difference(*curve.models)
        if gap.low is not None:
            number, low, high = in_decimals([float(one[at]) for one in (gap.value, gap.low, gap.high)], "benefit")
            lines.append(f"Difference {number} ({level} {low} to {high}).")
    return lines


def _of_losses(curve: Any) -> list[str]:
    """Return where recalibration would gain most, leaving out thresholds where a few rows could have it otherwise."""
    said = []
    for name in curve.models[:MOST_NAMED]:
        loss = np.where(curve.loss[name] > FEW_ROWS * (1.0 + curve.decided.costs) / curve.n, curve.loss[name], 0.0)
        most = int(np.argmax(loss))
        if loss[most] > 0.0:
            (gain,) = in_decimals([float(loss[most])], "benefit")
            who = "" if len(curve.models) == 1 else f"{name} "
            said.append(f"{who}{gain} at {100 * curve.thresholds[most]:.3g} %")
    gains = f"Recalibrating first would gain, by the map of these rows, most per {count(PER)}: {'; '.join(said)}."
    return [gains] if said else []


def _of_pair(curve: Any) -> list[str]:
    """Return which of two models has more net benefit, and where."""
    if len(curve.models) != PAIR:
        return []
    first, second = curve.models
    difference = curve.difference(first, second)
    parts = [
        f"{one} has more net benefit than {other} {ranges_in_words(mask, curve.thresholds, in_percent=True)}"
        for one, other, mask in (
            (first, second, difference.band_low > 0.0),
            (second, first, difference.band_high < 0.0),
        )
        if mask.any()
    ]
    if not parts:
        return [f"No difference of {first} and {second} is shown at any threshold."]
    return [" ".join(f"{part}." for part in parts)]


def ranges_in_words(mask: BoolArray, thresholds: FloatArray, *, in_percent: bool = False) -> str:
    """Return where a mask holds, as ranges of thresholds, or "" where nowhere.

    Examples
    --------
    >>> ranges_in_words(np.array([True, False]), np.array([0.08, 0.11]), in_percent=True)
    'at 8 %'
    >>> t = np.array([0.1, 0.2, 0.3, 0.4])
    >>> ranges_in_words(t < 0.25, t), ranges_in_words(t > 0.15, t), ranges_in_words((t > 0.15) & (t < 0.35), t)
    ('up to 0.2', 'from 0.2 on', 'from 0.2 to 0.3')
    """
    if not mask.any():
        return ""
    if mask.all():
        return "at every threshold"
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    runs = [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]
    if len(runs) > MOST_RANGES:
        return f"at {count(int(mask.sum()))} of {count(mask.size)} thresholds"
    texts = [_run_in_words(first, last, thresholds, in_percent) for first, last in runs]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _run_in_words(first: int, last: int, thresholds: FloatArray, in_percent: bool) -> str:
    ends = (float(thresholds[at]) for at in (first, last))
    low, high = (f"{100 * t:.{3 if t >= 0.01 else 2}g} %" if in_percent else f"{t:g}" for t in ends)
    if first == last:
        return f"at {low}"
    if first == 0:
        return f"up to {high}"
    return f"from {low} on" if last == thresholds.size - 1 else f"from {low} to {high}"


def choose_thresholds(thresholds: FloatArray) -> IntArray:
    """Return the places of at most ten thresholds: round ones where enough are there, else evenly spread ones.

    Examples
    --------
    >>> t = np.arange(1, 100) / 100
    >>> t[choose_thresholds(t)].tolist()
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    """
    size = thresholds.size
    if size <= MOST_SHOWN:
        return np.arange(size)
    for step in reversed(STEPS):
        round_ones = np.flatnonzero(np.abs(thresholds / step - np.rint(thresholds / step)) < 1e-9)
        if FEWEST_SHOWN <= round_ones.size <= MOST_SHOWN:
            return round_ones
    return np.unique(np.rint(np.linspace(0, size - 1, MOST_SHOWN)).astype(np.intp))


def _title(curve: Any) -> str:
    t = curve.thresholds
    at = f"at {t[0]:g}" if t.size == 1 else f"at {count(t.size)} thresholds from {t[0]:g} to {t[-1]:g}"
    return f"net benefit per {count(PER)} rows {at}, n = {count(curve.n)}, share of positives {short(curve.base_rate)}"


def _table_of_one(curve: Any, shown: IntArray) -> tuple[list[str], list[list[str]]]:
    (name,) = curve.models
    benefit = curve.net_benefit[name]
    header = ["threshold", "net benefit", confidence(curve.level), "treat all", "recalibrated", "loss", "treated"]
    body = []
    for at in shown:
        everybody, after = curve.net_benefit[TREAT_ALL].value[at], curve.recalibrated[name][at]
        treated = percent(float(curve.share_above[name][at]))
        numbers = [_benefit(number) for number in (everybody, after, curve.loss[name][at])]
        body.append([f"{curve.thresholds[at]:g}", _benefit(benefit.value[at]), _ends(benefit, at), *numbers, treated])
    return header, body


def _table_of_models(curve: Any, shown: IntArray) -> tuple[list[str], list[list[str]]]:
    header, names = ["threshold", TREAT_ALL, *curve.models], (TREAT_ALL, *curve.models)
    columns = [curve.net_benefit[name].value for name in names]
    if len(curve.models) <= PAIR:
        header += [f"{name}, recalibrated" for name in curve.models]
        columns += [curve.recalibrated[name] for name in curve.models]
    body = [[f"{curve.thresholds[at]:g}", *(_benefit(column[at]) for column in columns)] for at in shown]
    return header, body


def _paired(curve: Any, shown: IntArray) -> Section:
    first, second = curve.models
    difference, level = curve.difference(first, second), f"{100 * curve.level:g} %"
    header = ["threshold", "difference", confidence(curve.level), f"{level} band"]
    body = [
        [
            f"{curve.thresholds[at]:g}",
            _benefit(difference.value[at]),
            _ends(difference, at),
            _ends(difference, at, "band_"),
        ]
        for at in shown
    ]
    return Section(f"net benefit per {count(PER)} rows of {first} less that of {second}, paired", header, body)


def _ends(curve: Any, at: int, kind: str = "") -> str:
    low, high = getattr(curve, f"{kind}low"), getattr(curve, f"{kind}high")
    if low is None:
        return "-"
    return " to ".join(in_decimals([float(low[at]), float(high[at])], "benefit"))


def _benefit(value: float) -> str:
    return in_decimals([float(value)], "benefit")[0]
