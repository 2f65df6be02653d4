"""The locator of logit axes. It is a class of matplotlib, so this file is imported when an axis is made, not before."""

from typing import Any

from matplotlib.ticker import Locator

from fitontest.displays.logit_ticks import ROOM, round_probabilities


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
