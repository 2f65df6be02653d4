"""What the axes of a reliability diagram mean: probabilities, their logits, or observed events over expected ones."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import Weights
from fitontest.displays.scales import EPS, Scale, choose_scale, extend_to_values, find_core, make_scale
from fitontest.displays.scaling import RATIO_TICKS, Scaling
from fitontest.results.checks import choose
from fitontest.results.typing import ArrayInput, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLANES = ("auto", "probability", "logit", "ratio")
ENDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # of probability axes of scores that are all low
RARE = 0.05  # base rate below which events are compared with the expected ones
FEW_SCORES = 20  # so many distinct scores are drawn one by one
ROWS_EACH = 2  # rows at most of them, so that they are values and not single rows
OUTER = 0.005  # share of the rows on either side that has no curve, and beyond which axes may end
PAD = 0.012  # of an axis, beside its ends
RATIOS = (0.5, 2.0)  # an axis of ratios shows these at least,
FARTHEST = (0.2, 5.0)  # and no interval beyond these
SHARE_TICKS = (1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
MOST_SHARES = 7  # of them on an axis
LEAST_SCORE = 1e-7  # on a logarithmic axis


@dataclass(frozen=True)
class Plane:
    """The axes of a diagram.

    Attributes
    ----------
    x, y : Scale
        Of the scores and of what was observed, without the room beside their ends.
    name : {"probability", "logit", "ratio"}
    of_non_events : bool
        Whether scores and labels are those of non-events, which are rare.
    """

    x: Scale
    y: Scale
    name: str
    of_non_events: bool = False

    @property
    def is_ratio(self) -> bool:
        """Whether the height is observed over expected."""
        return self.name == "ratio"

    def height(self, p: FloatArray, c: FloatArray) -> FloatArray:
        """Return how high a frequency c is drawn at a score p."""
        return np.asarray(c / p) if self.is_ratio else c

    def edges(self, n: int) -> FloatArray:
        """Return the ends of n cells of equal width along the axis of scores."""
        return self.x.grid(n + 1)

    def showing(self, values: FloatArray, scores: FloatArray) -> "Plane":
        """Return the axes that also show frequencies, or ratios, of these values, at these scores."""
        values = values[np.isfinite(values)]
        if not values.size:
            return self
        if self.name == "probability":
            scale = Scale("probability", self.x.lower, max(find_end(float(values.max())), self.x.upper))
            return Plane(scale, scale, self.name)
        if self.name == "logit":
            return Plane(self.x, extend_to_values(self.y, values), self.name)
        low, high = min(self.y.lower, float(values.min()) / 1.05), max(self.y.upper, 1.05 * float(values.max()))
        wider = Scale("log", self.x.lower, max(self.x.upper, min(1.08 * float(scores.max()), 1.0)))
        return Plane(wider, Scale("log", low, high), self.name, self.of_non_events)

    def merged(self, other: "Plane") -> "Plane":
        """Return axes that show what either shows."""
        both = [
            Scale(one.name, min(one.lower, two.lower), max(one.upper, two.upper))
            for one, two in ((self.x, other.x), (self.y, other.y))
        ]
        return Plane(both[0], both[1], self.name, self.of_non_events)

    def frame(self, ax: "Axes") -> None:
        """Set scales, ends and ticks of the axes."""
        for letter, scale in (("x", self.x), ("y", self.y)):
            axis = ax.xaxis if letter == "x" else ax.yaxis
            if scale.name == "log":
                ticks = {one: f"{one:g}" for one in RATIO_TICKS} if letter == "y" else (
                    {one: f"{100 * one:g} %" for one in SHARE_TICKS}
                )  # fmt: skip
                inside = {one: text for one, text in ticks.items() if scale.lower <= one <= scale.upper}
                if letter == "x" and len(inside) > MOST_SHARES:  # powers of ten alone
                    inside = {one: text for one, text in inside.items() if f"{one:e}".startswith("1")}
                Scaling("", (scale.lower, scale.upper), inside, "log").apply(ax, letter)
                continue
            room = 0.0 if scale.name == "logit" else PAD * (scale.upper - scale.lower)
            Scale(scale.name, scale.lower - room, scale.upper + room).apply(ax, letter)
            if scale.name == "probability" and (scale.lower, scale.upper) == (0.0, 1.0):
                axis.set_ticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], ["0", ".2", ".4", ".6", ".8", "1"])

    def draw_reference(self, ax: "Axes", color: Any) -> Any:
        """Draw where calibrated scores are: the diagonal, or the ratio 1."""
        style: dict[str, Any] = {"color": color, "linewidth": 0.9, "linestyle": (0, (4, 3)), "zorder": 1.5}
        if self.is_ratio:
            return ax.axhline(1.0, **style)
        ends = [1e-16, 1 - 1e-16] if self.name == "logit" else [0.0, 1.0]
        return ax.plot(ends, ends, **style)[0]


def find_end(value: float) -> float:
    """Return where probability axes end that show a value, and a little more."""
    return next((end for end in ENDS if end >= 1.02 * value), 1.0)


def choose_plane(name: str, sample: ScoreSample, limits: ArrayInput = None) -> Plane:
    """Return the axes of a sample: those asked for, or of "auto" ratios where a class is rare, else probabilities."""
    chosen = choose(name, PLANES, "scale")
    if limits is not None:
        scale = make_scale("logit" if chosen == "logit" else "probability", limits)
        return Plane(scale, scale, scale.name)
    rare = min(sample.base_rate, 1.0 - sample.base_rate)
    if chosen == "ratio" or (chosen == "auto" and rare < RARE and not has_few_scores(sample)):
        plane = _find_ratios(sample)
        if plane is not None or chosen == "ratio":
            return plane or _refuse_ratios()
    if chosen == "logit":
        scale = choose_scale("logit", sample)
        return Plane(scale, scale, "logit")
    least, most = find_core(sample, OUTER)
    del least
    scale = Scale("probability", 0.0, 1.0 if most > ENDS[-1] else find_end(most))
    return Plane(scale, scale, "probability")


def _refuse_ratios() -> Plane:
    raise ValueError("scale must be 'probability' where all scores of a rare class are 0, or no row is of it")


def _find_ratios(sample: ScoreSample) -> Plane | None:
    """Return axes of observed over expected, or None of scores that cannot be told apart on a logarithmic axis."""
    turned = sample.base_rate > 0.5
    if turned and (sample.has_pooled_scores or sample.aggregated):
        return None
    drawn = turn(sample) if turned else sample
    least, most = find_core(drawn, OUTER)
    positive = drawn.distinct.p[drawn.distinct.p >= LEAST_SCORE]
    if not 0.0 < drawn.base_rate < 1.0 or not positive.size or most <= positive[0]:
        return None
    least = max(least, float(positive[0]))
    if most <= 1.05 * least:
        return None
    return Plane(Scale("log", 0.93 * least, min(1.08 * most, 1.0)), Scale("log", *RATIOS), "ratio", turned)


def turn(sample: ScoreSample) -> ScoreSample:
    """Return the sample with non-events as events."""
    rows = sample.rows
    weights = Weights(rows.w, sample.whole, sample.doubtful, sample.said)
    return ScoreSample(1.0 - rows.y, 1.0 - rows.p, weights).with_facts(**sample.present.facts)


def has_few_scores(sample: ScoreSample) -> bool:
    """Return whether the distinct scores are few, and values rather than single rows."""
    distinct = sample.distinct
    if sample.has_pooled_scores or len(distinct) > FEW_SCORES:
        return False
    return bool(np.median(distinct.n) >= ROWS_EACH)


def within(values: FloatArray, scale: Scale) -> FloatArray:
    """Return values cut off at the ends of an axis."""
    low, high = scale.lower, scale.upper
    if scale.name == "logit":
        low, high = max(low, EPS / 2), min(high, 1 - EPS / 2)
    return np.clip(values, low, high)
