"""The objective against its definition, its gradient against finite differences, its curvature against J' W J."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fitontest.families.piecewise import objective
from fitontest.families.piecewise.compiler_options import known_options
from fitontest.families.piecewise.objective import Knots, Problem, knots_at
from fitontest.families.piecewise.program import QUICKER
from fitontest.families.piecewise.tasks import LIMIT
from fitontest.families.piecewise.undisturbed import with_float64
from fitontest.numerics.links import sigmoid
from tests.families.piecewise.test_block_tridiagonal import dense

BINS, ROOM, NODES = 4, 6, 200
SPACES = ("probability", "logit")
LOSSES = ("log_loss", "brier")
every_space = pytest.mark.parametrize("space", SPACES)
every_loss = pytest.mark.parametrize("loss", LOSSES)


@cache
def compiled():
    """Return the objective as the program has it compiled; its operations alone are slow."""
    return jax.jit(objective.evaluate, static_argnums=(2, 3), compiler_options=known_options(QUICKER))


def evaluate(knots, problem, space, loss):
    return compiled()(knots, problem, space, loss)


def example(space, bins=BINS, room=ROOM, tiles=1, seed=0, alpha=0.7):
    """Return knots and problem with random nodes, masses and parameters; the padding holds nonsense."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.random(NODES))
    s1, s0 = rng.random((2, NODES)) * (0.2 + x)
    x = x if space == "probability" else np.log(x / (1 - x))
    low, high = (0.0, 1.0) if space == "probability" else (x[0], x[-1])
    quantiles = low + (high - low) * np.linspace(0, 1, 9) ** 1.2
    tau = np.concatenate(([0], np.sort(rng.random(bins - 1)), [1], np.ones(room - bins)))
    u = rng.normal(0, 1.5, room + 1)
    shape = (tiles, NODES // tiles)
    problem = Problem(
        jnp.asarray(x.reshape(shape)),
        jnp.asarray(s1.reshape(shape)),
        jnp.asarray(s0.reshape(shape)),
        jnp.asarray(tiles),
        jnp.asarray(quantiles),
        jnp.asarray(bins),
        jnp.asarray(alpha),
        jnp.asarray(1.0),
    )
    return Knots(jnp.asarray(u), jnp.asarray(tau)), problem


def numpy_objective(u, tau, problem, space, loss, bins=BINS):
    """Return the objective as its definition reads."""
    x, s1, s0 = (np.asarray(a).ravel() for a in (problem.x, problem.s1, problem.s0))
    t = np.interp(tau[: bins + 1], np.linspace(0, 1, problem.quantiles.size), problem.quantiles)
    f = sigmoid(u[: bins + 1]) if space == "probability" else u[: bins + 1]
    q = np.interp(x, t, f) if space == "probability" else sigmoid(np.interp(x, t, f))
    cost = s1 * (1 - q) ** 2 + s0 * q**2 if loss == "brier" else -s1 * np.log(q) - s0 * np.log(1 - q)
    return cost.sum() - float(problem.alpha) * np.log(np.diff(tau[: bins + 1])).sum()


@pytest.mark.exhaustive
@every_space
@every_loss
def test_value_is_the_definition(space, loss):
    with with_float64():
        knots, problem = example(space)
        value, _ = evaluate(knots, problem, space, loss)
        u, tau = map(np.asarray, knots)
    assert float(value) == pytest.approx(numpy_objective(u, tau, problem, space, loss), rel=1e-12)


@every_space
@every_loss
def test_gradient_is_that_of_finite_differences(space, loss):
    with with_float64():
        knots, problem = example(space)
        _, derivatives = evaluate(knots, problem, space, loss)
        u, tau = (np.array(a) for a in knots)
    f = partial(numpy_objective, problem=problem, space=space, loss=loss)
    h = 1e-6
    for k in range(BINS + 1):
        step = np.zeros(u.size)
        step[k] = h
        slope = (f(u + step, tau) - f(u - step, tau)) / (2 * h)
        per_value = sigmoid(u[k]) * sigmoid(-u[k]) if space == "probability" else 1.0  # ours is per v = sigmoid(u)
        assert float(derivatives.gradient.u[k]) * per_value == pytest.approx(slope, rel=1e-5, abs=1e-6)
        if 0 < k < BINS:
            slope = (f(u, tau + step) - f(u, tau - step)) / (2 * h)
            assert float(derivatives.gradient.t[k]) == pytest.approx(slope, rel=1e-4, abs=1e-4)
    assert np.all(np.asarray(derivatives.gradient.u)[BINS + 1 :] == 0)
    assert np.all(np.asarray(derivatives.gradient.t)[[0, *range(BINS, ROOM + 1)]] == 0)


def jacobian(knots, problem, space):
    """Return df/d(values, tau) at the nodes by finite differences, columns u_0, t_0, u_1, ..."""
    u, tau = (np.array(a) for a in knots)
    x = np.asarray(problem.x).ravel()
    values = sigmoid(u) if space == "probability" else u

    def f(values, tau):
        t = np.interp(tau[: BINS + 1], np.linspace(0, 1, problem.quantiles.size), problem.quantiles)
        return np.interp(x, t, values[: BINS + 1])

    columns, h = np.zeros((x.size, 2 * u.size)), 1e-7
    for k in range(BINS + 1):
        step = np.zeros(u.size)
        step[k] = h
        columns[:, 2 * k] = (f(values + step, tau) - f(values - step, tau)) / (2 * h)
        if 0 < k < BINS:
            columns[:, 2 * k + 1] = (f(values, tau + step) - f(values, tau - step)) / (2 * h)
    return columns, f(values, tau)


@every_space
@every_loss
def test_curvature_is_that_of_gauss_and_newton(space, loss):
    with with_float64():
        knots, problem = example(space)
        _, derivatives = evaluate(knots, problem, space, loss)
        ours = dense(derivatives.diagonal, derivatives.upper)
    j, f = jacobian(knots, problem, space)
    s1, s0 = (np.asarray(a).ravel() for a in (problem.s1, problem.s0))
    q = f if space == "probability" else sigmoid(f)
    if space == "probability":
        w = 2 * (s1 + s0) if loss == "brier" else s1 / q**2 + s0 / (1 - q) ** 2
    else:
        spread = q * (1 - q)
        w = 2 * (s1 + s0) * spread**2 if loss == "brier" else (s1 + s0) * spread
    expected = j.T @ (w[:, None] * j)
    stiff = float(problem.alpha) / np.diff(np.asarray(knots.tau)[: BINS + 1]) ** 2
    for k in range(BINS):  # the prior on the widths
        direction = np.zeros(expected.shape[0])
        direction[2 * k + 1] = -1.0 if k > 0 else 0.0
        direction[2 * k + 3] = 1.0 if k + 1 < BINS else 0.0
        expected += stiff[k] * np.outer(direction, direction)
    fixed = np.flatnonzero(np.diag(expected) == 0)
    expected[fixed, fixed] = 1.0
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    assert np.linalg.eigvalsh(ours).min() > 0


@every_space
def test_curvature_in_the_values_is_the_whole_hessian_of_the_log_loss(space):
    """In v (PL) and in u (PL3) the log loss is convex and Gauss-Newton leaves nothing out."""
    with with_float64():
        knots, problem = example(space)
        _, derivatives = evaluate(knots, problem, space, "log_loss")
        h = 1e-5
        for k in range(BINS + 1):
            gradients = []
            for sign in (1, -1):
                u = np.array(knots.u)
                if space == "probability":
                    v = sigmoid(u[k]) + sign * h
                    u[k] = np.log(v / (1 - v))
                else:
                    u[k] += sign * h
                moved = Knots(jnp.asarray(u), knots.tau)
                gradients.append(float(evaluate(moved, problem, space, "log_loss")[1].gradient.u[k]))
            second = (gradients[0] - gradients[1]) / (2 * h)
            assert float(derivatives.diagonal.uu[k]) == pytest.approx(second, rel=1e-5)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("space", "loss"), [*zip(SPACES, LOSSES, strict=True)])
def test_room_and_tiles_change_nothing(space, loss):
    with with_float64():
        knots, problem = example(space)
        value, derivatives = evaluate(knots, problem, space, loss)
        wide = Knots(jnp.pad(knots.u, (0, 9), constant_values=3.0), jnp.pad(knots.tau, (0, 9), constant_values=1.0))
        tiled = problem._replace(
            **{name: getattr(problem, name).reshape(4, -1) for name in ("x", "s1", "s0")}, tiles=jnp.asarray(4)
        )
        other_value, other = evaluate(wide, tiled, space, loss)
    assert float(other_value) == pytest.approx(float(value), rel=1e-13)
    for a, b in zip(jax.tree.leaves(derivatives), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(b[: a.size - 1], a[:-1], rtol=1e-10, atol=1e-10)


def test_values_at_their_limit_do_not_try_to_cross_it():
    space = "probability"
    with with_float64():
        knots, problem = example(space)
        low = Knots(knots.u.at[0].set(-LIMIT[space]), knots.tau)
        only_negatives = problem._replace(s1=0 * problem.s1)
        held = evaluate(low, only_negatives, space, "log_loss")[1]
        free = evaluate(low, problem, space, "log_loss")[1]
    assert float(held.gradient.u[0]) == 0
    assert float(held.diagonal.uu[0]) == 1
    assert float(held.upper.ut[0]) == 0
    assert float(free.gradient.u[0]) < 0


@pytest.mark.exhaustive
def test_knots_follow_the_quantiles():
    with with_float64():
        quantiles = jnp.asarray([0.0, 0.2, 1.0])
        t, slope = knots_at(jnp.asarray([0.0, 0.25, 0.75, 1.0]), quantiles)
    np.testing.assert_allclose(t, [0, 0.1, 0.6, 1.0])
    np.testing.assert_allclose(slope, [0.4, 0.4, 1.6, 1.6])
