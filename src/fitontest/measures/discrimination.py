"""The discrimination index D: how much likelihood per row scores gain over the base rate."""

from dataclasses import dataclass
from typing import ClassVar

from scipy.special import chdtrc

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.likelihood import LikelihoodRatio, deviance_of_base_rate, deviance_of_scores, rows_of
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words


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
