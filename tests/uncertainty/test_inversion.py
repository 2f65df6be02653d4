"""The inversion rule against its definition on curves that can be solved by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from fitontest.uncertainty.inversion import chain_lengths, invert, misreads

ERRORS = np.array([0.0, 0.02, 0.05, 0.1])
NOISE = np.linspace(-1, 1, 50)
NOISE = 0.01 * NOISE / NOISE.std(ddof=1)
Q = student.ppf(0.975, 49) * np.sqrt(1 + 1 / 50)


def redrawn(means, noise=NOISE):
    return np.asarray(means)[:, None] + noise


def test_a_straight_curve_of_constant_spread():
    """m(E) = E + 0.03 and s = 0.01: the ends are the estimate -+ q s."""
    found = invert(0.08, ERRORS, redrawn(ERRORS + 0.03), 0.95)
    assert found.estimate == pytest.approx(0.05)
    assert found.low == pytest.approx(0.05 - 0.01 * Q)
    assert found.high == pytest.approx(0.05 + 0.01 * Q)


def test_beyond_the_grid_the_curve_goes_straight_on():
    found = invert(0.23, ERRORS, redrawn(ERRORS + 0.03), 0.95)
    assert found.estimate == pytest.approx(0.2)
    assert found.high == pytest.approx(0.2 + 0.01 * Q)


def test_a_flat_end_is_taken_as_falling_at_least_a_little():
    """Means that stop growing would put the upper end at infinity; it falls by a quarter of 1 / s at least."""
    found = invert(0.1, ERRORS, redrawn([0.03, 0.05, 0.08, 0.08]), 0.95)
    z = (0.1 - 0.08) / 0.01
    assert found.estimate == pytest.approx(0.1 + z / (0.25 / 0.01))


def test_an_error_below_that_of_calibrated_scores_is_none():
    found = invert(0.025, ERRORS, redrawn(ERRORS + 0.03), 0.95)
    assert found.estimate == found.low == 0.0
    assert found.high == pytest.approx(0.01 * Q - 0.005)


def test_lucky_labels_do_not_shrink_the_interval_to_a_point():
    """Far below what calibrated scores show, the upper end is that of an error one deviation below their mean."""
    found = invert(0.0, ERRORS, redrawn(ERRORS + 0.03), 0.95)
    assert (found.estimate, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(0.01 * Q - 0.01)


def test_a_mean_that_falls_before_it_grows_has_one_answer():
    found = invert(0.06, ERRORS, redrawn([0.05, 0.04, 0.06, 0.11]), 0.95)
    assert found.estimate == pytest.approx(0.05)
    assert 0 <= found.low <= found.estimate <= found.high


@pytest.mark.parametrize(
    ("share", "expected"), [(1.0, False), (0.86, False), (0.84, True), (1.14, False), (1.16, True)]
)
def test_a_measure_that_sees_another_error_misreads(share, expected):
    errors, noise = np.array([0.0, 0.02, 0.04, 0.06]), 0.03
    seen = np.sqrt((share * errors) ** 2 + noise**2)
    assert misreads(errors, seen[:, None] + np.linspace(-1e-3, 1e-3, 20), scale=0.035) is expected


def test_labels_that_cannot_vary_have_no_interval():
    assert invert(0.1, ERRORS, redrawn(ERRORS, np.zeros(50)), 0.95) is None


def test_a_truth_without_spread_counts_as_one_of_little():
    """Scores of 0 and 1 that are calibrated have labels that do not vary."""
    values = redrawn(ERRORS)
    values[0] = 0.0
    found = invert(0.06, ERRORS, values, 0.95)
    assert found.estimate == pytest.approx(0.06)
    assert found.low == pytest.approx(0.06 - 0.01 * Q)


@given(
    observed=st.floats(0, 0.5),
    means=st.lists(st.floats(0, 0.3), min_size=4, max_size=4),
    levels=st.tuples(st.floats(0.5, 0.9), st.floats(0.9, 0.99)),
)
def test_ends_are_ordered_and_a_higher_level_is_wider(observed, means, levels):
    narrow, wide = (invert(observed, ERRORS, redrawn(means), level) for level in levels)
    for found in (narrow, wide):
        assert 0 <= found.low <= found.estimate <= found.high < np.inf
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high
    more = invert(observed + 0.01, ERRORS, redrawn(means), levels[0])
    assert more.estimate >= narrow.estimate


def test_a_spread_that_shrinks_does_not_move_the_middle():
    """m(E) = E: the middle is the observed error itself, however little labels vary under the next truth."""
    noise = np.outer([1.0, 1.0, 1.0, 0.05], NOISE)
    found = invert(0.09, ERRORS, ERRORS[:, None] + noise, 0.95)
    assert found.estimate == pytest.approx(0.09)
    assert found.low == pytest.approx(_crossing(0.09, Q))
    assert found.high == pytest.approx(_crossing(0.09, -Q))


def _crossing(observed, q):
    """Solve E + q s(E) = T for E between .05 and .1, where s falls from .01 to a tenth of it."""
    slope = (0.001 - 0.01) / 0.05
    return (observed - q * (0.01 - slope * 0.05)) / (1 + q * slope)


def test_the_way_to_the_fitted_truth_is_looked_at_where_errors_end():
    free = chain_lengths(0.04, 0.04, lambda t: 0.04 * t)
    np.testing.assert_allclose(free, [0.0, 0.35, 0.7, 1.1, 1.8])
    bitten = chain_lengths(0.04, 0.04, lambda t: min(0.04 * t, 0.041))
    np.testing.assert_allclose(bitten, [0.0, 0.35, 0.7, 1.0, 1.1, 1.8])


@given(
    observed=st.floats(0.0, 1.0),
    means=st.lists(st.floats(0.0, 0.3), min_size=2, max_size=5),
    spreads=st.lists(st.floats(0.001, 0.2), min_size=5, max_size=5),
)
def test_ends_never_cross_the_estimate(observed, means, spreads):
    """Not even beyond the grid, where the spread grows or shrinks from truth to truth."""
    errors = 0.05 * np.arange(len(means))
    noise = np.linspace(-1.0, 1.0, 40)
    found = invert(observed, errors, np.array([m + s * noise for m, s in zip(means, spreads, strict=False)]), 0.95)
    assert found.low <= found.estimate <= found.high
