"""Distances between scores and a map, with their weights: what every plug-in error is a norm of."""

from dataclasses import dataclass

import numpy as np

from fitontest.results.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances g >= 0 with their weights w and the sums w2 of squared row weights behind them.

    Whole weights count rows, and a row of weight 2 is two rows of squared weight 1: there w2 is w.

    One entry per row; or, where all rows of a bin are equally far from the map, one per bin.
    """

    g: FloatArray
    w: FloatArray
    w2: FloatArray


def absolute_difference(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return |p - q|, the distance between scores."""
    return np.asarray(np.abs(p - q))


def farthest(p: FloatArray) -> FloatArray:
    """Return the truth that is farthest from each prediction: of scores 0 or 1, of distributions one class alone.

    That class is the least probable one. The truth is farthest by the absolute difference, the total variation, the
    city block distance and the squared Euclidean one.

    Parameters
    ----------
    p : array of shape (n,) or (n, K)
        Scores, or distributions.

    Examples
    --------
    >>> import numpy as np
    >>> farthest(np.array([0.2, 0.7])).tolist(), farthest(np.array([[0.5, 0.2, 0.3]])).tolist()
    ([1.0, 0.0], [[0.0, 1.0, 0.0]])
    """
    if p.ndim == 1:
        return np.asarray(p < 0.5, dtype=np.float64)
    return np.asarray(np.arange(p.shape[1]) == p.argmin(axis=1)[:, None], dtype=np.float64)
