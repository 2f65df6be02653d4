"""Nagelkerke's R squared of the scores: how much of the likelihood that can be gained over the base rate they gain."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.likelihood import deviance_of_base_rate, deviance_of_scores, rows_of
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words


@register("nagelkerke_r2")
@dataclass(frozen=True)
class NagelkerkeR2(Measure):
    """Nagelkerke's R squared of the scores as they are: 1 for perfect ones, 0 for the base rate as every score.

    (1 - exp(-(L(ybar) - L(p)) / n)) / (1 - exp(-L(ybar) / n)) with the deviances L = -2 log likelihood of the share of
    positives and of the scores; below 0 for scores that are worse than the base rate. n rows of importances are the
    effective ones. It measures accuracy as well as calibration: its p-value is two-sided.

    Raises
    ------
    NoValueError
        All labels are of one class; a positive has a score of exactly 0, or a negative one of 1.

    References
    ----------
    Nagelkerke (1991), A note on a general definition of the coefficient of determination, Biometrika 78.
    https://doi.org/10.1093/biomet/78.3.691

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.measure([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.9], "nagelkerke_r2")), 4)
    0.7618
    """

    words = Words(title="Nagelkerke's R²")
    greater_is_better: ClassVar[bool] = True
    two_sided: ClassVar[bool] = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the share of the likelihood per row."""
        rows = rows_of(sample)
        null = deviance_of_base_rate(sample, self.title) / rows
        gain = null - deviance_of_scores(sample, self.title) / rows
        with np.errstate(over="ignore"):
            value = float(np.expm1(-gain) / np.expm1(-null))
        return Estimate.of(self, sample, max(value, -np.finfo(float).max))
