"""Newton's method for softmax(W x + b) under a quadratic penalty: the steps, whatever the form of W.

The function minimised is the weighted mean of -log q_y plus sum_j strength_j (theta_j - centre_j)^2, in which squares
are not halved. It is convex. Each step goes along the Newton direction, halved until the loss falls.

Parameters are an array theta of shape (K, F + 1): row k holds the weights of class k and, last, its bias. A diagonal W
has F = 1, a full one F = K.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fitontest.exceptions import warn_user
from fitontest.numerics.newton import LOSS_TOLERANCE, dot
from fitontest.numerics.softmax import SoftmaxProblem
from fitontest.typing import FloatArray

GRADIENT_TOLERANCE = 1e-9  # promised: the largest entry of the gradient, in standardised scores
AIM = 1e-12  # what we try for: the last Newton step lands far below the promise
MAX_STEPS = 200
PATIENCE = 50  # steps after which a step that is still long says that there is no optimum
ROUNDING = 1e-14  # of the loss: a step that seems to raise it by less may be taken
UNSETTLED = 1e-2  # length of the last step, in standardised scores, from which on the optimum is infinitely far away
LONGEST = 30.0  # step, in standardised scores: far from the optimum all curvature may be rounding
DAMPING = 1e-13  # share of the squares of the scores that is added to the curvature: less than that is rounding
SPECKS = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)  # on the diagonal of a Hessian that is singular to rounding


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
class SoftmaxOptimum:
    """Parameters, and what is known of them.

    Attributes
    ----------
    theta : array
    objective : float
        Mean log loss plus penalty, nats.
    gradient : float
        Largest entry of the gradient there.
    n_iter : int
        Newton steps.
    settled : bool
        Whether the optimum is finite: the last step was short.
    """

    theta: FloatArray
    objective: float
    gradient: float
    n_iter: int
    settled: bool


class Objective(Protocol):
    """What is minimised; the curvature is whatever `direction` makes a Newton step of."""

    @property
    def scale(self) -> FloatArray:
        """Size of the score that each parameter multiplies, so that gradients and steps can be compared."""

    def evaluate(self, theta: FloatArray) -> tuple[float, FloatArray, Any]:
        """Return the value, the gradient and the curvature, penalty included."""

    def direction(self, gradient: FloatArray, curvature: Any) -> FloatArray:
        """Return the Newton step."""


def minimise(objective: Objective, theta: FloatArray, aim: float = AIM) -> SoftmaxOptimum:
    """Run damped Newton steps until the gradient is at most `aim`, or as small as rounding allows."""
    value, gradient, curvature = objective.evaluate(theta)
    best = SoftmaxOptimum(theta, value, _size(gradient, objective), 0, True)
    length, stalled = 0.0, 0
    for step in range(1, MAX_STEPS + 1):
        if best.gradient <= aim or stalled >= 2:
            break
        direction = objective.direction(gradient, curvature)
        length = float(np.abs(direction * objective.scale).max(initial=0.0))
        longest = LONGEST + float(np.abs(theta * objective.scale).max(initial=0.0))
        if length > longest:
            direction = direction * (longest / length)
        if step > PATIENCE and length > LONGEST:
            break
        curvature = None  # it may be as large as the scores, and the next one is made now
        theta, value, gradient, curvature = _advance(objective, theta, value, gradient, direction)
        reached = _size(gradient, objective)
        stalled = stalled + 1 if reached > best.gradient / 2 and best.gradient < GRADIENT_TOLERANCE else 0
        if reached < best.gradient or value < best.objective - ROUNDING:
            best = SoftmaxOptimum(theta, value, reached, step, True)
    return SoftmaxOptimum(best.theta, best.objective, best.gradient, best.n_iter, length < UNSETTLED)


def warn_unless_exact(objective: Objective, optimum: SoftmaxOptimum, aim: float = AIM) -> SoftmaxOptimum:
    """Return the optimum, with a warning if its gradient is not as small as promised, nor its loss nearly the least."""
    if optimum.gradient > max(aim, GRADIENT_TOLERANCE) and not _is_least(objective, optimum.theta):
        warn_user(
            f"the softmax fit stopped after {optimum.n_iter} steps at a gradient of {optimum.gradient:.1e} "
            f"(aim: {GRADIENT_TOLERANCE:.0e})",
            ConvergenceWarning,
        )
    return optimum


def _is_least(objective: Objective, theta: FloatArray) -> bool:
    """Return whether the next Newton step promises no more than 1e-9 of the loss, whatever the gradient is."""
    value, gradient, curvature = objective.evaluate(theta)
    left = -0.5 * float((gradient * objective.direction(gradient, curvature)).sum())
    return left <= LOSS_TOLERANCE * value


def _size(gradient: FloatArray, objective: Objective) -> float:
    return float(np.abs(gradient / objective.scale).max(initial=0.0))


def _advance(
    objective: Objective, theta: FloatArray, value: float, gradient: FloatArray, direction: FloatArray
) -> tuple[FloatArray, float, FloatArray, Any]:
    """Return the next point, its value and derivatives: the longest of 1, 1/2, ... steps that lowers the loss."""
    descent = float((gradient * direction).sum())
    length = 1.0
    for _ in range(60):
        moved = theta + length * direction
        found, new_gradient, curvature = objective.evaluate(moved)
        if found <= value + 1e-4 * length * descent + ROUNDING * max(1.0, abs(value)):
            break
        length, curvature = length / 2, None
    return moved, found, new_gradient, curvature


def solve_symmetric(hessian: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return the Newton step -H^-1 g; the diagonal is scaled, and a speck added where H is singular."""
    size = np.sqrt(np.maximum(np.diag(hessian), np.finfo(float).tiny))
    scaled = hessian / np.outer(size, size)
    for speck in SPECKS:
        try:
            factor = np.linalg.cholesky(scaled + speck * np.eye(size.size))
        except np.linalg.LinAlgError:
            continue
        return np.asarray(-np.linalg.solve(factor.T, np.linalg.solve(factor, gradient / size)) / size)
    return np.asarray(-gradient / (size * size))


def score_size(problem: SoftmaxProblem) -> FloatArray:
    """Return the weighted root mean square of each column of the scores, and 1 for the biases; shape (K + 1,)."""
    x = problem.x
    w = np.ones(x.shape[0]) if problem.w is None else problem.w  # a weight of two is the row twice
    squares = np.einsum("i,ik,ik->k", w, x, x) / w.sum()
    return np.append(np.sqrt(np.maximum(squares, 1e-6)), 1.0)


def weighted_sum(values: FloatArray, w: FloatArray | None) -> float:
    """Return the sum of the rows' values times their weights."""
    return float(values.sum()) if w is None else dot(values, w)
