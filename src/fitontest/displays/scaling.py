"""How an axis is scaled, named and ticked where its ends and ticks are known, and ticks of axes of ratios."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

from fitontest.displays.titles import without_formulas

RATIO_TICKS = (0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10, 20, 50)
SEVERAL = 7  # ticks at most on an axis of ratios


@dataclass(frozen=True, eq=False)
class Scaling:
    """How an axis is scaled and named.

    Attributes
    ----------
    label : str
        Empty: it is left as it is.
    limits : (float, float)
        From the left or the bottom on.
    ticks : mapping of float to str
        Texts by their places; empty for those of matplotlib.
    name : {"linear", "log"}
    slanted : bool
        Whether texts of ticks are slanted, as long ones are below an axis.
    """

    label: str
    limits: tuple[float, float]
    ticks: Mapping[float, str] = field(default_factory=dict)
    name: str = "linear"
    slanted: bool = False

    def apply(self, ax: Any, letter: str) -> None:
        """Set scale, limits, ticks and label of the axis x or y."""
        ax.set(**{f"{letter}scale": self.name, f"{letter}lim": self.limits})
        if self.label:
            ax.set(**{f"{letter}label": self.label})
        if self.ticks:
            slant = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if self.slanted else {}
            texts = ["\n".join(map(without_formulas, text.split("\n"))) for text in self.ticks.values()]
            set_ticks = getattr(ax, f"set_{letter}ticks")
            set_ticks(list(self.ticks), texts, **slant)
            set_ticks([], minor=True)


def scale_ratios(label: str, ends: tuple[float, float], ticks: Iterable[float] = RATIO_TICKS) -> Scaling:
    """Return a logarithmic axis of ratios, with some of the ticks, not too near each other, 1 among them."""
    least = log(ends[1] / ends[0]) / SEVERAL
    kept: list[float] = []
    for one in sorted((one for one in ticks if ends[0] <= one <= ends[1]), key=lambda tick: abs(log(tick))):
        if all(abs(log(one / other)) >= least for other in kept):
            kept.append(one)
    return Scaling(label, ends, {one: f"{one:g}" for one in sorted(kept)}, "log")
