"""A line in logits that any labels have, those of few rows, of one class or that a threshold separates too."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.adjusting import line_of
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.typing import FloatArray

BEYOND = 1.0  # logits, by which those of scores of exactly 0 and 1 are beyond all others
LEAST = float(np.nextafter(0.0, 1.0))  # the smallest score above 0
MEMORY = "label line"


@dataclass(frozen=True, eq=False)
class LabelLine:
    """The line of the labels, drawn a little towards the diagonal (`fitontest.numerics.adjusting.line_of`).

    Attributes
    ----------
    x : array of shape (G,)
        Logits of the distinct scores; those of exactly 0 and 1, which are infinite, are just beyond all others.
    intercept, slope : float
    """

    x: FloatArray
    intercept: float
    slope: float

    @classmethod
    def of(cls, sample: ScoreSample) -> "LabelLine":
        """Return the line of a sample, which is fitted once."""
        if MEMORY not in sample.memory:
            own = sample.distinct
            x = _logits(own.p)
            sample.memory[MEMORY] = cls(x, *line_of(own.wy / own.w, x, own.w / sample.row_weight))
        line: LabelLine = sample.memory[MEMORY]
        return line

    @property
    def c(self) -> FloatArray:
        """Its probabilities at the distinct scores, shape (G,)."""
        return sigmoid(self.intercept + self.slope * self.x)


def _logits(p: FloatArray) -> FloatArray:
    inside = (p > 0.0) & (p < 1.0)
    x = logit(p, LEAST)
    low, high = (float(x[inside].min()), float(x[inside].max())) if inside.any() else (0.0, 0.0)
    return np.where(p <= 0.0, min(low, 0.0) - BEYOND, np.where(p >= 1.0, max(high, 0.0) + BEYOND, x))
