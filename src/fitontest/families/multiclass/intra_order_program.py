"""The losses of maps that keep the order within a row, compiled by jax, and their minimisation by L-BFGS.

The loss of all rows is minimised at once, so that nothing depends on how they are dealt into batches; L-BFGS needs some
tens of passes over the rows where Adam needs hundreds or thousands. The losses are compiled for each number of classes,
of units and, rounded up by at most an eighth, of rows; rows that fill up have weight 0. Networks are evaluated in
float32, which halves the time, and polygons in float64.

This module imports jax; it is itself imported when a map is first fitted.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy.optimize import minimize

from fitontest.families.multiclass.ranked_rows import RankedRows
from fitontest.families.piecewise.process import require_threads_of_jax
from fitontest.families.piecewise.undisturbed import undisturbed
from fitontest.maps.multiclass.order_preserving import UNIT_SLOPE
from fitontest.numerics.network import layers
from fitontest.results.typing import FloatArray

LEAST_ROOM = 64  # rows
MEMORY = 20  # pairs of steps and gradients that L-BFGS keeps


class Descent(NamedTuple):
    """Where a minimisation ended: parameters, the value there, and the steps."""

    theta: FloatArray
    value: float
    n_iter: int


class Stop(NamedTuple):
    """When a minimisation ends: at a step that gains no more than this share of the value, or after so many steps."""

    gain: float
    steps: int


def fit_networks(
    rows: RankedRows,
    inputs: FloatArray,
    sizes: Sequence[int],
    start: FloatArray,
    strengths: Sequence[float],
    stop: Stop,
) -> list[Descent]:
    """Minimise the log loss plus strength |theta - start|^2, for each strength from where the one before ended.

    Parameters
    ----------
    rows : RankedRows
    inputs : array of shape (m, K)
        What the network sees.
    sizes : sequence of int
        Of the layers of the network.
    start : array
        Its numbers at the start.
    strengths : sequence of float
        Of the penalty.
    stop : Stop
    """
    require_threads_of_jax()
    with undisturbed():
        centre, *data = _placed(np.float32, start, inputs, rows.gaps, rows.ranks, rows.w)

        def loss(theta: FloatArray, strength: float) -> tuple[Array, Array]:
            found: tuple[Array, Array] = network_loss(
                theta.astype(np.float32), centre, np.float32(strength), *data, tuple(sizes)
            )
            return found

        return _path(loss, start, strengths, stop, None)


def fit_slopes(
    rows: RankedRows, knots: FloatArray, start: FloatArray, least: float, strengths: Sequence[float], stop: Stop
) -> list[Descent]:
    """Minimise the log loss of a polygon plus strength |slopes - 1|^2 over slopes that are not too small.

    Parameters
    ----------
    rows : RankedRows
    knots : array of shape (B - 1,)
        Where the pieces meet.
    start : array of shape (B,)
        Slopes at the start.
    least : float
        The smallest slope that is allowed.
    strengths : sequence of float
        Of the penalty.
    stop : Stop
    """
    require_threads_of_jax()
    piece = np.searchsorted(knots, rows.y, side="right")
    beyond = rows.y - np.append(knots[0], knots)[piece]
    with undisturbed():
        widths, *data = _placed(np.float64, np.diff(knots), piece, beyond, rows.ranks, rows.w)

        def loss(theta: FloatArray, strength: float) -> tuple[Array, Array]:
            found: tuple[Array, Array] = polygon_loss(theta, np.float64(strength), widths, *data)
            return found

        return _path(loss, start, strengths, stop, [(least, None)] * start.size)


def _placed(dtype: Any, shared: FloatArray, *columns: Any) -> list[Array]:
    """Return an array and columns of rows on the device, filled up with rows of zeros."""
    n = columns[0].shape[0]
    unit = max(LEAST_ROOM, 2 ** (int(n).bit_length() - 4))
    room = -(-n // unit) * unit
    filled = [
        np.zeros((room, *column.shape[1:]), np.int32 if column.dtype.kind == "i" else dtype) for column in columns
    ]
    for whole, column in zip(filled, columns, strict=True):
        whole[:n] = column
    placed: list[Array] = jax.device_put([shared.astype(dtype), *filled])
    return placed


def _path(
    loss: Callable[[FloatArray, float], tuple[Array, Array]],
    start: FloatArray,
    strengths: Sequence[float],
    stop: Stop,
    bounds: list[tuple[float, None]] | None,
) -> list[Descent]:
    found, theta = [], start
    options = {"maxiter": stop.steps, "maxfun": 10 * stop.steps, "maxcor": MEMORY, "ftol": stop.gain, "gtol": 0.0}
    for strength in strengths:

        def evaluate(theta: FloatArray, strength: float = strength) -> tuple[float, FloatArray]:
            value, gradient = loss(theta, strength)
            return float(value), np.asarray(gradient, dtype=np.float64)

        ended = minimize(evaluate, theta, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        theta = ended.x
        found.append(Descent(theta, float(ended.fun), int(ended.nit)))
    return found


def mean_log_loss(f: Array, ranks: Array, w: Array) -> Array:
    """Return the weighted sum of -ln softmax(f)_rank, shape (m, K) and two columns."""
    own = jnp.take_along_axis(f, ranks[:, None], axis=1)[:, 0]
    return jnp.sum(w * (jax.nn.logsumexp(f, axis=1) - own))


def _of_network(
    theta: Array,
    centre: Array,
    strength: Array,
    inputs: Array,
    gaps: Array,
    ranks: Array,
    w: Array,
    sizes: tuple[int, ...],
) -> Array:
    values: Any = inputs
    for layer, (W, b) in enumerate(layers(theta, sizes)):  # type: ignore[arg-type]
        values = (jnp.tanh(values) if layer else values) @ W + b
    rises = gaps * jax.nn.softplus(values + UNIT_SLOPE)
    f = jnp.pad(jnp.flip(jnp.cumsum(jnp.flip(rises, 1), axis=1), 1), ((0, 0), (0, 1)))
    return mean_log_loss(f, ranks, w) + strength * jnp.sum((theta - centre) ** 2)


def _of_polygon(
    slopes: Array, strength: Array, widths: Array, piece: Array, beyond: Array, ranks: Array, w: Array
) -> Array:
    values = jnp.concatenate([jnp.zeros(2), jnp.cumsum(slopes[1:-1] * widths)])
    f = values[piece] + slopes[piece] * beyond
    return mean_log_loss(f, ranks, w) + strength * jnp.sum((slopes - 1.0) ** 2)


network_loss = partial(jax.jit, static_argnames="sizes")(jax.value_and_grad(_of_network))
polygon_loss = jax.jit(jax.value_and_grad(_of_polygon))
