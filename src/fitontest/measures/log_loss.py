"""The log loss: the mean negative logarithm of the probability that the label had."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from fitontest.data.sample import Sample
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words, in_nats


@register("log_loss")
@dataclass(frozen=True)
class LogLoss(Measure):
    """The log loss: the mean negative logarithm of the probability that each label had; smaller is better.

    It is -(1/W) sum_i w_i ln p_i(y_i) in nats, scikit-learn's ``log_loss``. p_i(y_i) is the probability of the label of
    row i: p_i or 1 - p_i of a score, p_ik of a distribution. It is clipped to [1e-6, 1 - 1e-6], so that one confident
    error costs at most 13.8 nats; scikit-learn clips at the precision of the type. It measures accuracy as well as
    calibration: its p-value is two-sided.

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.measure([0, 1], [0.5, 0.25], "log_loss")), 4)  # (ln 2 + ln 4) / 2
    1.0397
    """

    words = Words(title="log loss", settings_in_words="probabilities clipped to [1e-6, 1 - 1e-6]", printed=in_nats)

    classes: ClassVar[Literal["two", "any", "both"]] = "both"
    unit: ClassVar[Unit] = "nats"
    two_sided: ClassVar[bool] = True

    def estimate(self, sample: Sample) -> Estimate:
        """Return the weighted mean of the logarithms."""
        return Estimate.of(self, sample, sample.mean_loss("log_loss"))
