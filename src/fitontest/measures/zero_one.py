"""The 0/1 loss: the share of rows that a threshold on the scores puts in the wrong class."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.results.checks import is_real


@register("zero_one")
@dataclass(frozen=True)
class ZeroOneLoss(Measure):
    """The share of rows whose label is not the class of their score: positive from the threshold on.

    (1/W) sum_i w_i 1[y_i != 1[p_i >= threshold]], scikit-learn's ``zero_one_loss``. It measures
    accuracy: its p-value is two-sided.

    Parameters
    ----------
    threshold : float in [0, 1], default=0.5
        The least score that is read as positive.

    Raises
    ------
    ValueError
        A threshold outside [0, 1].

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 1, 0, 1], [0.1, 0.5, 0.6, 0.8])
    >>> [fot.measures.ZeroOneLoss(threshold).estimate(sample).value for threshold in (0.5, 0.7)]
    [0.25, 0.25]
    """

    words = Words(title="0/1 loss")

    threshold: float = 0.5

    two_sided = True

    def __post_init__(self) -> None:
        if not is_real(self.threshold) or not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be a number in [0, 1], got {self.threshold!r}")

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the weighted share of misclassified rows."""
        from sklearn.metrics import zero_one_loss

        rows = sample.rows
        predicted = (rows.p >= self.threshold).astype(float)
        return Estimate.of(self, sample, float(zero_one_loss(rows.y, predicted, sample_weight=rows.w)))
