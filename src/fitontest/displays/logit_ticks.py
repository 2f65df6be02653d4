"""Ticks of logit axes: round probabilities, as many as there is room for, in a readable format.

They are chosen at each drawing of the axis, from its limits and its size at that time, so that the texts never touch.
This module imports matplotlib. It is therefore imported when an axis gets a logit scale, and not before.
"""

from collections.abc import Callable
from math import floor, log10
from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator, NullLocator

from fitontest.numerics.links import LOGIT
from fitontest.results.typing import FloatArray

TICK_DISTANCE = {"x": 0.62, "y": 0.3}  # inches between two ticks, whose texts are side by side on x and stacked on y
MIN_TICKS = (4, 3, 2)  # number of ticks at which no less round ones are added, per group of candidates
_MINUS = "\N{MINUS SIGN}"


class RoundLocator(Locator):
    """The roundest values for which the axis has room, chosen at each drawing.

    Parameters
    ----------
    letter : {"x", "y"}
        Of the axis.
    distance : float
        Inches between two ticks.
    choose : callable
        Returns the ticks between two values that are at least a fraction of the axis apart.
    """

    def __init__(self, letter: str, distance: float, choose: Callable[[float, float, float], list[float]]) -> None:
        self.letter, self.distance, self.choose = letter, distance, choose

    def __call__(self) -> list[float]:
        """Return the ticks for the current limits and size of the axis."""
        axis: Any = self.axis
        extent = axis.axes.get_window_extent()
        dpi = axis.axes.get_figure(root=True).dpi
        inches = max((extent.width if self.letter == "x" else extent.height) / dpi, 1e-9)
        lower, upper = sorted(axis.get_view_interval())
        return self.choose(lower, upper, self.distance / inches)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the ticks between two values on an axis of typical size."""
        return self.choose(vmin, vmax, 0.1)


def set_logit_ticks(axis: Axis, letter: str) -> None:
    """Set the ticks of a logit axis, x or y."""
    axis.set_major_locator(RoundLocator(letter, TICK_DISTANCE[letter], choose_ticks))
    axis.set_major_formatter(FuncFormatter(format_probability))
    axis.set_minor_locator(NullLocator())


def choose_ticks(lower: float, upper: float, room: float) -> list[float]:
    """Return the roundest probabilities in an interval, at least `room` (a fraction of the axis) apart."""
    lower, upper = max(lower, 1e-16), min(upper, 1 - 1e-16)
    ends = LOGIT.forward(np.array([lower, upper]), 1e-17)
    chosen: dict[float, float] = {}  # keys: ticks, values: positions along the axis
    for candidates, least in zip(_CANDIDATES, MIN_TICKS, strict=True):
        inside = candidates[(lower <= candidates) & (upper >= candidates)]
        places = (LOGIT.forward(inside, 1e-17) - ends[0]) / (ends[1] - ends[0])
        for p, place in zip(inside.tolist(), places.tolist(), strict=True):
            if all(abs(place - other) >= room for other in chosen.values()):
                chosen[p] = place
        if len(chosen) >= least:
            return sorted(chosen)
    margin = 0.1 * (ends[1] - ends[0])
    n_ticks = 3 if room <= 0.4 else 2  # the interval is too narrow for round probabilities
    spaced = LOGIT.inverse(np.linspace(ends[0] + margin, ends[1] - margin, n_ticks))
    return [_round_as_written(p) for p in spaced.tolist()]


def format_probability(p: float, _position: int | None = None) -> str:
    """Return a probability in a readable format: 0.001, 1e-5, 0.999, 1-1e-5."""
    if 1e-3 <= p <= 0.5:
        return f"{p:.4g}"
    if 0.5 < p <= 1 - 1e-3:  # four digits of the distance from 1, which tells probabilities near 1 apart
        return f"{round(p, 3 - floor(log10(1 - p))):g}"
    if p < 0.5:
        mantissa, exponent = f"{p:.3e}".split("e")
        return f"{float(mantissa):g}e{_MINUS}{-int(exponent)}"
    return f"1{_MINUS}{format_probability(1 - p)}"


def _round_as_written(p: float) -> float:
    """Return the probability rounded as `format_probability` writes it."""
    text = format_probability(p).replace(_MINUS, "-")
    return 1 - float(text[2:]) if text.startswith("1-") else float(text)


def _list_multiples(*factors: float) -> FloatArray:
    """Return m 10^-k and 1 - m 10^-k for all k, for each factor m in turn."""
    low = [m * 10.0**-k for m in factors for k in range(1, 16) if m * 10.0**-k < 0.5]
    return np.array([q for p in low for q in (p, 1 - p)])


_CANDIDATES = (np.array([0.5, *_list_multiples(1)]), _list_multiples(2, 5, 3), _list_multiples(4, 1.5, 6, 7, 8, 9))
