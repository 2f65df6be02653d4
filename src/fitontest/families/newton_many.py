"""Newton's method for many logistic regressions that share their features, as one iteration over all of them.

Column b minimises

    sum_i w_ib [softplus(z_ib) - t_ib z_ib] + ridge / 2 |theta_b - centre|^2,   z_b = X theta_b + offset

with wy_ib = w_ib t_ib.

Gradients and Hessians of all columns are products of a few matrices, and the small systems are solved together. No step
moves a logit by more than `LONGEST`, so that none lands on a plateau, and a step that overshoots is halved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.typing import BoolArray, FloatArray, IntArray

MAX_STEPS = 60
MAX_HALVINGS = 40
CACHED = 32_768  # numbers in a temporary
LONGEST = 5.0  # change of a logit in one step
TINY = float(np.finfo(np.float64).tiny)
OVERSHOT = 0.5  # slope at the end of a step, as a share of that at its start, from which on it is halved


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
        i, j = np.nonzero(np.triu(met.T @ met))
        return i, j

    @cached_property
    def products(self) -> FloatArray:
        """Products of these pairs, shape (m, number of pairs)."""
        i, j = self.pairs
        return self.x[:, i] * self.x[:, j]

    @cached_property
    def reach(self) -> FloatArray:
        """The largest size of each feature, shape (d,)."""
        return np.asarray(np.abs(self.x).max(axis=0))

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
    start : array of shape (d, C)
    tolerance : float
        Of the largest gradient component, per unit weight of the column.

    Returns
    -------
    theta : array of shape (d, C)
    converged : bool array of shape (C,)
    """
    theta = np.array(start)
    total = np.broadcast_to(w.sum(axis=0), theta.shape[1:])
    active = np.arange(theta.shape[1])
    gradient, hessian = _derivatives(features, w, wy, theta)
    for _ in range(MAX_STEPS):
        left = np.abs(gradient).max(axis=0) > tolerance * total[active]
        if not left.any():
            return theta, np.ones(theta.shape[1], dtype=bool)
        active, gradient, hessian = active[left], gradient[:, left], hessian[left]
        if not left.all():
            kept = np.flatnonzero(left)
            w, wy = _of(w, kept), _columns(wy, kept)
        direction = _solve(hessian, -gradient)
        theta[:, active], gradient, hessian = _advance(features, w, wy, theta[:, active], gradient, direction)
    converged = np.ones(theta.shape[1], dtype=bool)
    converged[active] = np.abs(gradient).max(axis=0) <= tolerance * total[active]
    return theta, converged


def _largest_change(features: Features, direction: FloatArray) -> FloatArray:
    """Return the largest change of a logit of each column, or a bound on it where that is small enough."""
    bound = features.reach @ np.abs(direction)
    return bound if bound.max() <= LONGEST else np.asarray(np.abs(features.x @ direction).max(axis=0))


def _of(w: FloatArray, columns: IntArray) -> FloatArray:
    """Return the weights of these columns, if each has its own."""
    return w if w.shape[1] == 1 else _columns(w, columns)


def _columns(values: FloatArray, columns: IntArray) -> FloatArray:
    """Return some columns, row after row as the logits are; an index would leave them column after column.

    To multiply numbers that lie otherwise takes ten times as long.
    """
    return np.take(values, columns, axis=1)


def _derivatives(features: Features, w: FloatArray, wy: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradients, shape (d, C), and Hessians, shape (C, d, d)."""
    gradient = np.zeros(theta.shape)
    i, j = features.pairs
    values = np.zeros((i.size, theta.shape[1]))
    for piece in pieces(features.x.shape[0], theta.shape[1]):
        q = features.logits(theta, piece)
        logistic_in_place(q)
        expected = w[piece] * q
        np.subtract(1.0, q, out=q)
        q *= expected
        expected -= wy[piece]
        gradient += features.x[piece].T @ expected
        values += features.products[piece].T @ q
    hessian = np.zeros((theta.shape[1], theta.shape[0], theta.shape[0]))
    hessian[:, i, j] = values.T
    hessian[:, j, i] = values.T
    if features.ridge > 0:
        gradient += features.ridge * (theta if features.centre is None else theta - features.centre[:, None])
        np.einsum("cii->ci", hessian)[...] += features.ridge
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


def _solve(hessian: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solutions of all systems; a speck on the diagonal keeps singular ones solvable."""
    diagonal = np.einsum("cii->ci", hessian)
    scale = np.sqrt(np.maximum(diagonal, TINY))
    scaled = hessian / (scale[:, :, None] * scale[:, None, :])
    np.einsum("cii->ci", scaled)[...] += 1e-13
    return np.asarray((np.linalg.solve(scaled, (right.T / scale)[:, :, None])[:, :, 0] / scale).T)


def _advance(
    features: Features, w: FloatArray, wy: FloatArray, theta: FloatArray, gradient: FloatArray, direction: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the points reached and their derivatives; a step that overshoots is halved."""
    descent = np.abs(np.einsum("dc,dc->c", gradient, direction))
    length = np.minimum(1.0, LONGEST / np.maximum(_largest_change(features, direction), LONGEST))
    moved = theta + length * direction
    new_gradient, hessian = _derivatives(features, w, wy, moved)
    for _ in range(MAX_HALVINGS):
        slope = np.einsum("dc,dc->c", new_gradient, direction)
        over = np.flatnonzero(slope > OVERSHOT * descent)
        if over.size == 0:
            break
        length[over] /= 2.0
        moved[:, over] = theta[:, over] + length[over] * direction[:, over]
        new_gradient[:, over], hessian[over] = _derivatives(features, _of(w, over), _columns(wy, over), moved[:, over])
    return moved, new_gradient, hessian
