"""Scores made fewer: cells of one score merged, and cells given the mean of their labels.

A cell is the set of rows that have one score. To merge cells with score averaging makes scores more readable, and their
calibration error no greater; to assign the mean labels makes the calibration error on these rows 0.
"""

import numpy as np

from fitontest.data.arrays import as_numbers, as_scores, check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import read_weights
from fitontest.partitions.cell_partition import CellPartition
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, FloatArray, Label


def merge_cells(y_prob: ArrayInput, scores: ArrayInput, *, sample_weight: ArrayInput = None) -> FloatArray:
    """Return the scores after some of their distinct values have been merged into their weighted mean.

    Neither the probabilistic count nor the calibration error of the cells, (sum_r w_r |r - ybar_r|^q)^(1/q) with any q
    from 1 on, ever rises by it (theorems 5 and 6 of the reference). The other errors may.

    Parameters
    ----------
    y_prob : array-like of shape (n,)
        The scores.
    scores : array-like of shape (m,)
        The scores whose cells are merged, each of which must occur.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    array of shape (n,)
        The scores after merging, in the order of the rows.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    References
    ----------
    Torabian, Urner (2024), Calibration through the lens of interpretability, section 4.1.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> merge_cells([0.2, 0.3, 0.3, 0.9], [0.2, 0.3]).round(4)
    array([0.2667, 0.2667, 0.2667, 0.9   ])
    """
    p = as_scores(y_prob, "y_prob")
    w = np.ones(p.size) if sample_weight is None else read_weights(sample_weight, "sample_weight").w
    check_same_length(y_prob=p, sample_weight=w)
    chosen = as_numbers(scores, "scores")
    missing = chosen[~np.isin(chosen, p)]
    if missing.size:
        raise ValueError(f"scores must be among the scores of the rows, got {brief(float(missing[0]))}")
    merged = np.isin(p, chosen)
    total = w[merged].sum()
    mean = w[merged] @ p[merged] / total if total > 0 else p[merged].mean()
    return np.where(merged, np.clip(mean, chosen.min(), chosen.max()), p)


def assign_average_labels(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    cells: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> FloatArray:
    """Return for each row the mean label of the rows with the same score.

    The mean is weighted, over the cell of the row: the rows with its score, or those that are given.

    Of cells of one score each the calibration error is then 0 on these rows, and neither the mean squared error nor the
    0/1 loss nor the probabilistic count has risen (theorem 8 of the reference). On other rows all of them may.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels and scores.
    cells : array-like of shape (n,), optional
        Whole numbers, the cell of each row. By default rows of one score are a cell.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    pos_label : label, optional
        See `calibration_error`.

    Returns
    -------
    array of shape (n,)
        Rows whose cell has no weight keep their score.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    References
    ----------
    Torabian, Urner (2024), Calibration through the lens of interpretability, section 4.2.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> assign_average_labels([0, 1, 1, 1], [0.2, 0.2, 0.7, 0.9])
    array([0.5, 0.5, 1. , 1. ])
    >>> assign_average_labels([0, 1, 1, 1], [0.2, 0.2, 0.7, 0.9], cells=[0, 1, 0, 1])
    array([0.5, 1. , 0.5, 1. ])
    """
    sample = ScoreSample(y_true, y_prob, sample_weight, pos_label=pos_label)
    check_same_order(y_true=y_true, y_prob=y_prob, cells=cells)
    codes = np.unique(sample.p, return_inverse=True)[1] if cells is None else CellPartition(cells).codes
    check_same_length(cells=codes, y_prob=sample.p)
    total, positive = np.bincount(codes, sample.w), np.bincount(codes, sample.w * sample.y)
    mean = np.divide(positive, total, out=np.full(total.size, np.nan), where=total > 0)[codes]
    return np.where(np.isnan(mean), sample.p, mean)
