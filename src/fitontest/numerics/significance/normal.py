"""Two-sided quantiles and p-values of the normal distribution, and of Student's t where few groups tell the spread."""

from math import inf, isinf

from scipy.special import ndtr, ndtri, stdtr, stdtrit


def quantile(level: float, degrees: float = inf) -> float:
    """Return between -q and q of which the share `level` lies: z, or Student's t of so many degrees of freedom.

    Examples
    --------
    >>> round(quantile(0.95), 4), round(quantile(0.95, 9), 4)
    (1.96, 2.2622)
    """
    high = (1.0 + level) / 2.0
    return float(ndtri(high) if isinf(degrees) else stdtrit(degrees, high))


def p_value(z: float, degrees: float = inf) -> float:
    """Return the probability of a value at least as far from 0 as z.

    Examples
    --------
    >>> round(p_value(-1.96), 3), round(p_value(2.2622, 9), 3)
    (0.05, 0.05)
    """
    return float(2.0 * (ndtr(-abs(z)) if isinf(degrees) else stdtr(degrees, -abs(z))))
