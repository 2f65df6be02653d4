"""The Brier score as a share of what the base rate has, and against what calibrated scores would have."""

from dataclasses import dataclass, replace
from math import inf, isinf
from typing import ClassVar

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.formula_interval import FEW, AroundValue, degrees_of, error_of_mean, has_few, independent_rows
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.numerics.significance.normal import p_value
from fitontest.numerics.standard_error import outer_products_of_groups
from fitontest.results.exceptions import NoValueError
from fitontest.results.table import Section
from fitontest.results.text import p_in_words

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


@register("spiegelhalter")
@dataclass(frozen=True)
class Spiegelhalter(Measure):
    """Spiegelhalter's z: how far the Brier score is from its mean for calibrated scores, in standard deviations.

    z = sum_i w_i (y_i - p_i)(1 - 2 p_i) / sqrt(sum_i w_i^2 (1 - 2 p_i)^2 p_i (1 - p_i)), normal for calibrated scores
    (``estimate.evidence.asymptotic_p_value``, two-sided); above 0 the Brier score is larger than that. It sees errors
    that make it larger or smaller: scores that are off where they are near 1/2 pass.

    Notes
    -----
    Whole weights count rows: w_i in place of w_i^2. Where rows belong to groups z is the same, but the p-value is by
    the variance of sums over groups (of the terms less their mean) and Student's t of effective groups - 1 degrees; of
    fewer than 10 effective groups there is none.

    Raises
    ------
    NoValueError
        All scores are 0, 1/2 or 1, so that no label changes the numerator.

    References
    ----------
    Spiegelhalter (1986), Probabilistic prediction in patient management and clinical trials, Statistics in Medicine 5.
    https://doi.org/10.1002/sim.4780050506

    Examples
    --------
    >>> import fitontest as fot
    >>> test = fot.measure([0, 1, 1, 1] * 25, [0.1, 0.2, 0.7, 0.8] * 25, "spiegelhalter")
    >>> round(float(test), 2), round(test.evidence.asymptotic_p_value, 2)
    (1.76, 0.08)
    """

    words = Words(title="Spiegelhalter's z")
    unit: ClassVar[Unit] = "standard deviations"
    two_sided: ClassVar[bool] = True
    ideal: ClassVar[float | None] = 0.0

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the standardised sum."""
        rows, groups = sample.rows, sample.groups
        away = 1.0 - 2.0 * rows.p
        terms = (rows.y - rows.p) * away
        variance = float(rows.w2 @ (away**2 * rows.p * (1.0 - rows.p)))
        if not variance > 0.0:
            raise NoValueError("y_prob must have scores that are not 0, 1/2 or 1 for Spiegelhalter's z, got none")
        z = float(rows.w @ terms) / float(np.sqrt(variance))
        degrees = degrees_of(sample)
        tested: float | None = p_value(z, degrees)
        if are_too_few(groups):
            tested = None
        elif groups is not None:
            around = terms - float(rows.w @ terms) / float(rows.w.sum())
            of_groups = float(outer_products_of_groups((rows.w * around)[:, None], groups.code)[0, 0])
            tested = p_value(z * float(np.sqrt(variance / of_groups)), degrees) if of_groups > 0.0 else None
        return Estimate.of(self, sample, z, OfZ(asymptotic_p_value=tested, degrees=degrees))


@dataclass(frozen=True, kw_only=True, eq=False)
class OfZ(Evidence):
    """The p-value of a statistic that is normal for calibrated scores.

    Attributes
    ----------
    asymptotic_p_value : float or None
        Two-sided; None of too few groups.
    degrees : float
        Of freedom of Student's t; infinite of independent rows.
    """

    recorded = ("asymptotic_p_value",)

    asymptotic_p_value: float | None
    degrees: float = inf

    def section(self) -> Section:
        """Return the p-value in a line."""
        tested = self.asymptotic_p_value
        law = "the normal law" if isinf(self.degrees) else "Student's t"
        return Section(notes="" if tested is None else f"two-sided, by {law}: {p_in_words(tested)}")
