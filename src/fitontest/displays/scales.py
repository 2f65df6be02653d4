"""The scale of the probabilities on the axes of a diagram: linear, or logit, which shows rare events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from fitontest.data.arrays import as_numbers
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.links import IDENTITY, LOGIT, Link
from fitontest.partitions.partition import Partition, uniform_edges
from fitontest.results.checks import choose
from fitontest.results.typing import ArrayInput, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ScaleName: TypeAlias = Literal["auto", "probability", "logit"]
SCALE_NAMES = ("auto", "probability", "logit")
EPS = 1e-7  # smallest probability on a logit axis; no score is known more precisely
MARGIN = 0.02  # of an axis, so that marks at its ends are not cut off
LEAST_SPAN = 0.4  # of a logit axis, in logits, for scores that are all alike
INTERVALS = 6  # most intervals between the ticks of a probability axis, whatever its size
LEAST_SHOWN = 0.5  # share of the data that a logit axis must show to be chosen by itself
LOG = Link("log", lambda p, eps: np.log(np.maximum(p, eps)), np.exp)
NEAR_END = 0.05  # of an end of [0, 1]: where most scores are nearer, "auto" is the logit scale


@dataclass(frozen=True)
class Scale:
    """A scale with the ends of an axis.

    Attributes
    ----------
    name : {"probability", "logit", "log"}
    lower, upper : float
        Ends of the axis. The probability scale exceeds [0, 1] by a small margin.
    """

    name: str
    lower: float
    upper: float

    @property
    def visible(self) -> tuple[float, float]:
        """The first and the last probability that the axis can show."""
        return max(self.lower, 0.0), min(self.upper, 1.0)

    @property
    def link(self) -> Link:
        """The function from probabilities to the coordinate in which the axis is linear."""
        return {"logit": LOGIT, "log": LOG}.get(self.name, IDENTITY)

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
        from matplotlib.ticker import MaxNLocator

        for letter in which:
            axis = ax.xaxis if letter == "x" else ax.yaxis
            if self.name == "logit":
                from fitontest.displays.logit_ticks import set_logit_ticks

                set_scale = ax.set_xscale if letter == "x" else ax.set_yscale
                set_scale("logit", nonpositive="clip")  # values of 0 and less are drawn beyond the axis
                set_logit_ticks(axis, letter)
            else:  # ticks that depend on the size of the axes make layouts converge slowly
                axis.set_major_locator(MaxNLocator(INTERVALS, steps=[1, 2, 2.5, 5, 10]))
            ax.set(**{f"{letter}lim": (self.lower, self.upper)})


def name_scale(name: str, samples: Sequence[ScoreSample], limits: ArrayInput = None) -> ScaleName:
    """Return "probability" or "logit": what is asked for, or of "auto" the one that shows the scores apart.

    It is the logit scale where most scores are within 0.05 of an end, unless half of all or more have no place on a
    logit axis, which ends at 1e-7 and 1 - 1e-7: its last bars would hide what most rows are like. Limits of 0 or 1 are
    those of a probability scale.
    """
    if choose(name, SCALE_NAMES, "scale") != "auto":
        return "logit" if name == "logit" else "probability"
    if limits is not None:
        ends = as_numbers(limits, "limits").tolist()
        if not all(EPS <= end <= 1 - EPS for end in ends):
            return "probability"
    total = sum(sample.total for sample in samples)
    near = sum(float(sample.w @ ((sample.p < NEAR_END) | (sample.p > 1 - NEAR_END))) for sample in samples)
    least = min(_share_shown([sample]) for sample in samples)  # of panels with one scale: none hides most of its rows
    return "logit" if near > total / 2 and least > LEAST_SHOWN else "probability"


def _share_shown(samples: Sequence[ScoreSample]) -> float:
    """Return the share of the data that has a place on a logit axis."""
    shown = sum(float(sample.w @ ((sample.p >= EPS) & (sample.p <= 1 - EPS))) for sample in samples)
    return shown / sum(sample.total for sample in samples)


def make_scale(name: str, limits: ArrayInput) -> Scale:
    """Return the scale with the given ends."""
    choose(name, SCALE_NAMES, "scale")
    return Scale(name, *_read_limits(limits, name))


def choose_scale(name: str, sample: ScoreSample) -> Scale:
    """Return the scale of an axis that ends where the scores of the sample end; a probability scale shows [0, 1].

    Scores of 0 and 1, whose logits are infinite, do not extend a logit axis.
    """
    name = name_scale(name, [sample])
    if name == "probability":
        return Scale(name, -MARGIN, 1 + MARGIN)
    p = sample.p if sample.unit else sample.p[sample.w > 0]
    finite = p[(p > 0) & (p < 1)]
    return _fit_logit_scale(finite if finite.size else p)


def extend_to_values(scale: Scale, values: FloatArray) -> Scale:
    """Return the scale of the other axis, which on logits also shows these values, but none beyond 1e-7."""
    inside = values[(values > EPS) & (values < 1 - EPS)]
    return scale if scale.name == "probability" or not inside.size else merge_scales([scale, _fit_logit_scale(inside)])


def _fit_logit_scale(p: FloatArray) -> Scale:
    """Return the logit scale that ends, but for a small margin, with the smallest and the largest probability."""
    lower, upper = LOGIT.forward(np.clip([p.min(), p.max()], EPS, 1 - EPS), EPS).tolist()
    room = max(MARGIN * (upper - lower), (LEAST_SPAN - (upper - lower)) / 2)
    first, last = LOGIT.inverse(np.array([lower - room, upper + room])).tolist()
    return Scale("logit", max(first, EPS), min(last, 1 - EPS))


def find_core(sample: ScoreSample, outer: float) -> tuple[float, float]:
    """Return the scores between which all rows are but a share `outer` of the weight on either side."""
    distinct = sample.distinct
    rank = np.cumsum(distinct.w)
    least = float(distinct.p[np.searchsorted(rank, outer * rank[-1], side="left")])
    above = np.cumsum(distinct.w[::-1])
    most = float(distinct.p[::-1][np.searchsorted(above, outer * above[-1], side="left")])
    return least, most


def merge_scales(scales: Sequence[Scale]) -> Scale:
    """Return the scale whose axis covers those of all scales."""
    return Scale(scales[0].name, min(scale.lower for scale in scales), max(scale.upper for scale in scales))


def _read_limits(limits: ArrayInput, name: str) -> tuple[float, float]:
    ends = as_numbers(limits, "limits").tolist()
    least, most = (EPS, 1 - EPS) if name == "logit" else (-1e6, 1e6)
    if len(ends) != 2 or not (least <= ends[0] < ends[1] <= most):
        rule = "from 1e-7 to 1 - 1e-7" if name == "logit" else "that are finite"
        raise ValueError(f"limits must be two increasing numbers {rule}, got {ends}")
    if not ends[0] < 1 or not ends[1] > 0:
        raise ValueError(f"limits must show a part of [0, 1], got {ends}")
    return float(ends[0]), float(ends[1])
