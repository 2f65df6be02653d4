"""Evidence on forecasts whose outcomes are known later: products over every h-th row, and what their mean says."""

import numpy as np
from scipy.optimize import brentq

from fitontest.numerics.log_sums import log_sum_exp
from fitontest.typing import FloatArray

BLOCK = 1_000_000  # numbers that are computed at a time


def mean_products(log_factors: FloatArray, lag: int) -> tuple[FloatArray, FloatArray]:
    """Return log((1/h) sum_k M_k) and log((1/h) sum_k max(1, largest M_k so far)) after each row, both of shape (n,).

    M_k is the product of the factors of rows k, k + h, k + 2 h, ... so far, h the lag.
    """
    log_e, log_sup = np.empty(log_factors.size), np.empty(log_factors.size)
    products, largest = np.zeros(lag), np.zeros(lag)
    step = max(1, BLOCK // lag)
    for start in range(0, log_factors.size, step):
        rows = np.arange(start, min(start + step, log_factors.size))
        own = rows[:, None] % lag == np.arange(lag)
        running = products + np.cumsum(np.where(own, log_factors[rows][:, None], 0.0), axis=0)
        highest = np.maximum(np.maximum.accumulate(running, axis=0), largest)
        log_e[rows], log_sup[rows] = (log_sum_exp(each, 1.0 / lag) for each in (running, highest))
        products, largest = running[-1], highest[-1]
    return log_e, log_sup


def factor_of_lag(lag: int) -> float:
    """Return a_h: the harmonic mean of h p-values, times this, is a p-value, however they depend on each other.

    a_1 = 1, a_2 = 2, and else a_h = (y + h)^2 / ((y + 1) h) with the y > 0 at which y^2 = h ((y + 1) log(y + 1) - y).

    References
    ----------
    Vovk, Wang (2020), Combining p-values via averaging, Biometrika 107(4), proposition 6.
    https://doi.org/10.1093/biomet/asaa027

    Examples
    --------
    >>> [round(factor_of_lag(h), 3) for h in (1, 2, 3, 10)]
    [1.0, 2.0, 2.746, 4.56]
    """
    if lag <= 2:
        return float(lag)
    y = brentq(lambda y: y**2 - lag * ((y + 1.0) * np.log1p(y) - y), 0.1, 10.0 * lag)
    return float((y + lag) ** 2 / ((y + 1.0) * lag))
