"""What recalibration would gain at each of many thresholds: decision losses from one fit of a family."""

from typing import Any

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.families.reading import fit_map_to
from fitontest.results.typing import FloatArray

ROUNDING = 1e-12  # of the weight of all rows


def decision_losses(sample: ScoreSample, family: Any, thresholds: FloatArray) -> FloatArray:
    """Return the plug-in decision loss at each threshold, as `DecisionLoss` has it at one, shape (T,).

    A score p whose probability is c loses |c - t| / (1 - t) at the thresholds t between both. So each row is two
    entries of a sum over increasing thresholds, and n + T steps are enough.

    Parameters
    ----------
    sample : ScoreSample
    family : str, Family or CalibrationMap
        What is fitted to the sample, or the map itself.
    thresholds : array of shape (T,)
        Increasing.
    """
    c_hat = fit_map_to(sample, family)
    distinct = sample.distinct
    c = np.clip(c_hat.evaluate(distinct.p), 0.0, 1.0)
    ends = np.searchsorted(thresholds, distinct.p, side="right"), np.searchsorted(thresholds, c, side="right")
    loss = np.zeros(thresholds.size)
    for sign, (first, last) in ((1.0, ends), (-1.0, ends[::-1])):  # c above p, and below
        rows = first < last
        weight, moment = (
            _sums_between(first[rows], last[rows], values[rows], thresholds.size)
            for values in (distinct.w, distinct.w * c)
        )
        # where no row changes sides, sums of steps up and down leave rounding
        loss += np.where(weight > ROUNDING * distinct.w.sum(), sign * (moment - thresholds * weight), 0.0)
    return np.asarray(np.maximum(loss, 0.0) / distinct.w.sum() / (1.0 - thresholds))


def _sums_between(first: Any, last: Any, values: FloatArray, size: int) -> FloatArray:
    """Return at each place the sum of the values whose range, first to last without last, holds it."""
    steps = np.bincount(first, values, size + 1) - np.bincount(last, values, size + 1)
    return np.asarray(steps.cumsum()[:size])
