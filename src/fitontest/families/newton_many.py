"""Newton's method for many logistic regressions that share their features, as one iteration over all of them.

Column b minimises

    sum_i w_ib [softplus(z_ib) - t_ib z_ib] + ridge / 2 |theta_b - centre|^2,   z_b = X theta_b + offset

with wy_ib = w_ib t_ib.

Gradients and Hessians of all columns are products of a few matrices, and the small systems are solved together. Of a
Hessian the entries of pairs of features that meet in a row are kept, of shape (pairs, C); the others are 0. No step
moves a logit by more than `LONGEST`, so that none lands on a plateau, and a step that overshoots is halved. After steps
so short that the gradient behind them is known to be within the tolerance, none is computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray, IntArray

MAX_STEPS = 60
MAX_HALVINGS = 40
CACHED = 32_768  # numbers in a temporary
LONGEST = 5.0  # change of a logit in one step
TINY = float(np.finfo(np.float64).tiny)
OVERSHOT = 0.5  # slope at the end of a step, as a share of that at its start, from which on it is halved
MANY = 16  # columns, from which on a loop over the diagonals is quicker than a dense solution of each
SPECK = 1e-13  # of the diagonal of a Hessian, that is added to it
CURVATURE = 3.0**-0.5 / 12.0  # half of the largest second derivative of the logistic function


@dataclass(frozen=True, eq=False)
class Features:
    """The features X of shape (m, d) that all columns share, and the ridge on their parameters.

    Attributes
    ----------
    x : array of shape (m, d)
    ridge : float
    centre : array of shape (d,) or None
        None for 0.
    offset : array of shape (m, 1) or None
        None for 0.
    """

    x: FloatArray
    ridge: float = 0.0
    centre: FloatArray | None = None
    offset: FloatArray | None = None

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Pairs (i, j), i <= j, of features that meet in a row."""
        met = (self.x != 0).astype(np.float64)
        i, j = np.nonzero(np.triu(met.T @ met + np.eye(met.shape[1])))
        return i, j

    @cached_property
    def diagonal(self) -> BoolArray:
        """Which of the pairs are of a feature with itself, in the order of the features."""
        i, j = self.pairs
        return np.asarray(i == j)

    @cached_property
    def are_chained(self) -> bool:
        """Whether each feature meets its neighbours alone, so that Hessians are tridiagonal."""
        i, j = self.pairs
        return bool(np.all(j - i <= 1)) and i.size == 2 * self.x.shape[1] - 1

    @cached_property
    def products(self) -> FloatArray:
        """Products of these pairs, shape (m, number of pairs)."""
        i, j = self.pairs
        return self.x[:, i] * self.x[:, j]

    @cached_property
    def reach(self) -> FloatArray:
        """The largest size of each feature, shape (d,)."""
        return np.asarray(np.abs(self.x).max(axis=0))

    @cached_property
    def are_shares(self) -> bool:
        """Whether no feature is negative, and those of a row add up to no more than 1."""
        return bool(self.x.min() >= 0.0 and self.width <= 1.0 + 1e-12)

    @cached_property
    def width(self) -> float:
        """The largest sum of the sizes of the features of a row."""
        return float(np.abs(self.x).sum(axis=1).max())

    def logits(self, theta: FloatArray, piece: slice = slice(None)) -> FloatArray:
        """Return z of some rows, by default of all, shape (m, C)."""
        z = self.x[piece] @ theta
        if self.offset is not None:
            z += self.offset[piece]
        return z


def minimise_columns(
    features: Features, w: FloatArray, wy: FloatArray, start: FloatArray, tolerance: float
) -> tuple[FloatArray, BoolArray]:
    """Return the minima of all columns, and which were reached.

    Parameters
    ----------
    features : Features
        Of m rows.
    w : array of shape (m, C) or (m, 1)
        Weights, of each column or of all.
    wy : array of shape (m, C)
        Weights times targets.
    start : array of shape (d, C) or (d, C / r)
        Fewer columns are those of `wy` one after the other, r times over.
    tolerance : float
        Of the largest gradient component, per unit weight of the column.

    Returns
    -------
    theta : array of shape (d, C)
    converged : bool array of shape (C,)
    """
    gradient, hessian = derivatives(features, w, wy, start)
    theta = np.tile(start, (1, wy.shape[1] // start.shape[1]))
    largest = tolerance * np.broadcast_to(w.sum(axis=0), theta.shape[1:])
    active = np.arange(theta.shape[1])
    for _ in range(MAX_STEPS):
        direction = _solve(features, hessian, -gradient)
        change = _largest_change(features, direction)
        left = np.abs(gradient).max(axis=0) > largest[active]
        last = left & (_rest(features, w, hessian, direction, change) <= largest[active])
        if last.any():
            theta[:, active[last]] += direction[:, last]
        left = np.flatnonzero(left & ~last)
        if left.size == 0:
            return theta, np.ones(theta.shape[1], dtype=bool)
        if left.size < active.size:
            active, change = active[left], change[left]
            w, wy, gradient, direction = (_columns(each, left) for each in (w, wy, gradient, direction))
        theta[:, active], gradient, hessian = _advance(features, w, wy, theta[:, active], gradient, direction, change)
    converged = np.ones(theta.shape[1], dtype=bool)
    converged[active] = np.abs(gradient).max(axis=0) <= largest[active]
    return theta, converged


def _largest_change(features: Features, direction: FloatArray) -> FloatArray:
    """Return the largest change of a logit of each column, or a bound on it where that is small enough."""
    size = np.abs(direction)
    bound = np.minimum(features.reach @ size, features.width * size.max(axis=0))
    return bound if bound.max(initial=0.0) <= LONGEST else np.asarray(np.abs(features.x @ direction).max(axis=0))


def _rest(
    features: Features, w: FloatArray, hessian: FloatArray, direction: FloatArray, change: FloatArray
) -> FloatArray:
    """Return a bound on the gradient behind a full step, whose linear part vanishes, shape (C,).

    It is half of the second derivative of the logistic function, at most `CURVATURE`, times squared changes of logits.
    Where features are shares, a squared change is at most the mean of squares; the second derivative is at most the
    first, and changes by a factor of no more than exp(change). Of steps longer than `LONGEST` nothing is known.
    """
    if not (features.are_shares and features.are_chained):
        return np.asarray(CURVATURE * features.reach.max() * w.sum(axis=0) * change**2)
    squares, beside = direction**2, hessian[~features.diagonal]
    product = hessian[features.diagonal] * squares
    product[:-1] += beside * squares[1:]
    product[1:] += beside * squares[:-1]
    bound = product.max(axis=0) * np.exp(np.minimum(change, LONGEST)) / 2.0
    return np.where(change <= LONGEST, bound, np.inf)


def _columns(values: FloatArray, columns: IntArray) -> FloatArray:
    """Return some columns, row after row as the logits are; an index would leave them column after column.

    To multiply numbers that lie otherwise takes ten times as long. Weights of all columns, of shape (m, 1), stay so.
    """
    return values if values.shape[1] == 1 else np.take(values, columns, axis=1)


def derivatives(features: Features, w: FloatArray, wy: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradients, shape (d, C), and Hessians, shape (pairs, C).

    Where `theta` has fewer columns than `wy`, these are those of `wy` one after the other, several times over.
    """
    columns, times = wy.shape[1], wy.shape[1] // theta.shape[1]
    gradient, hessian = np.zeros((theta.shape[0], columns)), np.zeros((features.diagonal.size, columns))
    for piece in pieces(features.x.shape[0], columns):
        q = features.logits(theta, piece)
        logistic_in_place(q)
        q = q if times == 1 else np.tile(q, (1, times))
        expected = w[piece] * q
        np.subtract(1.0, q, out=q)
        q *= expected
        expected -= wy[piece]
        gradient += features.x[piece].T @ expected
        hessian += features.products[piece].T @ q
    if features.ridge > 0:
        theta = np.tile(theta, (1, times))
        gradient += features.ridge * (theta if features.centre is None else theta - features.centre[:, None])
        hessian[features.diagonal] += features.ridge
    return gradient, hessian


def probabilities(x: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the probabilities 1 / (1 + exp(-x theta)), shape (m, C)."""
    values = np.empty((x.shape[0], theta.shape[1]))
    for piece in pieces(x.shape[0], theta.shape[1]):
        np.matmul(x[piece], theta, out=values[piece])
        logistic_in_place(values[piece])
    return values


def pieces(rows: int, columns: int) -> Iterator[slice]:
    """Yield runs of rows so short that temporaries of so many columns stay in the cache."""
    step = max(1, CACHED // columns)
    return (slice(start, start + step) for start in range(0, rows, step))


def logistic_in_place(z: FloatArray) -> None:
    """Replace z by 1 / (1 + exp(-z))."""
    np.negative(z, out=z)
    with np.errstate(over="ignore"):
        np.exp(z, out=z)
    z += 1.0
    np.reciprocal(z, out=z)


def _solve(features: Features, hessian: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solutions of all systems; a speck on the diagonal keeps singular ones solvable."""
    diagonal = np.maximum(hessian[features.diagonal], TINY)
    if features.are_chained and right.shape[1] >= MANY:
        return _solve_tridiagonal(diagonal * (1.0 + SPECK), hessian[~features.diagonal], right)
    (i, j), scale = features.pairs, np.sqrt(diagonal)
    scaled = np.zeros((right.shape[1], *2 * right.shape[:1]))
    scaled[:, i, j] = scaled[:, j, i] = (hessian / (scale[i] * scale[j])).T
    np.einsum("cii->ci", scaled)[...] += SPECK
    return np.asarray(np.linalg.solve(scaled, (right / scale).T[:, :, None])[:, :, 0].T / scale)


def _solve_tridiagonal(diagonal: FloatArray, beside: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solutions of positive definite systems with diagonals (d, C) and (d - 1, C), all of them at once."""
    pivot, solution = diagonal.copy(), right.copy()
    for k in range(1, len(pivot)):
        share = beside[k - 1] / pivot[k - 1]
        pivot[k] -= share * beside[k - 1]
        solution[k] -= share * solution[k - 1]
    solution[-1] /= pivot[-1]
    for k in range(len(pivot) - 2, -1, -1):
        solution[k] -= beside[k] * solution[k + 1]
        solution[k] /= pivot[k]
    return solution


def _advance(
    features: Features,
    w: FloatArray,
    wy: FloatArray,
    theta: FloatArray,
    gradient: FloatArray,
    direction: FloatArray,
    change: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the points reached and their derivatives; a step that overshoots is halved."""
    descent = np.abs(np.einsum("dc,dc->c", gradient, direction))
    length = np.minimum(1.0, LONGEST / np.maximum(change, LONGEST))
    moved = theta + length * direction
    new_gradient, hessian = derivatives(features, w, wy, moved)
    for _ in range(MAX_HALVINGS):
        slope = np.einsum("dc,dc->c", new_gradient, direction)
        over = np.flatnonzero(slope > OVERSHOT * descent)
        if over.size == 0:
            break
        length[over] /= 2.0
        moved[:, over] = theta[:, over] + length[over] * direction[:, over]
        new_gradient[:, over], hessian[:, over] = derivatives(
            features, _columns(w, over), _columns(wy, over), moved[:, over]
        )
    return moved, new_gradient, hessian
