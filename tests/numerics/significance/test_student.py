"""The t-test by its definition."""

import numpy as np
import pytest
from scipy.stats import t as student

from fitontest.numerics.significance.choice import TESTS, check_alpha, find_test
from fitontest.numerics.significance.student import p_values, rejected


def by_hand(k, n, p):
    ybar = k / n
    if n == 1:
        return 1.0
    if ybar in (0, 1):
        return float(ybar == p)
    return 2 * student.sf(np.sqrt(n) * abs(ybar - p) / np.sqrt(ybar * (1 - ybar)), n - 1)


def test_p_values_by_hand():
    for n in (1, 2, 3, 10, 500):
        for k in {0, 1, n // 3, n - 1, n}:
            for p in (0.0, 0.1, k / n, 0.7, 1.0):
                assert p_values(k, n, p) == pytest.approx(by_hand(k, n, p), rel=1e-9)


def test_the_published_variance_is_not_used():
    """With k = 50 of 100 and p = .6 the deviation .5 gives T = 2; the published variance .25 would give 4."""
    assert p_values(50, 100, 0.6) == pytest.approx(2 * student.sf(2, 99))


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
@pytest.mark.parametrize("name", TESTS)
def test_decisions_equal_p_values(name, alpha):
    rng = np.random.default_rng(1)
    p = np.unique(np.append(rng.random(500), [0.0, 1.0]))
    starts = np.array([0, 3, 3, 100, 400, 450, p.size])
    n = np.array([10.0, 0.0, 1.0, 60.0, 5.0, 40.0])
    k = np.array([0.0, 0.0, 1.0, 33.0, 4.0, 40.0])
    at = np.repeat(np.arange(n.size), np.diff(starts))
    test = find_test(name)
    np.testing.assert_array_equal(test.rejected(k, n, p, starts, alpha), test.p_values(k[at], n[at], p) <= alpha)


def test_a_single_row_rejects_nothing_and_equal_labels_all_else():
    p = np.array([0.0, 0.5, 1.0])
    assert not rejected(np.array([1.0]), np.array([1.0]), p, np.array([0, 3]), 0.5).any()
    assert rejected(np.array([2.0]), np.array([2.0]), p, np.array([0, 3]), 0.01).tolist() == [True, True, False]


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 5, True, "a", None, float("nan")])
def test_alpha_is_a_fraction(alpha):
    with pytest.raises(ValueError, match="alpha must be a fraction"):
        check_alpha(alpha)
    with pytest.raises(ValueError, match="test must be one of 'binomial', 't'"):
        find_test("z")


def test_the_p_value_itself_as_level():
    """At alpha equal to a p-value, or far below what 1 - alpha can tell from 1, decisions and p-values agree."""
    rng = np.random.default_rng(4)
    for _ in range(300):
        n = float(rng.integers(2, 200))
        k, p = float(rng.integers(0, n + 1)), np.array([rng.random()])
        alpha = float(p_values(k, n, p)[0])
        for level in (alpha, 1e-17, 8e-83):
            if 0 < level < 1:
                decisions = rejected(np.array([k]), np.array([n]), p, np.array([0, 1]), level)
                assert decisions[0] == (alpha <= level)
