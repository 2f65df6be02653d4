"""The loss of one continuous piecewise-linear map, its gradient, and its Gauss-Newton curvature, in JAX.

A map with b bins has knots t_0 < ... < t_b and values at them. With l the position of x in its segment [t_k, t_{k+1}],

    PL   q(x) = (1 - l) v_k + l v_{k+1},  v = sigmoid(u)            x = p
    PL3  q(x) = sigmoid(z(x)),  z(x) = (1 - l) u_k + l u_{k+1}      x = logit(p)

The knots are t_k = Q(tau_k) (`families.piecewise.mass_scale`) with 0 = tau_0 < ... < tau_b = 1; the outer segments go
straight on beyond the outer knots. The objective sums over nodes x_m with masses S1 of positives and S0 of negatives,
and adds the negative logarithm of a Dirichlet prior on the widths:

    L(u, tau) = sum_m [S1 loss(1, q(x_m)) + S0 loss(0, q(x_m))] - alpha sum_k log(tau_{k+1} - tau_k).

Write f for what is linear in a segment (q for PL, z for PL3), s_k for its slope in x, r = dL/df and W = d2L/df2 (or its
Gauss-Newton part). Then df/df_k = 1 - l, df/dtau_k = -s_k Q'(tau_k) (1 - l) on the right of knot k, and the same with l
and s_{k-1} on its left: the five sums of r (1 - l), r l, W (1 - l)^2, W l (1 - l) and W l^2 over each segment are all
that gradient and curvature need. For PL the derivatives are in v, where the log loss is convex, not in u.

This module imports jax; it is itself imported when a map is first fitted.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from fitontest.families.piecewise.block_tridiagonal import Diagonal, Pair, Upper
from fitontest.families.piecewise.tasks import FAR, LIMIT, TINY, Loss, Space


class Knots(NamedTuple):
    """Parameters of a map with up to K segments: arrays of shape (K + 1,), of which the first b + 1 count."""

    u: Array
    tau: Array


class Problem(NamedTuple):
    """What one fit is about. All of it is an argument of the compiled program; nothing of it is compiled in.

    Attributes
    ----------
    x : array of shape (T, M)
        Nodes, ascending, in tiles of M.
    s1, s0 : arrays of shape (T, M)
        Masses of positives and negatives; 0 at spare nodes.
    tiles : whole number
        How many of the T tiles are in use.
    quantiles : array of shape (R,)
        Q at equally spaced shares.
    bins : whole number
        b.
    alpha : number
    moving : number
        1 where the knots move, 0 where they are fixed.
    """

    x: Array
    s1: Array
    s0: Array
    tiles: Array
    quantiles: Array
    bins: Array
    alpha: Array
    moving: Array


class Derivatives(NamedTuple):
    """Gradient and block tridiagonal curvature with respect to the values (v or u) and the shares tau."""

    gradient: Pair
    diagonal: Diagonal
    upper: Upper


class _Segments(NamedTuple):
    """The knots of a map as its nodes see them."""

    t: Array  # (K + 1,) knots, infinite beyond the last inner one
    start: Array  # (K,) left end
    per_width: Array  # (K,)
    per_share: Array  # (K + 1,) Q'(tau)


def knots_at(tau: Array, quantiles: Array) -> tuple[Array, Array]:
    """Return Q(tau) and Q'(tau)."""
    steps = quantiles.size - 1
    cell = jnp.clip((tau * steps).astype(jnp.int32), 0, steps - 1)
    slope = (quantiles[cell + 1] - quantiles[cell]) * steps
    return quantiles[cell] + (tau - cell / steps) * slope, slope


def evaluate(knots: Knots, problem: Problem, space: Space, loss: Loss) -> tuple[Array, Derivatives]:
    """Return the objective and its derivatives."""
    segments = _segments(knots, problem)
    n_segments = segments.start.size

    def add_tile(tile: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        value, moments = sums
        x = problem.x[tile]
        at = _segment_of(x, segments.t[1:-1])
        right = (x - segments.start[at]) * segments.per_width[at]
        right = jnp.clip(right, -FAR, FAR)  # where knots are one float
        left = 1.0 - right
        cost, r, w = _TERMS[space](knots.u, at, left, right, problem.s1[tile], problem.s0[tile], loss)
        terms = jnp.stack((r * left, r * right, w * left * left, w * left * right, w * right * right), axis=-1)
        return value + cost.sum(), moments + jax.ops.segment_sum(terms, at, num_segments=n_segments)

    nothing = jnp.zeros_like(knots.u, shape=()), jnp.zeros_like(knots.u, shape=(n_segments, 5))
    value, moments = jax.lax.fori_loop(0, problem.tiles, add_tile, nothing)
    values = jax.nn.sigmoid(knots.u) if space == "probability" else knots.u
    value, derivatives = _with_prior(value, moments, values, knots.tau, segments, problem)
    return value, _held(derivatives, knots.u, problem, LIMIT[space])


def _segment_of(x: Array, inner: Array) -> Array:
    """Return the number of inner knots at or below each node.

    A sum along an axis is written to memory. Comparisons added up one by one would be made again by each of the
    operations that the number goes into, and take more time than all else.
    """
    return (x[:, None] >= inner).sum(axis=-1, dtype=jnp.int32)


def _segments(knots: Knots, problem: Problem) -> _Segments:
    t, per_share = knots_at(knots.tau, problem.quantiles)
    number = jnp.arange(t.size)
    width = jnp.where(number[1:] <= problem.bins, jnp.maximum(t[1:] - t[:-1], TINY), 1.0)
    return _Segments(jnp.where(number < problem.bins, t, jnp.inf), t[:-1], 1.0 / width, per_share)


def _probability_terms(
    u: Array, at: Array, left: Array, right: Array, s1: Array, s0: Array, loss: Loss
) -> tuple[Array, Array, Array]:
    """Return loss, r and W per node for PL; 1 - q is interpolated, since near q = 1 the difference is all rounding."""
    v, v_bar = jax.nn.sigmoid(u), jax.nn.sigmoid(-u)
    q = v[at] * left + v[at + 1] * right
    q_bar = v_bar[at] * left + v_bar[at + 1] * right
    if loss == "brier":
        return s1 * q_bar * q_bar + s0 * q * q, 2.0 * (s0 * q - s1 * q_bar), 2.0 * (s1 + s0)
    up, down = s1 / q, s0 / q_bar
    return -(s1 * jnp.log(q) + s0 * jnp.log(q_bar)), down - up, down / q_bar + up / q


def _logit_terms(
    u: Array, at: Array, left: Array, right: Array, s1: Array, s0: Array, loss: Loss
) -> tuple[Array, Array, Array]:
    """Return loss, r and W per node for PL3."""
    z = u[at] * left + u[at + 1] * right
    small = jnp.exp(-jnp.abs(z))  # never overflows
    large = 1.0 / (1.0 + small)
    q, q_bar = jnp.where(z > 0, large, small * large), jnp.where(z > 0, small * large, large)
    spread = q * q_bar
    if loss == "brier":
        r = 2.0 * (s0 * q - s1 * q_bar) * spread
        return s1 * q_bar * q_bar + s0 * q * q, r, 2.0 * (s1 + s0) * spread * spread
    rest = jnp.log1p(small)
    cost = s1 * (rest - jnp.minimum(z, 0.0)) + s0 * (rest + jnp.maximum(z, 0.0))
    return cost, s0 * q - s1 * q_bar, (s1 + s0) * spread


_TERMS = {"probability": _probability_terms, "logit": _logit_terms}


def _with_prior(
    value: Array, moments: Array, values: Array, tau: Array, segments: _Segments, problem: Problem
) -> tuple[Array, Derivatives]:
    """Assemble the derivatives from the moments of the segments and add the prior."""
    number = jnp.arange(tau.size)
    used = number[1:] <= problem.bins  # segments
    r_left, r_right, w_left, w_both, w_right = moments.T
    slope = (values[1:] - values[:-1]) * segments.per_width
    a, b = -slope * segments.per_share[:-1], -slope * segments.per_share[1:]  # df/dtau at the two ends of a segment
    width = jnp.where(used, tau[1:] - tau[:-1], 1.0)
    pull = jnp.where(used, problem.alpha / width, 0.0)
    stiff = pull / width
    gradient = Pair(_by_knot(r_left, r_right), _by_knot(r_left * a + pull, r_right * b - pull))
    diagonal = Diagonal(
        _by_knot(w_left, w_right),
        _by_knot(w_left * a, w_right * b),
        _by_knot(w_left * a * a + stiff, w_right * b * b + stiff),
    )
    upper = Upper(w_both, w_both * b, w_both * a, w_both * a * b - stiff)
    value = value - problem.alpha * jnp.where(used, jnp.log(width), 0.0).sum()
    return value, Derivatives(gradient, diagonal, upper)


def _held(derivatives: Derivatives, u: Array, problem: Problem, limit: float) -> Derivatives:
    """Take out what must not move: spare knots, the shares 0 and 1, and values at a limit that they want to cross."""
    gradient, diagonal, upper = derivatives
    number = jnp.arange(u.size)
    crossing = ((u <= -limit) & (gradient.u > 0)) | ((u >= limit) & (gradient.u < 0))
    free_u = jnp.where((number <= problem.bins) & ~crossing, 1.0, 0.0)
    free_t = jnp.where((number > 0) & (number < problem.bins), 1.0, 0.0) * problem.moving
    return Derivatives(
        Pair(gradient.u * free_u, gradient.t * free_t),
        Diagonal(
            diagonal.uu * free_u + (1.0 - free_u),
            diagonal.ut * free_u * free_t,
            diagonal.tt * free_t + (1.0 - free_t),
        ),
        Upper(
            upper.uu * free_u[:-1] * free_u[1:],
            upper.ut * free_u[:-1] * free_t[1:],
            upper.tu * free_t[:-1] * free_u[1:],
            upper.tt * free_t[:-1] * free_t[1:],
        ),
    )


def _by_knot(of_right_segment: Array, of_left_segment: Array) -> Array:
    """Add up per knot what the segment that starts there and the one that ends there contribute."""
    return jnp.pad(of_right_segment, (0, 1)) + jnp.pad(of_left_segment, (1, 0))
