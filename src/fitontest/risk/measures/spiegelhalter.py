"""Spiegelhalter's test: whether the Brier score is what it would be if the scores were calibrated."""

from dataclasses import dataclass
from math import inf, isinf
from typing import ClassVar

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.formula_interval import degrees_of
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.numerics.significance.normal import p_value
from fitontest.numerics.standard_error import outer_products_of_groups
from fitontest.results.exceptions import NoValueError
from fitontest.results.table import Section
from fitontest.results.text import p_in_words


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
