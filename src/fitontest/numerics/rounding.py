"""Differences that are zero but for rounding: those of labels and scores, of sums and of means.

Scores are often kept in single precision, whose numbers are rounded by 6e-8 of their size: p and 1 - p of one event do
not add up to 1 then. Chance is far larger than that: of n events it moves a sum by 1 / sqrt(n) of its size.
"""

from typing import Any

import numpy as np

from fitontest.results.typing import FloatArray

ROUNDING = 1e-7  # of the size of what is subtracted
NOWHERE = 1e-12  # an error on the scale of probabilities that is rounding


def is_rounding(difference: Any, size: Any) -> Any:
    """Return whether differences are rounding alone.

    Parameters
    ----------
    difference : float or array
    size : float or array
        The sum of the absolute values of what was added up or subtracted.

    Examples
    --------
    >>> is_rounding(0.1 + 0.2 - 0.3, 0.6), is_rounding(0.001, 0.6)
    (True, False)
    """
    found = np.abs(difference) <= ROUNDING * np.asarray(size)
    return bool(found) if found.ndim == 0 else found


def without_rounding(difference: float, size: float) -> float:
    """Return a difference, 0 where it is rounding alone; parameters as of `is_rounding`."""
    return 0.0 if is_rounding(difference, size) else difference


def rounded_sums(values: FloatArray, group: Any) -> FloatArray:
    """Return the sum of the values of each group, 0 where it is rounding alone, as of p and 1 - p with y and 1 - y.

    Values are differences of labels and scores, so that the largest of them tells of which size these are.

    Parameters
    ----------
    values : array of shape (m,)
    group : int array of shape (m,)
        From 0 to K - 1.

    Examples
    --------
    >>> rounded_sums(np.array([0.1, 0.2, -0.3, 1.0]), np.array([0, 0, 0, 1]))
    array([0., 1.])
    """
    sums, largest = np.bincount(group, values), float(np.abs(values).max(initial=0.0))
    return np.where(is_rounding(sums, np.bincount(group) * largest), 0.0, sums)
