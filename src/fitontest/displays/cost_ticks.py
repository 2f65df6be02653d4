"""Ticks of an axis of thresholds that say what they weigh: harm of a false positive to benefit of a true one.

At the threshold t these are as t to 1 - t. The ticks are chosen at each drawing, like those of logit axes. This module
imports matplotlib. It is therefore imported when a diagram has such an axis, and not before.
"""

from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter, NullLocator

from fitontest.displays.logit_ticks import RoundLocator
from fitontest.displays.scales import Scale

TICK_DISTANCE = 0.55  # inches between two ticks
LEAST = 0.009  # least distance of a tick from thresholds of 0 and 1, as a share of the axis
FEWEST = 4  # ticks, with fewer of which less round ratios are taken
RATIOS = (
    (1.0, 9.0, 99.0, 4.0, 2.0, 19.0, 999.0, 49.0, 199.0, 9999.0),  # one true positive is worth so many false ones
    (3.0, 6.0, 12.0, 14.0, 30.0, 499.0, 1999.0, 4999.0),
    (1.5, 2.5, 5.0, 7.0, 8.0, 10.0, 24.0, 39.0, 74.0, 149.0, 299.0, 699.0),
)


def choose_cost_ticks(scale: Scale, room: float) -> list[float]:
    """Return the thresholds of the roundest ratios on a scale, at least `room` (a fraction of the axis) apart."""
    lower, upper = scale.visible
    if scale.name == "probability":  # at the end of such an axis many ratios are at nearly the same place
        lower = max(lower, LEAST * (upper - lower))
        upper = min(upper, 1 - LEAST * (upper - lower))
    chosen: dict[float, float] = {}  # keys: ticks, values: positions along the axis
    for ratios in RATIOS:
        candidates = [t for ratio in ratios for t in dict.fromkeys((1 / (1 + ratio), ratio / (1 + ratio)))]
        inside = [t for t in candidates if lower <= t <= upper and 0 < t < 1]
        for t, place in zip(inside, scale.at(np.array(inside)).tolist(), strict=True):
            if all(abs(place - other) >= room for other in chosen.values()):
                chosen[t] = place
        if len(chosen) >= FEWEST:
            break
    return sorted(chosen)


def format_cost_ratio(t: float, _position: int | None = None) -> str:
    """Return harm to benefit at a threshold, one of which is 1: 1:9, 4:1."""
    if not 0 < t < 1:
        return ""
    odds = t / (1 - t)
    return f"1:{1 / odds:.4g}" if odds <= 1 else f"{odds:.4g}:1"


def format_threshold(t: float, _position: int | None = None) -> str:
    r"""Return a threshold in percent, with harm to benefit below it.

    Examples
    --------
    >>> format_threshold(1 / 3), format_threshold(0.001)
    ('33 %\n1:2', '0.1 %\n1:999')
    """
    return f"{100 * t:.{2 if 0.01 <= t <= 0.99 else 3}g} %\n{format_cost_ratio(t)}" if 0 < t < 1 else ""


def set_cost_ticks(ax: Any, name: str) -> None:
    """Set ticks of ratios on the x axis of axes, whose scale has the name."""

    def choose(lower: float, upper: float, room: float) -> list[float]:
        return choose_cost_ticks(Scale(name, lower, upper), room)

    ax.xaxis.set_major_locator(RoundLocator("x", TICK_DISTANCE, choose))
    ax.xaxis.set_major_formatter(FuncFormatter(format_threshold))
    ax.xaxis.set_minor_locator(NullLocator())
