"""Rows in the order of their probabilities: what the maps share that never change this order.

The scores of a row are sorted, the map makes values of them that do not rise, and the softmax of these values is put
back in the places of the scores.
"""

from typing import NamedTuple

import numpy as np

from fitontest.maps.multiclass.softmax import first_step
from fitontest.numerics.softmax import to_softmax
from fitontest.typing import FloatArray, IntArray


class InOrder(NamedTuple):
    """Scores of rows, and how they stand from the largest to the smallest.

    Attributes
    ----------
    x : array of shape (n, K)
        Scores ln q in the order of the classes.
    order : int array of shape (n, K)
        The column of the largest score of each row, that of the next one, and so on; of equal ones the first.
    y : array of shape (n, K)
        The sorted scores.
    gaps : array of shape (n, K - 1)
        y_k - y_(k+1), at least 0.
    """

    x: FloatArray
    order: IntArray
    y: FloatArray
    gaps: FloatArray


def in_order(log_p: FloatArray, beta: float, mix: float) -> InOrder:
    """Return the scores ln q of `first_step`, and their order."""
    order = np.argsort(-log_p, axis=1, kind="stable")
    x = first_step(log_p, beta, mix)
    y = np.take_along_axis(x, order, axis=1)
    return InOrder(x, order, y, np.maximum(y[:, :-1] - y[:, 1:], 0.0))


def softmax_in_place_of(f: FloatArray, order: IntArray) -> FloatArray:
    """Return the softmax of values that stand in the order of the scores, put back in the places of these.

    A rounding might let a probability rise past the one before it, which is not allowed to happen.
    """
    np.minimum.accumulate(f, axis=1, out=f)
    to_softmax(f)
    np.minimum.accumulate(f, axis=1, out=f)
    q = np.empty_like(f)
    np.put_along_axis(q, order, f, axis=1)
    return q
