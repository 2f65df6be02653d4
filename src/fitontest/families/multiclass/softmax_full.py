"""softmax(W x + b) with a full matrix W: dense Newton steps for few classes, conjugate gradients for many.

With scores s = (x, 1) and theta = (W, b), the Hessian of the mean log loss takes D to the sum over rows of r s', where
r = q * (D s - q . D s). For few classes it is formed, from products of matrices over blocks of rows. For many each
Newton step is found by conjugate gradients, which need only such products; their preconditioner is the exact inverse
of the blocks of a class with itself, and where the blocks are large of one matrix of squares of scores, a multiple for
each class. It improves with every system solved.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.families.multiclass.conjugate_gradients import (
    ImprovedInverse,
    relative_weights,
    single_suffices,
    solve_by_products,
)
from fitontest.families.multiclass.softmax_objective import (
    DAMPING,
    MeasuredByLogits,
    Penalty,
    SoftmaxObjective,
    score_size,
    with_ones,
)
from fitontest.numerics.newton import Point, solve_symmetric
from fitontest.numerics.softmax import SoftmaxProblem, row_blocks, to_softmax
from fitontest.numerics.sums import weighted_sum
from fitontest.results.typing import FloatArray

DENSE_UP_TO = 14  # classes up to which the Hessian is formed
ROWS_PER_BLOCK = 4  # for each score: rows of which a block of the preconditioner is made
FREE = 1e-6  # share of the curvature below which a penalty leaves a direction free
MANY_PRODUCTS = 20  # in a Newton step, from which on a better preconditioner pays


def full_objective(problem: SoftmaxProblem, penalty: Penalty) -> SoftmaxObjective:
    """Return the objective of the map softmax(W x + b), in the form that suits the number of classes."""
    return (Dense if problem.x.shape[1] <= DENSE_UP_TO else Products)(problem, penalty)


@dataclass(frozen=True, eq=False)
class Full(MeasuredByLogits):
    """What both forms share, for theta of shape (K, K + 1) with the columns W and b."""

    @cached_property
    def scale(self) -> FloatArray:
        """Root mean square of the scores, and 1 for the biases."""
        return np.broadcast_to(score_size(self.problem), self.penalty.strength.shape)

    def length(self, direction: FloatArray) -> float:
        """Return by how much a step changes the logits."""
        return self.change(direction)


@dataclass(frozen=True, eq=False)
class Dense(Full):
    """The objective with its Hessian, for theta of shape (K, K + 1) with the columns W and b."""

    def evaluate(self, theta: FloatArray) -> Point:
        """Return value, gradient, and the Hessian of shape (K (K + 1), K (K + 1))."""
        problem = self.problem
        n, K = problem.x.shape
        F = K + 1
        value, gradient = 0.0, np.zeros((K, F))
        outer, own = np.zeros((K * F, K * F)), np.zeros((K * F, F))
        for rows in row_blocks(n, K * K):
            x, codes, w = problem.pieces(rows)
            s = with_ones(x)
            q = s @ theta.T
            z_own = q[np.arange(codes.size), codes]
            value += weighted_sum(to_softmax(q) - z_own, w)
            u = (q[:, :, None] * s[:, None, :]).reshape(codes.size, K * F)
            wu = u if w is None else u * w[:, None]
            outer += wu.T @ u
            own += wu.T @ s
            gradient += residuals(q, codes, w).T @ s
        hessian = -outer.reshape(K, F, K, F)
        k = np.arange(K)
        hessian[k, :, k, :] += own.reshape(K, F, F)
        hessian = hessian.reshape(K * F, K * F) / problem.total + np.diag(2.0 * self.penalty.strength.ravel())
        gradient = gradient / problem.total + self.penalty.gradient(theta)
        return Point(theta, value / problem.total + self.penalty.value(theta), gradient, hessian)

    def newton_step(self, gradient: FloatArray, curvature: FloatArray) -> FloatArray:
        """Return the Newton step."""
        K, F = gradient.shape
        hessian = curvature + np.diag(DAMPING * (self.scale**2).ravel())
        strength, size = self.penalty.strength, np.diag(curvature).reshape(K, F).sum(axis=0)
        alike = not np.ptp(strength, axis=0).any()
        if alike and np.all(2.0 * strength.sum(axis=0) <= FREE * size):  # the same column added to all changes nothing
            hessian += np.tile(np.diag(size / K), (K, K))
        return solve_symmetric(hessian, gradient.ravel()).reshape(K, F)


@dataclass(frozen=True, eq=False)
class Products(Full):
    """The objective with products of its Hessian, for theta of shape (K, K + 1) with the columns W and b."""

    def evaluate(self, theta: FloatArray) -> Point:
        """Return value, gradient, and the probabilities at theta, of which products of the Hessian are made."""
        problem = self.problem
        n, K = problem.x.shape
        value, gradient, probabilities = 0.0, np.zeros((K, K + 1)), np.empty((n, K), self._scores.dtype)
        W, b = np.ascontiguousarray(theta[:, :-1].T), theta[:, -1]
        for rows in row_blocks(n, K):
            x, codes, w = problem.pieces(rows)
            q = x @ W
            q += b
            at = np.arange(codes.size)
            z_own = q[at, codes]
            value += weighted_sum(to_softmax(q) - z_own, w)
            probabilities[rows] = q
            q[at, codes] -= 1.0
            if w is not None:
                q *= w[:, None]
            gradient[:, :-1] += q.T @ x
            gradient[:, -1] += q.sum(axis=0)
        gradient = gradient / problem.total + self.penalty.gradient(theta)
        return Point(theta, value / problem.total + self.penalty.value(theta), gradient, probabilities)

    @cached_property
    def _scores(self) -> NDArray[Any]:
        """The scores that products of the Hessian are made of, in single precision where that suffices."""
        x = self.problem.x
        largest = x.shape[1] / 2.0  # of the Hessian in standardised scores
        single = single_suffices(np.finfo(np.float32).eps * largest, self.penalty.strength, self.scale)
        return x.astype(np.float32) if single else x

    @cached_property
    def _relative_weights(self) -> NDArray[Any] | None:
        """The weights of rows over their mean, in the same precision."""
        return relative_weights(self.problem, self._scores.dtype)

    def product(self, probabilities: NDArray[Any], D: FloatArray) -> FloatArray:
        """Return the Hessian times D."""
        scores, weights = self._scores, self._relative_weights
        n, K = scores.shape
        found = np.zeros((K, K + 1))
        W, b = np.ascontiguousarray(D[:, :-1].T, scores.dtype), D[:, -1].astype(scores.dtype)
        for rows in row_blocks(n, K):
            x, q = scores[rows], probabilities[rows]
            r = x @ W
            r += b
            r -= np.einsum("ik,ik->i", q, r)[:, None]
            r *= q
            if weights is not None:
                r *= weights[rows, None]
            found[:, :-1] += r.T @ x
            found[:, -1] += r.sum(axis=0)
        return np.asarray(found / n + 2.0 * self.penalty.strength * D)

    def newton_step(self, gradient: FloatArray, curvature: NDArray[Any]) -> FloatArray:
        """Return a Newton step, the more exact the smaller the gradient is."""
        size = float(np.abs(gradient / self.scale).max())
        step, products = solve_by_products(
            lambda D: self.product(curvature, D), self._kept_inverse(curvature), gradient, size
        )
        if products > MANY_PRODUCTS:  # the curvature has changed much since the inverses were made
            self._memory.clear()
        return step

    @cached_property
    def _memory(self) -> dict[str, ImprovedInverse]:
        return {}

    def _kept_inverse(self, probabilities: NDArray[Any]) -> ImprovedInverse:
        """Return the approximate inverse, made anew only after a step that took many products."""
        if "inverse" not in self._memory:
            self._memory["inverse"] = ImprovedInverse.of_blocks(self._inverses(probabilities))
        return self._memory["inverse"]

    def _inverses(self, probabilities: NDArray[Any]) -> FloatArray:
        """Return the inverses of the blocks of each class with itself, or of their likenesses; shape (K, F, F)."""
        problem, K = self.problem, self.problem.x.shape[1]
        F = K + 1
        blocks = self._own_blocks(probabilities) / problem.total
        at = np.arange(F)
        blocks[:, at, at] += 2.0 * self.penalty.strength
        diagonal = blocks[:, at, at]
        blocks[:, at, at] += 1e-10 * diagonal + np.finfo(float).tiny
        return np.asarray(np.linalg.inv(blocks), dtype=np.float64)

    def _own_blocks(self, probabilities: NDArray[Any]) -> FloatArray:
        """Return the sums of v s s' with v = w q (1 - q): of the rows with the largest v, and the rest on average."""
        problem = self.problem
        n, K = problem.x.shape
        blocks = np.empty((K, K + 1, K + 1))
        most = ROWS_PER_BLOCK * (K + 1)
        for k in range(K):
            q = probabilities[:, k].astype(np.float64)
            v = q * (1.0 - q) if problem.w is None else problem.w * q * (1.0 - q)
            if n <= 2 * most:
                s = self._with_ones
                blocks[k] = (s * v[:, None]).T @ s
                continue
            chosen = np.argpartition(v, n - most)[n - most :]
            s, own = with_ones(problem.x[chosen]), v[chosen]
            blocks[k] = (s * own[:, None]).T @ s + max(float(v.sum() - own.sum()), 0.0) * self.squares
        return blocks

    @cached_property
    def _with_ones(self) -> FloatArray:
        return with_ones(self.problem.x)


def residuals(q: FloatArray, codes: Any, w: FloatArray | None) -> FloatArray:
    """Return w (q - onehot)."""
    r = q.copy()
    r[np.arange(codes.size), codes] -= 1.0
    if w is not None:
        r *= w[:, None]
    return r
