"""How readable and how valid a candidate's calibrated scores are, beside their loss.

A map of few values is easier to read than one of many, and the loss may be the price. A candidate is on the frontier if
no other has both a loss that is as small and as few values, and one of them smaller.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fitontest.data.sample import Sample
from fitontest.evaluation.comparison.judging import views_of
from fitontest.measures.binning import DEFAULT_BINS
from fitontest.measures.measure import Measure
from fitontest.measures.measure import make as make_measure
from fitontest.measures.probabilistic_count import ProbabilisticCount
from fitontest.measures.validity import DEFAULT_K

NOTE = (
    "count: how many values the map that is fitted to all rows has in effect, each by its share of the rows "
    "(probabilistic count). PDE: mean distance between the held-out predictions and the mean label of their bin, of "
    f"{DEFAULT_BINS} bins of equal mass. AUC_V: area under their validity curve of {DEFAULT_K} nearest neighbours; "
    "greater is better. frontier: no other candidate has a held-out loss as small and a count as small, and one of "
    "them smaller."
)


@dataclass(frozen=True)
class Interpretability:
    """The measures of interpretability of one candidate.

    Attributes
    ----------
    probabilistic_count : float
        Of the values that its map, fitted to all rows, has at the rows; at those of the test set, if there is one.
    pde : float
        The probability deviation error of its held-out predictions.
    auc_v : float
        The area under their validity curve.
    """

    probabilistic_count: float
    pde: float
    auc_v: float


def measure_interpretability(fitted: Sample, held_out: Sequence[Sample]) -> Interpretability:
    """Return the measures of one candidate; of classes that are judged one by one their means.

    Parameters
    ----------
    fitted : Sample
        The labels with the values of the map that is fitted to all rows. Those of a cross-validation come from several
        maps, which have several times as many values.
    held_out : sequence of Sample
        The labels with held-out predictions, for each repeat of the cross-validation; the means over them are returned.
    """
    count = _mean(ProbabilisticCount(), [fitted])
    pde, auc_v = (_mean(make_measure(name), held_out) for name in ("pde", "auc_v"))
    return Interpretability(count, pde, auc_v)


def _mean(measure: Measure, samples: Sequence[Sample]) -> float:
    """Return the mean of a measure of the scores of the samples."""
    return float(np.mean([measure.estimate(scores).value for sample in samples for scores in views_of(sample)[""]]))


def find_frontier(losses: Sequence[float], counts: Sequence[float]) -> list[bool]:
    """Return of each candidate whether no other is as good in both and better in one.

    Examples
    --------
    >>> find_frontier([0.3, 0.2, 0.2, 0.4], [4.0, 9.0, 20.0, 4.0])
    [True, True, False, False]
    """
    loss, count = np.asarray(losses), np.asarray(counts)
    as_good = (loss[:, None] <= loss) & (count[:, None] <= count)
    better = (loss[:, None] < loss) | (count[:, None] < count)
    return [not dominated for dominated in np.any(as_good & better, axis=0).tolist()]
