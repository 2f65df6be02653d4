"""The mean probability of a positive, exactly given the scores, where a class has few rows.

Labels of rows that the scores tell apart vary less than a binomial count: of n rows with probabilities c_i the number
of positives has the variance sum c_i (1 - c_i), not n m (1 - m) with their mean m. So the interval of the mean of c is
inverted along the lines

    c_i(a) = sigma(a + b logit p_i),

with b the slope of the labels, drawn a little towards 1, which is finite where a threshold separates the classes
(`LabelLine`): it holds the means at which neither so many nor so few positives as there are
would come about in less than (1 - level) / 2 of cases, by the law of Poisson and the binomial one. Weights that are no
counts, and rows of groups, count as the independent rows that tell as much, by the binomial law of the same mean and
variance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.label_line import LabelLine
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.numerics.links import sigmoid
from fitontest.numerics.significance.poisson_binomial import matched_tails, tails
from fitontest.results.typing import FloatArray

NODES = 400  # distinct scores, from which on neighbours are taken for one
SURE = 40.0  # logits from which on probabilities are 0 or 1 to rounding


@dataclass(frozen=True, eq=False)
class MeanGivenScores:
    """How the share of positives varies given the scores.

    Attributes
    ----------
    x : array of shape (m,)
        b times the logits of the scores, of the rarer class if that is the negative one.
    share : array of shape (m,)
        Of the weight.
    squares : array of shape (m,)
        Of the squared weights: the variance of the mean label is the sum of these times c (1 - c), over `rows`.
    labels : array of shape (m,) or None
        How many there are, where they are independent and of one weight.
    rows, positives : float
        Independent rows that tell as much, and those of the rarer class.
    mean_score : float
        The mean score, of the same class.
    mirrored : bool
        Whether the rarer class is the negative one.
    """

    x: FloatArray
    share: FloatArray
    squares: FloatArray
    labels: FloatArray | None
    rows: float
    positives: float
    mean_score: float
    mirrored: bool

    @classmethod
    def of(cls, sample: ScoreSample, rows: float) -> "MeanGivenScores":
        """Return that of a sample.

        Parameters
        ----------
        sample : ScoreSample
        rows : float
            How many independent rows tell as much of the mean of its labels.
        """
        own = sample.distinct
        w, w2 = own.w, own.w2
        line = LabelLine.of(sample)
        x = line.slope * line.x
        if x.size > NODES:
            first = cell_starts(equal_mass_cells(w, NODES))
            x = np.add.reduceat(w * x, first) / np.add.reduceat(w, first)
            w, w2 = np.add.reduceat(w, first), np.add.reduceat(w2, first)
        mirrored = 2.0 * sample.base_rate > 1.0
        counted = sample.whole and sample.groups is None
        return cls(
            x=-x if mirrored else x,
            share=w / float(w.sum()),
            squares=w2 / float(w2.sum()),
            labels=w if counted else None,
            rows=rows,
            positives=rows * (1.0 - sample.base_rate if mirrored else sample.base_rate),
            mean_score=1.0 - sample.mean_score if mirrored else sample.mean_score,
            mirrored=mirrored,
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Return between which values the mean probability of a positive lies.

        Parameters
        ----------
        level : float in (0, 1)
        """
        tail = (1.0 - level) / 2.0
        low = 0.0 if self.positives <= 0.0 else self._mean(self._root(lambda a: self._tails(a)[0] - tail))
        high = self._mean(self._root(lambda a: self._tails(a)[1] - tail))
        return (1.0 - high, 1.0 - low) if self.mirrored else (low, high)

    @cached_property
    def p_value(self) -> float:
        """Two-sided p-value of the mean score: 1 - level of the widest interval that leaves it out."""
        if not 0.0 < self.mean_score < 1.0:
            return float(self.positives <= 0.0 if self.mean_score <= 0.0 else self.positives >= self.rows)
        return min(1.0, 2.0 * min(self._tails(self._root(lambda a: self._mean(a) - self.mean_score))))

    def _tails(self, a: float) -> tuple[float, float]:
        """Return how often there would be at least, and at most, so many positives on the line of an intercept."""
        c = sigmoid(a + self.x)
        if self.labels is not None:
            return tails(round(self.positives), self.labels, c)
        at_least, at_most = matched_tails(self.positives, self.rows, self.share, self.squares, c)
        return at_least, at_most

    def _mean(self, a: float) -> float:
        return float(self.share @ sigmoid(a + self.x))

    def _root(self, function: Callable[[float], float]) -> float:
        """Return where a function of the intercept is 0, or the end beyond which it would be."""
        low, high = -SURE - float(self.x.max()), SURE - float(self.x.min())
        ends = function(low), function(high)
        if ends[0] * ends[1] > 0.0:
            return low if abs(ends[0]) < abs(ends[1]) else high
        return float(brentq(function, low, high, xtol=1e-10))
