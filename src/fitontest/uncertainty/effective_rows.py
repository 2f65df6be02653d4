"""How many independent rows tell as much of a share as rows that belong together."""

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.score_sample import ScoreSample
from fitontest.typing import FloatArray, IntArray
from fitontest.uncertainty.dependence import dependence_of

ALL = slice(None)


def effective_rows(sample: ScoreSample, at: slice = ALL) -> float:
    """Return how many independent rows of weight one tell as much of the mean of the labels.

    Those that whole weights count, or (sum w)^2 / sum w^2; where rows belong to groups these less the design effect.

    Parameters
    ----------
    sample : ScoreSample
    at : slice, optional
        Which of the sorted rows; by default all.
    """
    rows, groups = sample.rows, sample.groups
    n = sample.effective_rows
    if at != ALL:
        weight = float(rows.w[at].sum())
        n = weight * weight / float(rows.w2[at].sum())  # whole weights: their sum
    if groups is None:
        return n
    return n / design_effect(groups.code[at], rows.w[at], rows.w2[at], icc_of(sample))


def nothing_learnt(sample: ScoreSample) -> bool:
    """Return whether rows belong to so few groups that dependence was learnt neither from them nor from other rows."""
    if not are_too_few(sample.groups):
        return False
    dependence = dependence_of(sample)
    return dependence is not None and dependence.too_few


def icc_of(sample: ScoreSample) -> float:
    """Return the correlation of the residuals of two rows of one group; 0 where rows are independent."""
    dependence = dependence_of(sample)
    return 0.0 if dependence is None else dependence.icc


def design_effect(groups: IntArray, w: FloatArray, w2: FloatArray, icc: float) -> float:
    """Return by how much the variance of a mean is larger than that of independent rows of the same weights.

    deff = 1 + (sum_k W_k^2 / sum_i w_i^2 - 1) icc, at least 1, with W_k the weight of group k: of groups of m rows of
    weight one 1 + (m - 1) icc.

    Parameters
    ----------
    groups : int array of shape (m,)
        The group of each row.
    w, w2 : arrays of shape (m,)
        Weights, and squared weights; whole weights count rows, so that there w2 is w.
    icc : float
        Correlation of the residuals of two rows of one group.

    References
    ----------
    Kish (1965), Survey sampling, Wiley.

    Examples
    --------
    >>> ones = np.ones(6)
    >>> design_effect(np.array([0, 0, 0, 1, 1, 1]), ones, ones, 0.1)
    1.2
    """
    of_groups = np.bincount(groups, w)
    return max(1.0 + (float(of_groups @ of_groups) / float(w2.sum()) - 1.0) * icc, 1.0)
