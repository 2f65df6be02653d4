"""Solving a symmetric block tridiagonal system with blocks of two, by block elimination, in JAX.

Every knot carries two parameters and shares segments with its two neighbours only, so a step of the optimiser costs
O(K) operations instead of the O(K^3) of a dense factorisation. Many systems are solved side by side, as the trailing
axis of one stacked array: a step of the elimination is then a few operations on long vectors.

A system is one array of nine rows. What is written to memory as one array is computed once. Of separate arrays the
compiler makes the formula of each part anew for everything that the part goes into, and takes half as long again.

This module imports jax; it is itself imported when a map is first fitted.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array


class Diagonal(NamedTuple):
    """Symmetric blocks [[uu, ut], [ut, tt]] of the knots, each of shape (..., K + 1)."""

    uu: Array
    ut: Array
    tt: Array


class Upper(NamedTuple):
    """Blocks [[uu, ut], [tu, tt]] between knot k (rows) and knot k + 1 (columns), each of shape (..., K)."""

    uu: Array
    ut: Array
    tu: Array
    tt: Array


class Pair(NamedTuple):
    """Vectors with two entries per knot, each of shape (..., K + 1)."""

    u: Array
    t: Array


ROWS = 9  # of a system: three of the diagonal, two of the right side, four above the diagonal
SQUARES = slice(0, 3, 2)  # those of uu and tt on the diagonal
RIGHT = slice(3, 5)


def packed(diagonal: Diagonal, right: Pair, upper: Upper) -> Array:
    """Return a system, or several, as one array of shape (..., 9, K + 1)."""
    after = [jnp.pad(entry, [(0, 0)] * (entry.ndim - 1) + [(0, 1)]) for entry in upper]
    return jnp.stack((*diagonal, *right, *after), axis=-2)


def solve(systems: Array) -> Pair:
    """Return x with A x = right, for positive definite A: one system for each of the leading axes."""
    rows = jnp.moveaxis(systems, (-1, -2), (0, 1))  # (K + 1, 9, ...)

    def eliminate(before: Array, row: Array) -> tuple[Array, Array]:
        pivot, y, c = _parts(before)
        own, b, _ = _parts(row)
        first = _divided(pivot, Pair(c.uu, c.tu))  # pivot^-1 c, column by column
        second = _divided(pivot, Pair(c.ut, c.tt))
        left = (
            own.uu - (c.uu * first.u + c.tu * first.t),
            own.ut - (c.uu * second.u + c.tu * second.t),
            own.tt - (c.ut * second.u + c.tt * second.t),
            b.u - (first.u * y.u + first.t * y.t),
            b.t - (second.u * y.u + second.t * y.t),
        )
        eliminated = jnp.concatenate((jnp.stack(left), row[5:]))
        return eliminated, eliminated

    def substitute(x: Array, row: Array) -> tuple[Array, Array]:
        pivot, y, c = _parts(row)
        x = jnp.stack(_divided(pivot, Pair(y.u - (c.uu * x[0] + c.ut * x[1]), y.t - (c.tu * x[0] + c.tt * x[1]))))
        return x, x

    uncoupled = jnp.zeros_like(rows[0]).at[:3:2].set(1.0)
    _, rows = jax.lax.scan(eliminate, uncoupled, rows)
    _, x = jax.lax.scan(substitute, jnp.zeros_like(rows[0, :2]), rows, reverse=True)
    return Pair(*jnp.moveaxis(x, 0, -1))


def _parts(row: Array) -> tuple[Diagonal, Pair, Upper]:
    return Diagonal(*row[:3]), Pair(*row[3:5]), Upper(*row[5:])


def _divided(block: Diagonal, vector: Pair) -> Pair:
    """Return block^-1 vector."""
    scale = 1.0 / (block.uu * block.tt - block.ut * block.ut)
    return Pair(
        (block.tt * vector.u - block.ut * vector.t) * scale,
        (block.uu * vector.t - block.ut * vector.u) * scale,
    )
