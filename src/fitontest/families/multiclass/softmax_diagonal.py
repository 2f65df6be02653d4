"""softmax(v * x + b), a slope and a bias for each class, or one slope for all of them: Newton steps.

The Hessian has 2K rows. In every block it is two products of matrices: with u = (q * x, q) of each row it is a part on
four diagonals less u u', summed over the rows. For few classes it is formed. For many the Newton steps are found by
conjugate gradients, whose products take two products of the matrix of all u with a vector, a block of rows at a time.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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
)
from fitontest.numerics.newton import Point, solve_symmetric
from fitontest.numerics.softmax import SoftmaxProblem, row_blocks, to_softmax
from fitontest.numerics.sums import weighted_sum
from fitontest.results.typing import FloatArray

DENSE_UP_TO = 100  # classes up to which the Hessian is formed


def diagonal_objective(problem: SoftmaxProblem, penalty: Penalty) -> SoftmaxObjective:
    """Return the objective of the map softmax(v * x + b), in the form that suits the number of classes."""
    return (Diagonal if problem.x.shape[1] <= DENSE_UP_TO else DiagonalProducts)(problem, penalty)


@dataclass(frozen=True, eq=False)
class Diagonal(MeasuredByLogits):
    """The objective of the map softmax(v * x + b); theta, of shape (K, 2), has the columns v and b.

    With `shared` all entries of v are one slope; then the gradient of each is the K-th part of the slope's.
    """

    shared: bool = False

    @cached_property
    def scale(self) -> FloatArray:
        """Root mean square of the scores, and 1 for the biases."""
        size = score_size(self.problem)[:-1]
        return np.stack([size, np.ones(size.size)], axis=1)

    def length(self, direction: FloatArray) -> float:
        """Return by how much a step changes the logits."""
        return self.change(np.column_stack([np.diag(direction[:, 0]), direction[:, 1]]))

    def evaluate(self, theta: FloatArray) -> Point:
        """Return value, gradient, and the Hessian of shape (2K, 2K), of all v and then of all b."""
        problem = self.problem
        n, K = problem.x.shape
        v, b = theta.T.copy()
        value, first, second, outer = 0.0, np.zeros(2 * K), np.zeros(K), np.zeros((2 * K, 2 * K))
        own = np.zeros(K)  # sum of w x_y over the rows of each class
        for rows in row_blocks(n, K):
            x, codes, w = problem.pieces(rows)
            at = np.arange(codes.size)
            u = np.empty((codes.size, 2 * K))
            qx, q = u[:, :K], u[:, K:]
            np.multiply(x, v, out=q)
            q += b
            z_own, x_own = q[at, codes], x[at, codes]
            value += weighted_sum(to_softmax(q) - z_own, w)
            np.multiply(q, x, out=qx)
            wu = u if w is None else u * w[:, None]
            own += np.bincount(codes, x_own if w is None else w * x_own, K)
            first += wu.sum(axis=0)
            second += np.einsum("ik,ik->k", wu[:, :K], x)
            outer += wu.T @ u
        gradient = (first - np.concatenate([own, problem.class_weights])).reshape(2, K).T / problem.total
        gradient += self.penalty.gradient(theta)
        if self.shared:
            gradient[:, 0] = gradient[:, 0].mean()
        hessian = (_on_diagonals(first, second) - outer) / problem.total + np.diag(
            2.0 * self.penalty.strength.T.ravel()
        )
        return Point(theta, value / problem.total + self.penalty.value(theta), gradient, hessian)

    def newton_step(self, gradient: FloatArray, curvature: FloatArray) -> FloatArray:
        """Return the Newton step; it does not move all biases by one number, which would change nothing."""
        K = gradient.shape[0]
        hessian = curvature + np.diag(DAMPING * (self.scale**2).T.ravel())
        hessian[K:, K:] += np.trace(hessian[K:, K:]) / K**2
        if not self.shared:
            return solve_symmetric(hessian, gradient.T.ravel()).reshape(2, K).T
        small = np.empty((K + 1, K + 1))
        small[0, 0] = hessian[:K, :K].sum()
        small[0, 1:] = small[1:, 0] = hessian[:K, K:].sum(axis=0)
        small[1:, 1:] = hessian[K:, K:]
        step = solve_symmetric(small, np.append(gradient[:, 0].sum(), gradient[:, 1]))
        return np.stack([np.full(K, step[0]), step[1:]], axis=1)


class Curvature(NamedTuple):
    """What the Hessian times a vector is made of.

    Attributes
    ----------
    own : array of shape (3, K)
        Sums of w q x^2, w q x and w q over the rows.
    squares : array of shape (3, K)
        Those of w (q x)^2, w q^2 x and w q^2.
    u : array of shape (n, 2K)
        (q x, q) of each row.
    """

    own: FloatArray
    squares: FloatArray
    u: NDArray[Any]


@dataclass(frozen=True, eq=False)
class DiagonalProducts(SoftmaxObjective):
    """The objective of the map softmax(v * x + b) with products of its Hessian; theta has the columns v and b."""

    @cached_property
    def scale(self) -> FloatArray:
        """Root mean square of the scores, and 1 for the biases."""
        size = score_size(self.problem)[:-1]
        return np.stack([size, np.ones(size.size)], axis=1)

    @cached_property
    def _precision(self) -> type[np.floating[Any]]:
        """Kind of number that products of the Hessian are made of; in standardised scores that is at most 1."""
        single = single_suffices(float(np.finfo(np.float32).eps), self.penalty.strength, self.scale)
        return np.float32 if single else np.float64

    @cached_property
    def _relative_weights(self) -> NDArray[Any] | None:
        """The weights of rows over their mean, in that precision."""
        return relative_weights(self.problem, self._precision)

    def evaluate(self, theta: FloatArray) -> Point:
        """Return value, gradient, and what products of the Hessian are made of."""
        problem = self.problem
        n, K = problem.x.shape
        v, b = theta.T.copy()
        value, labelled, own, squares = 0.0, np.zeros(K), np.zeros((3, K)), np.zeros((3, K))
        u = np.empty((n, 2 * K), self._precision)
        for rows in row_blocks(n, K):
            x, codes, w = problem.pieces(rows)
            at = np.arange(codes.size)
            q = x * v
            q += b
            z_own, x_own = q[at, codes], x[at, codes]
            value += weighted_sum(to_softmax(q) - z_own, w)
            labelled += np.bincount(codes, x_own if w is None else w * x_own, K)
            qx = q * x
            u[rows, :K], u[rows, K:] = qx, q
            wqx, wq = (qx, q) if w is None else (qx * w[:, None], q * w[:, None])
            own[0] += np.einsum("ik,ik->k", wqx, x)
            own[1] += wqx.sum(axis=0)
            own[2] += wq.sum(axis=0)
            squares[0] += np.einsum("ik,ik->k", wqx, qx)
            squares[1] += np.einsum("ik,ik->k", wqx, q)
            squares[2] += np.einsum("ik,ik->k", wq, q)
        gradient = np.stack([own[1] - labelled, own[2] - problem.class_weights], axis=1) / problem.total
        gradient += self.penalty.gradient(theta)
        return Point(theta, value / problem.total + self.penalty.value(theta), gradient, Curvature(own, squares, u))

    def product(self, curvature: Curvature, D: FloatArray) -> FloatArray:
        """Return the Hessian times D, of shape (K, 2)."""
        u, weights = curvature.u, self._relative_weights
        n, K = self.problem.x.shape
        d, coupled = D.T.ravel().astype(u.dtype), np.zeros(2 * K)
        for rows in row_blocks(n, 2 * K):
            m = u[rows] @ d
            if weights is not None:
                m *= weights[rows]
            coupled += m @ u[rows]
        a, c, e = curvature.own / self.problem.total
        own = np.stack([a * D[:, 0] + c * D[:, 1], c * D[:, 0] + e * D[:, 1]], axis=1)
        return np.asarray(own - coupled.reshape(2, K).T / n + 2.0 * self.penalty.strength * D)

    def newton_step(self, gradient: FloatArray, curvature: Curvature) -> FloatArray:
        """Return a Newton step, the more exact the smaller the gradient is."""
        size = float(np.abs(gradient / self.scale).max())
        inverse = ImprovedInverse.of_blocks(self._inverses(curvature))
        return solve_by_products(lambda D: self.product(curvature, D), inverse, gradient, size)[0]

    def _inverses(self, curvature: Curvature) -> FloatArray:
        """Return the inverses of the blocks of slope and bias of each class with themselves, shape (K, 2, 2)."""
        a, c, e = (curvature.own - curvature.squares) / self.problem.total
        blocks = np.stack([np.stack([a, c], axis=1), np.stack([c, e], axis=1)], axis=1)
        at = np.arange(2)
        blocks[:, at, at] = (np.maximum(blocks[:, at, at], 0.0) + 2.0 * self.penalty.strength) * (1.0 + 1e-10)
        blocks[:, at, at] += DAMPING * self.scale**2
        return np.asarray(np.linalg.inv(blocks), dtype=np.float64)


def _on_diagonals(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the matrix with second | first of v in its upper half and first of v | first of b in its lower one."""
    K = second.size
    k, found = np.arange(K), np.zeros((2 * K, 2 * K))
    found[k, k], found[k, K + k], found[K + k, k], found[K + k, K + k] = second, first[:K], first[:K], first[K:]
    return found
