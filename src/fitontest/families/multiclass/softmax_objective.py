"""The mean log loss of softmax(W x + b) under a quadratic penalty: what Newton's method needs of it, whatever W's form.

The function minimised is the weighted mean of -log q_y plus sum_j strength_j (theta_j - centre_j)^2, in which squares
are not halved. It is convex. Each step goes along the Newton direction, halved until the loss falls.

Parameters are an array theta of shape (K, F + 1): row k holds the weights of class k and, last, its bias. A diagonal W
has F = 1, a full one F = K.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fitontest.numerics.newton import LONGEST, LOSS_TOLERANCE, ROUNDING, Objective, Optimum, Point
from fitontest.numerics.softmax import SoftmaxProblem, row_blocks
from fitontest.results.exceptions import warn_user
from fitontest.results.typing import FloatArray

AIM = 1e-12  # gradient that we try for: the last Newton step lands far below what is promised
NEXT_TO_NOTHING = 1e-6  # share of the largest mean square of a column of scores
DAMPING = 1e-13  # share of the squares of the scores that is added to the curvature: less than that is rounding


@dataclass(frozen=True, eq=False)
class Penalty:
    """sum strength (theta - centre)^2, entry by entry."""

    strength: FloatArray
    centre: FloatArray

    def value(self, theta: FloatArray) -> float:
        """Return the penalty."""
        away = theta - self.centre
        return float((self.strength * away * away).sum())

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return its gradient."""
        return 2.0 * self.strength * (theta - self.centre)


@dataclass(frozen=True, eq=False)
class SoftmaxObjective(Objective):
    """Mean log loss plus penalty; gradients and steps are measured in standardised scores.

    Attributes
    ----------
    problem : SoftmaxProblem
    penalty : Penalty
    """

    problem: SoftmaxProblem
    penalty: Penalty

    tolerance = 1e-9
    stalls = 2
    patience = 50

    @property
    @abstractmethod
    def scale(self) -> FloatArray:
        """Size of the score that each parameter multiplies, so that gradients and steps can be compared."""

    @abstractmethod
    def newton_step(self, gradient: FloatArray, curvature: Any) -> FloatArray:
        """Return the Newton step, however long."""

    def size(self, point: Point) -> float:
        """Return the largest entry of the gradient."""
        return float(np.abs(point.gradient / self.scale).max(initial=0.0))

    def length(self, direction: FloatArray) -> float:
        """Return the largest entry of a step."""
        return float(np.abs(direction * self.scale).max(initial=0.0))

    def direction(self, point: Point) -> FloatArray:
        """Return the Newton step, or a part of it that is not much longer than the parameters are."""
        step = self.newton_step(point.gradient, point.curvature)
        length, longest = self.length(step), LONGEST + self.length(point.theta)
        return step * (longest / length) if length > longest else step

    def advance(self, point: Point, direction: FloatArray) -> Point:
        """Return the next point: the longest of 1, 1/2, ... steps that lowers the loss."""
        descent, length = float((point.gradient * direction).sum()), 1.0
        for _ in range(60):
            moved = self.evaluate(point.theta + length * direction)
            if moved.value <= point.value + 1e-4 * length * descent + ROUNDING * max(1.0, abs(point.value)):
                break
            length, moved = length / 2, moved._replace(curvature=None)
        return moved


@dataclass(frozen=True, eq=False)
class MeasuredByLogits(SoftmaxObjective):
    """An objective whose steps are measured by what they change.

    Where scores make up for one another, as all but equal ones do, parameters may be large that change nothing.
    """

    @cached_property
    def squares(self) -> FloatArray:
        """Mean of s s' over the rows, s = (x, 1)."""
        problem = self.problem
        n, K = problem.x.shape
        squares = np.zeros((K + 1, K + 1))
        for rows in row_blocks(n, K):
            x, _, w = problem.pieces(rows)
            s = with_ones(x)
            squares += s.T @ (s if w is None else s * w[:, None])
        return squares / problem.total

    def change(self, theta: FloatArray) -> float:
        """Return the largest root mean square of (W x + b)_k less the mean over k, for theta of columns W and b."""
        own = theta - theta.mean(axis=0)
        return float(np.sqrt(max(np.einsum("ki,ki->k", own @ self.squares, own).max(), 0.0)))


def warn_unless_exact(objective: SoftmaxObjective, optimum: Optimum, aim: float = AIM) -> Optimum:
    """Return the optimum, with a warning if its gradient is not as small as promised, nor its loss nearly the least."""
    if optimum.gradient > max(aim, objective.tolerance) and not _is_least(objective, optimum.theta):
        warn_user(
            f"the softmax fit stopped after {optimum.n_iter} steps at a gradient of {optimum.gradient:.1e} "
            f"(aim: {objective.tolerance:.0e})",
            ConvergenceWarning,
        )
    return optimum


def _is_least(objective: SoftmaxObjective, theta: FloatArray) -> bool:
    """Return whether the next Newton step promises no more than 1e-9 of the loss, whatever the gradient is."""
    point = objective.evaluate(theta)
    left = -0.5 * float((point.gradient * objective.newton_step(point.gradient, point.curvature)).sum())
    return left <= LOSS_TOLERANCE * point.value


def with_ones(x: FloatArray) -> FloatArray:
    """Return the scores with a last column of ones."""
    s = np.ones((x.shape[0], x.shape[1] + 1))
    s[:, :-1] = x
    return s


def score_size(problem: SoftmaxProblem) -> FloatArray:
    """Return the weighted root mean square of each column of the scores, and 1 for the biases; shape (K + 1,).

    A column that hardly differs from 0 counts as a thousandth of the largest one, and one of no scores at all as 1.
    """
    x = problem.x
    w = np.ones(x.shape[0]) if problem.w is None else problem.w  # a weight of two is the row twice
    squares = np.einsum("i,ik,ik->k", w, x, x) / w.sum()
    least = NEXT_TO_NOTHING * float(squares.max())
    return np.append(np.sqrt(np.maximum(squares, least)) if least > 0.0 else np.ones_like(squares), 1.0)
