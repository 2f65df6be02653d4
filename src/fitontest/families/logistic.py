"""Exact weighted logistic regression with few parameters and sign constraints, in a handful of Newton steps.

Platt scaling and beta calibration minimise

    L(theta) = sum_i w_i [ log(1 + exp(z_i)) - t_i z_i ],   z_i = theta . x_i,

over one to three parameters, some of them bounded below by 0. L is convex, so the optimum is where the projected
gradient vanishes, and Newton's method finds it to rounding. The step length is chosen by the slope of L along the
step alone: on a convex function that slope only grows, so the loss itself need never be computed.

For many rows the first guess comes from the same problem on a histogram of the scores (means of features and labels
in equal cells of the logit); the raw data then need one or two steps.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fitontest.numerics.links import sigmoid
from fitontest.numerics.newton import LOSS_TOLERANCE, Objective, Optimum, Point, minimise, solve_symmetric
from fitontest.numerics.sums import dot
from fitontest.results.exceptions import warn_user
from fitontest.results.typing import BoolArray, FloatArray

GRADIENT_TOLERANCE = 1e-10  # promised: largest projected gradient per unit weight, in the user's features
AIM = 1e-13  # what we try for: a step costs little and Newton's last one lands far below the promise
NEAR = 1e-6  # Newton decrement per unit weight below which a step of length 1 hardly overshoots
LITTLE = 1e-7  # loss by rounding of the logits of scores that hardly differ
SPECKS = (0.0, 1e-14, 1e-11, 1e-8, 1e-4)  # on the diagonal of a Hessian that is singular to rounding
CELLS = 2048
BLOCK = 16_384  # rows per block: the dozen temporaries of a pass over the rows stay in the cache
HISTOGRAM_FROM = 20_000  # rows from which a histogram start pays


@dataclass(frozen=True)
class LogisticProblem:
    """Rows of a logistic regression.

    Attributes
    ----------
    features : tuple of arrays of shape (n,)
        One array per slope.
    targets : array of shape (n,)
        Values in [0, 1].
    w : array of shape (n,) or None
        Positive weights; None means one each.
    total : float
        Sum of the weights.
    intercept : bool
        Whether a constant is fitted as well; it is the last parameter.
    bounded : bool
        Whether the slopes must be >= 0.
    """

    features: tuple[FloatArray, ...]
    targets: FloatArray
    w: FloatArray | None
    total: float
    intercept: bool
    bounded: bool

    @property
    def bounds(self) -> BoolArray:
        """Which parameters must be >= 0."""
        return np.array([self.bounded] * len(self.features) + [False] * self.intercept)


def fit_logistic(problem: LogisticProblem, cell_of: FloatArray, ridge: float = 0.0) -> Optimum:
    """Solve the problem to a projected gradient of 1e-10 per unit weight, or to a loss of 1e-9 more than the least.

    Parameters
    ----------
    problem : LogisticProblem
    cell_of : array of shape (n,)
        The linked score by which rows are gathered into the cells of the histogram start.
    ridge : float
        Quadratic penalty per unit weight on the standardised slopes; 0 except for separable data.
    """
    scaled, shift, scale = _standardised(problem)
    start = _cold_start(scaled)
    if problem.targets.size >= HISTOGRAM_FROM:
        start = minimise(LogisticObjective(_histogram(scaled, cell_of), ridge), start, AIM).theta
    optimum = minimise(LogisticObjective(scaled, ridge), start, AIM)
    theta = optimum.theta.copy()
    theta[: scale.size] /= scale
    if problem.intercept:
        theta[-1] -= float(theta[: scale.size] @ shift)
    gradient = optimum.gradient * max(1.0, float((scale + np.abs(shift)).max(initial=1.0)))
    if ridge == 0.0 and np.any(np.abs(shift) > 1e3 * scale):  # undoing the shift cancels digits: measure again
        objective = LogisticObjective(problem)
        gradient = objective.size(objective.evaluate(theta))
    if ridge == 0.0 and gradient > GRADIENT_TOLERANCE and not _is_optimal(problem, theta, scaled, optimum.theta):
        warn_user(
            f"the logistic fit stopped after {optimum.n_iter} steps at a projected gradient of {gradient:.1e} per "
            f"unit weight (aim: {GRADIENT_TOLERANCE:.0e})",
            ConvergenceWarning,
        )
    return replace(optimum, theta=theta, gradient=gradient)


def _is_optimal(problem: LogisticProblem, theta: FloatArray, scaled: LogisticProblem, at: FloatArray) -> bool:
    """Return whether the loss at theta exceeds the least one by no more than 1e-9 of itself.

    A gradient may be large by rounding alone, where one row outweighs all others or the scores are far from 0. What is
    left to gain is what the next Newton step promises at the optimum of the standardised features, and what undoing the
    standardisation has lost. Where scores hardly differ, slope times score and intercept are so large that they round
    every logit; that is not what is meant as long as it is little.
    """
    objective = LogisticObjective(scaled)
    point = objective.evaluate(at)
    left = -0.5 * float(point.gradient @ objective.direction(point))
    loss, best = _mean_loss(problem, theta), _mean_loss(scaled, at)
    terms = [float(np.abs(slope * x).max()) for slope, x in zip(theta, problem.features, strict=False)]
    rounded = min(float(np.finfo(float).eps) * max(terms), LITTLE)
    return left + max(loss - best, 0.0) <= LOSS_TOLERANCE * loss + rounded


def _mean_loss(problem: LogisticProblem, theta: FloatArray) -> float:
    """Return the mean of log(1 + exp(z)) - t z."""
    z: FloatArray = np.full(problem.targets.size, theta[-1] if problem.intercept else 0.0)
    for slope, x in zip(theta, problem.features, strict=False):
        z += slope * x
    each = problem.targets * np.logaddexp(0.0, -z) + (1.0 - problem.targets) * np.logaddexp(0.0, z)
    return float(each.sum() if problem.w is None else dot(problem.w, each)) / problem.total


def _standardised(problem: LogisticProblem) -> tuple[LogisticProblem, FloatArray, FloatArray]:
    """Return the problem with features of mean 0 (where an intercept absorbs it) and unit spread.

    The Hessian is then well conditioned even for scores that are all alike, and a ridge means the same for all.
    """
    w, total = problem.w, problem.total
    means = [float(x.mean()) if w is None else dot(w, x) / total for x in problem.features]
    shift = np.array(means) if problem.intercept else np.zeros(len(means))
    centred = [x - m for x, m in zip(problem.features, shift, strict=True)]
    squares = [dot(x, x) if w is None else dot(w * x, x) for x in centred]
    scale = np.sqrt(np.array(squares) / total)
    scale[scale == 0] = 1.0
    features = tuple(np.divide(x, s, out=x) for x, s in zip(centred, scale, strict=True))
    scaled = LogisticProblem(features, problem.targets, w, total, problem.intercept, problem.bounded)
    return scaled, shift, scale


def _cold_start(problem: LogisticProblem) -> FloatArray:
    """Return slopes of zero and the intercept of the base rate."""
    theta = np.zeros(len(problem.features) + problem.intercept)
    if problem.intercept:
        t = problem.targets
        w = np.ones(1) if problem.w is None else problem.w  # sum both classes: 1 - rate could round to 0
        positive, negative = (float((w * x).sum()) for x in (t, 1.0 - t))
        theta[-1] = np.log(positive) - np.log(negative)
    return theta


def _histogram(problem: LogisticProblem, cell_of: FloatArray) -> LogisticProblem:
    """Return the problem on the means of the rows in equal cells of the linked score."""
    low, high = float(cell_of.min()), float(cell_of.max())
    if not high > low:  # scores so close that their links are one number
        return problem
    cell = ((cell_of - low) * (CELLS / (high - low))).astype(np.intp)
    np.minimum(cell, CELLS - 1, out=cell)

    def summed(x: FloatArray | None) -> FloatArray:
        weights = x if problem.w is None else problem.w if x is None else problem.w * x
        return np.bincount(cell, weights, CELLS).astype(np.float64)

    w = summed(None)
    kept = w > 0
    means = [summed(x)[kept] / w[kept] for x in (*problem.features, problem.targets)]
    return LogisticProblem(tuple(means[:-1]), means[-1], w[kept], problem.total, problem.intercept, problem.bounded)


def _derivatives(problem: LogisticProblem, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradient and Hessian of the mean loss, summed block by block so that temporaries stay in the cache."""
    size, slopes = theta.size, len(problem.features)
    gradient, hessian = np.zeros(size), np.zeros((size, size))
    for start in range(0, problem.targets.size, BLOCK):
        piece = slice(start, start + BLOCK)
        columns = [x[piece] for x in problem.features]
        z: FloatArray = np.full(columns[0].size, theta[-1] if problem.intercept else 0.0)
        for slope, x in zip(theta, columns, strict=False):
            z += slope * x
        q = sigmoid(z)
        r = q - problem.targets[piece]
        v = q * (1.0 - q)
        if problem.w is not None:
            r *= problem.w[piece]
            v *= problem.w[piece]
        for i, x in enumerate(columns):
            gradient[i] += dot(r, x)
            vx = v * x
            for j in range(i + 1):
                hessian[i, j] += dot(vx, columns[j])
            if problem.intercept:
                hessian[slopes, i] += vx.sum()
        if problem.intercept:
            gradient[slopes] += r.sum()
            hessian[slopes, slopes] += v.sum()
    for i in range(size):  # of so few parameters quicker than by functions of matrices
        hessian[:i, i] = hessian[i, :i]
    return gradient / problem.total, hessian / problem.total


@dataclass(frozen=True, eq=False)
class LogisticObjective(Objective):
    """The mean loss, and a quadratic penalty on the slopes, half of `ridge` times their squares."""

    problem: LogisticProblem
    ridge: float = 0.0

    tolerance = GRADIENT_TOLERANCE
    stalls = 3

    def evaluate(self, theta: FloatArray) -> Point:
        """Return gradient and Hessian; the loss is not needed."""
        gradient, hessian = _derivatives(self.problem, theta)
        if self.ridge:
            penalty = np.where(np.arange(theta.size) < len(self.problem.features), self.ridge, 0.0)
            gradient, hessian = gradient + penalty * theta, hessian + np.diag(penalty)
        return Point(theta, np.nan, gradient, hessian)

    def size(self, point: Point) -> float:
        """Return the largest gradient component along which the bounds let us descend."""
        held = self.problem.bounds & (point.theta <= 0) & (point.gradient > 0)
        return float(np.abs(np.where(held, 0.0, point.gradient)).max(initial=0.0))

    def length(self, direction: FloatArray) -> float:
        """Return the largest entry of a step."""
        return float(np.abs(direction).max(initial=0.0))

    def direction(self, point: Point) -> FloatArray:
        """Return the Newton step over the parameters that are free to move."""
        theta, gradient, hessian = point.theta, point.gradient, point.curvature
        at_bound = self.problem.bounds & (theta <= 0)
        free = ~(at_bound & (gradient > 0))
        while True:
            direction = np.zeros(theta.size)
            if free.all():
                direction = solve_symmetric(hessian, gradient, SPECKS)
            elif free.any():
                direction[free] = solve_symmetric(hessian[np.ix_(free, free)], gradient[free], SPECKS)
            blocked = free & at_bound & (direction < 0)
            if not blocked.any():
                return direction
            free &= ~blocked

    def advance(self, point: Point, direction: FloatArray) -> Point:
        """Return the next point: the longest of 1, 1/2, 1/4, ... steps that does not overshoot.

        Along a convex loss the slope g(t) . d grows with t from its negative start. A step is accepted if it still
        descends there, so that it can never land on a plateau beyond the minimum. Next to the optimum, where the sign
        of the slope is rounding, it is enough that the slope has not grown.
        """
        hits = self.problem.bounds & (point.theta + direction < 0)
        length = float((-point.theta[hits] / direction[hits]).min(initial=1.0))
        descent = float(point.gradient @ direction)
        for _ in range(60):
            theta = point.theta + length * direction
            theta[hits & (theta <= 1e-15 * np.abs(direction))] = 0.0
            moved = self.evaluate(theta)
            slope = float(moved.gradient @ direction)
            if slope <= (0.9 * abs(descent) if abs(descent) < NEAR else 0.0) or abs(descent) < 1e-28:
                break
            length /= 2
        return moved
