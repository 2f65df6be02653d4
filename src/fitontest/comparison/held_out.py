"""Predictions for rows that a family was not fitted to: out of fold, or on a test set.

Folds are not stratified. Stratified folds give the fitted and the held-out rows the same share of positives, which
hides the error of fitting that share: exactly what a calibrator gets wrong on few rows.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.ordering import Rows
from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.maps.base import CalibrationMap
from fitontest.numerics.norms import l1
from fitontest.typing import FloatArray, IntArray, RowLoss


@dataclass(frozen=True, eq=False)
class Judging:
    """The rows that judge, sorted by (p, y, w), and w2, the squared weights behind them.

    Whole weights count rows, and a row of weight 2 is two rows of squared weight 1: there w2 is w.
    """

    rows: Rows
    w2: FloatArray

    @classmethod
    def by(cls, sample: Sample) -> "Judging":
        """Return the rows of a sample as judges."""
        w = sample.rows.w
        return cls(sample.rows, w if sample.whole else w * w)

    def mean(self, values: FloatArray) -> float:
        """Return the weighted mean of one value per row."""
        return l1(values, self.rows.w)

    def losses(self, predictions: FloatArray, loss: RowLoss) -> FloatArray:
        """Return the loss of each row, its mean over the repeats of a cross-validation."""
        return np.asarray(np.mean([loss(self.rows.y, q) for q in predictions], axis=0))


def out_of_fold(family: Family, sample: Sample, repeats: list[list[IntArray]]) -> FloatArray:
    """Return predictions of shape (repeats, n), each row's by a map fitted without the rows of its fold.

    Warnings are held back: what they say of the data, the fit to all rows will say.
    """
    rows = sample.rows
    predictions = np.empty((len(repeats), len(rows)))
    with without_warnings():
        for at, folds in zip(predictions, repeats, strict=True):
            for held_out in folds:
                kept = np.ones(len(rows), dtype=bool)
                kept[held_out] = False
                at[held_out] = unit(family.fit_map(sample.take(kept)), rows.p[held_out])
    return predictions


def unit(fitted: CalibrationMap, p: FloatArray) -> FloatArray:
    """Return c_hat(p) clipped to [0, 1], which only bins of slope 1 leave."""
    return np.clip(fitted.evaluate(p), 0.0, 1.0)
