"""Mean labels over blocks of neighbouring scores, of many labellings at once."""

from collections.abc import Callable

import numpy as np

from fitontest.data.entries import Entries
from fitontest.results.typing import FloatArray, IntArray


def block_means(sums: FloatArray, w: FloatArray, starts: IntArray) -> FloatArray:
    """Return at each group the mean of its block.

    Parameters
    ----------
    sums : array of shape (G,) or (G, B)
        What is averaged, at each group the sum over its rows.
    w : array of shape (G,)
        Weights of the groups.
    starts : int array
        First group of each block; strictly increasing from 0.
    """
    means = (np.add.reduceat(sums, starts).T / np.add.reduceat(w, starts)).T
    return np.repeat(means, np.diff(starts, append=w.size), axis=0)


def mean_labels(wy: FloatArray, w: FloatArray, starts: IntArray) -> FloatArray:
    """Return at each group the mean label of its block, where the positives of the groups weigh `wy`."""
    means = block_means(wy, w, starts)
    return np.minimum(means, 1.0, out=means)  # shares of one weight may be rounded to more than the weight


def block_values(entries: Entries, positives: IntArray, find: Callable[[FloatArray], IntArray]) -> FloatArray:
    """Return the mean labels of the blocks that `find` makes of each labelling, shape (G, B).

    Parameters
    ----------
    positives : int array of shape (m, B)
    find : function
        Takes the weight of the positives at each distinct score and returns the first one of each block.
    """
    wy = entries.distinct_wy(positives)
    values = np.empty_like(wy)
    for column, labelling in enumerate(np.ascontiguousarray(wy.T)):
        values[:, column] = mean_labels(labelling, entries.distinct_w, find(labelling))
    return values
