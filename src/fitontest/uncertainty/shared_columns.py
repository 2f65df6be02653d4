r"""Whether rows of different groups are alike that share one of the columns whose combinations the groups are.

R_k is the sum of w (y - g) over the rows of group k, with g a spline of the labels. Were groups independent, the sum
over the values v of a column, Q = sum_v (sum_{k in v} R_k)^2, would have the mean sum_k R_k^2, and the variance
2 (sum_v (sum_{k in v} R_k^2)^2 - sum_k R_k^4). Q is compared with the scaled chi-square of this mean and variance
(Satterthwaite 1946), of the values that several groups share.

References
----------
Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics Bulletin 2(6).
https://doi.org/10.2307/3002019
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaincc

from fitontest.results.typing import FloatArray, IntArray

LEVEL = 0.01  # of all columns together


def dependent_columns(columns: Sequence[IntArray], sums: FloatArray) -> tuple[tuple[int, float], ...]:
    """Return the places of the columns that show dependence by themselves, with p-values, the least first.

    Parameters
    ----------
    columns : sequence of int arrays of shape (K,)
        The value that each group has of each column.
    sums : array of shape (K,)
        Of the weighted residuals of each group.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bench, question = np.divmod(np.arange(600), 30)
    >>> noise, shared = rng.standard_normal(600), rng.standard_normal(30)
    >>> dependent_columns([bench, question], noise), len(dependent_columns([bench, question], noise + shared[question]))
    ((), 1)
    """
    found = [(place, shared_p_value(column, sums)) for place, column in enumerate(columns)]
    certain = [one for one in found if one[1] <= LEVEL / len(columns)]
    return tuple(sorted(certain, key=lambda one: one[1]))


def shared_p_value(column: IntArray, sums: FloatArray) -> float:
    """Return the p-value of the hypothesis that groups which share a value of the column are independent.

    Parameters
    ----------
    column : int array of shape (K,)
    sums : array of shape (K,)
    """
    several = np.bincount(column)[column] > 1
    if not several.any():
        return 1.0
    column, sums = column[several], sums[several]
    squares = np.bincount(column, sums**2)
    q, mean = float((np.bincount(column, sums) ** 2).sum()), float(squares.sum())
    variance = 2.0 * (float(squares @ squares) - float((sums**4).sum()))
    if not variance > 0.0:
        return 1.0
    return float(gammaincc(mean**2 / variance, q * mean / variance))
