"""The area under the ROC curve: how often a positive has the higher score of a positive and a negative."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words

NO_PAIR = "there is no pair of a positive and a negative to rank, for which the AUC counts as 0.5"


@register("auc")
@dataclass(frozen=True)
class AUC(Measure):
    """The area under the ROC curve, which measures ranking, not calibration.

    It is P(p > p') + P(p = p') / 2 for a positive p and a negative p'.

    That of scikit-learn, ``roc_auc_score``. Greater is better. It does not change where an increasing map calibrates
    the scores, and falls where a map makes scores equal that were in the right order. It measures
    discrimination: its p-value is two-sided.

    Notes
    -----
    Of labels of one class it is 0.5, with a note: redrawn labels of rare positives may have none.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.measures.AUC().estimate(fot.ScoreSample([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])).value
    0.875
    """

    words = Words(title="AUC")

    greater_is_better = True
    two_sided = True

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the area, with the weights of the rows."""
        from sklearn.metrics import roc_auc_score

        rows = sample.rows
        if rows.y.min() == rows.y.max():
            return Estimate.of(self, sample, 0.5, Evidence(note=NO_PAIR))
        return Estimate.of(self, sample, float(roc_auc_score(rows.y, rows.p, sample_weight=rows.w)))
