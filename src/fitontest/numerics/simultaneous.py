"""Bands that hold a whole curve: how many standard errors the largest deviation of several means reaches.

Gaussian multipliers e_i of the influence values psi_i(t) of the rows make processes sum_i e_i psi_i(t). Given the rows
these are Gaussian with the covariances sum_i psi_i(s) psi_i(t), so that they are drawn from these: no more than a
number for each pair of places is in memory, however many rows there are.
"""

import numpy as np

from fitontest.results.typing import FloatArray

DRAWS = 10_000
BLOCK = 1_000_000  # numbers that are drawn together
JITTER = 1e-9  # of the correlations, which may have fewer dimensions than places
STREAM = 37  # of random numbers


def simultaneous_quantile(
    covariance: FloatArray, level: float, *, degrees: float = np.inf, draws: int = DRAWS, seed: int = 0
) -> float:
    """Return the quantile of max_t |Z(t)| / s(t) of a Gaussian process with these covariances, s(t)^2 its variances.

    Parameters
    ----------
    covariance : array of shape (T, T)
        Places of variance 0 are left out.
    level : float in (0, 1)
    degrees : float, optional
        Degrees of freedom of Student's t, by which the process is wider where its scale is not known well.
    draws : int, default=10000
    seed : int, default=0

    Returns
    -------
    float
        In standard errors; 0 where nothing varies.

    References
    ----------
    Chernozhukov, Chetverikov, Kato (2013), Gaussian approximations and multiplier bootstrap for maxima of sums of
    high-dimensional random vectors, Annals of Statistics 41. https://doi.org/10.1214/13-AOS1161

    Examples
    --------
    >>> import numpy as np
    >>> round(simultaneous_quantile(np.ones((3, 3)), 0.95), 1), round(simultaneous_quantile(np.eye(50), 0.95), 1)
    (2.0, 3.3)
    """
    variance = np.diag(covariance)
    varies = variance > 0.0
    if not varies.any():
        return 0.0
    deviation = np.sqrt(variance[varies])
    correlation = covariance[np.ix_(varies, varies)] / np.outer(deviation, deviation)
    size = deviation.size
    root = np.linalg.cholesky(correlation + JITTER * np.eye(size))
    rng = np.random.default_rng([seed, STREAM])
    largest = np.empty(draws)
    step = max(1, BLOCK // size)
    for start in range(0, draws, step):
        normal = rng.standard_normal((min(step, draws - start), size))
        largest[start : start + normal.shape[0]] = np.abs(normal @ root.T).max(axis=1)
    if np.isfinite(degrees):
        largest /= np.sqrt(rng.chisquare(degrees, draws) / degrees)
    return float(np.quantile(largest, level))
