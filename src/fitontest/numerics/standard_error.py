"""The standard error of a norm of distances with the map held fixed, from the influence that the norm brings.

Row i moves the norm by w_i psi_i / W (see `fitontest.numerics.norms`), and the root of the sum of the squares is its
standard error. A norm without an influence has none.

Where rows belong together, in K groups, a whole group varies as one: its influence is the sum of those of its rows, and

    standard error^2 = K / (K - 1) sum_k (sum_{i in k} w_i psi_i)^2 / W^2,

the factor since the sums are deviations from their own mean. Rows that are independent are not passed as groups, and
have no factor: of groups of one row each the formula has that of n / (n - 1) in the square, 0.05 % of the standard
error at 1,000 rows.
"""

import numpy as np

from fitontest.numerics.distances import Distances
from fitontest.numerics.norms import Norm, l1
from fitontest.numerics.rounding import rounded_sums
from fitontest.results.typing import FloatArray, IntArray

ALL_EQUAL = "all distances are equal: with the map held fixed nothing varies, the uncertainty is the map's"
EQUAL_DISTANCES = 1e-9  # relative spread below which distances differ by rounding alone
EQUAL_WEIGHTS = 1e-9  # relative difference of weights that are one but for rounding
LEAST_FREE = 1e-3  # of one less the share of the weight that one row has
LEAST_GROUPS = 2  # groups, without which nothing varies between them


def map_fixed(
    distances: Distances, norm: Norm, *, fitted_here: bool, groups: IntArray | None = None
) -> tuple[float | None, str]:
    """Return the standard error and "", or None and the reason why there is none.

    Parameters
    ----------
    distances : Distances
        Of each row; without groups there may be one for all rows that are equally far.
    norm : Norm
    fitted_here : bool
        Whether the map was fitted to these rows.
    groups : int array of shape (m,), optional
        The group of each row, from 0 to K - 1; None where rows are independent.
    """
    g, w, w2 = distances.g, distances.w, distances.w2
    if norm.influence is None:
        return None, norm.reason or f"the norm {norm.name!r} brings no influence of single rows"
    if float(w.sum()) ** 2 <= float(w2.sum()):
        return None, "a single row does not vary"
    mean = l1(g, w)
    if fitted_here and mean == 0:
        return None, "the map is the identity at every row: the error is 0, and with the map held fixed stays 0"
    if fitted_here and float(np.ptp(g)) <= EQUAL_DISTANCES * mean:
        return None, ALL_EQUAL
    influence = np.asarray(norm.influence(g, w), dtype=np.float64)
    if influence.shape != g.shape:
        raise ValueError(f"influence must return one number per distance, shape {g.shape}; got {influence.shape}")
    if not np.isfinite(influence).all():
        return None, norm.reason or f"the norm {norm.name!r} has no slope at these distances"
    return standard_error(influence, w, w2, groups), ""


def standard_error(influence: FloatArray, w: FloatArray, w2: FloatArray, groups: IntArray | None = None) -> float:
    """Return the root of sum w2 psi^2 over W; of groups that of K / (K - 1) sum_k (sum_{i in k} w_i psi_i)^2.

    Parameters
    ----------
    influence : array of shape (m,)
        psi of each value; of groups, with mean 0.
    w, w2 : arrays of shape (m,)
        Weights, and the sums of squared row weights behind the values, which only independent rows need.
    groups : int array of shape (m,), optional
        The group of each value, from 0 to K - 1, all of which occur; None where rows are independent.

    Raises
    ------
    ValueError
        All rows are of one group.

    Examples
    --------
    >>> import numpy as np
    >>> psi, w = np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4)
    >>> standard_error(psi, w, w), standard_error(psi, w, w, np.array([0, 0, 1, 1]))
    (0.5, 1.0)
    """
    if groups is None:
        return float(np.sqrt(w2 @ influence**2)) / float(w.sum())
    return float(np.sqrt(outer_products_of_groups((w * influence)[:, None], groups)[0, 0])) / float(w.sum())


def free_squares(w: FloatArray, w2: FloatArray) -> FloatArray:
    """Return w2 / (1 - w / W), with which a sum of squares about the own mean of rows of uneven weights is unbiased.

    A row of much weight draws the mean to itself, and is less far from it than from the true one. Of rows of one weight
    w2 stays as it is.

    Parameters
    ----------
    w, w2 : arrays of shape (m,)
        Weights, and the sums of squared row weights behind the values.

    References
    ----------
    MacKinnon, White (1985), Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample
    properties, Journal of Econometrics 29. https://doi.org/10.1016/0304-4076(85)90158-7

    Examples
    --------
    >>> import numpy as np
    >>> free_squares(np.array([1.0, 1.0, 2.0]), np.array([1.0, 1.0, 4.0]))
    array([1.33333333, 1.33333333, 8.        ])
    """
    if not are_uneven(w, w2):
        return w2
    return np.asarray(w2 / np.maximum(1.0 - weights_of_one(w, w2) / float(w.sum()), LEAST_FREE))


def are_uneven(w: FloatArray, w2: FloatArray) -> bool:
    """Return whether rows have different weights, which are no counts; parameters as of `free_squares`."""
    of_one = weights_of_one(w, w2)[w > 0]
    return bool(np.ptp(of_one) > EQUAL_WEIGHTS * of_one.max())


def weights_of_one(w: FloatArray, w2: FloatArray) -> FloatArray:
    """Return the weight of one row behind each value; parameters as of `free_squares`."""
    return np.divide(w2, w, out=np.zeros(w.shape), where=w > 0)


def outer_products_of_groups(values: FloatArray, groups: IntArray) -> FloatArray:
    """Return K / (K - 1) sum_k s_k s_k^T, s_k the sum of the values of a group's rows, shape (d, d).

    Parameters
    ----------
    values : array of shape (m, d)
        Of each row, such as its weighted influence or the gradient of its likelihood.
    groups : int array of shape (m,)
        The group of each row, from 0 to K - 1, all of which occur.

    Raises
    ------
    ValueError
        All rows are of one group.
    """
    sums = np.stack([rounded_sums(column, groups) for column in values.T], axis=1)
    size = sums.shape[0]
    if size < LEAST_GROUPS:
        raise ValueError(f"groups must be at least {LEAST_GROUPS} for a standard error by groups, got {size}")
    return np.asarray(sums.T @ sums * (size / (size - 1.0)))


def mean_and_error(
    values: FloatArray, w: FloatArray, w2: FloatArray, groups: IntArray | None = None
) -> tuple[float, float]:
    """Return the weighted mean and its standard error, of groups of rows by their sums."""
    mean = float(w @ values) / float(w.sum())
    return mean, standard_error(values - mean, w, w2, groups)
