"""Sums of exponentials in logs, of small arrays, for which scipy and `numpy.logaddexp` take five times as long."""

import numpy as np

from fitontest.results.typing import FloatArray

LARGEST = 700.0  # whose exponential is finite


def log_sum_exp(logs: FloatArray, weights: FloatArray | float = 1.0, axis: int = -1) -> FloatArray:
    """Return log(sum_k w_k exp(x_k)) along an axis, without overflow; -inf where all terms are 0.

    Parameters
    ----------
    logs : array
        x, below infinity.
    weights : array that broadcasts to the shape of `logs`
        w, not negative.
    axis : int
        That of k.
    """
    logs = np.where(np.asarray(weights) > 0.0, logs, -np.inf)  # a term of weight 0 must not be the largest
    largest = logs.max(axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    total = (weights * np.exp(logs - largest)).sum(axis=axis)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + largest.squeeze(axis))


def softplus(z: FloatArray) -> FloatArray:
    """Return log(1 + exp(z)), right to a rounding of max(1, z).

    `logaddexp` keeps all digits of values near 0, and takes six times as long.
    """
    if z.size and z.max() > LARGEST:
        return np.logaddexp(0.0, z)
    made = np.exp(z)
    made += 1.0
    return np.asarray(np.log(made, out=made))
