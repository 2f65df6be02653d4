"""The ratio of observed to expected positives: by which factor the scores are too low, or too high."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.formula_interval import (
    EXACT,
    NOTHING_VARIES,
    OwnInterval,
    degrees_of,
    error_of_mean,
    has_few,
    independent_rows,
    reason_of_groups,
)
from fitontest.measures.mean_given_scores import MeanGivenScores
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.numerics.rounding import is_rounding
from fitontest.numerics.significance.normal import p_value, quantile
from fitontest.results.checks import choose
from fitontest.results.exceptions import NoValueError

OF_LOGARITHM = "of the logarithm, by the normal approximation"


@register("observed_expected")
@dataclass(frozen=True)
class ObservedExpected(Measure):
    """The number of positives over the number that the scores expect; 1 is ideal, 2 means twice as many as expected.

    O:E = sum_i w_i y_i / sum_i w_i p_i, at least 0. Of the other label y and p are 1 - y and 1 - p.

    Parameters
    ----------
    of : {"events", "non-events"}, default="events"
        The label that is counted: positives, or negatives, of which the ratio tells more where they are rarer.

    Notes
    -----
    The interval is that of the logarithm, by the normal approximation, with the standard error of the residuals,
    sqrt(sum_i w_i^2 (y_i - O:E p_i)^2) / sum_i w_i y_i, of groups that of sums over groups. The usual formula
    sqrt((1 - O/n) / O) (``estimate.evidence.label_error``, with the interval ``label_interval``) leaves
    out that the scores explain a part of the labels: of scores that tell the classes apart its intervals are too wide.
    Where a class has fewer than 50 rows the interval is that of the mean probability of a positive which is exact given
    the scores (`fitontest.measures.mean_given_scores`), by the mean score; of no positives it begins at 0. Where
    weights are uneven the standard error is at least that of labels drawn from their line, and the quantile that of
    Student's t of effective rows - 1 degrees.

    Raises
    ------
    NoValueError
        All scores are 0, so that nothing is expected.

    References
    ----------
    Debray et al. (2017), A guide to systematic review and meta-analysis of prediction model performance, BMJ 356.
    https://doi.org/10.1136/bmj.i6460

    Examples
    --------
    >>> import fitontest as fot
    >>> ratio = fot.measure([0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.8], "observed_expected")
    >>> round(float(ratio), 3), ratio.evidence.observed, ratio.evidence.expected
    (1.5, 3.0, 2.0)
    """

    unit: ClassVar[Unit] = "ratio"
    two_sided: ClassVar[bool] = True
    has_own_interval: ClassVar[bool] = True
    ideal: ClassVar[float | None] = 1.0
    of: Literal["events", "non-events"] = "events"

    def __post_init__(self) -> None:
        choose(self.of, ("events", "non-events"), "of")

    @property
    def words(self) -> Words:
        """What it is called, and of which label where that is the other one."""
        return Words(title="O:E" if self.of == "events" else f"O:E of {self.of}")

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the ratio of the sums."""
        rows, groups, mirrored = sample.rows, sample.groups, self.of != "events"
        p, y = (1.0 - rows.p, 1.0 - rows.y) if mirrored else (rows.p, rows.y)
        observed, expected = float(rows.w @ y), float(rows.w @ p)
        ratio = observed / expected if expected > 0.0 else np.inf
        if expected > 0.0 and is_rounding(observed - expected, observed + expected):
            ratio = 1.0
        if not np.isfinite(ratio):
            side = "below 1" if mirrored else "above 0"
            raise NoValueError(f"y_prob must have a mean {side} for {self.title}, got {sample.mean_score:g}")
        reason, n = reason_of_groups(groups), sample.effective_rows
        error, exact = 0.0, None
        if not reason:
            independent = independent_rows(sample)
            few = has_few(sample, independent)
            residuals = 1.0 - ratio * p, -ratio * p  # of a row that has the label, and of one that has not
            error = error_of_mean(sample, *residuals[:: -1 if mirrored else 1]) * float(rows.w.sum())
            error = error / observed if observed > 0.0 else 0.0
            cancels = groups is not None and error == 0.0 and ratio == 1.0  # as rows of each group do
            if few and not cancels:
                n, exact = independent, MeanGivenScores.of(sample, independent)
            elif error == 0.0:
                reason = NOTHING_VARIES
        evidence = Counts(
            observed=observed / sample.row_weight,
            expected=expected / sample.row_weight,
            ratio=ratio,
            share=1.0 - sample.base_rate if mirrored else sample.base_rate,
            mean_score=1.0 - sample.mean_score if mirrored else sample.mean_score,
            independent=n,
            exact=exact,
            mirrored=mirrored,
            standard_error=error if error > 0.0 and exact is None else None,
            degrees=degrees_of(sample),
            reason=reason,
            method=OF_LOGARITHM if exact is None else EXACT,
            ideal=1.0,
        )
        return Estimate.of(self, sample, ratio, evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class Counts(OwnInterval):
    """The numbers of observed and of expected positives; the standard error is that of the logarithm of their ratio.

    Attributes
    ----------
    observed, expected : float
        In rows: sums of counts, and of importances in units of an effective row.
    ratio : float
    share, mean_score : float
        Of the label that is counted, and the mean of what the scores say of it.
    independent : float
        Independent rows that tell as much of the share.
    exact : MeanGivenScores or None
        Of which the interval is, where a class has few rows.
    mirrored : bool
        Whether negatives are counted.
    """

    recorded = ("observed", "expected", "standard_error", "asymptotic_p_value")

    observed: float
    expected: float
    ratio: float
    share: float
    mean_score: float
    independent: float
    exact: MeanGivenScores | None
    mirrored: bool = False

    @property
    def label_error(self) -> float | None:
        """The usual standard error of the logarithm, sqrt((1 - O/n) / O) with O of n independent rows."""
        return float(np.sqrt((1.0 - self.share) / (self.independent * self.share))) if 0.0 < self.share < 1.0 else None

    def label_interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Return exp(ln O:E -+ z s.e.) by that standard error, None where all labels are of one class.

        Parameters
        ----------
        level : float, default=0.95
        """
        if self.label_error is None:
            return None
        factor = float(np.exp(quantile(level, self.degrees) * self.label_error))
        return self.ratio / factor, self.ratio * factor

    @property
    def asymptotic_p_value(self) -> float | None:
        """Of the ratio 1, of what the interval is of."""
        if self.exact is not None:
            return self.exact.p_value
        if self.standard_error is None:
            return None
        return p_value(float(np.log(self.ratio)) / self.standard_error, self.degrees)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends by the logarithm, or by the exact interval of the mean probability."""
        if self.exact is not None:
            low, high = self.exact.interval(level)
            low, high = (1.0 - high, 1.0 - low) if self.mirrored else (low, high)
            return low / self.mean_score, high / self.mean_score
        assert self.standard_error is not None
        factor = float(np.exp(quantile(level, self.degrees) * self.standard_error))
        return self.ratio / factor, self.ratio * factor
