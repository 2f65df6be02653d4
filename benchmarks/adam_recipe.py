"""The training recipe of the fit-on-test paper's authors for PL and PL3, written again from its description.

Their maps are small neural networks, trained by Adam on shuffled minibatches, stopped early on the training loss, the
last weights kept. This is that algorithm, flaws included, without the framework's overhead: one compiled loop over
epochs and batches, everything in float64. It is what our own fits are compared with, so it is as fast as we could make
it without changing what it computes.

What is deliberately kept although it is not good practice: the first maps are not the identity (PL nearly; PL3 by far,
its outer knots lie at logits of about +-36.8 but start with the smallest and largest logit of the data as values), the
best weights are not restored, a training loss measured while the weights change decides when to stop, bins of width
zero are possible, and the number of bins is chosen by the Brier score although the maps are trained by log loss.

Runs are chaotic: another rounding of the same sums moves the result, by about .0005 in the mean absolute error of the
map and 30 % in the number of epochs. Do not compare two implementations more closely than that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold

Array = NDArray[Any]
Kind = Literal["pl", "pl3"]
Weights = tuple[jax.Array, jax.Array]  # K bin logits, K + 1 raw values

RATE, BETA1, BETA2, EPSILON = 0.01, 0.9, 0.999, 1e-7  # Adam as in Keras
MAX_EPOCHS, PATIENCE = 1500, 20
BATCHES = 4  # a batch has n // 4 rows
TINY = 1e-16
LOWEST, HIGHEST = TINY, 1 - TINY  # probabilities are clipped to these before a log or a logit
N_FOLDS = 10
TOLERANCE = 0.001  # the fewest bins whose score is within 0.1 % of the best
BLOCK = 50  # epochs per compiled call
BLOCK_ENTRIES = 2**24  # row numbers in one block of shuffles, at most
KEPT_ENTRIES = 2**28  # row numbers that shuffles shared by several fits may hold, at most (1 GiB)


@dataclass(frozen=True)
class RecipeFit:
    """A map trained by the recipe.

    Attributes
    ----------
    kind
        "pl" or "pl3".
    knots
        K + 1 places, in [0, 1] for "pl" and as logits for "pl3".
    values
        K + 1 raw values at the knots: logits of the map at the knot for both kinds. "pl" interpolates their sigmoids,
        "pl3" interpolates them and takes the sigmoid afterwards.
    n_epochs
        Epochs that were run.
    seconds
        Time of the fit; the first one of a shape (rows, bins, kind) includes its compilation.
    training_log_loss
        Mean log loss of the map on the rows it was trained on.
    """

    kind: Kind
    knots: Array
    values: Array
    n_epochs: int
    seconds: float
    training_log_loss: float

    def __call__(self, p: ArrayLike) -> Array:
        """Return the calibrated probabilities of the scores, which must be in [0, 1]."""
        return _evaluate(self.kind, self.knots, self.values, _abscissa(np.asarray(p, dtype=np.float64), self.kind))


@dataclass(frozen=True)
class RecipeCV:
    """Maps whose number of bins was chosen by cross-validation; the prediction is the mean over the folds.

    Attributes
    ----------
    n_bins
        The chosen number of bins.
    candidates
        The C numbers of bins tried.
    scores
        Brier scores on the held-out rows, 10 by C.
    maps
        The 10 maps of the chosen number of bins.
    seconds
        Time of everything.
    fit_seconds
        Time of each fit, 10 by C.
    n_epochs
        Epochs of each fit, 10 by C.
    training_log_loss
        Training log loss of each fit, 10 by C.
    """

    n_bins: int
    candidates: tuple[int, ...]
    scores: Array
    maps: tuple[RecipeFit, ...]
    seconds: float
    fit_seconds: Array
    n_epochs: Array
    training_log_loss: Array

    def __call__(self, p: ArrayLike) -> Array:
        """Return the mean of the fold maps at the scores."""
        return np.asarray(np.mean([fold_map(p) for fold_map in self.maps], axis=0))


def folds(n: int, seed: int) -> list[tuple[Array, Array]]:
    """Return the row numbers (training, held-out) of the 10 folds."""
    return list(KFold(N_FOLDS, shuffle=True, random_state=seed).split(np.empty(n)))


def default_candidates(n: int) -> range:
    """Return the numbers of bins that the authors try on n rows."""
    return range(1, min(n // 200, 15) + 2)


def fit(p: ArrayLike, y: ArrayLike, n_bins: int, kind: Kind, seed: int = 0) -> RecipeFit:
    """Train one map.

    Parameters
    ----------
    p
        Scores in [0, 1].
    y
        Labels, 0 or 1.
    n_bins
        Number of linear pieces.
    kind
        "pl" for pieces in the probability, "pl3" for pieces in the logits.
    seed
        Seed of the shuffles.

    Returns
    -------
    RecipeFit
        The map with the weights of the last epoch.
    """
    start = perf_counter()
    p, y = _data(p, y)
    return _fit(p, y, n_bins, kind, _Shuffles(p.size, seed, keep=False), start)


def cross_validate(
    p: ArrayLike, y: ArrayLike, kind: Kind, seed: int = 0, candidates: Sequence[int] | None = None
) -> RecipeCV:
    """Choose the number of bins by 10-fold cross-validation and average the maps of the folds.

    Parameters
    ----------
    p
        Scores in [0, 1].
    y
        Labels, 0 or 1.
    kind
        "pl" or "pl3".
    seed
        Seed of the folds and of every fit's shuffles: all fits on the same number of rows see the same shuffles.
    candidates
        Numbers of bins to try, in increasing order; the authors' if None.

    Returns
    -------
    RecipeCV
        The averaged map, the scores and the times.
    """
    start = perf_counter()
    p, y = _data(p, y)
    tried = tuple(default_candidates(p.size) if candidates is None else candidates)
    splits = folds(p.size, seed)
    shuffles = {n: _Shuffles(n, seed, keep=True) for n in {train.size for train, _ in splits}}
    fits = [
        [_fit(p[train], y[train], k, kind, shuffles[train.size], perf_counter()) for k in tried] for train, _ in splits
    ]
    scores = np.array(
        [[np.mean((f(p[held]) - y[held]) ** 2) for f in row] for row, (_, held) in zip(fits, splits, strict=True)]
    )
    chosen = _fewest_within(scores.mean(axis=0))
    return RecipeCV(
        n_bins=tried[chosen],
        candidates=tried,
        scores=scores,
        maps=tuple(row[chosen] for row in fits),
        seconds=perf_counter() - start,
        fit_seconds=np.array([[f.seconds for f in row] for row in fits]),
        n_epochs=np.array([[f.n_epochs for f in row] for row in fits]),
        training_log_loss=np.array([[f.training_log_loss for f in row] for row in fits]),
    )


def initial_weights(p: Array, n_bins: int, kind: Kind) -> tuple[Array, Array]:
    """Return the bin logits and raw values that training starts from: quantiles of the scores, not the identity."""
    edges = np.quantile(_abscissa(p, kind), np.linspace(0, 1, n_bins + 1))
    places = edges if kind == "pl" else _sigmoid(edges)
    widths = np.diff(places[1:], prepend=0.0)  # the first bin starts at 0, not at the smallest score
    values = _logit(np.clip(edges, 0.001, 0.999)) if kind == "pl" else edges
    return np.log(np.clip(widths, TINY, 1)), values


def _data(p: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    return np.asarray(p, dtype=np.float64), np.asarray(y, dtype=np.float64)


def _fewest_within(scores: Array) -> int:
    """Return the position of the first score within the tolerance of the best."""
    return int(np.argmax(scores <= (1 + TOLERANCE) * scores.min()))


# The map, in numpy


def _logit(p: Array) -> Array:
    return np.asarray(np.log(p / (1 - p)))


def _sigmoid(z: Array) -> Array:
    return 1 / (1 + np.exp(-z))


def _abscissa(p: Array, kind: Kind) -> Array:
    """Return where a score lies on the axis of the knots."""
    return p if kind == "pl" else _logit(np.clip(p, LOWEST, HIGHEST))


def _evaluate(kind: Kind, knots: Array, values: Array, x: Array) -> Array:
    """Return the map at places on the axis of the knots."""
    levels = _sigmoid(values) if kind == "pl" else values
    left = np.searchsorted(knots[1:-1], x, side="left")  # a point on an inner knot belongs to the left bin
    width = np.diff(knots)[left] + TINY
    z = (levels[left] * (knots[left + 1] - x + TINY) + levels[left + 1] * (x - knots[left] + TINY)) / width
    return z if kind == "pl" else _sigmoid(z)


# Training


class _Shuffles:
    """Random orders of n rows, one per epoch, drawn in blocks from the seed.

    With `keep`, blocks stay for the next fit with the same seed and rows, as long as all epochs would fit in memory.
    """

    def __init__(self, n: int, seed: int, keep: bool) -> None:
        self._n = n
        self._seed = seed
        self._keep = keep and n * MAX_EPOCHS <= KEPT_ENTRIES
        self._epochs = max(1, min(BLOCK, BLOCK_ENTRIES // n))
        self._kept: list[jax.Array] = []
        self._rng = np.random.RandomState(seed)

    def __iter__(self) -> Iterator[jax.Array]:
        """Yield blocks of orders, epochs by rows, always from the first epoch on."""
        yield from self._kept
        if not self._keep:
            self._rng = np.random.RandomState(self._seed)
        while True:
            orders = [self._rng.permutation(self._n).astype(np.int32) for _ in range(self._epochs)]
            block = jnp.asarray(np.stack(orders))
            if self._keep:
                self._kept.append(block)
            yield block


class _State(NamedTuple):
    """Where training stands."""

    weights: Weights
    mean: Weights  # of the gradients, decaying
    square: Weights  # of the gradients squared, decaying
    steps: jax.Array
    epochs: jax.Array
    best: jax.Array  # lowest loss of an epoch
    wait: jax.Array  # epochs since then


def _fit(p: Array, y: Array, n_bins: int, kind: Kind, shuffles: _Shuffles, start: float) -> RecipeFit:
    with jax.enable_x64(True):
        x, labels = jnp.asarray(_abscissa(p, kind)), jnp.asarray(y)
        state = _initial_state(*initial_weights(p, n_bins, kind))
        for orders in shuffles:
            state, done = _train(state, x, labels, orders, kind)
            if done:
                break
        knots, loss = _finish(state.weights, x, labels, kind)
    values = np.asarray(state.weights[1])
    return RecipeFit(kind, np.asarray(knots), values, int(state.epochs), perf_counter() - start, float(loss))


def _initial_state(bin_logits: Array, values: Array) -> _State:
    """Return the state before the first epoch; to be called where float64 is on."""
    weights = (jnp.asarray(bin_logits), jnp.asarray(values))
    zeros = (jnp.zeros_like(weights[0]), jnp.zeros_like(weights[1]))
    none = jnp.int32(0)
    return _State(weights, zeros, zeros, steps=jnp.float64(0), epochs=none, best=jnp.float64(jnp.inf), wait=none)


@partial(jax.jit, static_argnames="kind")
def _train(state: _State, x: jax.Array, y: jax.Array, orders: jax.Array, kind: Kind) -> tuple[_State, jax.Array]:
    """Run the block's epochs, or as many as it takes to stop; also say whether training is over."""
    first = state.epochs
    state = lax.while_loop(
        lambda s: ~_done(s) & (s.epochs - first < len(orders)),
        lambda s: _epoch(s, x, y, orders[s.epochs - first], kind),
        state,
    )
    return state, _done(state)


def _done(state: _State) -> jax.Array:
    return (state.wait >= PATIENCE) | (state.epochs >= MAX_EPOCHS)


def _epoch(state: _State, x: jax.Array, y: jax.Array, order: jax.Array, kind: Kind) -> _State:
    """Run one epoch: equal batches, then a smaller one with the rows that are left."""
    n = x.size
    size = max(n // BATCHES, 1)
    full = n // size * size

    def update(s: _State, rows: jax.Array) -> tuple[_State, jax.Array]:
        return _update(s, x[rows], y[rows], kind)

    state, losses = lax.scan(update, state, order[:full].reshape(-1, size))
    loss = losses.sum() * size
    if full < n:
        state, last = update(state, order[full:])
        loss += last * (n - full)
    loss /= n
    better = loss < state.best
    return state._replace(
        epochs=state.epochs + 1,
        best=jnp.where(better, loss, state.best),
        wait=jnp.where(better, 0, state.wait + 1),
    )


def _update(state: _State, x: jax.Array, y: jax.Array, kind: Kind) -> tuple[_State, jax.Array]:
    """Take one step of Adam; the loss is that before the step."""
    loss, gradient = jax.value_and_grad(_log_loss)(state.weights, x, y, kind)
    steps = state.steps + 1
    rate = RATE * jnp.sqrt(1 - BETA2**steps) / (1 - BETA1**steps)
    mean = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, state.mean, gradient)
    square = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g**2, state.square, gradient)
    weights = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + EPSILON), state.weights, mean, square)
    return state._replace(weights=weights, mean=mean, square=square, steps=steps), loss


@partial(jax.jit, static_argnames="kind")
def _finish(weights: Weights, x: jax.Array, y: jax.Array, kind: Kind) -> tuple[jax.Array, jax.Array]:
    return _knots(weights[0], kind), _log_loss(weights, x, y, kind)


def _log_loss(weights: Weights, x: jax.Array, y: jax.Array, kind: Kind) -> jax.Array:
    z = _interpolate(_knots(weights[0], kind), _levels(weights[1], kind), x)
    q = jnp.clip(z if kind == "pl" else jax.nn.sigmoid(z), LOWEST, HIGHEST)
    return -jnp.mean(jnp.log(jnp.where(y > 0, q, 1 - q)))


def _knots(bin_logits: jax.Array, kind: Kind) -> jax.Array:
    """Return the K + 1 knots: cumulative softmax, the last one 1 exactly; as logits for "pl3"."""
    inner = jnp.cumsum(jax.nn.softmax(bin_logits))[:-1]
    places = jnp.concatenate([jnp.zeros(1), inner, jnp.ones(1)])
    if kind == "pl":
        return places
    places = jnp.clip(places, LOWEST, HIGHEST)
    return jnp.log(places / (1 - places))


def _levels(values: jax.Array, kind: Kind) -> jax.Array:
    return jax.nn.sigmoid(values) if kind == "pl" else values


def _interpolate(knots: jax.Array, levels: jax.Array, x: jax.Array) -> jax.Array:
    """Interpolate; which bin a point is in carries no gradient, and a knot belongs to the bin at its left."""
    bins = jnp.sum(x[:, None] > knots[None, 1:-1], axis=1)
    table = jnp.stack([knots[:-1], knots[1:], levels[:-1], levels[1:]], axis=1)
    left, right, low, high = table[bins].T
    return (low * (right - x + TINY) + high * (x - left + TINY)) / (right - left + TINY)
