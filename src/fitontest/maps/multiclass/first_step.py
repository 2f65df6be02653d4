"""What maps of several classes take of a row before anything else: the logarithms of its probabilities, ln q.

q = (1 - mix) softmax(beta ln max(p, eps)) + mix / K: p with a floor, scaled by a temperature, and mixed with the
uniform distribution.

The floor is one of probabilities, whose logarithm is infinite at 0. Rows that are given as logits need none, and those
of networks may lie far below the logarithm of the smallest float, -708. A map that was fitted to logits has the floor
0, which cuts none of them; of probabilities it then takes the smallest float for smaller ones.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fitontest.maps.base import finite_number
from fitontest.maps.expressions import Expression, log_softmax_of, shared, softmax_of
from fitontest.numerics.softmax import log_softmax, to_softmax
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

SMALLEST = float(np.finfo(np.float64).tiny)
LOWEST = -1e100  # logarithm that is taken for minus infinity, so that products with it are numbers


def read_floor(value: Any) -> float:
    """Return eps, or refuse it."""
    if not 0 <= finite_number(value, "eps") < 0.5:
        raise ValueError(f"eps must be a number in [0, 0.5), got {brief(value)}")
    return float(value)


def read_first_step(beta: Any, mix: Any) -> tuple[float, float]:
    """Return the inverse temperature and the share of the uniform distribution, or refuse them."""
    beta, mix = finite_number(beta, "beta"), finite_number(mix, "mix")
    if beta < 0:
        raise ValueError(f"beta must not be negative, got {beta!r}")
    if not 0 <= mix <= 1:
        raise ValueError(f"mix must lie in [0, 1], got {mix!r}")
    return beta, mix


def logs_of(P: FloatArray, eps: float) -> FloatArray:
    """Return ln max(p, eps)."""
    x = np.maximum(P, eps or SMALLEST)
    return np.asarray(np.log(x, out=x))


def logs_of_logits(z: FloatArray, eps: float) -> FloatArray:
    """Return ln max(p, eps) of the softmax p of rows, as a new array; without a floor, up to a number in each row.

    The logits of a row that are all but equal keep their differences then, which ln p, next to ln 1/K, would round.
    """
    return np.maximum(log_softmax(z), np.log(eps)) if eps else np.maximum(z, LOWEST)


def scores_of_logits(z: FloatArray, eps: float, beta: float, mix: float, *, differences: bool = False) -> FloatArray:
    """Return the scores ln q of rows of logits; with `differences` up to a number in each row."""
    log_p = logs_of_logits(z, eps)
    if beta == 1.0 and mix == 0.0 and not eps and not differences:
        return log_softmax(log_p)
    return first_step(log_p, beta, mix)


def first_step(log_p: FloatArray, beta: float, mix: float) -> FloatArray:
    """Return the scores ln q of logarithms that have their floor."""
    if beta == 1.0 and mix == 0.0:
        return log_p
    z = beta * log_p
    if mix == 0.0:
        largest = z.max(axis=1, keepdims=True)
        z -= largest + np.log(np.exp(z - largest).sum(axis=1, keepdims=True))
        return z
    to_softmax(z)
    z *= 1.0 - mix
    z += mix / z.shape[1]
    return np.asarray(np.log(z, out=z))


def logs_of_expressions(p: Sequence[Expression], eps: float) -> list[Expression]:
    """Return ln max(p, eps) as expressions."""
    return [one.clip(low=eps or SMALLEST).ln() for one in p]


def first_step_of(p: Sequence[Expression], eps: float, beta: float, mix: float) -> list[Expression]:
    """Return ln q of probabilities as expressions, each to be computed once."""
    log_p = logs_of_expressions(p, eps)
    if beta == 1.0 and mix == 0.0:
        return shared(log_p)
    z = [beta * one for one in log_p]
    if mix == 0.0:
        return shared(log_softmax_of(z))
    return shared([((1.0 - mix) * one + mix / len(z)).ln() for one in softmax_of(z)])
