"""Squared residuals of labels that are summed up in cells."""

from fitontest.results.typing import FloatArray


def squared_residuals(p: FloatArray, w2: FloatArray, positive: FloatArray) -> FloatArray:
    """Return the sum of w^2 (y - p)^2 in each cell.

    Parameters
    ----------
    p, w2 : arrays of shape (m,)
        Scores, and the sum of the squared weights of each.
    positive : array of shape (m,)
        Which share of their weight is of positives.

    Examples
    --------
    >>> import numpy as np
    >>> squared_residuals(np.array([0.2]), np.array([2.0]), np.array([0.5])).round(2)
    array([0.68])
    """
    return w2 * (positive * (1.0 - p) ** 2 + (1.0 - positive) * p**2)
