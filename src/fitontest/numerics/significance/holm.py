"""Holm's correction: p-values of several tests, raised so that one level holds for all of them together."""

import numpy as np

from fitontest.results.typing import FloatArray


def holm_adjusted(p_values: FloatArray) -> FloatArray:
    r"""Return p-values adjusted for being several, in the order given.

    With the p-values in increasing order, p_(1) <= ... <= p_(m), the adjusted ones are

        max over i <= k of min(1, (m - i + 1) p_(i)).

    Whatever the tests have to do with each other, the probability that any true hypothesis has an adjusted p-value of
    at most alpha is at most alpha.

    Parameters
    ----------
    p_values : array of shape (m,)

    Returns
    -------
    adjusted : array of shape (m,)

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm_adjusted(np.array([0.04, 0.01, 0.03])).round(12)
    array([0.06, 0.03, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    adjusted = np.empty(p_values.size)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * p_values[order]))
    return adjusted
