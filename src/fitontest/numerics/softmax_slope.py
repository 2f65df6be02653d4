"""The best inverse temperature of a softmax: Newton's method on one number.

The mean log loss of softmax(beta x) is convex in beta. With s = x - max x of each row its value, slope and curvature
are made of three sums over a row, of e, s e and s^2 e with e = exp(beta s), so that one pass over the scores gives all.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.newton import SEPARABLE_RIDGE, dot
from fitontest.numerics.softmax import SoftmaxProblem, row_blocks
from fitontest.typing import FloatArray

MAX_STEPS = 100
LONGEST = 4.0  # factor by which a step may change beta
SETTLED = 1e-7  # relative length of a Newton step whose end is exact to rounding


@dataclass(frozen=True)
class Slope:
    """The inverse temperature, 0 where the scores point the wrong way; whether the labels are separable; the steps."""

    beta: float
    separable: bool
    n_iter: int


def fit_slope(problem: SoftmaxProblem) -> Slope:
    """Return the beta >= 0 that minimises the mean log loss of softmax(beta x).

    Where the label of every row has the largest score the loss falls for ever; a ridge of 1e-10 on the standardised
    beta then gives a large finite one, as for two classes. Where all the scores of each row are equal beta is 1.
    """
    x, codes = problem.x, problem.codes
    top = x.max(axis=1)
    own = np.take_along_axis(x, codes[:, None], axis=1)[:, 0] - top
    at_zero, square = _flat_slope(problem, top, own)
    if square == 0.0:
        return Slope(1.0, False, 0)
    if at_zero >= 0.0:
        return Slope(0.0, False, 0)
    separable = not own.any()
    ridge = SEPARABLE_RIDGE * square if separable else 0.0
    beta, low, high, steps = 1.0, 0.0, np.inf, 0
    while steps < MAX_STEPS:
        steps += 1
        slope, curvature = _derivatives(problem, top, own, beta)
        slope, curvature = slope + ridge * beta, curvature + ridge
        low, high = (beta, high) if slope < 0 else (low, beta)
        moved = beta - slope / curvature if curvature > 0 else (LONGEST * beta if slope < 0 else beta / LONGEST)
        moved = min(max(moved, beta / LONGEST), beta * LONGEST)
        if not low <= moved <= high:
            moved = (low + high) / 2.0
        near, beta = abs(moved - beta) <= SETTLED * beta, moved
        if near or slope == 0.0:
            break
    return Slope(beta, separable, steps)


def _flat_slope(problem: SoftmaxProblem, top: FloatArray, own: FloatArray) -> tuple[float, float]:
    """Return the slope of the loss at beta = 0, and the mean square of the scores about their rows' means.

    Of two classes the square is that of the difference of the scores, so that the ridge is the one of two classes.
    """
    slope = square = 0.0
    n, K = problem.x.shape
    for rows in row_blocks(n, K):
        x, _, w = problem.pieces(rows)
        s = x - top[rows, None]
        mean = s.mean(axis=1)
        spread = np.einsum("ik,ik->i", s - mean[:, None], s - mean[:, None])
        slope += _sum(mean - own[rows], w)
        square += _sum(spread, w)
    return slope / problem.total, 2.0 * square / ((K - 1) * problem.total)


def _derivatives(problem: SoftmaxProblem, top: FloatArray, own: FloatArray, beta: float) -> tuple[float, float]:
    slope = curvature = 0.0
    for rows in row_blocks(*problem.x.shape):
        x, _, w = problem.pieces(rows)
        s = x - top[rows, None]
        e = np.multiply(s, beta)
        np.exp(e, out=e)
        total = e.sum(axis=1)
        e *= s
        mean = e.sum(axis=1) / total
        slope += _sum(mean - own[rows], w)
        curvature += _sum(np.einsum("ik,ik->i", e, s) / total - mean * mean, w)
    return slope / problem.total, curvature / problem.total


def _sum(values: FloatArray, w: FloatArray | None) -> float:
    return float(values.sum()) if w is None else dot(values, w)
