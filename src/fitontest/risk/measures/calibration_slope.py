"""The slope and the intercept of the calibration line in logits."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import CoxTests, Line, cox_tests, require_line
from fitontest.measures.estimate import Estimate
from fitontest.measures.formula_interval import AroundValue
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.results.table import Section
from fitontest.results.text import percent
from fitontest.results.typing import FloatArray

SANDWICH = "by the normal approximation with the sandwich covariance"
LEFT_OUT = "the rows of scores of exactly 0 and 1, is left out"


@register("calibration_slope")
@dataclass(frozen=True)
class CalibrationSlope(Measure):
    """The calibration slope: below 1 the scores are too extreme, overconfident; above 1 not extreme enough.

    b of the line logit c = a + b logit p, which is fitted to the labels by maximum likelihood; 1 is ideal, and a
    negative one belongs to scores that rank in reverse.

    Notes
    -----
    Rows of a score of exactly 0 or 1 have no logit and are left out; ``estimate.evidence.certain_share`` is their share
    of the weight. The interval is that of the normal approximation with the sandwich covariance H^-1 M H^-1 (H the
    curvature, M the outer products of the gradients of rows, or of groups), which holds where the true map is no line
    too: the very one that verdicts quote. Where weights are uneven, a class has fewer than 50 rows, or hardly a label
    is on the wrong side of the scores, its quantile is that of Student's t of effective rows - 1 degrees, M is freed of
    what each row decides of its own fitted value, and the standard error is at least that of a true line.

    ``evidence.model_error`` is the standard error that glm of R reports, which takes the line for the truth,
    ``evidence.covariance`` the covariance of (slope, intercept) with it, and ``evidence.tests`` has the
    likelihood-ratio tests of the line, which take it so too; `asymptotic_p_value` is that of the interval, so that both
    leave out the slope 1 or neither does.

    Raises
    ------
    NoValueError
        Among the rows of uncertain scores are fewer than ten of a class, one distinct score, or separated classes, of
        which the message has the interval.

    References
    ----------
    Cox (1958), Two further applications of a model for binary regression, Biometrika 45.
    https://doi.org/10.1093/biomet/45.3-4.562
    Van Calster et al. (2016), A calibration hierarchy for risk models was defined, Journal of Clinical Epidemiology 74.
    https://doi.org/10.1016/j.jclinepi.2015.12.005

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> print(fot.measure(rng.random(2000) < 0.25 + p / 2, p, "calibration_slope").headline())
    calibration slope 0.33 (95 % CI 0.27 to 0.39; 1 is ideal): n = 2,000
    """

    words = Words(title="calibration slope")
    unit: ClassVar[Unit] = "ratio"
    two_sided: ClassVar[bool] = True
    has_own_interval: ClassVar[bool] = True
    ideal: ClassVar[float | None] = 1.0

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the slope of the most likely line."""
        return _of_line(self, sample, "slope")


@register("calibration_intercept")
@dataclass(frozen=True)
class CalibrationIntercept(Measure):
    """The intercept of the calibration line in logits, at a score of one half; it is read beside the slope.

    a of the line logit c = a + b logit p of `CalibrationSlope`; 0 is ideal where the slope is 1. How far scores are off
    on the whole is `CalibrationInTheLarge`, the intercept of slope 1.

    Raises
    ------
    NoValueError
        As for the slope.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> round(float(fot.measure(rng.random(2000) < p**2, p, "calibration_intercept")), 1)
    -1.2
    """

    words = Words(title="calibration intercept")
    unit: ClassVar[Unit] = "logits"
    two_sided: ClassVar[bool] = True
    has_own_interval: ClassVar[bool] = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the intercept of the most likely line."""
        return _of_line(self, sample, "intercept")


def _of_line(measure: Measure, sample: ScoreSample, which: Literal["slope", "intercept"]) -> Estimate:
    """Return the estimate of a parameter of the line."""
    uncertain, line = require_line(sample, measure.title)
    place = 0 if which == "slope" else 1
    value = (line.slope, line.intercept)[place]
    error = 0.0
    if not are_too_few(uncertain.groups):
        error = float(line.errors(uncertain)[place])
    covariance = line.inverse * uncertain.row_weight
    certain = 1.0 - float(uncertain.rows.w.sum()) / float(sample.rows.w.sum()) if uncertain is not sample else 0.0
    evidence = OfLine.of(
        value,
        error,
        uncertain,
        few=line.is_of_few(uncertain),
        ideal=measure.ideal,
        method=SANDWICH,
        line=line,
        uncertain=uncertain,
        certain_share=certain,
        model_error=float(np.sqrt(covariance[place, place])),
        covariance=covariance,
        is_slope=which == "slope",
    )
    return Estimate.of(measure, sample, value, evidence)


@dataclass(frozen=True, kw_only=True, eq=False)
class OfLine(AroundValue):
    """The line that a slope or an intercept is of, with its tests.

    Attributes
    ----------
    line : Line
    uncertain : ScoreSample
        The rows that it was fitted to.
    certain_share : float
        Share of the weight of the rows of scores of exactly 0 and 1, which are left out.
    model_error : float
        The standard error where the line is the truth, as glm of R reports it.
    covariance : array of shape (2, 2)
        Of slope and intercept, where the line is the truth.
    is_slope : bool
        Whether the value is the slope.
    """

    recorded = ("standard_error", "model_error", "asymptotic_p_value", "certain_share")

    line: Line
    uncertain: ScoreSample
    certain_share: float
    model_error: float
    covariance: FloatArray
    is_slope: bool

    @cached_property
    def tests(self) -> CoxTests:
        """The tests that the line is the diagonal."""
        return cox_tests(self.uncertain, self.line)

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle with the tests, which computed again might be rounded otherwise."""
        return {**self.__dict__, "tests": self.tests}

    @property
    def asymptotic_p_value(self) -> float | None:
        """Of slope 1, as the interval has it; of the intercept that of intercept 0 and slope 1 together."""
        return super().asymptotic_p_value if self.is_slope else self.tests.joint.p_value

    @property
    def hypothesis(self) -> str:
        """Of what the p-value is, in words."""
        if self.is_slope:
            return super().hypothesis
        test = "likelihood ratio" if self.uncertain.groups is None else "Wald's test"
        return f"{test} of intercept 0 and slope 1"

    def section(self) -> Section:
        """Return the standard error, the p-value and the rows that are left out."""
        left_out = f"{percent(self.certain_share)} of the weight, {LEFT_OUT}" if self.certain_share else ""
        return Section(notes="; ".join(part for part in (super().section().notes, left_out) if part))
