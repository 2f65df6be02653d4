"""Calibration in the large: by how much the logits of the scores are too low on the whole."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import INSIDE, level_error, level_of, require_uncertain
from fitontest.measures.estimate import Estimate
from fitontest.measures.formula_interval import EXACT, AroundValue, has_few, independent_rows
from fitontest.measures.mean_given_scores import MeanGivenScores
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.numerics.rounding import without_rounding
from fitontest.results.exceptions import NoValueError

SANDWICH = "by the normal approximation with the sandwich standard error"


@register("calibration_in_the_large")
@dataclass(frozen=True)
class CalibrationInTheLarge(Measure):
    """Calibration in the large: what must be added to the logits for scores and labels to agree on the whole.

    a with sum_i w_i (y_i - sigma(a + logit p_i)) = 0, the maximum-likelihood intercept where logit p is an offset; 0 is
    ideal, above 0 the scores are too low. Beside it stands the ratio O:E (`ObservedExpected`).

    Notes
    -----
    Rows of a score of exactly 0 or 1 have no logit and are left out. The interval is that of the normal approximation
    with the sandwich standard error sqrt(sum w^2 (y - c)^2) / sum w c (1 - c), c = sigma(a + logit p), of groups that
    of sums over groups; ``estimate.evidence.model_error`` is 1 / sqrt(sum c (1 - c)), which glm of R reports and which
    takes the map sigma(a + logit p) for the truth. Where a class has fewer than 50 rows, the ends are the
    intercepts at which the mean of sigma(a + logit p) is an end of the interval of the mean probability that is exact
    given the scores (`fitontest.measures.mean_given_scores`). Where weights are uneven the standard error is at least
    that of a true map, and the quantile that of Student's t of effective rows - 1 degrees.

    Raises
    ------
    NoValueError
        No score is strictly between 0 and 1, or all labels of these rows are of one class.

    References
    ----------
    Van Calster et al. (2016), A calibration hierarchy for risk models was defined, Journal of Clinical Epidemiology 74.
    https://doi.org/10.1016/j.jclinepi.2015.12.005

    Examples
    --------
    >>> import fitontest as fot
    >>> level = fot.measure([0, 0, 1, 1] * 50, [0.2, 0.2, 0.2, 0.2] * 50, "calibration_in_the_large")
    >>> round(float(level), 4), round(level.evidence.model_error, 4)  # ln 4, 1 / sqrt(200 / 4)
    (1.3863, 0.1414)
    """

    words = Words(title="calibration in the large")
    unit: ClassVar[Unit] = "logits"
    two_sided: ClassVar[bool] = True
    has_own_interval: ClassVar[bool] = True
    ideal: ClassVar[float | None] = 0.0

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the most likely intercept of slope 1."""
        uncertain = require_uncertain(sample, self.title)
        positives = float(uncertain.rows.w @ uncertain.rows.y)
        if not 0.0 < positives < float(uncertain.rows.w.sum()):
            label = 1 if positives else 0
            raise NoValueError(
                f"y_true must hold both classes among scores {INSIDE} for {self.title}, got {label} alone"
            )
        level = without_rounding(level_of(uncertain), 1.0)
        model_error, error = level_error(uncertain, level)
        exact = None
        if error > 0.0 and has_few(uncertain, rows := independent_rows(uncertain)):
            exact = MeanGivenScores.of(uncertain, rows)
        evidence = Level.of(
            level,
            error,
            uncertain,
            ideal=0.0,
            method=SANDWICH if exact is None else EXACT,
            uncertain=uncertain,
            model_error=model_error,
            exact=exact,
        )
        return Estimate.of(self, sample, level, evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class Level(AroundValue):
    """The rows that an intercept of slope 1 is of.

    Attributes
    ----------
    uncertain : ScoreSample
    model_error : float
        1 / sqrt(sum c (1 - c)), as glm of R reports it.
    exact : MeanGivenScores or None
        Of which the interval is, where a class has few rows.
    """

    recorded = ("standard_error", "model_error", "asymptotic_p_value")

    uncertain: ScoreSample
    model_error: float
    exact: MeanGivenScores | None

    @property
    def asymptotic_p_value(self) -> float | None:
        """Of the level 0, of what the interval is of."""
        return super().asymptotic_p_value if self.exact is None else self.exact.p_value

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends around the value, or those of the exact interval of the mean probability."""
        if self.exact is None:
            return super().ends(level)
        low, high = self.exact.interval(level)
        return (
            level_of(self.uncertain, low) if low > 0.0 else -inf,
            level_of(self.uncertain, high) if high < 1.0 else inf,
        )
