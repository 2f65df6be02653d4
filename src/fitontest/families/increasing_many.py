"""Newton's method for many logistic regressions whose parameters must not decrease, as one iteration over all of them.

The problems are those of `fitontest.families.newton_many`, under theta_0 <= theta_1 <= ... <= theta_{d-1}. With the
steps s_0 = theta_0 and s_k = theta_k - theta_{k-1} the rule is s_k >= 0 for k >= 1: bounds, which a projected Newton
method keeps. Steps at 0 that the gradient would make negative stay there; the others take a Newton step, which is cut
off at 0. A step that lowers the objective by too little is halved.

References
----------
Bertsekas (1982), Projected Newton methods for optimization problems with simple constraints, SIAM Journal on Control
and Optimization 20(2). https://doi.org/10.1137/0320018
"""

import numpy as np

from fitontest.families.newton_many import LONGEST, Features, derivatives, pieces
from fitontest.numerics.log_sums import softplus
from fitontest.results.typing import BoolArray, FloatArray

MAX_STEPS = 100
MAX_HALVINGS = 30
NEAR = 1e-10  # steps no larger than this are at their bound
ENOUGH = 1e-4  # share of what the gradient promises, which a step must lower the objective by
SPECK = 1e-12  # of the largest diagonal entry of a Hessian, that is added to all


def minimise_increasing(
    features: Features, w: FloatArray, wy: FloatArray, start: FloatArray, tolerance: float
) -> tuple[FloatArray, BoolArray]:
    """Return the minima of all columns among parameters that do not decrease, and which were reached.

    Parameters
    ----------
    features, w, wy, start, tolerance
        As for `fitontest.families.newton_many.minimise_columns`; `start` need not increase.

    Returns
    -------
    theta : array of shape (d, C)
    converged : bool array of shape (C,)
    """
    columns = wy.shape[1]
    theta = np.maximum.accumulate(np.tile(start, (1, columns // start.shape[1])), axis=0)
    w = np.broadcast_to(w, wy.shape)
    largest = tolerance * w.sum(axis=0)
    converged = np.zeros(columns, dtype=bool)
    active = np.arange(columns)
    for _ in range(MAX_STEPS):
        part, weights, targets = theta[:, active], w[:, active], wy[:, active]
        gradient, direction, held = _newton_step(features, weights, targets, part)
        is_done = np.abs(np.where(held, 0.0, gradient)).max(axis=0) <= largest[active]
        converged[active[is_done]] = True
        active = active[~is_done]
        if active.size == 0:
            break
        part, weights, targets = part[:, ~is_done], weights[:, ~is_done], targets[:, ~is_done]
        theta[:, active] = _advance(features, weights, targets, part, gradient[:, ~is_done], direction[:, ~is_done])
    return theta, converged


def _newton_step(
    features: Features, w: FloatArray, wy: FloatArray, theta: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the gradient by the steps, the Newton direction of those that are free, and which stay at 0."""
    by_theta, pairs = derivatives(features, w, wy, theta)
    gradient = _added_from_the_end(by_theta, axis=0)
    steps = _steps(theta)
    held = (steps <= NEAR) & (gradient > 0.0)
    held[0] = False
    size, (i, j) = len(theta), features.pairs
    hessian = np.zeros((theta.shape[1], size, size))
    hessian[:, i, j] = hessian[:, j, i] = pairs.T
    hessian = _added_from_the_end(_added_from_the_end(hessian, axis=1), axis=2)
    hessian[held.T[:, :, None] | held.T[:, None, :]] = 0.0
    diagonal = np.einsum("cii->ci", hessian)
    diagonal += SPECK * diagonal.max(axis=1, keepdims=True)
    diagonal[held.T] = 1.0
    right = np.where(held, 0.0, -gradient)
    return gradient, np.asarray(np.linalg.solve(hessian, right.T[:, :, None])[:, :, 0].T, dtype=np.float64), held


def _advance(
    features: Features,
    w: FloatArray,
    wy: FloatArray,
    theta: FloatArray,
    gradient: FloatArray,
    direction: FloatArray,
) -> FloatArray:
    """Return the points that are reached along the directions, cut off at 0."""
    steps, before = _steps(theta), _objective(features, w, wy, theta)
    change = np.abs(features.x @ np.cumsum(direction, axis=0)).max(axis=0)
    length = np.minimum(1.0, LONGEST / np.maximum(change, LONGEST))
    moved = np.empty_like(theta)
    left = np.arange(theta.shape[1])
    for _ in range(MAX_HALVINGS):
        reached = steps[:, left] + length[left] * direction[:, left]
        np.maximum(reached[1:], 0.0, out=reached[1:])
        moved[:, left] = np.cumsum(reached, axis=0)
        promised = np.einsum("dc,dc->c", gradient[:, left], reached - steps[:, left])
        lower = _objective(features, w[:, left], wy[:, left], moved[:, left])
        rounding = 1e-14 * np.abs(before[left])
        left = left[lower > before[left] + ENOUGH * promised + rounding]
        if left.size == 0:
            break
        length[left] /= 2.0
    return moved


def _objective(features: Features, w: FloatArray, wy: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the value of each column, shape (C,)."""
    value = np.zeros(theta.shape[1])
    for piece in pieces(features.x.shape[0], theta.shape[1]):
        z = features.logits(theta, piece)
        value += np.einsum("mc,mc->c", w[piece], softplus(z)) - np.einsum("mc,mc->c", wy[piece], z)
    if features.ridge > 0:
        centre = 0.0 if features.centre is None else features.centre[:, None]
        value += features.ridge / 2.0 * ((theta - centre) ** 2).sum(axis=0)
    return value


def _steps(theta: FloatArray) -> FloatArray:
    """Return the first parameter and the differences of neighbours."""
    return np.concatenate((theta[:1], np.diff(theta, axis=0)))


def _added_from_the_end(values: FloatArray, axis: int) -> FloatArray:
    """Return sums of each value and all behind it: what a step moves are the parameters from its own on."""
    return np.flip(np.cumsum(np.flip(values, axis), axis=axis), axis)
