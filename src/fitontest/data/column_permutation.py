"""Whether the labels fit the columns far better in another order: columns that were passed in a wrong one.

Of n rows the confusion counts say how many of each class have their largest score in each column. The permutation of
the columns under which most are right is an assignment problem. Being the best of K!, it is better by chance; so it is
found from one half of the rows, each drawn by a coin, and judged by the other half. The halves are drawn from the
counts, by a seed of their own, so that they do not depend on the order of the rows.

For calibrated scores, however inaccurate, no permutation is right more often than the columns as they are. Scores that
are not, say of a classifier that was trained on balanced classes, may be right less often than with two columns
swapped, but then not in the mean over the classes. So all of these are asked for:

* right at least 1.5 times as often, and at least .1 more often, in all rows and in the other half,
* in the other half also in the mean over the classes,
* of the rows of that half in which one of the two orders is right, so many under the new one that a fair coin gives as
  many with a probability of at most 1e-4.

Weights are left out of it: a row is a row.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import betainc

from fitontest.data.labels import listed
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import IntArray, Label

FACTOR, MARGIN = 1.5, 0.1  # by how much an order must be more accurate
LEVEL = 1e-4
MOST_CLASSES = 1000  # an assignment of more takes seconds


def warn_of_permutation(codes: IntArray, top: IntArray, classes: list[Label], y_prob: str, labels: str) -> None:
    """Warn where the columns in another order are far more accurate.

    Parameters
    ----------
    codes, top : int arrays of shape (n,)
        The column of the class of each row's label, and that of its largest score.
    classes : list of length K
        The class of each column.
    y_prob, labels : str
        What the caller calls the scores, and the argument that names the classes.
    """
    n_classes = len(classes)
    if n_classes > MOST_CLASSES:
        return
    counts = np.bincount(codes * n_classes + top, minlength=n_classes**2).reshape(n_classes, n_classes)
    order = find_better_order(counts)
    if order is None:
        return
    now, then = counts.trace() / counts.sum(), counts[order, np.arange(n_classes)].sum() / counts.sum()
    warn_user(
        f"another order of the columns of {y_prob} is far more accurate ({then:.2f} against {now:.2f}): are they in "
        f"the order of the classes [{listed(classes)}]? They seem to be in that of "
        f"[{listed([classes[k] for k in order])}]; name the class of each column by {labels}",
        CalibrationWarning,
    )


def find_better_order(counts: IntArray) -> IntArray | None:
    """Return the class of each column under which far more rows are right, or None.

    Parameters
    ----------
    counts : int array of shape (K, K)
        Rows of each class (first axis) whose largest score is in each column.
    """
    n, hits = int(counts.sum()), int(counts.trace())
    most = min(counts.max(axis=0).sum(), counts.max(axis=1).sum())  # no order has more
    if not _is_far_above(most, hits, n):
        return None
    cells, columns = np.nonzero(counts), np.arange(len(counts))
    half = np.zeros_like(counts)
    half[cells] = np.random.default_rng(0).binomial(counts[cells], 0.5)
    order, other = _best_order(half), counts - half
    if not (_is_above_in_the_mean(other, order) and all(_is_right_far_more(part, order) for part in (counts, other))):
        return None
    moved = order != columns
    won, lost = other[order, columns][moved].sum(), other[columns, columns][moved].sum()
    return order if betainc(won, lost + 1.0, 0.5) <= LEVEL else None  # P(Binomial(won + lost, 1/2) >= won)


def _best_order(counts: IntArray) -> IntArray:
    """Return the class of each column with the most rows right; of equally good orders one that leaves most alone."""
    n_classes = len(counts)
    classes, columns = linear_sum_assignment(
        counts * (n_classes + 1) + np.eye(n_classes, dtype=counts.dtype), maximize=True
    )
    order = np.empty(n_classes, dtype=np.intp)
    order[columns] = classes
    return order


def _is_far_above(right: float, now: float, n: float) -> bool:
    return right >= FACTOR * now and right >= now + MARGIN * n


def _is_right_far_more(counts: IntArray, order: IntArray) -> bool:
    right = counts[order, np.arange(len(order))].sum()
    return _is_far_above(right, counts.trace(), counts.sum())


def _is_above_in_the_mean(counts: IntArray, order: IntArray) -> bool:
    """Return whether the mean share of rows that are right, over the classes, is far larger too."""
    rows = counts.sum(axis=1)
    occur = rows > 0
    now = np.diagonal(counts)[occur] / rows[occur]
    column = np.argsort(order)
    then = counts[np.arange(len(order)), column][occur] / rows[occur]
    return _is_far_above(float(then.sum()), float(now.sum()), float(occur.sum()))
