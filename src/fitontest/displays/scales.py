"""The scale of the probabilities on the axes of a diagram: linear, or logit, which shows rare events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from fitontest.checks import choose
from fitontest.data.arrays import as_numbers
from fitontest.data.sample import Sample
from fitontest.maps.base import CalibrationMap
from fitontest.numerics.links import IDENTITY, LOGIT, Link
from fitontest.partitions.partition import Partition, uniform_edges
from fitontest.typing import ArrayInput, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ScaleName: TypeAlias = Literal["probability", "logit"]
SCALE_NAMES = ("probability", "logit")
EPS = 1e-7  # smallest probability on a logit axis; no score is known more precisely
MARGIN = 0.02  # of a probability axis, so that marks at 0 and 1 are not cut off


@dataclass(frozen=True)
class Scale:
    """A scale with the ends of its axes, which both axes of a reliability diagram share.

    Attributes
    ----------
    name : {"probability", "logit"}
    lower, upper : float
        Ends of the axes. On the probability scale they exceed [0, 1] where a map does.
    """

    name: str
    lower: float
    upper: float

    @property
    def visible(self) -> tuple[float, float]:
        """The first and the last score that the axis can show."""
        return max(self.lower, 0.0), min(self.upper, 1.0)

    @property
    def link(self) -> Link:
        """The function from probabilities to the coordinate in which the axis is linear."""
        return LOGIT if self.name == "logit" else IDENTITY

    def at(self, p: FloatArray) -> FloatArray:
        """Return the positions of probabilities along the axis, from 0 at its lower to 1 at its upper end."""
        ends = self.link.forward(np.array([self.lower, self.upper]), EPS / 2)
        positions: FloatArray = (self.link.forward(p, EPS / 2) - ends[0]) / (ends[1] - ends[0])
        return positions

    def grid(self, n: int) -> FloatArray:
        """Return n scores, equally spaced on the scale, from the first to the last score that the axis can show."""
        first, last = self.visible
        lower, upper = self.link.forward(np.array([first, last]), EPS / 2)
        inner = self.link.inverse(lower + (upper - lower) * uniform_edges(n - 1))
        return np.concatenate(([first], inner, [last]))

    def cells(self, n: int) -> Partition:
        """Return n bins of equal width on the scale. The outermost bins include the scores beyond the axis."""
        return Partition(np.unique(self.grid(n + 1)[1:-1]))

    def ends(self, cells: Partition) -> FloatArray:
        """Return the borders of the cells, clipped to the ends of the axis."""
        return np.clip(cells.borders, *self.visible)

    def apply(self, ax: "Axes", which: str = "xy") -> None:
        """Set this scale, its ends and its ticks on the x axis, the y axis, or both."""
        for letter in which:
            if self.name == "logit":
                from fitontest.displays.logit_ticks import set_logit_ticks

                set_scale = ax.set_xscale if letter == "x" else ax.set_yscale
                set_scale("logit", nonpositive="clip")  # values of 0 and less are drawn beyond the axis
                set_logit_ticks(ax.xaxis if letter == "x" else ax.yaxis, letter)
            ax.set(**{f"{letter}lim": (self.lower, self.upper)})


def make_scale(name: str, limits: ArrayInput) -> Scale:
    """Return the scale with the given ends."""
    choose(name, SCALE_NAMES, "scale")
    return Scale(name, *_read_limits(limits, name))


def choose_scale(name: str, sample: Sample, fitted: CalibrationMap | None = None) -> Scale:
    """Return the scale that shows the scores of the sample, and the values of the map at them."""
    choose(name, SCALE_NAMES, "scale")
    if name == "probability":
        return Scale(name, -MARGIN, 1 + MARGIN)
    shown = _clip_to_logit_range(np.array(find_score_range(sample)))
    if fitted is not None:
        t = LOGIT.forward(shown, EPS)
        values = fitted.evaluate(np.unique(np.clip(LOGIT.inverse(np.linspace(t[0], t[1], 41)), *shown)))
        shown = np.concatenate((shown, values[(values > 0) & (values < 1)]))
    ends = LOGIT.forward(_clip_to_logit_range(np.array([shown.min(), shown.max()])), EPS)
    room = max(0.04 * (ends[1] - ends[0]), 0.2)
    lower, upper = LOGIT.inverse(np.array([ends[0] - room, ends[1] + room])).tolist()
    return Scale(name, max(lower, EPS), min(upper, 1 - EPS))


def find_score_range(sample: Sample) -> tuple[float, float]:
    """Return the smallest and the largest score of positive weight."""
    present = sample.p if sample.unit else sample.p[sample.w > 0]
    return float(present.min()), float(present.max())


def widen_scale(scale: Scale, values: FloatArray) -> Scale:
    """Return the scale, extended to values of a map beyond [0, 1]. A logit scale cannot show them and is unchanged."""
    if scale.name == "logit":
        return scale
    lowest, highest = float(np.min(values, initial=0.0)), float(np.max(values, initial=1.0))
    return Scale(scale.name, min(scale.lower, lowest - MARGIN), max(scale.upper, highest + MARGIN))


def merge_scales(scales: Sequence[Scale]) -> Scale:
    """Return the scale whose axis covers those of all scales."""
    return Scale(scales[0].name, min(scale.lower for scale in scales), max(scale.upper for scale in scales))


def _clip_to_logit_range(p: FloatArray) -> FloatArray:
    return np.clip(p, EPS, 1 - EPS)


def _read_limits(limits: ArrayInput, name: str) -> tuple[float, float]:
    ends = as_numbers(limits, "limits").tolist()
    least, most = (EPS, 1 - EPS) if name == "logit" else (-1e6, 1e6)
    if len(ends) != 2 or not (least <= ends[0] < ends[1] <= most):
        rule = "from 1e-7 to 1 - 1e-7" if name == "logit" else "that are finite"
        raise ValueError(f"limits must be two increasing numbers {rule}, got {ends}")
    if not ends[0] < 1 or not ends[1] > 0:
        raise ValueError(f"limits must show a part of [0, 1], got {ends}")
    return float(ends[0]), float(ends[1])
