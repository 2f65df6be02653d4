"""The one compiled program that fits everything: many maps side by side, each until it has converged.

Whatever differs between two data sets (the nodes, the masses, the number of bins, the priors, the tolerance) is an
argument, and all arrays have one shape: fits in batches, nodes in tiles, room for a multiple of 18 segments. So jax
compiles once per family and loss, not once per data set. The arithmetic is float64 inside a context; the
configuration of jax is left alone.

This module imports jax; it is itself imported when a map is first fitted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from fitontest.families.piecewise.block_tridiagonal import Pair
from fitontest.families.piecewise.levenberg_marquardt import Search, levenberg_marquardt
from fitontest.families.piecewise.objective import Knots, Problem, evaluate
from fitontest.families.piecewise.process import require_threads_of_jax
from fitontest.families.piecewise.tasks import LIMIT, Fits, Loss, Space, Stop, Tasks
from fitontest.typing import FloatArray

BATCH = 16
TILE = 1024  # nodes that are worked on together; the tiles in use are counted at run time
TILES = 4
LONGEST = 4.0  # step of a value of PL3
KEEP = 0.2  # a step leaves at least this share of a width, and of a probability's distance from 0 or 1
NARROWEST_SHARE = 1e-9  # share of the data in a segment
_BY_FIT = Problem(x=None, s1=0, s0=0, tiles=None, quantiles=None, bins=0, alpha=None, moving=None)  # type: ignore[arg-type]


def run(tasks: Tasks, space: Space, loss: Loss, stop: Stop) -> Fits:
    """Carry out the tasks on the CPU.

    Parameters
    ----------
    tasks : Tasks
    space : {"probability", "logit"}
    loss : {"log_loss", "brier"}
    stop : Stop

    Raises
    ------
    RuntimeError
        In a process that was forked after jax was started.
    """
    require_threads_of_jax()
    n = tasks.bins.size
    fits = []
    with _undisturbed():
        for start in range(0, n, BATCH):
            rows = np.minimum(np.arange(start, start + BATCH), n - 1)  # the last batch is filled up with its last task
            fits.append(compiled(*_batch(tasks.take(rows)), stop, space, loss))
    return Fits(*(np.concatenate(column)[:n] for column in zip(*fits, strict=True)))  # waits for all batches


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Compute in float64 on the CPU whatever the user's configuration of jax, and leave that alone."""
    with (
        jax.enable_x64(True),
        jax.default_device(jax.local_devices(backend="cpu")[0]),
        jax.disable_jit(False),
        jax.numpy_dtype_promotion("standard"),
        jax.transfer_guard("allow"),
    ):
        yield


def _batch(tasks: Tasks) -> tuple[Knots, Problem]:
    """Return start and problem of a batch, the nodes in tiles."""
    tiles = -(-tasks.x.size // TILE)
    room = TILES
    while room < tiles:
        room *= 2  # a new shape, and a compilation, only where the number of nodes doubles
    spare = room * TILE - tasks.x.size

    def tiled(a: FloatArray) -> FloatArray:
        padded = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, spare)])
        return padded.reshape(*a.shape[:-1], room, TILE)

    x, s1, s0 = tiled(tasks.x), tiled(tasks.mass[tasks.rows, 0]), tiled(tasks.mass[tasks.rows, 1])
    counts = np.int32(tiles), tasks.quantiles, tasks.bins.astype(np.int32)
    problem = x, s1, s0, *counts, np.float64(tasks.alpha), np.float64(tasks.moving)
    knots, problem = jax.device_put(((tasks.u, tasks.tau), problem))  # jnp.asarray would compile, for every shape
    return Knots(*knots), Problem(*problem)


def _fit(start: Knots, problem: Problem, stop: Stop, space: Space, loss: Loss) -> tuple[Array, ...]:
    """Fit a batch: `start` of shape (B, K + 1), masses (B, T, M)."""
    enough = stop.gain * (problem.s1 + problem.s0).sum(axis=(1, 2))
    evaluated = jax.vmap(partial(evaluate, space=space, loss=loss), in_axes=(0, _BY_FIT))
    retract = _within_unit if space == "probability" else _bounded

    def move(knots: Knots, value: Array, derivatives: Any, state: Search, bins: Array) -> tuple[Knots, Search]:
        optimiser = levenberg_marquardt(lambda best, step: Knots(retract(best.u, step.u), _widths(best, step, bins)))
        updates, state = optimiser.update(derivatives, state, knots, value=value)
        return optax.apply_updates(knots, updates), state

    def unfinished(carry: tuple[Knots, Search, Array, Array]) -> Array:
        return ~carry[2].all() & (carry[3].max() < stop.steps)

    def iterate(carry: tuple[Knots, Search, Array, Array]) -> tuple[Knots, Search, Array, Array]:
        knots, state, done, steps = carry
        value, derivatives = evaluated(knots, problem)
        new = jax.vmap(move)(knots, value, derivatives, state, problem.bins)
        improved = new[1].value < state.value
        finished = (improved & (new[1].gain <= enough)) | (new[1].promise <= enough)
        new = jax.tree.map(lambda a, b: jnp.where(done.reshape(-1, *[1] * (a.ndim - 1)), b, a), new, (knots, state))
        return *new, done | finished, steps + ~done

    state = jax.vmap(levenberg_marquardt(lambda best, _: best).init)(start)
    count = jnp.zeros(enough.shape, jnp.int32)
    _, state, _, steps = jax.lax.while_loop(unfinished, iterate, (start, state, count > 0, count))
    left = jnp.minimum(state.gain, state.promise) * stop.gain / enough
    return state.best.u, state.best.tau, state.value, steps, left


def _within_unit(u: Array, step: Array) -> Array:
    """Move probabilities v = sigmoid(u) by a step, most of the way to 0 or 1 at the farthest."""
    v, v_bar = jax.nn.sigmoid(u), jax.nn.sigmoid(-u)
    step = jnp.clip(step, (KEEP - 1.0) * v, (1.0 - KEEP) * v_bar)
    return jnp.clip(jnp.log(v + step) - jnp.log(v_bar - step), -LIMIT["probability"], LIMIT["probability"])


def _bounded(u: Array, step: Array) -> Array:
    return jnp.clip(u + jnp.clip(step, -LONGEST, LONGEST), -LIMIT["logit"], LIMIT["logit"])


def _widths(best: Knots, step: Pair, bins: Array) -> Array:
    """Move the knots by a step that keeps their order: no width shrinks to less than a fifth at once."""
    width = best.tau[1:] - best.tau[:-1]
    wanted = jnp.maximum(jnp.maximum(width + step.t[1:] - step.t[:-1], KEEP * width), NARROWEST_SHARE)
    used = jnp.where(jnp.arange(width.size) < bins, wanted, 0.0)
    reached = jnp.cumsum(used)
    return jnp.concatenate((jnp.zeros_like(reached[:1]), reached / reached[-1]))


compiled = jax.jit(
    _fit,
    static_argnames=("space", "loss"),
    # The first halves the time to compile; the second takes a sixth off it, and a tenth off a fit.
    compiler_options={"xla_cpu_use_fusion_emitters": False, "xla_backend_optimization_level": 1},
)
