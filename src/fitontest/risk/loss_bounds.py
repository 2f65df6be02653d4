"""What labels alone leave open of a decision loss, exactly, whatever an interval from redrawn labels says.

With the true probabilities c the loss at a threshold t is the most that any rule of decision gains over p >= t:

    L(t) = max over sets T of rows of sum w (1[in T] - 1[p >= t]) (c - t) / ((1 - t) sum w)

So no loss is less than what treating everybody, or nobody, on one side of t would gain. And where c does not fall with
p, the best set is p >= s for some s: then the loss is that of the rows between s and t, at one s, and at none it is
above the exact upper bound of their mean label. Where c falls somewhere the loss may be larger: by how much is told by
a map g that is known to fit the labels, as the loss of g less the most that it gains at one s.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.formula_interval import FEW
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.effective_rows import FEWEST, effective_rows
from fitontest.uncertainty.tendency import rows_of_smaller_class

MOST_WINDOWS = 2000  # of rows beside the threshold, whose numbers grow by less than a hundredth


@dataclass(frozen=True)
class LossBounds:
    """Between which values the decision loss lies by the labels on both sides of the threshold alone.

    Attributes
    ----------
    least : float
        Of any true map.
    most : float
        Of one that does not fall, or falls as the map g does.
    exact : bool
        Whether they hold exactly: rows of groups and importances are counted by what they tell of the mean label.
    few_of_a_class, few : bool
        Whether a class has fewer than 50 rows, and whether both have together.
    level : float
        Each end holds with (1 + level) / 2.
    """

    least: float
    most: float
    exact: bool
    few_of_a_class: bool
    few: bool
    level: float

    @classmethod
    def of(cls, sample: ScoreSample, t: float, level: float, excess: float = 0.0) -> "LossBounds":
        """Return the bounds of a sample at a threshold in (0, 1).

        Parameters
        ----------
        sample : ScoreSample
        t : float
        level : float
        excess : float, default=0
            By how much the loss may be larger since the true map falls somewhere (`excess_of`).
        """
        rows = sample.rows
        at = int(np.searchsorted(rows.p, t, side="left"))  # rows before are not treated
        n = effective_rows(sample)
        design = n / sample.effective_rows  # of rows that belong to groups
        untreated = _Windows.of(sample, np.arange(at)[::-1], design)
        treated = _Windows.of(sample, np.arange(at, len(rows)), design)
        each = level if untreated.empty or treated.empty else (1.0 + level) / 2.0  # two bounds hold together
        least = (untreated.whole_above(t, each) + treated.whole_below(t, each)) / (1.0 - t)
        most = max(0.0, untreated.largest_above(t, level), treated.largest_below(t, level), least) + excess
        exact = sample.groups is None and (sample.weighting is None or sample.weighting.kind == "counts")
        return cls(least, most, exact, rows_of_smaller_class(sample) < FEW, n < FEWEST, level)

    def around(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of an interval by redrawn labels, cut or widened.

        Labels redrawn from a truth that has hardly any positives hardly vary, and where the loss is small the truths
        from which they are redrawn reach far: then the upper end is the exact bound. With few rows in all the lower end
        is one too.
        """
        if self.few_of_a_class or (self.exact and high > self.most):
            high = self.most
        if self.few or low > high:
            low = min(low, self.least)
        return low, high


def excess_of(p: FloatArray, w: FloatArray, g: FloatArray, t: float) -> float:
    """Return by how much the decision loss of a map g is larger than the most that it gains at one other threshold.

    Parameters
    ----------
    p : array of shape (m,)
        Scores, increasing.
    w : array of shape (m,)
        Their weights.
    g : array of shape (m,)
        Probabilities.
    t : float

    Examples
    --------
    >>> import numpy as np
    >>> p, w = np.array([0.1, 0.2, 0.3]), np.ones(3)
    >>> excess_of(p, w, np.array([0.6, 0.7, 0.8]), 0.5), round(excess_of(p, w, np.array([0.7, 0.2, 0.6]), 0.5), 6)
    (0.0, 0.133333)
    """
    at = int(np.searchsorted(p, t, side="left"))
    gain = w * (g - t)
    losses = np.maximum(gain[:at], 0.0).sum() + np.maximum(-gain[at:], 0.0).sum()
    above, below = np.cumsum(gain[:at][::-1]), np.cumsum(-gain[at:])  # of windows that lead away from the threshold
    most = max(0.0, float(above.max(initial=0.0)), float(below.max(initial=0.0)))
    return max(0.0, float(losses) - most) / float(w.sum()) / (1.0 - t)


class _Windows:
    """Windows of rows on one side of the threshold, all of which begin at it.

    Attributes
    ----------
    share : array of shape (m,)
        Of the weight of all rows.
    rate : array of shape (m,)
        Weighted share of positives.
    n : array of shape (m,)
        Effective rows.
    """

    def __init__(self, share: FloatArray, rate: FloatArray, n: FloatArray) -> None:
        self.share, self.rate, self.n = share, rate, n

    @classmethod
    def of(cls, sample: ScoreSample, order: np.ndarray, design: float) -> "_Windows":
        """Return the windows of rows in an order that leads away from the threshold; equal scores are not parted."""
        rows = sample.rows
        w, p = rows.w[order], rows.p[order]
        weight, positives, squares = (np.cumsum(x) for x in (w, w * rows.y[order], rows.w2[order]))
        ends = np.flatnonzero(np.append(p[1:] != p[:-1], True)) if p.size else np.arange(0)
        if ends.size > MOST_WINDOWS:
            places = np.geomspace(1, ends.size, MOST_WINDOWS)
            ends = ends[np.unique(np.rint(places).astype(int)) - 1]
        weight, positives, squares = weight[ends], positives[ends], squares[ends]
        return cls(weight / rows.w.sum(), positives / weight, weight**2 / squares * design)

    @property
    def empty(self) -> bool:
        """Whether no row lies on this side."""
        return self.share.size == 0

    def whole_above(self, t: float, level: float) -> float:
        """Return by how much at least the mean label of all rows of this side is above t, times their share."""
        if self.empty:
            return 0.0
        low, _ = share_interval(self.rate[-1] * self.n[-1], self.n[-1], level)
        return float(self.share[-1] * max(low - t, 0.0))

    def whole_below(self, t: float, level: float) -> float:
        """Return by how much at least it is below t, times their share."""
        if self.empty:
            return 0.0
        _, high = share_interval(self.rate[-1] * self.n[-1], self.n[-1], level)
        return float(self.share[-1] * max(t - high, 0.0))

    def largest_above(self, t: float, level: float) -> float:
        """Return the largest loss of untreated rows that may be: of the windows' exact upper bounds."""
        if self.empty:
            return 0.0
        k, n = self.rate * self.n, self.n
        inside = k < n * (1.0 - 1e-12)
        high = np.where(inside, betaincinv(k + 1.0, np.where(inside, n - k, 1.0), (1.0 + level) / 2.0), 1.0)
        return float(np.max(self.share * (high - t))) / (1.0 - t)

    def largest_below(self, t: float, level: float) -> float:
        """Return the largest loss of treated rows that may be: of the windows' exact lower bounds."""
        if self.empty:
            return 0.0
        k, n = self.rate * self.n, self.n
        inside = k > 0.0
        low = np.where(inside, betaincinv(np.where(inside, k, 1.0), n - k + 1.0, (1.0 - level) / 2.0), 0.0)
        return float(np.max(self.share * (t - low))) / (1.0 - t)
