"""Rows that two models have scored, in one order for both: that in which folds are drawn.

The order depends on the rows alone: not on how they arrived, and not on which of the two models is called the first.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.comparison.held_out import predict_out_of_fold
from fitontest.data.arrays import check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import read_weights
from fitontest.families.base import Family
from fitontest.typing import ArrayInput, FloatArray, IntArray, Label, RowLoss

MOST_WRITTEN_OUT = 10_000_000  # rows


@dataclass(frozen=True, eq=False)
class Scored:
    """The rows as one of the models has scored them.

    Attributes
    ----------
    sample : ScoreSample
        The rows of positive weight, sorted by (score, label, weight).
    place : int array of shape (n,)
        The position in that sample of each row of the common order.
    """

    sample: ScoreSample
    place: IntArray

    @classmethod
    def of(cls, sample: ScoreSample, p: FloatArray, y: FloatArray, w: FloatArray) -> "Scored":
        """Return a sample with the places of its rows, which (p, y, w) hold in the common order."""
        place = np.empty(p.size, dtype=np.intp)
        place[np.lexsort((w, y, p))] = np.arange(p.size)
        return cls(ScoreSample.of_rows(sample.rows, whole=sample.whole), place)

    def compute_gains(self, family: Family, folds: list[IntArray], loss: RowLoss) -> FloatArray:
        """Return by how much a map that was fitted to the other folds lowers the loss of each row, in common order."""
        rows = self.sample.rows
        own_folds = [np.sort(self.place[held_out]) for held_out in folds]
        (predictions,) = np.clip(predict_out_of_fold(family, self.sample, [own_folds]), 0.0, 1.0)
        return np.asarray((loss(rows.y, rows.p) - loss(rows.y, predictions))[self.place])


@dataclass(frozen=True, eq=False)
class TwoModels:
    """Rows of positive weight with the scores of two models.

    Attributes
    ----------
    first, second : Scored
        The rows as each model has scored them.
    w, w2 : arrays of shape (n,)
        Weights and squared weights of the rows, in the common order; whole weights count rows (see `Rows`).
    given : tuple of two ScoreSample
        The rows as they were given. In the others each row stands as often as its weight counts it: held out with its
        copies it would be missing from the others, and models whose scores differ more would look worse.
    """

    first: Scored
    second: Scored
    w: FloatArray
    w2: FloatArray
    given: tuple[ScoreSample, ScoreSample]

    @classmethod
    def of(
        cls, y_true: ArrayInput, p1: ArrayInput, p2: ArrayInput, sample_weight: ArrayInput, pos_label: Label | None
    ) -> "TwoModels":
        """Check labels, scores and weights, and put the rows in order."""
        weights = None if sample_weight is None else read_weights(sample_weight, "sample_weight")
        given = [
            ScoreSample(y_true, p, weights, pos_label=pos_label, names=("y_true", name, "sample_weight"))
            for name, p in (("p1", p1), ("p2", p2))
        ]
        one, other = given
        check_same_order(y_true=y_true, p1=p1, p2=p2, sample_weight=sample_weight)
        check_same_length(p1=one.p, p2=other.p)
        samples = [_written_out(sample) for sample in given]
        one, other = samples
        present = one.w > 0
        scores, y, w, w2 = (one.p[present], other.p[present]), one.y[present], one.w[present], one.w2[present]
        order = find_order(*scores, y, w)
        first, second = (
            Scored.of(sample, p[order], y[order], w[order]) for sample, p in zip(samples, scores, strict=True)
        )
        return cls(first, second, w[order], w2[order], (given[0], given[1]))


def _written_out(sample: ScoreSample) -> ScoreSample:
    """Return the sample with each row as often as its weight counts it; of very many rows as it is."""
    if sample.unit or not sample.whole or sample.total > MOST_WRITTEN_OUT:
        return sample
    rows = np.repeat(np.arange(sample.w.size), sample.w.astype(np.intp))
    return ScoreSample(sample.y[rows], sample.p[rows])


def find_order(p1: FloatArray, p2: FloatArray, y: FloatArray, w: FloatArray) -> IntArray:
    """Return the positions of the rows sorted by (p1, p2, y, w), or by (p2, p1, y, w) if these come out smaller.

    Which is smaller is decided by the first number in which the two sorted tables differ. So the order of the rows is
    the same if the models are swapped. The exception is a table that the swap merely puts into another order: it does
    not say which model is which.
    """
    tables = []
    for one, other in ((p1, p2), (p2, p1)):
        order = np.lexsort((w, y, other, one))
        tables.append((order, np.column_stack((one, other, y, w))[order].ravel()))
    (straight, first), (swapped, second) = tables
    differing = np.flatnonzero(first != second)
    return swapped if differing.size and second[differing[0]] < first[differing[0]] else straight
