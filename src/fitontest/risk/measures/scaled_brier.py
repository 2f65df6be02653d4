"""The scaled Brier score, or index of prediction accuracy: the share of the label variance that scores explain."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.formula_interval import FEW, AroundValue, error_of_mean, has_few, independent_rows
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.results.exceptions import NoValueError

OF_FEW = f"a class has fewer than {FEW} rows, of which an interval by the normal approximation is too narrow"


@register("scaled_brier")
@dataclass(frozen=True)
class ScaledBrier(Measure):
    """The scaled Brier score: 1 for perfect scores, 0 for the base rate as every score, below 0 for worse ones.

    IPA = 1 - B / (ybar (1 - ybar)), the index of prediction accuracy, with the Brier score B and the share of positives
    ybar. It measures accuracy as well as calibration: its p-value is two-sided.

    Notes
    -----
    The interval is by the normal approximation, with the influence of each row on the ratio,
    -((p_i - y_i)^2 - B) / v + B (1 - 2 ybar)(y_i - ybar) / v^2, v = ybar (1 - ybar).
    Where a class has fewer than 50 rows there is none: with 30 positives it held the value in 84 to 95 % of sets.
    ``estimate.evidence.scaled_by_mean_score`` has pbar (1 - pbar) below, as val.prob.ci.2 of R.

    Raises
    ------
    NoValueError
        All labels are of one class.

    References
    ----------
    Kattan, Gerds (2018), The index of prediction accuracy, Diagnostic and Prognostic Research 2.
    https://doi.org/10.1186/s41512-018-0029-2

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.measure([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.9], "scaled_brier")), 6)
    0.73
    """

    words = Words(title="scaled Brier score")
    greater_is_better: ClassVar[bool] = True
    two_sided: ClassVar[bool] = True
    has_own_interval: ClassVar[bool] = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return one less the Brier score over the variance of the labels."""
        rows, groups = sample.rows, sample.groups
        share = float(rows.w @ rows.y) / float(rows.w.sum())
        variance = share * (1.0 - share)
        if not variance > 0.0:
            raise NoValueError(f"y_true must hold both classes for the scaled Brier score, got {share:.0f} alone")
        squares = (rows.p - rows.y) ** 2
        brier = float(rows.w @ squares) / float(rows.w.sum())
        value, error, few = 1.0 - brier / variance, 0.0, False
        if not are_too_few(groups):
            few = has_few(sample, independent_rows(sample))
            slope = brier * (1.0 - 2.0 * share) / variance
            positive, negative = (
                (slope * (label - share) - (rows.p - label) ** 2 + brier) / variance for label in (1.0, 0.0)
            )
            error = error_of_mean(sample, positive, negative)
        spread = sample.mean_score * (1.0 - sample.mean_score)
        by_mean_score = 1.0 - brier / spread if spread > np.finfo(float).tiny else None
        evidence = Scaled.of(
            value,
            error,
            sample,
            limits=(-np.inf, 1.0),
            scaled_by_mean_score=by_mean_score,
        )
        if few:
            evidence = replace(evidence, reason=OF_FEW)
        return Estimate.of(self, sample, value, evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scaled(AroundValue):
    """The same by the mean score.

    Attributes
    ----------
    scaled_by_mean_score : float or None
        1 - B / (pbar (1 - pbar)); None where pbar is 0 or 1, but for rounding.
    """

    recorded = ("standard_error", "scaled_by_mean_score")

    scaled_by_mean_score: float | None
