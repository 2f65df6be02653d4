"""Rows in the order of their probabilities: what the maps share that never change this order.

The scores of a row are sorted, the map makes values of them that do not rise, and the softmax of these values is put
back in the places of the scores.
"""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.multiclass.first_step import first_step, logs_of, read_first_step, read_floor, scores_of_logits
from fitontest.numerics.softmax import row_blocks, to_softmax
from fitontest.results.typing import BoolArray, FloatArray, IntArray


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
    top : bool array of shape (n, K)
        Which of the sorted entries are the largest of their row.
    """

    x: FloatArray
    order: IntArray
    y: FloatArray
    gaps: FloatArray
    top: BoolArray


def in_order(given: FloatArray, x: FloatArray) -> InOrder:
    """Return the scores, and the order of the given rows.

    Parameters
    ----------
    given : array of shape (n, K)
        Probabilities or logits, as they were given.
    x : array of shape (n, K)
        Their scores ln q.
    """
    order = np.argsort(-given, axis=1, kind="stable")
    y = np.take_along_axis(x, order, axis=1)
    top = np.take_along_axis(given, order, axis=1) == given.max(axis=1, keepdims=True)
    return InOrder(x, order, y, np.maximum(y[:, :-1] - y[:, 1:], 0.0), top)


def softmax_in_order(f: FloatArray, rows: InOrder) -> FloatArray:
    """Return the softmax of values that stand in the order of the scores, put back in the places of these.

    What a rounding does to it is undone: no probability rises past the one before it, and the largest stay ahead of
    the next, by the last digit where they must, so that the same class is predicted.
    """
    np.minimum.accumulate(f, axis=1, out=f)
    to_softmax(f)
    np.minimum.accumulate(f, axis=1, out=f)
    level = (~rows.top & (f == f[:, :1])).any(axis=1)
    f[level] = np.where(rows.top[level], np.nextafter(f[level], 1.0), f[level])
    q = np.empty_like(f)
    np.put_along_axis(q, rows.order, f, axis=1)
    return q


class InOrderMap(MulticlassMap):
    """Base of the maps that keep the order within a row; a subclass has the fields of the first step and the values."""

    beta: float
    mix: float
    eps: float

    def _put(self, **fields: Any) -> None:
        """Set the fields of a new map, and with them those of the first step, which are checked."""
        beta, mix = read_first_step(self.beta, self.mix)
        for name, value in {**fields, "beta": beta, "mix": mix, "eps": read_floor(self.eps)}.items():
            object.__setattr__(self, name, value)

    @property
    def keeps_argmax(self) -> bool:
        """Whether the most likely class stays the same: it does."""
        return True

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the calibrated probabilities, in the order of the given ones."""
        found = np.empty(P.shape)
        for rows in row_blocks(*P.shape):
            found[rows] = self._softmax(P[rows], first_step(logs_of(P[rows], self.eps), self.beta, self.mix))
        return found

    def evaluate_log(self, log_p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows given as logarithms, or as logits."""
        found = np.empty(log_p.shape)
        for rows in row_blocks(*log_p.shape):
            found[rows] = self._softmax(log_p[rows], scores_of_logits(log_p[rows], self.eps, self.beta, self.mix))
        return found

    def _softmax(self, given: FloatArray, x: FloatArray) -> FloatArray:
        rows = in_order(given, x)
        return softmax_in_order(self._values(rows), rows)

    @abstractmethod
    def _values(self, rows: InOrder) -> FloatArray:
        """Return what the softmax is taken of, for the sorted scores of rows."""
