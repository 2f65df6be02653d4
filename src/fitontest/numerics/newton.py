"""Newton's method for a convex function: the loop over the steps, whatever is minimised.

An `Objective` evaluates the function, says how large a gradient is, which step to try and how far to go along it: a
logistic regression with bounds judges steps by the slope at their end and never computes its loss, a softmax map by the
loss, which it has anyway.

Some problems have loops of their own, since they are others: many label columns of the same features, solved as one
product of matrices (`fitontest.families.newton_many`); segments that share no row
(`fitontest.segments.repair.trees.segment_logistic`); weights on the simplex, each step of which is non-negative least
squares (`fitontest.families.mixing`); one number within a bracket (`fitontest.families.multiclass.softmax_slope`);
damped steps compiled by jax for many polygons at once (`fitontest.families.piecewise.levenberg_marquardt`); scipy's
L-BFGS for a network of thousands of numbers (`fitontest.families.multiclass.intra_order_program`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fitontest.results.typing import FloatArray

MAX_STEPS = 200
ROUNDING = 1e-14  # of the loss: a step that seems to raise it by less may be taken
UNSETTLED = 1e-2  # length of the last step, in standardised features, from which on the optimum is infinitely far away
LONGEST = 30.0  # step, in standardised features: far from the optimum all curvature may be rounding
LOSS_TOLERANCE = 1e-9  # share of the loss that may be left to gain where the gradient is larger than promised
SEPARABLE_RIDGE = 1e-10  # per unit weight, on standardised slopes; only for data without a finite optimum
SPECKS = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)  # on the diagonal of a Hessian that is singular to rounding


class Point(NamedTuple):
    """Parameters, and the function there: value (NaN if no step needs it), gradient, and what `direction` needs."""

    theta: FloatArray
    value: float
    gradient: FloatArray
    curvature: Any


class Objective(ABC):
    """What is minimised.

    Attributes
    ----------
    tolerance : float
        Of the class: the size of the gradient that is promised.
    stalls : int
        Of the class: after so many steps below the tolerance, or of one value, that do not halve the gradient it is
        rounding.
    patience : int
        Of the class: steps after which a step that is still long says that there is no optimum.
    """

    tolerance: ClassVar[float]
    stalls: ClassVar[int]
    patience: ClassVar[int] = MAX_STEPS

    @abstractmethod
    def evaluate(self, theta: FloatArray) -> Point:
        """Return the function at theta, penalty included."""

    @abstractmethod
    def size(self, point: Point) -> float:
        """Return the size of the gradient."""

    @abstractmethod
    def direction(self, point: Point) -> FloatArray:
        """Return the longest step that may be taken along the Newton direction."""

    @abstractmethod
    def length(self, direction: FloatArray) -> float:
        """Return the length of a step in standardised features."""

    @abstractmethod
    def advance(self, point: Point, direction: FloatArray) -> Point:
        """Return the next point, of which the curvature of this one is not needed."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Parameters, and what is known of them.

    Attributes
    ----------
    theta : array
    objective : float
        The function there; NaN where no step needs it.
    gradient : float
        Size of the gradient there.
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


def minimise(objective: Objective, start: FloatArray, aim: float) -> Optimum:
    """Run Newton steps until the gradient is at most `aim`, or as small as rounding allows."""
    point = objective.evaluate(start)
    best = Optimum(start, point.value, objective.size(point), 0, settled=True)
    length, stalled = 0.0, 0
    for step in range(1, MAX_STEPS + 1):
        if best.gradient <= aim or stalled >= objective.stalls:
            break
        direction = objective.direction(point)
        length = objective.length(direction)
        if step > objective.patience and length > LONGEST:
            break
        point = point._replace(curvature=None)  # it may be as large as the scores, and the next one is made now
        point = objective.advance(point, direction)
        reached = objective.size(point)
        at_rest = best.gradient < objective.tolerance or point.value > best.objective - ROUNDING
        stalled = stalled + 1 if reached > best.gradient / 2 and at_rest else 0
        if reached < best.gradient or point.value < best.objective - ROUNDING:
            best = Optimum(point.theta, point.value, reached, step, settled=True)
    return replace(best, settled=length < UNSETTLED)


def solve_symmetric(hessian: FloatArray, gradient: FloatArray, specks: tuple[float, ...] = SPECKS) -> FloatArray:
    """Return the Newton step -H^-1 g; the diagonal is scaled, and a speck added where H is singular."""
    size = np.sqrt(np.maximum(hessian.diagonal(), np.finfo(float).tiny))
    scaled = hessian / (size[:, None] * size)
    for speck in specks:
        try:
            factor = np.linalg.cholesky(scaled + speck * np.eye(size.size) if speck else scaled)
        except np.linalg.LinAlgError:
            continue
        return np.asarray(-np.linalg.solve(factor.T, np.linalg.solve(factor, gradient / size)) / size)
    return np.asarray(-gradient / (size * size))
