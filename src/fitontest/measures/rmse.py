"""The root mean squared error of the scores as predictions of the labels: the root of the Brier score."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words


@register("rmse")
@dataclass(frozen=True)
class RMSE(Measure):
    """The root of the Brier score, scikit-learn's ``root_mean_squared_error``.

    That is sqrt((1/W) sum_i w_i (p_i - y_i)^2).

    It measures accuracy as well as calibration, and is not 0 for the true probabilities: its p-value is two-sided.

    Examples
    --------
    >>> import fitontest as fot
    >>> round(fot.measures.RMSE().estimate(fot.ScoreSample([0, 1], [0.3, 0.6])).value, 4)
    0.3536
    """

    words = Words(title="RMSE")

    two_sided = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the root of the weighted mean of the squares."""
        from sklearn.metrics import root_mean_squared_error

        rows = sample.rows
        return Estimate.of(self, sample, float(root_mean_squared_error(rows.y, rows.p, sample_weight=rows.w)))
