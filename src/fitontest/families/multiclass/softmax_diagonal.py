"""softmax(v * x + b), a slope and a bias for each class, or one slope for all of them: dense Newton steps.

The Hessian has 2K rows. In every block it is two products of matrices: with u = (q * x, q) of each row it is a part on
four diagonals less u u', summed over the rows.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.families.multiclass.softmax_objective import DAMPING, SoftmaxObjective, score_size
from fitontest.numerics.newton import Point, solve_symmetric
from fitontest.numerics.softmax import row_blocks, to_softmax
from fitontest.numerics.sums import weighted_sum
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Diagonal(SoftmaxObjective):
    """The objective of the map softmax(v * x + b); theta, of shape (K, 2), has the columns v and b.

    With `shared` all entries of v are one slope; then the gradient of each is the K-th part of the slope's.
    """

    shared: bool = False

    @cached_property
    def scale(self) -> FloatArray:
        """Root mean square of the scores, and 1 for the biases."""
        size = score_size(self.problem)[:-1]
        return np.stack([size, np.ones(size.size)], axis=1)

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


def _on_diagonals(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the matrix with second | first of v in its upper half and first of v | first of b in its lower one."""
    K = second.size
    k, found = np.arange(K), np.zeros((2 * K, 2 * K))
    found[k, k], found[k, K + k], found[K + k, k], found[K + k, K + k] = second, first[:K], first[:K], first[K:]
    return found
