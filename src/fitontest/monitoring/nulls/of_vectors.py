"""Null hypotheses on whole vectors of probabilities: the nearest distribution that they allow to one that is bet on."""

from dataclasses import dataclass

import numpy as np

from fitontest.monitoring.nulls.tolerance import Exact, Tolerance
from fitontest.typing import BoolArray, FloatArray

LEAST = 1e-200  # probability that is bet on: of 0 a class that the hypothesis allows would have the factor 0 / 0


@dataclass(frozen=True)
class VectorNull:
    """The probability of each class lies between limits about the score of the class: the score, or a tolerance.

    The nearest distribution p0 to a bet q is argmin KL(q || c) over the distributions c with low_k <= c_k <= high_k.
    For every such c then sum_k c_k q_k / p0_k <= 1, since the derivative of KL(q || p0 + t (c - p0)) at t = 0 is not
    negative: the factor q_y / p0_y of a row of class y has a mean of at most 1.

    Attributes
    ----------
    of_class : Exact or Tolerance
        The hypothesis on the probability of each class.
    """

    of_class: Exact | Tolerance

    def limits(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest probability of each class, of scores of shape (n, K)."""
        return self.of_class.rates(p)

    def impossible(self, p: FloatArray) -> BoolArray:
        """Return which classes cannot be at each row, shape (n, K): one of them as label refutes the hypothesis."""
        return np.asarray(self.limits(p)[1] <= 0.0)

    def nearest(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Return the nearest distribution allowed at each row, shape (..., n, K); see `log_ratios` for the shapes."""
        low, high = self.limits(p)
        return nearest_distribution(q, low, high)

    def log_ratios(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Return log(q_k / p0_k): the logarithm of the factor of a row, were its label k.

        Parameters
        ----------
        p : array of shape (n, K)
            Scores, each row of sum 1.
        q : array of shape (..., n, K)
            What is bet on, each row of sum 1. Probabilities below 1e-200 count as that.

        Returns
        -------
        array of shape (..., n, K)
            0 where a class is `impossible`.
        """
        nearest = self.nearest(p, q)
        return np.log(np.where(nearest > 0.0, np.maximum(q, LEAST), 1.0)) - np.log(
            np.where(nearest > 0.0, nearest, 1.0)
        )


def nearest_distribution(q: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return p0 = clip(nu q, low, high) with the nu by which it sums to 1: argmin KL(q || p0), over the last axis.

    The sum is a piecewise linear function of nu that never falls, with knots where nu q meets a limit. The knots
    between which it passes 1 are found by halving, and nu follows from the classes that are within their limits there.

    Parameters
    ----------
    q, low, high : arrays of shape (..., K) that broadcast
        With 0 <= low <= high <= 1, of which the sums of low are at most 1 and those of high at least 1.
    """
    q = np.maximum(q, LEAST)
    q, low, high = np.broadcast_arrays(q, low, high)
    leaves, meets = low / q, high / q  # nu where a class leaves its lowest, and where it meets its highest probability
    nu = _last_knot(q, low, high, np.sort(np.concatenate((leaves, meets), axis=-1), axis=-1))
    free = (leaves <= nu) & (nu < meets)
    fixed = np.where(free, 0.0, np.where(nu >= meets, high, low))
    of_free = np.where(free, q, 0.0).sum(axis=-1, keepdims=True)
    left = 1.0 - fixed.sum(axis=-1, keepdims=True)
    scaled = np.clip(q * (left / np.where(of_free > 0.0, of_free, 1.0)), low, high)
    return np.where(free, scaled, fixed)


def _last_knot(q: FloatArray, low: FloatArray, high: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the last of the knots, which are in order, at which the sum is at most 1; the first if it is at none."""
    first = np.zeros((*knots.shape[:-1], 1), dtype=np.intp)
    beyond = np.full_like(first, knots.shape[-1])
    for _ in range(knots.shape[-1].bit_length()):
        middle = np.minimum((first + beyond) // 2, knots.shape[-1] - 1)
        within = np.clip(np.take_along_axis(knots, middle, axis=-1) * q, low, high).sum(axis=-1, keepdims=True) <= 1.0
        first, beyond = np.where(within, middle, first), np.where(within, beyond, middle)
    return np.take_along_axis(knots, first, axis=-1)
