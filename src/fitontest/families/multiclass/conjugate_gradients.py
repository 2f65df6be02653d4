"""Newton steps by conjugate gradients, whose preconditioner improves with every system solved.

Directions s_i that are conjugate, with the products y_i = H s_i and s_i . y_i = 1, give the inverse on what they span.
There the approximate inverse is replaced by it, as in one update of the BFGS method for all directions at once. The
next Hessian of Newton's method differs little, so that its system needs fewer products.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fitontest.families.multiclass.softmax_objective import AIM
from fitontest.numerics.softmax import SoftmaxProblem
from fitontest.results.typing import FloatArray

FORCING = 0.1  # residual of the first Newton systems, as a share of the gradient
SINGLE = 1.0  # share of a gradient that rounding may leave, by a bound far above what it does leave
MOST_PRODUCTS = 400  # in a Newton step
MOST_PAIRS = 100  # directions that are kept: each takes two arrays of the size of the parameters


class ImprovedInverse:
    """The approximate inverse; it stays symmetric and positive definite.

    Parameters
    ----------
    first : callable
        The approximate inverse before any system was solved: from a gradient to a step.
    """

    def __init__(self, first: Callable[[FloatArray], FloatArray]) -> None:
        self._first = first
        self._systems: list[tuple[FloatArray, FloatArray]] = []

    @classmethod
    def of_blocks(cls, inverses: FloatArray) -> "ImprovedInverse":
        """Return that of the inverses of the blocks of each class, shape (K, F, F)."""
        return cls(lambda r: np.asarray((inverses @ r[:, :, None])[:, :, 0]))

    def __call__(self, gradient: FloatArray) -> FloatArray:
        """Return the approximate inverse times a gradient."""
        r, shares = gradient.ravel(), []
        for directions, products in reversed(self._systems):
            shares.append(directions @ r)
            r = r - shares[-1] @ products
        z = self._first(r.reshape(gradient.shape)).ravel()
        for (directions, products), share in zip(self._systems, reversed(shares), strict=True):
            z = z + (share - products @ z) @ directions
        return z.reshape(gradient.shape)

    def learn(self, directions: Sequence[FloatArray], products: Sequence[FloatArray]) -> None:
        """Take up the conjugate directions of a system and their products with the Hessian, scaled to s . y = 1."""
        if directions:
            self._systems.append((np.array(directions), np.array(products)))
        while sum(len(kept) for kept, _ in self._systems) > MOST_PAIRS:
            del self._systems[0]


def solve_by_products(
    product: Callable[[FloatArray], FloatArray], inverse: ImprovedInverse, gradient: FloatArray, size: float
) -> tuple[FloatArray, int]:
    """Return a Newton step, and how many products with the Hessian it took.

    Parameters
    ----------
    product : callable
        The Hessian times its argument.
    inverse : ImprovedInverse
        The preconditioner, which learns from the system.
    gradient : array
    size : float
        Its largest entry, in standardised scores: the step is the more exact the smaller that is, but no more so than
        the aim asks.
    """
    goal = min(FORCING, max(np.sqrt(size), FORCING * AIM / size))
    step, residual = np.zeros(gradient.shape), -gradient
    z = inverse(residual)
    along, inner = z, float((residual * z).sum())
    first = inner
    directions: list[FloatArray] = []
    products: list[FloatArray] = []
    count = 0
    while count < MOST_PRODUCTS and inner > goal * goal * first and inner != 0.0:
        moved = product(along)
        curve = float((along * moved).sum())
        if curve <= 0.0:  # rounding: the direction is one along which the loss does not change
            break
        length = inner / curve
        step = step + length * along
        residual = residual - length * moved
        count += 1
        if count <= MOST_PAIRS:  # no more could be kept
            directions.append(along.ravel() / np.sqrt(curve))
            products.append(moved.ravel() / np.sqrt(curve))
        z = inverse(residual)
        before, inner = inner, float((residual * z).sum())
        along = z + (inner / before) * along
    inverse.learn(directions, products)
    return (step if step.any() else z), count


def single_suffices(error: float, penalty: FloatArray, scale: FloatArray) -> bool:
    """Return whether the Hessian may be of single precision: gradients are of double precision, and steps inexact.

    An error E of the Hessian H leaves of a gradient what E H^-1 makes of it. H is at least twice the penalty.

    Parameters
    ----------
    error : float
        Bound on what rounding to single precision changes in the Hessian of standardised scores.
    penalty : array
        Strength on each parameter.
    scale : array
        Size of the score that each parameter multiplies.
    """
    return error <= SINGLE * 2.0 * float((penalty / scale**2).min())


def relative_weights(problem: SoftmaxProblem, precision: DTypeLike) -> NDArray[Any] | None:
    """Return the weights of rows over their mean, or None where all are one.

    The scale of weights means nothing, and may be beyond the range of single precision.
    """
    return None if problem.w is None else (problem.w / (problem.total / problem.w.size)).astype(precision)
