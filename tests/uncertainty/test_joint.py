"""The joint test of calibration: one p-value of four statistics, of the same redrawn labels."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.plug_in import PlugIn
from fitontest.uncertainty.chain import Redrawn
from fitontest.uncertainty.joint import JointTest, joint_test

NEAR = 6  # a seed


def drawn(truth=lambda p: p, n=500, seed=0):
    rng = np.random.default_rng([seed, 7])
    p = rng.random(n)
    return fot.ScoreSample(rng.random(n) < truth(p), p)


def test_the_p_value_is_the_rank_of_the_largest_standardised_statistic():
    test = joint_test(drawn(), 60)
    standardised = []
    for null in test.nulls.values():
        values = np.append(null.observed, null.values)
        standardised.append((values - null.values.mean()) / null.values.std(ddof=1))
    worst = np.max(standardised, axis=0)
    assert test.p_value == np.count_nonzero(worst >= worst[0]) / 61
    assert test.p_values == {name: null.p_value for name, null in test.nulls.items()}
    assert list(test.nulls) == ["spline", "isotonic", "pairs", "line"]
    assert test.smallest == 1 / 61


def test_it_uses_what_is_there_and_says_the_same():
    """The labels are those of the intervals, so that nulls at hand need not be drawn again."""
    sample = drawn(lambda p: p**1.1)
    alone = joint_test(sample, 200)
    again = drawn(lambda p: p**1.1)
    known = [fot.calibration_error(again.y, again.p, family=name, interval="always") for name in ("spline", "isotonic")]
    found = joint_test(again, 200, 0, known)
    assert found.nulls["spline"] is known[0].null
    assert found.p_value == alone.p_value
    np.testing.assert_array_equal(found.nulls["isotonic"].values, alone.nulls["isotonic"].values)


@pytest.mark.exhaustive
def test_of_calibrated_scores_it_rejects_as_often_as_it_says():
    rejected = [joint_test(drawn(n=120, seed=seed), 39).p_value <= 0.05 for seed in range(100)]
    assert np.mean(rejected) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
    assert np.mean(rejected) > 0


def test_the_order_of_the_rows_does_not_show():
    sample = drawn()
    turned = fot.ScoreSample(sample.y[::-1], sample.p[::-1])
    assert joint_test(sample, 60).to_dict() == joint_test(turned, 60).to_dict()


def test_impossible_labels_have_the_smallest_p_value():
    values = np.arange(99.0)
    null = IfCalibrated(0.0, values, refitted=True)
    assert JointTest({"spline": null}).p_value == 1.0
    assert JointTest({"spline": null}, impossible=True).p_value == pytest.approx(0.01)


def test_roundings_of_the_same_value_are_the_same():
    """Draws that equal the observed value up to a rounding count as at least as large."""
    null = IfCalibrated(0.5, np.append(np.full(60, 0.5 - 1e-16), np.full(39, 0.1)), refitted=True)
    assert JointTest({"a": null}).p_value == pytest.approx(0.61)
    still = IfCalibrated(0.5 + 1e-16, np.full(99, 0.5), refitted=True)
    assert JointTest({"a": still}).p_value == 1.0
    assert joint_test(fot.ScoreSample([0, 1], [0, 0.5]), 99).p_value == 1.0


def test_too_few_draws_are_more():
    """Ten draws have no p-value below 1 / 11, with which nothing could ever be shown."""
    rng = np.random.default_rng(0)
    test = joint_test(fot.ScoreSample(rng.random(500) < 0.5, rng.random(500)), 10)
    assert (test.draws, test.shown) == (39, True)


def test_statistics_that_do_not_vary_say_nothing():
    still = IfCalibrated(0.5, np.full(99, 0.5), refitted=True)
    moving = IfCalibrated(3.0, np.linspace(0, 1, 99), refitted=True)
    assert JointTest({"a": still}).p_value == 1.0
    assert JointTest({"a": still, "b": moving}).p_value == pytest.approx(0.01)


def near_the_level():
    """Sixty rows whose p-value of endless draws is about .05."""
    return drawn(lambda p: 0.5 + 0.7 * (p - 0.5), n=60, seed=NEAR)


def test_a_p_value_near_the_level_is_of_more_draws_and_hangs_on_no_seed():
    """The first draws are those of the seed and stay; the others, and the folds, are the same for every seed."""
    one, other = joint_test(near_the_level(), 200, 0), joint_test(near_the_level(), 200, 1)
    assert one.draws == other.draws == 3200
    assert one.shown == other.shown
    assert abs(one.p_value - other.p_value) < 0.005
    for name, null in one.nulls.items():
        assert null.observed == other.nulls[name].observed
        np.testing.assert_array_equal(null.values[200:], other.nulls[name].values[200:])
        assert not np.array_equal(null.values[:200], other.nulls[name].values[:200])
    first = Redrawn(PlugIn("isotonic"), ScoreRedraws.of(near_the_level()), 1).compare_with_calibrated(200)
    np.testing.assert_array_equal(other.nulls["isotonic"].values[:200], first.values)


def test_labels_are_drawn_on_only_where_the_decision_needs_it():
    assert joint_test(drawn(), 200).draws == 200
    assert joint_test(near_the_level(), 200, alarms=0.001).draws == 200
    assert joint_test(near_the_level(), 4000).draws == 4000
