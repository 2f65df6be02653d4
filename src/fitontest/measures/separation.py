"""Labels that a threshold separates: their most likely slope is infinite, and an exact interval says how large it is.

Where all positives have larger scores than all negatives, but for rows of the score where both meet, the likelihood of
the line logit c = a + b logit p grows with b without end. The slopes that such labels leave open are those from which
they are no wonder: b with P(b) > (1 - level) / 2, where P(b) is how often labels drawn from the line would be separated
so, with the intercept at which as many positives are expected as there are. P grows with b, so that the interval is
(b_0, inf); where all positives have smaller scores, it is (-inf, -b_0).

The limit of the likelihood ratio, 2 (l(inf) - l(b)) <= chi-square, is larger, and holds the slope too seldom: of
calibrated scores whose logits are of N(0, 6^2), 40 rows, 6 % of the sets are separated, and in all of these that limit
leaves out 1.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.intercepts import intercept_at
from fitontest.numerics.links import logit
from fitontest.results.typing import FloatArray

SEPARATED = "a threshold separates the classes"
LEAST = float(np.nextafter(0.0, 1.0))  # the smallest score above 0: uncertain scores keep their logits
STEEPEST = 2.0**1000  # slope beyond which none is looked for


@dataclass(frozen=True, eq=False)
class Separation:
    """Rows that a threshold separates.

    Attributes
    ----------
    x : array of shape (m,)
        The distinct logits of the scores, increasing; with the other sign where positives have smaller scores.
    rows : array of shape (m,)
        How many independent rows have each.
    share : float
        Of positives.
    slope : float
        Infinite, with its sign.
    """

    x: FloatArray
    rows: FloatArray
    share: float
    slope: float

    @classmethod
    def of(cls, sample: ScoreSample) -> "Separation | None":
        """Return the separation of rows that are all uncertain and of both classes, or None where there is none.

        Rows of one group may all have one label: they count as one row.

        Parameters
        ----------
        sample : ScoreSample
        """
        rows, own = sample.rows, sample.distinct
        positive = rows.y > 0.5
        of_positives, of_negatives = rows.p[positive], rows.p[~positive]
        falls = of_positives.max() <= of_negatives.min()
        if not falls and of_negatives.max() > of_positives.min():
            return None
        counted, count = (own.w, rows.w) if sample.whole else (own.n.astype(np.float64), rows.n)
        share = float(count[positive].sum() / counted.sum())
        if sample.groups is not None:
            counted = counted * (sample.groups.effective / counted.sum())
        found = cls(logit(own.p, LEAST), counted, share, inf)
        return replace(found, x=-found.x[::-1], rows=counted[::-1], slope=-inf) if falls else found

    def interval(self, level: float) -> tuple[float, float]:
        """Return between which slopes the true one lies.

        Parameters
        ----------
        level : float in (0, 1)
        """
        tail = (1.0 - level) / 2.0
        low, high = 0.0, 1.0 / max(float(self.x[-1] - self.x[0]), LEAST)
        while self._probability(high) < tail and high < STEEPEST:
            high *= 2.0
        while self._probability(low) >= tail and low > -STEEPEST:
            low = 2.0 * low - high
        least = float(brentq(lambda b: self._probability(b) - tail, low, high))
        return (least, inf) if self.slope > 0.0 else (-inf, -least)

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the slope 1: 1 - level of the widest interval that leaves it out."""
        return min(1.0, 2.0 * self._probability(1.0 if self.slope > 0.0 else -1.0))

    def _probability(self, b: float) -> float:
        """Return how often labels drawn from the line of a slope are separated with the positives above.

        They are all negative below some score and all positive above it, whatever they are there. Those with the
        threshold between two scores are so at either of them, and are counted once.
        """
        rises = slice(None) if b >= 0.0 else slice(None, None, -1)
        t = intercept_at(b * self.x[rises], self.rows[rises], self.share) + b * self.x
        negative = np.concatenate(([0.0], np.cumsum(-self.rows * np.logaddexp(0.0, t))))
        positive = np.concatenate((np.cumsum((-self.rows * np.logaddexp(0.0, -t))[::-1])[::-1], [0.0]))
        at_score, between = logsumexp(negative[:-1] + positive[1:]), logsumexp(negative[1:-1] + positive[1:-1])
        return float(np.exp(at_score) - np.exp(between))
