"""Many logistic regressions at once: against scipy, one by one, with the shortcuts for shares of neighbouring knots."""

import numpy as np
import pytest
from scipy.optimize import minimize

from fitontest.families.newton_many import Features, minimise_columns
from fitontest.numerics.log_sums import softplus

rng = np.random.default_rng(20261126)
X = np.sort(rng.normal(0.0, 2.0, 200))


def hats(knots):
    """Return shares of neighbouring knots, so that Hessians are tridiagonal."""
    at = np.clip(X, knots[0], knots[-1])
    return np.stack([np.interp(at, knots, row) for row in np.eye(knots.size)], axis=1)


FEATURES = {
    "shares of knots": Features(hats(np.linspace(-3.0, 3.0, 6)), 0.001, np.linspace(-3.0, 3.0, 6)),
    "shares of knots with an offset": Features(hats(np.array([-1.0, 0.5, 2.0])), 0.01, None, X[:, None] / 3.0),
    "a constant": Features(np.ones((200, 1))),
    "slope and constant": Features(np.stack([X, np.ones(200)], axis=1)),
    "three that all meet": Features(np.stack([X, X**2 / 4.0, np.ones(200)], axis=1)),
    "knots that skip one": Features(np.stack([X > 1, X < 0, np.abs(X)], axis=1).astype(float), 0.1),
}


def loss(theta, features, w, wy):
    z = features.x @ theta + (0.0 if features.offset is None else features.offset[:, 0])
    centre = 0.0 if features.centre is None else features.centre
    return float(w @ softplus(z) - wy @ z + features.ridge / 2.0 * np.sum((theta - centre) ** 2))


@pytest.mark.parametrize("of", FEATURES)
@pytest.mark.parametrize("tolerance", [1e-11, 1e-5])
def test_every_column_is_at_its_minimum(of, tolerance):
    features, columns = FEATURES[of], 7
    w = rng.integers(1, 4, (200, columns)).astype(float)
    wy = rng.binomial(w.astype(int), 1.0 / (1.0 + np.exp(-0.7 * X[:, None]))).astype(float)
    theta, converged = minimise_columns(features, w, wy, np.zeros((features.x.shape[1], columns)), tolerance)
    assert converged.all()
    z = features.x @ theta + (0.0 if features.offset is None else features.offset)
    centre = 0.0 if features.centre is None else features.centre[:, None]
    gradient = features.x.T @ (w / (1.0 + np.exp(-z)) - wy) + features.ridge * (theta - centre)
    # behind the last step it was bounded and not computed
    assert np.abs(gradient / w.sum(axis=0)).max() <= tolerance
    for k in range(columns):
        found = minimize(loss, theta[:, k] + 0.3, (features, w[:, k], wy[:, k]), method="BFGS")
        assert loss(theta[:, k], features, w[:, k], wy[:, k]) <= found.fun + (1e-7 if tolerance == 1e-11 else 1e-3)


def test_columns_that_start_alike_are_computed_as_others():
    features = FEATURES["shares of knots"]
    w = rng.random((200, 6))
    wy = w * (rng.random((200, 6)) < 0.4)
    start = rng.normal(size=(6, 2))
    together, _ = minimise_columns(features, w, wy, start, 1e-11)
    apart, _ = minimise_columns(features, w, wy, np.tile(start, (1, 3)), 1e-11)
    np.testing.assert_allclose(together, apart, rtol=1e-12)


def test_a_feature_without_a_row_is_held_by_the_ridge():
    x = np.stack([np.ones(50), np.zeros(50)], axis=1)
    theta, converged = minimise_columns(
        Features(x, 0.1), np.ones((50, 1)), np.ones((50, 3)) * 0.3, np.ones((2, 3)), 1e-11
    )
    assert converged.all()
    np.testing.assert_allclose(theta[1], 0.0, atol=1e-9)


def test_a_step_too_long_for_the_bound_is_not_taken_for_the_last_one():
    """A column that is settled but for one knot, and on a plateau at another: from there a full step goes too far."""
    features = Features(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    w = np.array([[1.0], [1.0], [1e-12]])
    wy = np.array([[0.5 + 3e-5], [26.0 * np.exp(-30.0)], [0.0]])
    theta, converged = minimise_columns(features, w, wy, np.array([[0.0], [-30.0]]), 1e-5)
    assert converged.all()
    gradient = features.x.T @ (w / (1.0 + np.exp(-features.x @ theta)) - wy)
    assert np.abs(gradient).max() <= 1e-5 * w.sum()
