"""Newton steps by conjugate gradients: what the preconditioner learns, and where single precision is refused."""

import numpy as np

from fitontest.families.multiclass import conjugate_gradients
from fitontest.families.multiclass.conjugate_gradients import ImprovedInverse, single_suffices, solve_by_products


def test_a_system_solved_before_takes_few_products():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    H = A @ A.T / 30 + 0.1 * np.eye(30)
    inverse = ImprovedInverse(lambda r: r)
    gradient = rng.normal(size=(15, 2))
    products = []
    for factor in (1.0, -2.0):
        step, count = solve_by_products(lambda D: (H @ D.ravel()).reshape(D.shape), inverse, factor * gradient, 1e-8)
        np.testing.assert_allclose(H @ step.ravel(), -factor * gradient.ravel(), rtol=0, atol=1e-2)
        products.append(count)
    assert products[0] > 10
    assert products[1] <= 2


def test_what_was_learnt_is_the_inverse_on_its_directions():
    H = np.diag([1.0, 4.0, 9.0, 16.0])
    inverse = ImprovedInverse(lambda r: r)
    inverse.learn(
        [np.array([0, 0.5, 0, 0]), np.array([0, 0, 0, 0.25])], [np.array([0, 2.0, 0, 0]), np.array([0, 0, 0, 4.0])]
    )
    np.testing.assert_allclose(inverse(H @ [1.0, 1.0, 1.0, 1.0]), [1.0, 1.0, 9.0, 1.0])


def test_a_weak_penalty_needs_double_precision():
    scale = np.full((3, 2), 10.0)
    assert single_suffices(1e-7, np.full((3, 2), 1e-4), scale)
    weak = np.full((3, 2), 1e-4)
    weak[1, 1] = 0.0
    assert not single_suffices(1e-7, weak, scale)
    assert not single_suffices(1e-7, np.full((3, 2), 1e-6), scale)


def test_a_long_system_keeps_no_more_directions_than_are_learnt(monkeypatch):
    monkeypatch.setattr(conjugate_gradients, "MOST_PAIRS", 5)
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    H = A @ A.T / 30 + 0.1 * np.eye(30)
    inverse, gradient = ImprovedInverse(lambda r: r), rng.normal(size=(15, 2))
    step, count = solve_by_products(lambda D: (H @ D.ravel()).reshape(D.shape), inverse, gradient, 1e-8)
    assert count > 10
    np.testing.assert_allclose(H @ step.ravel(), -gradient.ravel(), rtol=0, atol=1e-2)
    ((directions, products),) = inverse._systems
    assert len(directions) == len(products) == 5
