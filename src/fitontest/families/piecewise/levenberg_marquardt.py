"""Levenberg-Marquardt as an optax transformation: Newton steps, damped for as long as they fail.

At the best point so far, with gradient g and positive semi-definite curvature H, the step d solves

    (H + damping diag(H)) d = -g.

A point that turns out better becomes the best, and the damping falls the more, the closer the gain is to what g and H
predicted. A worse one is forgotten, and the next trial starts from the best point again with a larger damping. How a
step moves the parameters without leaving their domain is the caller's `retract`.

This module imports jax and optax; it is itself imported when a map is first fitted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from fitontest.families.piecewise.block_tridiagonal import RIGHT, ROWS, SQUARES, Pair, packed, solve
from fitontest.families.piecewise.objective import Derivatives

DAMPING = 1e-2
DAMPING_RANGE = 1e-12, 1e12
SMALLEST_FACTOR = 0.2  # of the damping after a step that gained what was predicted, or more
FIRST_FACTOR, NEXT_FACTOR = 3.0, 1.5  # of the damping after a first failure; and of that factor after every further one
SPECK = 1e-13  # of the largest diagonal entry: parameters without any information stay where they are


class Search(NamedTuple):
    """State of the searches, one for each of the leading axes of the parameters.

    Attributes
    ----------
    best : pytree
        The best point so far.
    value : array
        Of the objective there.
    derivatives : array of shape (..., 9, K + 1)
        Of the objective there: curvature and gradient, packed as the system of an undamped step uphill.
    damping : array
    factor : array
        Of the damping, if the next trial fails.
    gain : array
        By how much the last accepted point was better; infinite at first.
    promise : array
        By how much the next trial would be better if the objective were linear; infinite at first.
    predicted : array
        By how much it would be better if the curvature were the objective's.
    """

    best: Any
    value: Array
    derivatives: Array
    damping: Array
    factor: Array
    gain: Array
    promise: Array
    predicted: Array


def levenberg_marquardt(
    retract: Callable[[Any, Pair], Any],
) -> optax.GradientTransformationExtraArgs:
    """Return the transformation, of parameters u and t of shape (..., K + 1).

    Its ``update(derivatives, state, params, *, value)`` takes the `Derivatives` of the objective at `params` instead
    of a gradient alone, and returns what must be added to `params` to arrive at the next trial point.
    """

    def init(params: Any) -> Search:
        shape, knots = params.u.shape[:-1], params.u.shape
        derivatives = _filled((*shape, ROWS, knots[-1]), 0.0)
        worst = _filled(shape, np.inf)
        return Search(
            params, worst, derivatives, _filled(shape, DAMPING), _filled(shape, FIRST_FACTOR), worst, worst, worst
        )

    def update(
        derivatives: Derivatives, state: Search, params: Any = None, *, value: Array, **_: Any
    ) -> tuple[Any, Search]:
        # A point whose curvature overflows (knots a float apart) has no way on: it is refused, unless it is the first.
        new = packed(derivatives.diagonal, derivatives.gradient, derivatives.upper)
        has_way_on = jnp.isfinite(new).all((-2, -1))
        is_first = jnp.isinf(state.value)
        better = (value < state.value) & (has_way_on | is_first)  # False for NaN
        best = jax.tree.map(lambda new, old: jnp.where(better[..., None], new, old), params, state.best)
        rows = jnp.where(better[..., None, None], new, state.derivatives)
        gain = state.value - value
        eased = jnp.where(is_first, 1.0, _after_success(gain / state.predicted))
        damping = jnp.clip(state.damping * jnp.where(better, eased, state.factor), *DAMPING_RANGE)
        step = _step(rows, damping)
        promise, predicted = _promised(rows, damping, step)
        searched = Search(
            best,
            jnp.where(better, value, state.value),
            rows,
            damping,
            jnp.where(better, FIRST_FACTOR, state.factor * NEXT_FACTOR),
            jnp.where(better, gain, state.gain),
            promise,
            predicted,
        )
        return jax.tree.map(jnp.subtract, retract(best, step), params), searched

    return optax.GradientTransformationExtraArgs(init, update)


def _filled(shape: tuple[int, ...], value: float) -> Array:
    """Return an array of one value: numpy's, since jax would compile the filling anew for every shape."""
    return cast(Array, np.full(shape, value))


def _after_success(ratio: Array) -> Array:
    """Return the factor of the damping after a step that gained this share of what was predicted (Nielsen, 1999)."""
    return jnp.clip(1.0 - (2.0 * ratio - 1.0) ** 3, SMALLEST_FACTOR, 2.0)


def _step(rows: Array, damping: Array) -> Pair:
    squares, number = rows[..., SQUARES, :], np.arange(ROWS)[:, None]
    on_diagonal, on_right = (np.isin(number, np.arange(ROWS)[which]) for which in (SQUARES, RIGHT))
    damping, speck = damping[..., None, None], SPECK * squares.max((-2, -1), keepdims=True)
    factor = jnp.where(on_diagonal, 1.0 + damping, np.where(on_right, -1.0, 1.0))
    return solve(rows * factor + jnp.where(on_diagonal, speck, 0.0))


def _promised(rows: Array, damping: Array, step: Pair) -> tuple[Array, Array]:
    """Return what a step gains by the gradient alone, and by gradient and curvature."""
    steps = jnp.stack(step, axis=-2)
    promise = -(rows[..., RIGHT, :] * steps).sum((-2, -1))
    return promise, 0.5 * (promise + damping * (rows[..., SQUARES, :] * steps**2).sum((-2, -1)))
