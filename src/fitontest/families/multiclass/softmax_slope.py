"""The best inverse temperature of a softmax: Newton's method on one number.

The mean log loss of softmax(beta x) is convex in beta. With s = x - max x of each row its value, slope and curvature
are made of three sums over a row, of e, s e and s^2 e with e = exp(beta s), so that one pass over the scores gives all.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fitontest.numerics.newton import SEPARABLE_RIDGE
from fitontest.numerics.softmax import SoftmaxProblem, row_blocks
from fitontest.numerics.sums import weighted_sum
from fitontest.results.typing import FloatArray, IntArray

MAX_STEPS = 100
LONGEST = 4.0  # factor by which a step may change beta
SETTLED = 1e-7  # relative length of a Newton step whose end is exact to rounding


@dataclass(frozen=True)
class Slope:
    """The inverse temperature, 0 where the scores point the wrong way; whether the labels are separable; the steps.

    `start` is a slope from which other fits set out, whatever the unit of the scores: the inverse temperature, or,
    where that is steep for want of an optimum, the one that makes the spread of the scores 1.
    """

    beta: float
    separable: bool
    n_iter: int
    start: float


class _Piece(NamedTuple):
    """A block of rows: the scores less the largest of their row, those of the labels, and the weights.

    The classes stand in rows: sums of a few scores each are several times as fast over columns that are side by side.
    """

    s: FloatArray
    own: FloatArray
    w: FloatArray | None


def fit_slope(problem: SoftmaxProblem) -> Slope:
    """Return the beta >= 0 that minimises the mean log loss of softmax(beta x).

    Where the label of every row has the largest score the loss falls for ever; a ridge of 1e-10 on the standardised
    beta then gives a large finite one, as for two classes. Where all the scores of each row are equal beta is 1.
    """
    pieces = [_shifted(*problem.pieces(rows)) for rows in row_blocks(*problem.x.shape)]
    at_zero, square = _flat_slope(pieces, problem.total)
    if square == 0.0:
        return Slope(1.0, False, 0, 1.0)
    if at_zero >= 0.0:
        return Slope(0.0, False, 0, 0.0)
    separable = not any(piece.own.any() for piece in pieces)
    ridge = SEPARABLE_RIDGE * square if separable else 0.0
    beta, low, high, steps = 1.0, 0.0, np.inf, 0
    while steps < MAX_STEPS:
        steps += 1
        slope, curvature = _derivatives(pieces, problem.total, beta)
        slope, curvature = slope + ridge * beta, curvature + ridge
        low, high = (beta, high) if slope < 0 else (low, beta)
        moved = beta - slope / curvature if curvature > 0 else (LONGEST * beta if slope < 0 else beta / LONGEST)
        moved = min(max(moved, beta / LONGEST), beta * LONGEST)
        if not low <= moved <= high:
            moved = (low + high) / 2.0
        near, beta = abs(moved - beta) <= SETTLED * beta, moved
        if near or slope == 0.0:
            break
    return Slope(beta, separable, steps, 1.0 / float(np.sqrt(square)) if separable else beta)


def _shifted(x: FloatArray, codes: IntArray, w: FloatArray | None) -> _Piece:
    s = np.array(x.T, order="C")
    s -= s.max(axis=0)
    return _Piece(s, s[codes, np.arange(codes.size)], w)


def _flat_slope(pieces: list[_Piece], total: float) -> tuple[float, float]:
    """Return the slope of the loss at beta = 0, and the mean square of the scores about their rows' means.

    Of two classes the square is that of the difference of the scores, so that the ridge is the one of two classes.
    """
    slope = square = 0.0
    for piece in pieces:
        mean = piece.s.mean(axis=0)
        from_mean = piece.s - mean
        from_mean *= from_mean
        slope += weighted_sum(mean - piece.own, piece.w)
        square += weighted_sum(from_mean.sum(axis=0), piece.w)
    return slope / total, 2.0 * square / ((pieces[0].s.shape[0] - 1) * total)


def _derivatives(pieces: list[_Piece], total: float, beta: float) -> tuple[float, float]:
    slope = curvature = 0.0
    for piece in pieces:
        e = np.multiply(piece.s, beta)
        np.exp(e, out=e)
        weight = e.sum(axis=0)
        e *= piece.s
        mean = e.sum(axis=0) / weight
        e *= piece.s
        slope += weighted_sum(mean - piece.own, piece.w)
        curvature += weighted_sum(e.sum(axis=0) / weight - mean * mean, piece.w)
    return slope / total, curvature / total
