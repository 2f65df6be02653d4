"""Ticks of logit axes: round probabilities, as many as there is room for, in figures that people read.

They are chosen at each drawing of the axis, from its limits and its size at that time, so that the texts never touch.
This module imports matplotlib. It is therefore imported when an axis gets a logit scale, and not before.
"""

from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator, NullLocator

from fitontest.numerics.links import LOGIT
from fitontest.typing import FloatArray

ROOM = {"x": 0.62, "y": 0.3}  # inches between two ticks, for texts beside and above one another
ENOUGH = (4, 3, 2)  # ticks to be content with, before less round ones are let in
_MINUS = "\N{MINUS SIGN}"


class RoundProbabilities(Locator):
    """The roundest probabilities that find room on the axis, chosen anew at each drawing."""

    def __init__(self, letter: str) -> None:
        self.letter = letter

    def __call__(self) -> list[float]:
        """Return the ticks of what the axis shows at the moment."""
        axis: Any = self.axis
        drawn = axis.axes.get_window_extent()
        dpi = axis.axes.get_figure(root=True).dpi
        inches = max((drawn.width if self.letter == "x" else drawn.height) / dpi, 1e-9)
        lower, upper = sorted(axis.get_view_interval())
        return round_probabilities(lower, upper, ROOM[self.letter] / inches)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the ticks between two probabilities, on an axis of usual size."""
        return round_probabilities(vmin, vmax, 0.1)


def mark_probabilities(axis: Axis, letter: str) -> None:
    """Give a logit axis, x or y, its ticks."""
    axis.set_major_locator(RoundProbabilities(letter))
    axis.set_major_formatter(FuncFormatter(in_figures))
    axis.set_minor_locator(NullLocator())


def round_probabilities(lower: float, upper: float, room: float) -> list[float]:
    """Return round probabilities in an interval, the roundest first to be chosen, `room` (of the axis) apart."""
    lower, upper = max(lower, 1e-16), min(upper, 1 - 1e-16)
    ends = LOGIT.forward(np.array([lower, upper]), 1e-17)
    chosen: dict[float, float] = {}  # each with its place along the axis
    for candidates, enough in zip(_CANDIDATES, ENOUGH, strict=True):
        inside = candidates[(lower <= candidates) & (upper >= candidates)]
        places = (LOGIT.forward(inside, 1e-17) - ends[0]) / (ends[1] - ends[0])
        for p, place in zip(inside.tolist(), places.tolist(), strict=True):
            if all(abs(place - other) >= room for other in chosen.values()):
                chosen[p] = place
        if len(chosen) >= enough:
            return sorted(chosen)
    margin = 0.1 * (ends[1] - ends[0])
    between = LOGIT.inverse(np.linspace(ends[0] + margin, ends[1] - margin, 3 if room <= 0.4 else 2))  # narrow
    return [_in_four_digits(p) for p in between.tolist()]


def in_figures(p: float, _position: int | None = None) -> str:
    """Return a probability as it is read most easily: 0.001, 1e-5, 0.999, 1-1e-5."""
    if 1e-3 <= p <= 1 - 1e-3:
        return f"{p:.4g}"
    if p < 0.5:
        mantissa, exponent = f"{p:.3e}".split("e")
        return f"{float(mantissa):g}e{_MINUS}{-int(exponent)}"
    return f"1{_MINUS}{in_figures(1 - p)}"


def _in_four_digits(p: float) -> float:
    """Return the probability that `in_figures` writes."""
    text = in_figures(p).replace(_MINUS, "-")
    return 1 - float(text[2:]) if text.startswith("1-") else float(text)


def _multiples(*factors: float) -> FloatArray:
    """Return m 10^-k and the complements for all k, for one factor m after the other."""
    low = [m * 10.0**-k for m in factors for k in range(1, 16) if m * 10.0**-k < 0.5]
    return np.array([q for p in low for q in (p, 1 - p)])


_CANDIDATES = (np.array([0.5, *_multiples(1)]), _multiples(2, 5, 3), _multiples(4, 1.5, 6, 7, 8, 9))
