"""The factor of a bet: right to the last digits at rare scores, and of a mean of at most 1 in cells and groups."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fitontest.monitor.bettors.factors import by_cell, log_factors
from fitontest.monitor.nulls.rates import Exact, Tolerance
from tests.monitor.enumeration import batch_of, mean_over

ROUNDED = 1 + 1e-12
SHIFTS = np.array([-1.5, -0.2, 0.0, 0.7, 2.0])
NULLS = [Exact(), Tolerance(0.03), Tolerance(0.4, "logit"), Tolerance(0.1, "ratio")]


def factors_of(null, p, y, w=None, *, exact=True, shifts=SHIFTS):
    """Return the factors of bets on shifts of the logits."""
    batch = batch_of(p, y, w, exact=exact)
    return np.exp(log_factors(batch, null.limits(batch), batch.z + shifts[:, None]))


def by_hand(p, y, shift, low, high):
    """Return the log factor of one row in extended precision."""
    p, low, high = np.longdouble(p), np.longdouble(low), np.longdouble(high)
    odds = p / (1 - p) * np.exp(np.longdouble(shift))
    q = odds / (1 + odds)
    nearest = min(max(q, low), high)
    return np.log(q / nearest) if y else np.log1p(-q) - np.log1p(-nearest)


@pytest.mark.parametrize("null", NULLS, ids=str)
@pytest.mark.parametrize("p", [1e-12, 3e-7, 0.01, 0.4, 0.97, 1 - 1e-9])
def test_the_factor_of_a_row_is_right_at_any_score(null, p):
    for y in (0.0, 1.0):
        batch = batch_of([p], [y])
        limits = null.limits(batch)
        got = by_cell(batch, limits, batch.z + SHIFTS[:, None])[:, 0]
        expected = [by_hand(p, y, shift, limits.low[0], limits.high[0]) for shift in SHIFTS]
        np.testing.assert_allclose(got, np.array(expected, dtype=float), rtol=1e-6, atol=1e-15)


def test_scores_of_0_and_1_that_are_right_have_the_factor_1():
    assert (factors_of(Exact(), [0.0] * 1000 + [1.0] * 1000, [0.0] * 1000 + [1.0] * 1000) == 1.0).all()


def test_a_tolerance_that_reaches_0_or_1_leaves_factors_finite():
    for null, p in ((Tolerance(0.3), [0.0, 0.1, 0.9, 1.0]), (Tolerance(40.0, "logit"), [1e-9, 0.1, 0.9, 1 - 1e-9])):
        for y in product((0.0, 1.0), repeat=4):
            factors = factors_of(null, p, y)
            assert np.isfinite(factors).all()
            assert (factors > 0.0).all()


def test_of_a_bet_within_the_limits_the_factor_is_1():
    np.testing.assert_allclose(factors_of(Tolerance(0.4), [0.3, 0.5, 0.5], [1, 0, 1], shifts=np.array([-0.9, 0.9])), 1)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.sampled_from(NULLS))
@settings(max_examples=8, deadline=None)
def test_in_a_cell_no_bet_gains_on_average_whatever_the_rates_are(rates, null):
    """Four scores are in one cell; the mean of their rates is at an end of the limits at the mean score."""
    p = np.array([0.301, 0.302, 0.303, 0.3035])
    batch = batch_of(p, np.zeros(4), exact=False)
    assert len(batch) == 1
    limits = null.limits(batch)
    for mean in (limits.low[0], limits.high[0]):
        spread = np.array(rates) - np.mean(rates)
        widest = min(mean, 1 - mean) / max(1e-9, np.abs(spread).max())
        c = mean + min(1.0, widest) * spread
        assert mean_over(c, lambda y: factors_of(null, p, y, exact=False)).max() <= ROUNDED


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
@settings(max_examples=15, deadline=None)
def test_with_exponents_up_to_1_no_bet_gains_on_average(u):
    p = np.array([0.02, 0.301, 0.302])
    assert mean_over(p, lambda y: factors_of(Exact(), p, y, u)).max() <= ROUNDED
    assert mean_over(p, lambda y: factors_of(Exact(), p, y, u, exact=False)).max() <= ROUNDED


def test_an_exponent_of_2_would_gain():
    """With p = .1 and q = .3 the mean is .1 x 9 + .9 x (7/9)^2 = 1.44."""
    shift = np.log(0.3 / 0.7) - np.log(0.1 / 0.9)
    mean = mean_over([0.1], lambda y: factors_of(Exact(), [0.1], y, [2.0], shifts=np.array([shift])))
    assert mean[0] == pytest.approx(0.9 + 0.9 * (7 / 9) ** 2)
    assert round(mean[0], 2) == 1.44


def test_a_bet_on_errors_that_depends_on_the_score_would_gain():
    """Two rows with errors .5 and 0 and bets .7 and 0 against a mean error of .25: 1 + .7 (.5 - .25) = 1.175."""
    p, c, bets = np.array([0.2, 0.5]), np.array([0.7, 0.5]), np.array([0.7, 0.0])

    def capital(y, bets):
        return float(np.prod(1 + bets * (y - p - 0.25)))

    assert mean_over(c, lambda y: capital(y, bets)) == pytest.approx(1.175)
    assert max(mean_over(c, lambda y, one=one: capital(y, one)) for one in np.linspace(0, 0.8, 9)) <= ROUNDED


@pytest.mark.parametrize("seed", range(5))
def test_exponents_that_sum_to_1_bear_any_dependence_in_a_group(seed):
    """Labels of a group come of one joint distribution of random weights; scores are the shares of each label in it."""
    rng = np.random.default_rng(seed)
    outcomes = np.array([*product((0.0, 1.0), repeat=3)])
    chances = rng.dirichlet(np.full(8, 0.2))
    p = chances @ outcomes
    for u in ([1 / 3] * 3, [0.6, 0.3, 0.1]):
        mean = sum(chance * factors_of(Exact(), p, y, u) for chance, y in zip(chances, outcomes, strict=True))
        assert mean.max() <= ROUNDED


def test_rows_that_share_a_label_would_gain_without_exponents():
    p = np.array([0.3, 0.3])
    means = {u: mean_over([0.3], lambda y, u=u: factors_of(Exact(), p, np.repeat(y, 2), [u] * 2)) for u in (1.0, 0.5)}
    assert means[1.0].max() > 1.5
    assert means[0.5].max() <= ROUNDED


@given(st.integers(0, 1000), st.integers(1, 30))
@settings(max_examples=10, deadline=None)
def test_cells_of_equal_scores_are_their_rows_in_any_order(seed, n):
    rng = np.random.default_rng(seed)
    p, y, u = rng.choice([1e-9, 0.1, 0.4, 0.41, 1 - 1e-9], n), rng.integers(0, 2, n), rng.uniform(0.1, 1, n)
    order = rng.permutation(n)
    for null in NULLS:
        rows = sum(np.log(factors_of(null, [p[k]], [y[k]], [u[k]])) for k in range(n))
        np.testing.assert_allclose(np.log(factors_of(null, p, y, u)), rows, atol=1e-9)
        np.testing.assert_allclose(np.log(factors_of(null, p[order], y[order], u[order])), rows, atol=1e-9)
