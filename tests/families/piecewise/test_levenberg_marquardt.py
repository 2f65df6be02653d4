"""The optimiser by itself, through optax, on a problem whose solution is known."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from fitontest.families.piecewise.block_tridiagonal import Diagonal, Pair, Upper
from fitontest.families.piecewise.levenberg_marquardt import levenberg_marquardt
from fitontest.families.piecewise.objective import Derivatives
from fitontest.families.piecewise.undisturbed import with_float64

SIZE = 5


def quadratic(point, target):
    """Return value and derivatives of |point - target|^2 / 2 with a coupling of neighbours."""
    d = Pair(point.u - target.u, point.t - target.t)
    one, zero = jnp.ones(SIZE), jnp.zeros(SIZE)
    coupling = 0.3 * jnp.ones(SIZE - 1)
    upper = Upper(coupling, 0 * coupling, 0 * coupling, 0 * coupling)
    hu = d.u + jnp.pad(0.3 * d.u[1:], (0, 1)) + jnp.pad(0.3 * d.u[:-1], (1, 0))
    value = 0.5 * ((d.u * hu).sum() + (d.t * d.t).sum())
    return value, Derivatives(Pair(hu, d.t), Diagonal(one, zero, one), upper)


TARGET = Pair(np.arange(SIZE) * 1.0, -np.arange(SIZE) * 2.0)
OPTIMISER = levenberg_marquardt(lambda best, step: Pair(best.u + step.u, best.t + step.t))


@jax.jit
def advance(point, state, spoiled):
    value, derivatives = quadratic(point, TARGET)
    updates, state = OPTIMISER.update(derivatives, state, point, value=jnp.where(spoiled, jnp.nan, value))
    return optax.apply_updates(point, updates), state


def minimise(steps, spoil=()):
    """Run the optimiser; in the steps to spoil, the value is reported as NaN."""
    point = Pair(jnp.zeros(SIZE), jnp.zeros(SIZE))
    state = OPTIMISER.init(point)
    history = []
    for step in range(steps):
        point, state = advance(point, state, step in spoil)
        history.append(float(state.value))
    return state, TARGET, history


@pytest.mark.exhaustive
def test_a_quadratic_is_solved_in_a_few_steps():
    with with_float64():
        state, target, history = minimise(8)
        np.testing.assert_allclose(state.best.u, target.u, atol=1e-8)
        np.testing.assert_allclose(state.best.t, target.t, atol=1e-8)
    assert np.all(np.diff(history) <= 0)
    assert float(state.damping) < 1e-4


def test_a_failed_step_is_forgotten_and_damped():
    with with_float64():
        state, _, history = minimise(3, spoil=(2,))
        before, _, _ = minimise(2)
        np.testing.assert_array_equal(state.best.u, before.best.u)
        assert float(state.damping) > float(before.damping)
        assert history[2] == history[1]
        recovered, target, _ = minimise(15, spoil=(2, 3, 5))
        np.testing.assert_allclose(recovered.best.u, target.u, atol=1e-6)
