"""Measures against a known truth: by hand, Theorems 1 and 3 of the fit-on-test paper, weights as repetition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fitontest.numerics.losses import find_loss
from fitontest.truth import error_after_calibration, map_error, rank_correlation, true_error

DISTANCES = ("absolute", "brier", "log_loss")
UNIT = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))
ROWS = st.lists(st.tuples(UNIT, UNIT, st.integers(0, 3)), min_size=1, max_size=30).filter(
    lambda rows: any(w for *_, w in rows)
)


def columns(rows):
    return [np.array(column, dtype=float) for column in zip(*rows, strict=True)]


def by_hand(q, c, w, distance):
    total = 0.0
    for qi, ci, wi in zip(q, c, w, strict=True):
        if distance == "absolute":
            total += wi * abs(qi - ci)
        elif distance == "brier":
            total += wi * (qi - ci) ** 2
        else:
            qi = min(max(qi, 1e-6), 1 - 1e-6)
            total += wi * (ci * np.log(ci / qi) if ci > 0 else 0.0)
            total += wi * ((1 - ci) * np.log((1 - ci) / (1 - qi)) if ci < 1 else 0.0)
    return total / sum(w)


@given(ROWS)
def test_errors_are_the_means_of_their_definition(rows):
    q, c, w = columns(rows)
    for distance in DISTANCES:
        expected = pytest.approx(by_hand(q, c, w, distance), rel=1e-9, abs=1e-12)
        assert map_error(q, c, distance=distance, sample_weight=w) == expected
        assert true_error(q, c, distance=distance, sample_weight=w) == expected


@given(ROWS)
def test_weights_are_repetitions(rows):
    q, c, w = columns(rows)
    times = w.astype(int)
    for measure in (map_error, true_error, error_after_calibration):
        for distance in DISTANCES:
            repeated = measure(np.repeat(q, times), np.repeat(c, times), distance=distance)
            assert measure(q, c, distance=distance, sample_weight=w) == pytest.approx(repeated, rel=1e-9, abs=1e-12)


@given(ROWS)
def test_the_error_after_calibration_is_never_larger(rows):
    """Theorem 3; it also holds for the absolute distance, which is no Bregman divergence."""
    q, c, w = columns(rows)
    for distance in DISTANCES:
        after = error_after_calibration(q, c, distance=distance, sample_weight=w)
        assert 0 <= after <= map_error(q, c, distance=distance, sample_weight=w) + 1e-12


@given(ROWS)
def test_the_error_after_calibration_groups_equal_outputs(rows):
    q, c, w = columns(rows)
    expected = 0.0
    for level in set(q[w > 0]):
        group = (q == level) & (w > 0)
        expected += w[group].sum() * abs(level - np.average(c[group], weights=w[group]))
    assert error_after_calibration(q, c, sample_weight=w) == pytest.approx(expected / w.sum(), abs=1e-12)


@given(ROWS)
def test_row_order_does_not_matter(rows):
    q, c, w = columns(rows)
    for measure in (map_error, error_after_calibration):
        there, back = measure(q, c, sample_weight=w), measure(q[::-1], c[::-1], sample_weight=w[::-1])
        assert there == pytest.approx(back, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
def test_a_gain_in_divergence_is_the_same_gain_in_expected_loss(loss):
    """Theorem 1, with the expectation over the labels taken exactly."""
    rng = np.random.default_rng(0)
    c, one, two = rng.random((3, 500))

    def expected_loss(q):
        positive, negative = (find_loss(loss)(np.full(q.size, label), q) for label in (1.0, 0.0))
        return float(np.mean(c * positive + (1 - c) * negative))

    gain = map_error(one, c, distance=loss) - map_error(two, c, distance=loss)
    assert gain == pytest.approx(expected_loss(one) - expected_loss(two), abs=1e-12)


def test_a_constant_map_is_calibrated_and_wrong():
    c = np.linspace(0.1, 0.9, 9)
    assert error_after_calibration(np.full(9, 0.5), c) == pytest.approx(0, abs=1e-15)
    assert map_error(np.full(9, 0.5), c) == pytest.approx(2 / 9)


def test_maps_may_leave_the_unit_interval():
    assert map_error([-0.25, 1.25], [0.0, 1.0]) == pytest.approx(0.25)


def test_inputs_of_other_kinds():
    c = np.array([0.25, 0.5], dtype=np.float32)
    assert map_error([0.5, 0.5], c) == 0.125
    assert true_error(np.array([0, 1]), [0.0, 1.0]) == 0
    assert true_error([0.5], [0.5]) == 0


def test_rank_correlation_shares_ranks_and_knows_constants():
    assert rank_correlation([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(0.8)  # 1 - 6 * 2 / (4 * 15)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 1, 2], [1, 2, 3]) == pytest.approx(np.sqrt(3) / 2)  # ranks 1.5, 1.5, 3
    assert np.isnan(rank_correlation([1, 1, 1], [1, 2, 3]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: map_error([0.1], [0.1, 0.2]), "c_hat and c must have the same number of rows"),
        (lambda: map_error([], []), "c_hat must not be empty"),
        (lambda: map_error([np.nan], [0.5]), "c_hat must be finite"),
        (lambda: map_error([0.5], [1.5]), r"c must lie in \[0, 1\]"),
        (lambda: true_error([1.5], [0.5]), r"p must lie in \[0, 1\]"),
        (lambda: true_error([], []), "p must not be empty"),
        (lambda: map_error([0.5], [0.5], distance="l1"), "distance must be one of"),
        (lambda: error_after_calibration([0.5], [0.5], sample_weight=[-1]), "sample_weight must not be negative"),
        (lambda: rank_correlation([1.0], [1.0]), "at least two models"),
        (lambda: rank_correlation([1.0, 2.0], [1.0]), "same number of rows"),
        (lambda: rank_correlation([1.0, np.inf], [1.0, 2.0]), "estimates must be finite"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
