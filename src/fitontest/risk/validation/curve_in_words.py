"""A decision curve in words: where a model is shown to be of use, and a table of a few thresholds."""

from typing import Any

import numpy as np

from fitontest.data.known_groups import NOT_LEARNT
from fitontest.measures.notes import lines_on_rows
from fitontest.results.table import Section, cell
from fitontest.results.text import capital, count, percent, same_decimals, short, signed, without_noise
from fitontest.results.typing import BoolArray, FloatArray, IntArray

TREAT_ALL = "treat all"
TREAT_NONE = "treat none"
MOST_SHOWN = 10  # thresholds of the printed table
STEPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # between these thresholds, if there are enough
FEWEST_SHOWN = 4
MOST_RANGES = 3
PAIR = 2  # models whose difference is printed
PER = 1000.0  # rows, of which losses are counted in words
FEW_ROWS = 2.0  # of each label, below whose worth it is not said what recalibration gains


def sections_of(curve: Any) -> list[Section]:
    """Return the printed sections of a `DecisionCurve`."""
    shown = choose_thresholds(curve.thresholds)
    several = len(curve.models) > 1
    header, body = _table_of_models(curve, shown) if several else _table_of_one(curve, shown)
    sections = [Section(lead="\n".join(sentences_of(curve))), Section(_title(curve), header, body, _notes(curve))]
    if len(curve.models) == PAIR:
        sections.append(_paired(curve, shown))
    return sections


def sentences_of(curve: Any) -> list[str]:
    """Return a line for each model: where it is shown to be better or worse than treating all and none."""
    return [_of_model(curve, name) for name in curve.models] + _of_pair(curve)


def _of_model(curve: Any, name: str) -> str:
    called = "The model" if len(curve.models) == 1 else name
    t, benefit, against = curve.thresholds, curve.net_benefit[name], curve.against_all[name]
    if benefit.band_low is None:
        return f"{called}: nothing is shown, since {NOT_LEARNT}."
    better = (benefit.band_low > 0.0) & (against.band_low > 0.0)
    place = ranges_in_words(better, t)
    both = "better than treating all and treating none"
    parts = [f"{called} is shown {both} {place}" if place else f"{called} is not shown {both} at any threshold"]
    below_all, below_none = against.band_high < 0.0, benefit.band_high < 0.0
    if below_all.any():
        after = curve.recalibrated[name] >= curve.net_benefit[TREAT_ALL].value
        more = ", recalibrated at least as good there" if after[below_all].all() else ""
        parts.append(f"it is shown worse than treating all {ranges_in_words(below_all, t)}{more}")
    if below_none.any():
        parts.append(f"it is shown worse than treating none {ranges_in_words(below_none, t)}")
    parts += _of_loss(curve, name)
    return " ".join(f"{part}." for part in (parts[0], *map(capital, parts[1:])))


def _of_loss(curve: Any, name: str) -> list[str]:
    """Return where recalibration would gain most, leaving out thresholds where a few rows could have it otherwise."""
    loss = np.where(curve.loss[name] > FEW_ROWS * (1.0 + curve.decided.costs) / curve.n, curve.loss[name], 0.0)
    most = int(np.argmax(loss))
    if not loss[most] > 0.0:
        return []
    gain = short(PER * float(loss[most]), 2)
    place = "" if loss.size == 1 else f" most at {curve.thresholds[most]:g},"
    return [f"by the map of these rows, recalibration would gain{place} {gain} net true positives per 1,000"]


def _of_pair(curve: Any) -> list[str]:
    """Return which of two models has more net benefit, and where."""
    if len(curve.models) != PAIR:
        return []
    first, second = curve.models
    difference = curve.difference(first, second)
    if difference.band_low is None:
        return []
    parts = [
        f"{one} has more net benefit than {other} {ranges_in_words(mask, curve.thresholds)}"
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
    return f"net benefit {at}, n = {count(curve.n)}, share of positives {short(curve.base_rate)}"


def _table_of_one(curve: Any, shown: IntArray) -> tuple[list[str], list[list[str]]]:
    (name,) = curve.models
    benefit = curve.net_benefit[name]
    level = f"{100 * curve.level:g} %"
    header = ["threshold", "net benefit", f"{level} interval", "treat all", "recalibrated", "loss", "treated"]
    body = []
    for at in shown:
        numbers = [benefit.value[at], curve.net_benefit[TREAT_ALL].value[at], curve.recalibrated[name][at]]
        model, everybody, after = map(_benefit, numbers)
        treated = percent(float(curve.share_above[name][at]))
        loss = short(float(curve.loss[name][at]), 2)
        body.append([f"{curve.thresholds[at]:g}", model, _ends(benefit, at), everybody, after, loss, treated])
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
    header = ["threshold", "difference", f"{level} interval", f"{level} band"]
    body = [
        [
            f"{curve.thresholds[at]:g}",
            signed(float(difference.value[at])),
            _ends(difference, at),
            _ends(difference, at, "band_"),
        ]
        for at in shown
    ]
    return Section(f"net benefit of {first} less that of {second}, paired", header, body)


def _ends(curve: Any, at: int, kind: str = "") -> str:
    low, high = getattr(curve, f"{kind}low"), getattr(curve, f"{kind}high")
    if low is None:
        return cell(None)
    return " to ".join(same_decimals([float(low[at]), float(high[at])], 3))


def _benefit(value: float) -> str:
    return short(without_noise(float(value)))


def _notes(curve: Any) -> str:
    known = curve.groups
    judged = known is None or not known.too_few
    lines = []
    if judged:
        more = "" if curve.thresholds.size == 1 else " over all thresholds"
        lines.append(f"shown: the {100 * curve.level:g} % band{more} leaves out 0; elsewhere nothing is shown.")
    if len(curve.models) <= PAIR:
        lines.append(
            f"recalibrated: with what recalibrating by {curve.family} first would gain, by the map of these rows, "
            "label noise included; decision_loss has an interval of that gain."
        )
    return "\n".join([*lines, *lines_on_rows(known, judged=judged)])
