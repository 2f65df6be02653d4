"""Solving a symmetric block tridiagonal system with blocks of two, by block elimination, in JAX.

Every knot carries two parameters and shares segments with its two neighbours only, so a step of the optimiser costs
O(K) operations instead of the O(K^3) of a dense factorisation. This module imports jax; it is itself imported when a
map is first fitted.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array


class Diagonal(NamedTuple):
    """Symmetric blocks [[uu, ut], [ut, tt]] of the knots, each of shape (K + 1,)."""

    uu: Array
    ut: Array
    tt: Array


class Upper(NamedTuple):
    """Blocks [[uu, ut], [tu, tt]] between knot k (rows) and knot k + 1 (columns), each of shape (K,)."""

    uu: Array
    ut: Array
    tu: Array
    tt: Array


class Pair(NamedTuple):
    """A vector with two entries per knot."""

    u: Array
    t: Array


def solve(diagonal: Diagonal, upper: Upper, right: Pair) -> Pair:
    """Return x with A x = right, for positive definite A."""
    zero, one = jnp.zeros_like(right.u[0]), jnp.ones_like(right.u[0])
    following = Upper(*(jnp.concatenate((entry, zero[None])) for entry in upper))

    def eliminate(
        before: tuple[Diagonal, Pair, Upper], row: tuple[Diagonal, Pair, Upper]
    ) -> tuple[tuple[Diagonal, Pair, Upper], tuple[Diagonal, Pair]]:
        pivot, y, c = before
        own, b, after = row
        first = _divided(pivot, Pair(c.uu, c.tu))  # pivot^-1 c, column by column
        second = _divided(pivot, Pair(c.ut, c.tt))
        left = Diagonal(
            own.uu - (c.uu * first.u + c.tu * first.t),
            own.ut - (c.uu * second.u + c.tu * second.t),
            own.tt - (c.ut * second.u + c.tt * second.t),
        )
        b = Pair(b.u - (first.u * y.u + first.t * y.t), b.t - (second.u * y.u + second.t * y.t))
        return (left, b, after), (left, b)

    def substitute(x: Pair, row: tuple[Diagonal, Pair, Upper]) -> tuple[Pair, Pair]:
        pivot, y, c = row
        x = _divided(pivot, Pair(y.u - (c.uu * x.u + c.ut * x.t), y.t - (c.tu * x.u + c.tt * x.t)))
        return x, x

    nothing = (Diagonal(one, zero, one), Pair(zero, zero), Upper(zero, zero, zero, zero))
    _, (pivots, y) = jax.lax.scan(eliminate, nothing, (diagonal, right, following))
    _, x = jax.lax.scan(substitute, Pair(zero, zero), (pivots, y, following), reverse=True)
    return x


def _divided(block: Diagonal, vector: Pair) -> Pair:
    """Return block^-1 vector."""
    scale = 1.0 / (block.uu * block.tt - block.ut * block.ut)
    return Pair(
        (block.tt * vector.u - block.ut * vector.t) * scale,
        (block.uu * vector.t - block.ut * vector.u) * scale,
    )
