"""Measures by the likelihood: the indices D, U and Q of R's val.prob, and Nagelkerke's R squared.

They are made of deviances, -2 times a log likelihood: of scores, of the base rate, and of the calibration line. These
are in units of an effective row: whole weights count rows, and importances stand for (sum w)^2 / sum w^2 of them.
Unlike the log loss nothing is clipped: a certain score of the other label has an infinite deviance.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import chdtrc

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.cox import deviance, require_line
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.results.exceptions import NoValueError
from fitontest.results.table import Section
from fitontest.results.text import p_in_words, short


def deviance_of_scores(sample: ScoreSample, measure: str) -> float:
    """Return -2 sum w ln(probability of the label), or raise NoValueError where a certain score is wrong.

    Parameters
    ----------
    sample : ScoreSample
    measure : str
        What needs it.
    """
    rows = sample.rows
    positive = rows.y > 0.5
    wrong = np.where(positive, rows.p <= 0.0, rows.p >= 1.0)
    if wrong.any():
        where = int(np.flatnonzero(wrong)[0])
        count = int(rows.n[wrong].sum())
        raise NoValueError(
            f"y_prob must not be exactly 0 for a positive nor 1 for a negative, since {measure} is infinite then, got "
            f"{rows.p[where]:g} for label {rows.y[where]:g} ({count} such rows)"
        )
    logs = np.log(np.where(positive, rows.p, 1.0))
    logs += np.log1p(-np.where(positive, 0.0, rows.p))
    return -2.0 * float(rows.w @ logs) / sample.row_weight


def deviance_of_base_rate(sample: ScoreSample, measure: str) -> float:
    """Return that of the share of positives as every score, or raise NoValueError where labels are of one class.

    Parameters
    ----------
    sample : ScoreSample
    measure : str
        What needs it.
    """
    rows = sample.rows
    share = float(rows.w @ rows.y) / float(rows.w.sum())
    if not 0.0 < share < 1.0:
        raise NoValueError(f"y_true must hold both classes for {measure}, got {share:.0f} alone")
    entropy = share * float(np.log(share)) + (1.0 - share) * float(np.log1p(-share))
    return -2.0 * rows_of(sample) * entropy


def rows_of(sample: ScoreSample) -> float:
    """Return how many rows weights stand for, the same in any order of the rows.

    Parameters
    ----------
    sample : ScoreSample
    """
    return float(sample.rows.w.sum()) / sample.row_weight


def deviance_of_line(sample: ScoreSample, measure: str) -> float:
    """Return that of the calibration line, where all certain scores are right: these have none.

    Parameters
    ----------
    sample : ScoreSample
    measure : str
        What needs it.
    """
    uncertain, line = require_line(sample, measure)
    return deviance(uncertain, line.intercept, line.slope) / sample.row_weight


@dataclass(frozen=True, kw_only=True, eq=False)
class LikelihoodRatio(Evidence):
    """A difference of deviances, and its p-value by the chi-square law.

    Attributes
    ----------
    chi_square : float
        The difference.
    degrees : int
        Of freedom.
    asymptotic_p_value : float or None
        None where rows belong to groups: likelihoods of rows do not tell how groups vary.
    """

    recorded = ("chi_square", "degrees", "asymptotic_p_value")

    chi_square: float
    degrees: int
    asymptotic_p_value: float | None

    def section(self) -> Section:
        """Return the test in a line."""
        tested = self.asymptotic_p_value
        p = "" if tested is None else f": {p_in_words(tested)}"
        of = f"{self.degrees} degree{'s' if self.degrees > 1 else ''} of freedom"
        return Section(notes=f"likelihood ratio {short(self.chi_square)}, {of}{p}")


@register("discrimination")
@dataclass(frozen=True)
class Discrimination(Measure):
    """The discrimination index D of R's val.prob: what the scores gain over the base rate; greater is better.

    D = (L(ybar) - L(p) - 1) / n with the deviances L = -2 log likelihood of the share of positives and of the scores.
    It measures accuracy, of which `Unreliability` U is the part that recalibration by a line would gain: Q = D - U.

    Raises
    ------
    NoValueError
        All labels are of one class; a positive has a score of exactly 0, or a negative one of 1.

    References
    ----------
    Miller, Hui, Tierney (1991), Validation techniques for logistic regression models, Statistics in Medicine 10.
    https://doi.org/10.1002/sim.4780100805

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.measure([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.9], "discrimination")), 4)
    0.5972
    """

    words = Words(title="discrimination D")
    unit: ClassVar[Unit] = "deviance"
    greater_is_better: ClassVar[bool] = True
    two_sided: ClassVar[bool] = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the gain in deviance per row."""
        gain = deviance_of_base_rate(sample, self.title) - deviance_of_scores(sample, self.title)
        tested = None if sample.groups is not None else float(chdtrc(1, max(gain, 0.0)))
        evidence = LikelihoodRatio(chi_square=gain, degrees=1, asymptotic_p_value=tested)
        return Estimate.of(self, sample, (gain - 1.0) / rows_of(sample), evidence)


@register("unreliability")
@dataclass(frozen=True)
class Unreliability(Measure):
    """The unreliability index U of R's val.prob: what recalibrating by slope and intercept would gain.

    U = (L(p) - L(a + b logit p) - 2) / n with the deviances L = -2 log likelihood of the scores and of the most likely
    line in logits (`CalibrationSlope`), whose two parameters gain 2 by chance: of calibrated scores U is about 0, and
    may be below. Only lines are seen; `ProperError` is the gain of any map, held out.

    Notes
    -----
    ``estimate.evidence.asymptotic_p_value`` is that of intercept 0 and slope 1, chi-square of 2 degrees. Scores of
    exactly 0 and 1 that are right have no deviance. One that is wrong makes U infinite: val.prob of R leaves such
    negatives of score 1 out, without saying so.

    Raises
    ------
    NoValueError
        There is no most likely line; a positive has a score of exactly 0, or a negative one of 1.

    References
    ----------
    Miller, Hui, Tierney (1991), Validation techniques for logistic regression models, Statistics in Medicine 10.
    https://doi.org/10.1002/sim.4780100805

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> index = fot.measure(rng.random(2000) < 0.25 + p / 2, p, "unreliability")
    >>> round(float(index), 1), index.evidence.asymptotic_p_value < 0.001
    (0.2, True)
    """

    words = Words(title="unreliability U")
    unit: ClassVar[Unit] = "deviance"

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the gain in deviance per row."""
        gain = max(deviance_of_scores(sample, self.title) - deviance_of_line(sample, self.title), 0.0)
        tested = None if sample.groups is not None else float(chdtrc(2, gain))
        evidence = LikelihoodRatio(chi_square=gain, degrees=2, asymptotic_p_value=tested)
        return Estimate.of(self, sample, (gain - 2.0) / rows_of(sample), evidence)


@register("quality")
@dataclass(frozen=True)
class Quality(Measure):
    """The quality index Q of R's val.prob: discrimination less unreliability; greater is better.

    Q = D - U of `Discrimination` and `Unreliability`.

    Raises
    ------
    NoValueError
        As for these two.

    References
    ----------
    Miller, Hui, Tierney (1991), Validation techniques for logistic regression models, Statistics in Medicine 10.
    https://doi.org/10.1002/sim.4780100805

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p
    >>> D, U, Q = (float(fot.measure(y, p, name)) for name in ("discrimination", "unreliability", "quality"))
    >>> Q == D - U
    True
    """

    words = Words(title="quality Q")
    unit: ClassVar[Unit] = "deviance"
    greater_is_better: ClassVar[bool] = True
    two_sided: ClassVar[bool] = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return D - U."""
        return Estimate.of(
            self, sample, Discrimination().estimate(sample).value - Unreliability().estimate(sample).value
        )


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
