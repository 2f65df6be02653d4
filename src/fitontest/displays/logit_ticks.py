"""Ticks of logit axes: round probabilities, as many as there is room for, in figures that people read.

They are chosen whenever the axis is drawn, from what it shows then and from its size, so that texts never touch.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.links import LOGIT
from fitontest.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axis import Axis

ROOM = {"x": 0.62, "y": 0.3}  # inches between two ticks, for texts beside and above one another
_MINUS = "\N{MINUS SIGN}"


def mark_probabilities(axis: "Axis", letter: str) -> None:
    """Give a logit axis, x or y, its ticks."""
    from matplotlib.ticker import FuncFormatter, Locator, NullLocator

    class RoundProbabilities(Locator):
        """The roundest probabilities that find room on the axis."""

        def __call__(self) -> list[float]:
            figure: Any = axis.axes.get_figure(root=True)
            drawn = axis.axes.get_window_extent()
            inches = max((drawn.width if letter == "x" else drawn.height) / figure.dpi, 1e-9)
            lower, upper = axis.get_view_interval()
            return round_probabilities(lower, upper, ROOM[letter] / inches)

        def tick_values(self, vmin: float, vmax: float) -> list[float]:
            """Return the ticks between two probabilities, on an axis of usual size."""
            return round_probabilities(vmin, vmax, 0.1)

    axis.set_major_locator(RoundProbabilities())
    axis.set_major_formatter(FuncFormatter(lambda p, _: in_figures(p)))
    axis.set_minor_locator(NullLocator())


def round_probabilities(lower: float, upper: float, room: float) -> list[float]:
    """Return round probabilities in an interval, the roundest first to be chosen, `room` (of the axis) apart."""
    lower, upper = max(lower, 1e-16), min(upper, 1 - 1e-16)
    inside = _CANDIDATES[(lower <= _CANDIDATES) & (upper >= _CANDIDATES)]
    place = LOGIT.forward(np.concatenate(([lower, upper], inside)), 1e-17)
    place = (place[2:] - place[0]) / (place[1] - place[0])
    chosen: list[int] = []
    for k in range(inside.size):
        if all(abs(place[k] - place[other]) >= room for other in chosen):
            chosen.append(k)
    if len(chosen) < 2:  # a narrow interval
        return [*map(float, np.linspace(lower, upper, 3 if room <= 0.5 else 2))]
    return sorted(map(float, inside[chosen]))


def in_figures(p: float) -> str:
    """Return a probability as it is read most easily: 0.001, 1e-5, 0.999, 1-1e-5."""
    if 1e-3 <= p <= 1 - 1e-3:
        return f"{p:.4g}"
    if p < 0.5:
        mantissa, exponent = f"{p:.0e}".split("e")
        return f"{mantissa}e{_MINUS}{-int(exponent)}"
    return f"1{_MINUS}{in_figures(1 - p)}"


def _candidates() -> FloatArray:
    powers = [p for k in range(1, 16) for p in (10.0**-k, 1 - 10.0**-k)]
    fifths = [p for k in range(1, 5) for m in (2, 5, 3) for p in (m * 10.0**-k, 1 - m * 10.0**-k)]
    return np.array(list(dict.fromkeys(round(p, 16) for p in [0.5, *powers, *fifths, 0.4, 0.6])))


_CANDIDATES = _candidates()
