"""Weights of mixtures against a general solver, against closed forms, and by the certificate of the maximum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from fitontest.families import mixing
from fitontest.families.mixing import likelihood_weights, square_weights


def gap_of_likelihood(likelihoods, w, v):
    """Return how much larger than 1 the mean of l_j / (l v) is at most: 0 at the maximum."""
    return float((w / w.sum() @ (likelihoods / (likelihoods @ v)[:, None])).max() - 1.0)


def gap_of_square(residuals, w, v):
    """Return by how much a move to one member could lower the mean square at most, to first order."""
    gram = residuals.T @ (residuals * (w / w.sum())[:, None])
    return float(2 * (v @ gram @ v - (gram @ v).min()))


def drawn(seed, rows, members, least=1e-6):
    rng = np.random.default_rng(seed)
    return rng.uniform(least, 1, (rows, members)) ** rng.uniform(0.1, 3, members), rng.exponential(1, rows)


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 7))
def test_the_maximum_is_certified(seed, rows, members):
    likelihoods, w = drawn(seed, rows, members)
    v = likelihood_weights(likelihoods, w)
    assert v.min() >= 0
    assert v.sum() == pytest.approx(1, abs=1e-12)
    assert gap_of_likelihood(likelihoods, w, v) <= 1e-10


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 7))
def test_the_least_square_is_certified(seed, rows, members):
    values, w = drawn(seed, rows, members)
    residuals = values - 0.5
    v = square_weights(residuals, w)
    assert v.min() >= 0
    assert v.sum() == pytest.approx(1, abs=1e-12)
    assert gap_of_square(residuals, w, v) <= 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_a_general_solver_finds_the_same(seed):
    likelihoods, w = drawn(seed, 200, 4)

    def loss(v):
        return -float(w @ np.log(likelihoods @ v)) / w.sum()

    simplex = {"bounds": [(0, 1)] * 4, "constraints": {"type": "eq", "fun": lambda v: v.sum() - 1}}
    found = minimize(loss, np.full(4, 0.25), **simplex, options={"ftol": 1e-14, "maxiter": 500})
    np.testing.assert_allclose(likelihood_weights(likelihoods, w), found.x, atol=1e-4)
    assert loss(likelihood_weights(likelihoods, w)) <= found.fun + 1e-12


def test_members_that_predict_the_same_share_any_way_they_like():
    one = np.random.default_rng(0).random(50) * 0.8 + 0.1
    likelihoods = np.stack([one, one, np.full(50, 0.1)], axis=1)
    v = likelihood_weights(likelihoods, np.ones(50))
    assert gap_of_likelihood(likelihoods, np.ones(50), v) <= 1e-10
    assert v[2] < 1e-6
    np.testing.assert_allclose(square_weights(np.zeros((5, 2)), np.ones(5)), [0.5, 0.5])


def test_two_members_in_closed_form():
    """Rows on which one member is right by odds of 4, k of them against m: its weight solves a linear equation."""
    likelihoods = np.repeat([[0.8, 0.2], [0.2, 0.8]], [60, 40], axis=0)
    share = 0.6  # of the first member's rows; the mixture should give them the probability .6
    np.testing.assert_allclose(
        likelihood_weights(likelihoods, np.ones(100)), [(share - 0.2) / 0.6, (0.8 - share) / 0.6]
    )
    np.testing.assert_allclose(square_weights(np.diag([1.0, 2.0, 3.0]), np.ones(3)), np.array([36, 9, 4]) / 49)


def test_tiny_likelihoods_do_not_stop_it():
    likelihoods = np.array([[1e-6, 1 - 1e-6], [1 - 1e-6, 1e-6], [1e-6, 1e-6]])
    v = likelihood_weights(likelihoods, np.array([1.0, 1e-9, 5.0]))
    assert gap_of_likelihood(likelihoods, np.array([1.0, 1e-9, 5.0]), v) <= 1e-10


def test_many_rows_begin_with_a_part_of_them(monkeypatch):
    likelihoods, w = drawn(5, 400, 5)
    whole = likelihood_weights(likelihoods, w)
    monkeypatch.setattr(mixing, "SAMPLED", 50)
    np.testing.assert_allclose(likelihood_weights(likelihoods, w), whole, atol=1e-6)
