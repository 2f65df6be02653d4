"""The softmax of rows of scores, and the mean log loss of softmax(W x + b): what maps of several classes are made of.

Work goes over blocks of rows that stay in the cache. What needs memory of n times K is the scores themselves and, where
a system of many classes is solved by products, the probabilities and a copy of the scores, or twice the scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.results.typing import FloatArray, IntArray

ENTRIES = 40_000  # of the scores in a block: with its temporaries it stays in the cache


@dataclass(frozen=True, eq=False)
class SoftmaxProblem:
    """Scores and labels of the rows that a softmax map is fitted to.

    Attributes
    ----------
    x : array of shape (n, K)
        Scores, finite.
    codes : int array of shape (n,)
        The column of each row's label.
    w : array of shape (n,) or None
        Positive weights; None means one each.
    total : float
        Sum of the weights.
    """

    x: FloatArray
    codes: IntArray
    w: FloatArray | None
    total: float

    @cached_property
    def class_weights(self) -> FloatArray:
        """The weight of the rows of each class."""
        return np.bincount(self.codes, self.w, self.x.shape[1]).astype(np.float64)

    def pieces(self, rows: slice) -> tuple[FloatArray, IntArray, FloatArray | None]:
        """Return scores, labels and weights of a block."""
        return self.x[rows], self.codes[rows], None if self.w is None else self.w[rows]


def row_blocks(n: int, n_classes: int) -> Iterator[slice]:
    """Yield slices of rows that hold about `ENTRIES` scores each."""
    step = max(1, ENTRIES // n_classes)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def to_softmax(z: FloatArray) -> FloatArray:
    """Turn each row of z into its softmax, in place, and return log sum_k exp(z_k) of each row."""
    largest = z.max(axis=1)
    z -= largest[:, None]
    np.exp(z, out=z)
    sums = z.sum(axis=1)
    z /= sums[:, None]
    return np.asarray(np.log(sums) + largest)


def softmax(z: FloatArray) -> FloatArray:
    """Return the softmax of each row."""
    q = np.array(z, dtype=np.float64)
    to_softmax(q)
    return q


def log_softmax(z: FloatArray) -> FloatArray:
    """Return z minus log sum_k exp(z_k) of each row."""
    found = np.empty(z.shape)
    for rows in row_blocks(*z.shape):
        piece = z[rows] - z[rows].max(axis=1, keepdims=True)
        found[rows] = piece - np.log(np.exp(piece).sum(axis=1, keepdims=True))
    return found
