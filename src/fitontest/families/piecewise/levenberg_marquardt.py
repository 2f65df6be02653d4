"""Levenberg-Marquardt as an optax transformation: Newton steps, damped for as long as they fail.

At the best point so far, with gradient g and positive semi-definite curvature H, the step d solves

    (H + damping diag(H)) d = -g.

A point that turns out better becomes the best and the damping falls to 0.3 of what it was; a worse one is forgotten,
and the next trial starts from the best point again with five times the damping. How a step moves the parameters
without leaving their domain is the caller's `retract`.

This module imports jax and optax; it is itself imported when a map is first fitted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from fitontest.families.piecewise.block_tridiagonal import Diagonal, Pair, Upper, solve
from fitontest.families.piecewise.objective import Derivatives

DAMPING = 1e-2
DAMPING_RANGE = 1e-12, 1e12
AFTER_SUCCESS, AFTER_FAILURE = 0.3, 5.0
SPECK = 1e-13  # of the largest diagonal entry: parameters without any information stay where they are


class Search(NamedTuple):
    """State of the search.

    Attributes
    ----------
    best : pytree
        The best point so far.
    value, derivatives
        Of the objective there.
    damping : scalar
    gain : scalar
        By how much the last accepted point was better; infinite at first.
    promise : scalar
        By how much the next trial would be better if the objective were linear; infinite at first.
    """

    best: Any
    value: Array
    derivatives: Derivatives
    damping: Array
    gain: Array
    promise: Array


def levenberg_marquardt(
    retract: Callable[[Any, Pair], Any],
) -> optax.GradientTransformationExtraArgs:
    """Return the transformation.

    Its ``update(derivatives, state, params, *, value)`` takes the `Derivatives` of the objective at `params` instead
    of a gradient alone, and returns what must be added to `params` to arrive at the next trial point.
    """

    def init(params: Any) -> Search:
        knots = jnp.zeros_like(params.u)
        nothing = Derivatives(Pair(knots, knots), Diagonal(knots, knots, knots), Upper(*[knots[1:]] * 4))
        worst = jnp.full_like(knots, jnp.inf, shape=())
        return Search(params, worst, nothing, jnp.full_like(worst, DAMPING / AFTER_SUCCESS), worst, worst)

    def update(
        derivatives: Derivatives, state: Search, params: Any = None, *, value: Array, **_: Any
    ) -> tuple[Any, Search]:
        # A point whose curvature overflows (knots a float apart) has no way on: it is refused, unless it is the first.
        has_way_on = jax.tree.reduce(jnp.logical_and, jax.tree.map(lambda a: jnp.isfinite(a).all(), derivatives))
        better = (value < state.value) & (has_way_on | jnp.isinf(state.value))  # False for NaN
        best, derivatives = jax.tree.map(
            lambda new, old: jnp.where(better, new, old), (params, derivatives), (state.best, state.derivatives)
        )
        damping = state.damping * jnp.where(better, AFTER_SUCCESS, AFTER_FAILURE)
        gain = jnp.where(better, state.value - value, state.gain)
        damping = jnp.clip(damping, *DAMPING_RANGE)
        step = _step(derivatives, damping)
        promise = -(derivatives.gradient.u * step.u + derivatives.gradient.t * step.t).sum()
        trial = retract(best, step)
        searched = Search(best, jnp.where(better, value, state.value), derivatives, damping, gain, promise)
        return jax.tree.map(jnp.subtract, trial, params), searched

    return optax.GradientTransformationExtraArgs(init, update)


def _step(derivatives: Derivatives, damping: Array) -> Pair:
    gradient, own, upper = derivatives
    speck = SPECK * jnp.maximum(own.uu.max(), own.tt.max())
    damped = Diagonal(own.uu * (1.0 + damping) + speck, own.ut, own.tt * (1.0 + damping) + speck)
    return solve(damped, upper, Pair(-gradient.u, -gradient.t))
