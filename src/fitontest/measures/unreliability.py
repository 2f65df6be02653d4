"""The unreliability index U: how much likelihood per row recalibrating the scores by a line would gain."""

from dataclasses import dataclass
from typing import ClassVar

from scipy.special import chdtrc

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.likelihood import LikelihoodRatio, deviance_of_line, deviance_of_scores, rows_of
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words


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
