"""The one compiled program that fits everything: many maps side by side, each until it has converged.

Whatever differs between two data sets (the nodes, the masses, the number of bins, the priors, the tolerance) is an
argument, and all arrays have one shape: fits in batches, nodes in tiles, room for a multiple of 18 segments and of 16
sets of rows. So jax compiles once per family and loss, not once per data set. A batch goes on until its slowest fit has
converged, so fits are interrupted after a few steps: those that have not converged then go on, together, where they
were. The arithmetic is float64 inside a context; the
configuration of jax is left alone.

This module imports jax; it is itself imported when a map is first fitted.
"""

from collections.abc import Hashable
from concurrent.futures import Executor, Future, wait
from contextlib import suppress
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from fitontest.families.piecewise.block_tridiagonal import Pair
from fitontest.families.piecewise.compiler_options import known_options
from fitontest.families.piecewise.levenberg_marquardt import Search, levenberg_marquardt
from fitontest.families.piecewise.mass_scale import POINTS
from fitontest.families.piecewise.objective import Knots, Problem, evaluate
from fitontest.families.piecewise.process import require_threads_of_jax
from fitontest.families.piecewise.tasks import LIMIT, Fits, Loss, Nodes, Space, Stop, Tasks
from fitontest.families.piecewise.undisturbed import undisturbed
from fitontest.results.typing import FloatArray, IntArray

BATCH = 16
ROUND = 24  # steps after which the fits that have not converged are put together again
TILE = 256  # nodes that are worked on together; the tiles in use are counted at run time
TILES = 16
SETS = 16  # of rows: room for a multiple of this number
LONGEST = 4.0  # step of a value of PL3
KEEP = 0.2  # a step leaves at least this share of a width, and of a probability's distance from 0 or 1
NARROWEST_SHARE = 1e-9  # share of the data in a segment
# The first halves the time to compile; the second takes a sixth off it, and a tenth off a fit.
QUICKER: dict[str, bool | int] = {"xla_cpu_use_fusion_emitters": False, "xla_backend_optimization_level": 1}
_BEGUN: dict[Hashable, Future[Fits] | None] = {}  # what was compiled, or is being compiled in another thread
_BY_FIT = Problem(x=None, s1=0, s0=0, tiles=None, quantiles=None, bins=0, alpha=None, moving=None)  # type: ignore[arg-type]


class Progress(NamedTuple):
    """How far B fits have come: arrays with one row per fit.

    Attributes
    ----------
    trial : Knots
        The point to be tried next.
    search : Search
    done : bool array
    steps : int array
    """

    trial: Knots
    search: Search
    done: Array
    steps: Array


def run(tasks: Tasks, space: Space, loss: Loss, stop: Stop) -> Fits:
    """Carry out the tasks on the CPU; what another thread is compiling for them is waited for.

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
    begun = _BEGUN.setdefault(_shape(tasks, space, loss), None)
    if begun is not None:
        wait([begun])  # an error in it will be raised here again
    return _carried_out(tasks, space, loss, stop)


def begin_to_compile(pool: Executor, space: Space, loss: Loss, room: int, sets: int) -> None:
    """Have the program of a family compiled in another thread, unless that was begun before.

    Parameters
    ----------
    pool : Executor
        Of threads; it may end as soon as it has done what it was given.
    space : {"probability", "logit"}
    loss : {"log_loss", "brier"}
    room : int
        Segments that a map has room for.
    sets : int
        Of rows.
    """
    nodes = placed(np.array([0.25, 0.75]), np.ones((sets, 2, 2)))
    start, shares = np.zeros((1, room + 1)), np.minimum(np.arange(room + 1.0), 1.0)[None]
    tasks = Tasks(nodes, np.zeros(1, np.intp), np.ones(1, np.intp), start, shares, np.linspace(0.0, 1.0, POINTS), 1.0)
    shape = _shape(tasks, space, loss)
    if shape not in _BEGUN:
        compiled()  # the one of all threads
        with suppress(RuntimeError):  # no thread can be started, as while the process ends: the fit compiles it itself
            _BEGUN[shape] = pool.submit(_carried_out, tasks, space, loss, Stop(gain=np.inf, steps=1))


def _shape(tasks: Tasks, space: Space, loss: Loss) -> Hashable:
    """Return what the program is compiled for."""
    return space, loss, tasks.u.shape[1], tasks.nodes.arrays[1].shape


def _carried_out(tasks: Tasks, space: Space, loss: Loss, stop: Stop) -> Fits:
    require_threads_of_jax()
    progress = _begun(tasks)
    total = tasks.nodes.total[tasks.rows]
    enough, rows, bins = stop.gain * total, tasks.rows.astype(np.int32), tasks.bins.astype(np.int32)
    shared = tasks.quantiles, np.float64(tasks.alpha), np.float64(tasks.moving)
    with undisturbed():
        for limit in range(ROUND, stop.steps + ROUND, ROUND):
            pending = np.flatnonzero(~progress.done)
            steps, started = np.int32(min(limit, stop.steps)), []
            for start in range(0, pending.size, BATCH):
                of = pending[start : start + BATCH]
                filled = np.pad(of, (0, BATCH - of.size), mode="edge")  # with the last fit
                batch, *each = jax.tree.map(lambda a, filled=filled: a[filled], (progress, rows, bins, enough))
                started.append((of, compiled()(batch, tasks.nodes.arrays, *each, steps, *shared, space, loss)))
            for of, advanced in started:  # one is prepared while another is computed
                _put(progress, of, advanced)
    search = progress.search
    left = np.minimum(search.gain, search.promise) / total
    return Fits(*map(np.asarray, (*search.best, search.value, progress.steps, left)))


def placed(x: FloatArray, mass: FloatArray) -> Nodes:
    """Return nodes of shape (M,) and masses of shape (S, 2, M) as the program takes them."""
    require_threads_of_jax()
    tiles = -(-x.size // TILE)
    room, sets = TILES, -(-len(mass) // SETS) * SETS
    while room < tiles:
        room *= 2  # a new shape, and a compilation, only where the number of nodes doubles
    nodes, masses = np.zeros(room * TILE), np.zeros((sets, 2, room * TILE))
    nodes[: x.size], masses[: len(mass), :, : x.size] = x, mass
    arrays = nodes.reshape(room, TILE), masses.reshape(sets, 2, room, TILE), np.int32(tiles)
    with undisturbed():
        return Nodes(jax.device_put(arrays), mass.sum(axis=(1, 2)))


def _begun(tasks: Tasks) -> Progress:
    """Return the progress of fits that have not begun, as numpy arrays of their own."""
    n = tasks.bins.size
    start = Knots(*jax.tree.map(np.array, (tasks.u, tasks.tau)))
    search = levenberg_marquardt(lambda best, _: best).init(start)
    return Progress(*jax.tree.map(np.array, (start, search, np.zeros(n, bool), np.zeros(n, np.int32))))


def _put(progress: Progress, rows: IntArray, advanced: Progress) -> None:
    """Write what the first fits of a batch have come to into their rows."""
    for whole, part in zip(jax.tree.leaves(progress), jax.tree.leaves(advanced), strict=True):
        whole[rows] = np.asarray(part)[: rows.size]


def _advance(
    progress: Progress,
    nodes: tuple[Array, Array, Array],
    rows: Array,
    bins: Array,
    enough: Array,
    limit: Array,
    quantiles: Array,
    alpha: Array,
    moving: Array,
    space: Space,
    loss: Loss,
) -> Progress:
    """Go on with a batch of fits until each has gained no more than `enough` in a step, or taken `limit` steps."""
    x, mass, tiles = nodes
    problem = Problem(x, mass[rows, 0], mass[rows, 1], tiles, quantiles, bins, alpha, moving)
    evaluated = jax.vmap(partial(evaluate, space=space, loss=loss), in_axes=(0, _BY_FIT))
    retract = _within_unit if space == "probability" else _bounded
    optimiser = levenberg_marquardt(lambda best, step: Knots(retract(best.u, step.u), _widths(best, step, bins)))

    def unfinished(now: Progress) -> Array:
        return (~now.done & (now.steps < limit)).any()

    def iterate(now: Progress) -> Progress:
        value, derivatives = evaluated(now.trial, problem)
        updates, search = optimiser.update(derivatives, now.search, now.trial, value=value)
        improved = search.value < now.search.value
        finished = (improved & (search.gain <= enough)) | (search.promise <= enough)
        new = Progress(optax.apply_updates(now.trial, updates), search, finished, now.steps + 1)
        kept: Progress = jax.tree.map(lambda a, b: jnp.where(now.done.reshape(-1, *[1] * (a.ndim - 1)), b, a), new, now)
        return kept

    advanced: Progress = jax.lax.while_loop(unfinished, iterate, progress)
    return advanced


def _within_unit(u: Array, step: Array) -> Array:
    """Move probabilities v = sigmoid(u) by a step, most of the way to 0 or 1 at the farthest."""
    v, v_bar = jax.nn.sigmoid(u), jax.nn.sigmoid(-u)
    step = jnp.clip(step, (KEEP - 1.0) * v, (1.0 - KEEP) * v_bar)
    return jnp.clip(jnp.log(v + step) - jnp.log(v_bar - step), -LIMIT["probability"], LIMIT["probability"])


def _bounded(u: Array, step: Array) -> Array:
    return jnp.clip(u + jnp.clip(step, -LONGEST, LONGEST), -LIMIT["logit"], LIMIT["logit"])


def _widths(best: Knots, step: Pair, bins: Array) -> Array:
    """Move the knots by a step that keeps their order: no width shrinks to less than a fifth at once."""
    width = jnp.diff(best.tau)
    wanted = jnp.maximum(jnp.maximum(width + jnp.diff(step.t), KEEP * width), NARROWEST_SHARE)
    used = jnp.where(jnp.arange(width.shape[-1]) < bins[:, None], wanted, 0.0)
    reached = jnp.cumsum(used, axis=-1)
    return jnp.pad(reached / reached[:, -1:], ((0, 0), (1, 0)))


@cache
def compiled() -> Any:
    """Return the program as jax compiles it, to be called where it computes; what has been compiled is kept with it."""
    return jax.jit(_advance, static_argnames=("space", "loss"), compiler_options=known_options(QUICKER))
