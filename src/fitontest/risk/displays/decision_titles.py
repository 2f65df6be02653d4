"""What the picture of decision curves says: where one model has more net benefit than another, or than none."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fitontest.results.text import count, percent
from fitontest.results.typing import BoolArray, FloatArray
from fitontest.risk.validation.curve_in_words import TREAT_ALL, TREAT_NONE, ranges_in_words

STRATEGIES = (TREAT_ALL, TREAT_NONE)
NO_BAND = "no band: too few groups"


def title_of(curve: Any, names: Sequence[str], end: int) -> tuple[str, str]:
    """Return which model is shown to be better and where, and what is said of the other thresholds.

    Parameters
    ----------
    curve : DecisionCurve
    names : list of str
        Those that are drawn, by the first of which the others are judged.
    end : int
        How many thresholds are drawn.
    """
    t = curve.thresholds[:end]
    models = [name for name in names if name not in STRATEGIES]
    first = models[0]
    if curve.difference(first, TREAT_ALL).band_low is None:
        return "Net benefit by threshold", "no difference can be shown: too few groups"
    if len(models) == 1:
        better = _is_better(curve, first, STRATEGIES)[:end]
        called = "The model" if len(curve.models) == 1 and first == "model" else first
        if not better.any():
            return f"{called} is not shown better than treating all and none", "95 % at all thresholds at once"
        elsewhere = "" if better.all() else "elsewhere this is not shown"
        return f"{called} is better than treating all and none {_ranges(better, t)}", elsewhere
    parts = []
    for name in models:
        others = [other for other in models if other != name]
        place = _ranges(_is_better(curve, name, others)[:end], t)
        if place:
            than = others[0] if len(others) == 1 else "all others"
            parts.append(f"{name} has more net benefit than {than} {place}")
    if not parts:
        if len(models) > len(STRATEGIES):
            return "No model is shown to have more net benefit than all others", ""
        return f"{models[0]} and {models[1]}: no difference is shown", ""
    return "; ".join(parts), "elsewhere no difference is shown"


def _ranges(mask: BoolArray, thresholds: FloatArray) -> str:
    """Return where a mask holds; lines do not break between a number and its unit."""
    return ranges_in_words(mask, thresholds, in_percent=True).replace(" %", "\N{NO-BREAK SPACE}%")


def _is_better(curve: Any, name: str, others: Sequence[str]) -> BoolArray:
    """Return at which thresholds the net benefit of a model is shown to be above those of all others."""
    return np.asarray(np.all([curve.difference(name, other).band_low > 0.0 for other in others], axis=0))


def rows_in_words(curve: Any) -> str:
    """Return how many rows there are, their groups, and the share of events."""
    groups = curve.groups
    within = "" if groups is None or groups.sizes.are_single else f" in {count(groups.sizes.groups)} groups"
    return f"n = {count(curve.n)}{within}, {percent(curve.base_rate)} events"
