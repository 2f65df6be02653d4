"""What the labels of few rows leave open of an error, exactly, whatever an interval from redrawn labels says."""

from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.error_limits import ErrorLimit
from fitontest.measures.estimate import Estimate
from fitontest.measures.formula_interval import FEW
from fitontest.measures.interval import Interval
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.uncertainty.effective_rows import FEWEST, effective_rows
from fitontest.uncertainty.tendency import rows_of_smaller_class


@dataclass(frozen=True)
class Bounds:
    """What the mean of the labels alone says of an error, exactly: no error is less than the distance of the means.

    Attributes
    ----------
    least, most : float
        Between which values that distance lies.
    largest : float
        The largest error that the scores can have.
    few_of_a_class, few : bool
        Whether a class has fewer than 50 rows, and whether both have together.
    level : float
        Of the bounds.
    """

    least: float
    most: float
    largest: float
    few_of_a_class: bool
    few: bool
    level: float

    @classmethod
    def of(cls, sample: ScoreSample, level: float) -> "Bounds":
        """Return the bounds of a sample."""
        low, high = (end - sample.mean_score for end in _share_of_positives(sample, level))
        largest = float(sample.w @ np.maximum(sample.p, 1.0 - sample.p)) / sample.total
        few = effective_rows(sample) < FEWEST
        return cls(
            max(low, -high, 0.0), max(abs(low), abs(high)), largest, rows_of_smaller_class(sample) < FEW, few, level
        )

    def around(self, estimate: Estimate) -> Interval:
        """Return the interval that decides.

        Labels redrawn from a truth that has hardly any positives hardly vary, so that intervals from them are too
        narrow; there they reach to the exact bounds. Where nothing varies these bounds are all that is known.
        """
        found = estimate.interval
        if found is None:
            return Interval(self.least, self.largest, self.level)
        low, high = found.low, found.high
        if self.few_of_a_class:
            high = max(high, self.most)
        if self.few:
            low = min(low, self.least)
        return Interval(low, high, self.level)

    def at_least(self, persistent: ErrorLimit) -> ErrorLimit:
        """Return the limit of persistent errors; where a class has few rows at least what mean labels leave open."""
        return replace(persistent, value=max(persistent.value, self.most)) if self.few_of_a_class else persistent


def _share_of_positives(sample: ScoreSample, level: float) -> tuple[float, float]:
    """Return between which values the mean probability of a positive lies, whatever the probabilities of the rows."""
    n = effective_rows(sample)
    return share_interval(n * sample.base_rate, n, level)
