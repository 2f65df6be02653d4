"""Which share of labels is positive among rows of near scores: what scores say, whether or not they are calibrated."""

import numpy as np

from fitontest.results.typing import FloatArray

PARTS = 20  # of the rows in the order of their scores


def near_shares(p: FloatArray, positives: FloatArray, rows: FloatArray | None = None) -> FloatArray:
    """Return for each row, or entry of several rows, the share of positives among those of near scores.

    Parameters
    ----------
    p : array of shape (m,)
        Scores; tied ones are near each other.
    positives : array of shape (m,)
        How many rows are positive; of single rows the labels.
    rows : array of shape (m,), optional
        Rows behind each entry; by default one.

    Examples
    --------
    >>> near_shares(np.array([0.1, 0.9, 0.1]), np.array([0, 1, 1]))
    array([0.5, 1. , 0.5])
    """
    place = np.unique(p, return_inverse=True)[1]
    size, above = np.bincount(place, rows), np.bincount(place, positives)
    part = np.minimum((np.cumsum(size) - size / 2.0) * PARTS / size.sum(), PARTS - 1.0).astype(np.intp)
    shares = np.bincount(part, above, PARTS) / np.maximum(np.bincount(part, size, PARTS), 1.0)
    return np.asarray(shares[part][place])
