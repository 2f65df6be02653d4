"""Rows that mirror each other, with their groups named: redrawn together, and judged as one row of each event is."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.dependence import SharedNumbers
from fitontest.data.labels_of_scores import redrawn
from fitontest.data.row_labels import RowLabels
from fitontest.uncertainty.dependence import dependence_of, score_redraws
from fitontest.uncertainty.joint import joint_test


def events(n=300, days=1, per_group=1, seed=0, alike=0.0):
    """Return both rows of events, their groups, and the rows that hold one of each."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n // per_group), per_group)
    logits = np.abs(1.5 * rng.standard_normal(n))  # of the likelier side, whose labels are alike within groups
    p = 1 / (1 + np.exp(-logits))
    u = np.where(rng.random(n) < alike, rng.random(n // per_group)[group], rng.random(n))
    won, p, group = (np.repeat(each, days) for each in (u < p, p, group))
    return np.r_[won, ~won].astype(int), np.r_[p, 1 - p], np.r_[group, group], np.arange(p.size)


CASES = {"pairs": {}, "pairs x days": {"n": 60, "days": 10}, "pairs in weeks": {"per_group": 15, "alike": 0.8}}


def read(case, seed=0):
    y, p, group, _ = events(**CASES[case], seed=seed)
    return fot.read(y, p, groups=group)


@pytest.mark.parametrize("case", CASES)
def test_exactly_one_row_of_each_redrawn_event_is_positive(case):
    sample = read(case)
    redraws = score_redraws(sample)
    entries = redraws.entries
    (labels,) = redraws.draw([entries.p], range(200), (0, 1))
    sums = np.array([np.bincount(entries.group, column) for column in labels.T])
    np.testing.assert_array_equal(sums, np.broadcast_to(np.bincount(entries.group) / 2, sums.shape))
    np.testing.assert_allclose(labels.mean(axis=1), entries.p, atol=0.2)
    assert abs(float((labels.mean(axis=1) - entries.p) @ (entries.p - 0.5))) < 3.0


def test_each_label_has_the_probability_of_the_truth_however_the_truth_is_shaped():
    redraws = score_redraws(read("pairs"))
    truths = [redraws.points, redraws.points**2, np.clip(redraws.points - 0.2, 0.0, 1.0)]
    for truth, labels in zip(truths, redraws.draw(truths, range(2000), (3,)), strict=True):
        np.testing.assert_allclose(labels.mean(axis=1), truth, atol=5 * 0.5 / np.sqrt(2000))


def test_counted_rows_mirror_each_other_too():
    y, p, group, _ = events(100)
    w = np.tile(np.random.default_rng(1).integers(1, 5, 100), 2)
    sample = fot.read(y, p, groups=group, sample_weight=w, weights="counts")
    redraws = score_redraws(sample)
    n, g = redraws.entries.n, redraws.entries.group
    truths = [redraws.points, 0.8 * redraws.points]
    drawn = list(redraws.draw(truths, range(400), (0,)))
    ones = [np.bincount(g, column) for column in drawn[0].T]
    np.testing.assert_array_equal(ones, np.broadcast_to(np.bincount(g, n) / 2, (400, 100)))
    for truth, labels in zip(truths, drawn, strict=True):
        np.testing.assert_allclose(labels.mean(axis=1) / n, truth, atol=0.15)
    one = redrawn(sample, np.random.RandomState(0), dependence_of(sample))
    positives = np.bincount(one.groups.code, one.rows.w * one.rows.y)
    np.testing.assert_array_equal(2 * positives, np.bincount(one.groups.code, one.rows.w))


def test_blocks_of_rows_mirror_each_other_where_each_group_is_one_event():
    sample = read("pairs")
    rows, code = sample.rows, sample.groups.code
    shared = SharedNumbers.of(code, rows.p, rows.w, rows.n, dependence_of(sample))
    labels = RowLabels.of(rows.p, rows.w, whole=True, shared=shared)
    numbers = labels.numbers(50, (0,))
    drawn = np.concatenate([labels.draw(block, 50, (0,), numbers) for block in labels.blocks(150)])
    sums = np.array([np.bincount(code, column) for column in drawn.T])
    assert np.mean(sums == 1) > 0.97
    whole = labels.draw(slice(0, 600), 50, (0,), numbers)
    np.testing.assert_array_equal([np.bincount(code, column) for column in whole.T], np.ones((50, 300)))


def test_what_is_learnt_is_what_one_row_of_each_event_tells():
    y, p, group, one = events(**CASES["pairs in weeks"])
    both, single = (dependence_of(fot.read(y[rows], p[rows], groups=group[rows])) for rows in (slice(None), one))
    assert (both.events, single.events) == (300, 0)
    assert both.rho == pytest.approx(single.rho, abs=0.02)
    assert both.rho > 0.1
    assert both.design_effect == pytest.approx(2 * single.design_effect, rel=0.05)


def test_days_of_one_event_are_as_alike_as_can_be():
    dependence = dependence_of(read("pairs x days"))
    assert dependence.at_limit
    assert (dependence.events, dependence.design_effect) == (600, 20.0)


WORDS = {
    "pairs": "groups: 300 (2 rows each), 300 events of two rows, design effect 2.0.",
    "pairs x days": "groups: 60 (20 rows each), 600 events of two rows, rho 0.95 (at its limit), design effect 20.",
}


@pytest.mark.parametrize(("case", "words"), WORDS.items(), ids=WORDS)
def test_what_is_printed_of_them(case, words):
    error = fot.calibration_error(read(case), interval="always")
    assert words in str(error)
    assert error.debiased <= 3 * error.value or error.interval.roughness is None
    assert error.groups.to_dict()["rho"] == (None if case == "pairs" else pytest.approx(0.95))


def test_curves_of_groups_need_one_row_of_each_event():
    sample = read("pairs in weeks")
    with pytest.raises(ValueError, match=r"rows must be one of each event for .*, got both rows of 300 events"):
        fot.ReliabilityDisplay.from_predictions(sample, family="platt", band="new group")


@pytest.mark.exhaustive
def test_calibrated_days_of_events_are_not_rejected():  # as all of them were; `benchmarks/event_rejections.py` has more
    shown = [joint_test(read("pairs x days", seed), 40, seed).p_value <= 0.05 for seed in range(4)]
    assert sum(shown) <= 1


def test_events_of_several_outcomes_on_several_days_are_refused():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([2, 2, 2], 60)
    outcome = (rng.random(60)[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1)
    y, match = np.eye(3, dtype=int)[outcome], np.repeat(np.arange(60), 3)
    once = fot.calibration_error(y.ravel(), p.ravel(), groups=match, family="platt", interval="always")
    assert once.interval is not None
    days = np.tile(p.ravel(), 8) + 1e-3 * rng.random(8 * 180)
    error = fot.calibration_error(
        np.tile(y.ravel(), 8), days, groups=np.tile(match, 8), family="platt", interval="always"
    )
    assert error.interval is None
    assert "the labels of each group add up to what its scores say" in error.interval_reason
    assert "give one row of each event, or name the events: no interval, no p-value" in str(error)


def test_levels_that_single_groups_have_alone_are_doubted_first():
    rng = np.random.default_rng(0)
    p = np.stack((rng.uniform(0.3, 0.45, 60), rng.uniform(0.35, 0.5, 60)), axis=1)
    first = rng.random(60) < 0.5
    days = np.repeat(p[:, :, None], 10, axis=2)
    y = np.repeat(np.stack((first, ~first), axis=1)[:, :, None], 10, axis=2)
    y[:, :, 6:] = rng.random((60, 2, 4)) < days[:, :, 6:]
    group = np.broadcast_to(np.arange(60)[:, None, None], y.shape).ravel()
    evaluation = fot.evaluate(y.ravel(), days.ravel(), groups=group, families=["spline"])
    error = evaluation["spline"]
    assert error.debiased > 3 * error.value
    for printed in (evaluation, error):
        assert str(printed).startswith("The debiased error is more than three times the raw one, and of levels that")
