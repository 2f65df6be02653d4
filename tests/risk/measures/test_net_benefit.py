"""Net benefit against R's and dcurves' outputs, its formula row by row, and its standard errors."""

import numpy as np
import pytest
from scipy.stats import norm

import fitontest as fot
from fitontest.results.exceptions import NoValueError
from tests.risk.measures.decisions import population
from tests.valprob import SETS, rows_of


def value(y, p, **settings):
    return float(fot.risk.NetBenefit(**settings).estimate(fot.ScoreSample(y, p)))


@pytest.mark.parametrize("name", SETS)
def test_the_golden_sets(name):
    _, y, p, _ = rows_of(name)
    for tool, model in (("net_benefit", "model"), ("dcurves", "net_benefit")):
        expected = SETS[name]["expected"].get(tool)
        if expected is None:  # dcurves was run on four of the sets
            continue
        found = [value(y, p, threshold=t) for t in expected["threshold"]]
        np.testing.assert_allclose(found, expected[model], rtol=0, atol=1e-12)
    expected = SETS[name]["expected"]["net_benefit"]
    for t, model, everybody in zip(expected["threshold"], expected["model"], expected["all"], strict=True):
        assert value(y, p, threshold=t, against="all") == pytest.approx(model - everybody, abs=1e-12)


def test_row_by_row():
    y, p = [0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.8, 0.05]
    gains = np.array([0, 1, -0.25, 1, 0])  # a score at the threshold is treated
    found = fot.risk.NetBenefit(0.2).estimate(fot.ScoreSample(y, p))
    assert found.value == pytest.approx(gains.mean())
    assert found.standard_error == pytest.approx(gains.std() / np.sqrt(5))
    assert found.evidence.share_treated == pytest.approx(0.6)
    half = norm.ppf(0.95) * np.sqrt(found.standard_error**2 + 2 * (1 + 0.25**2) / 5**2)  # two rows more of each label
    interval = found.evidence.interval_at(0.9)
    least = -0.2 / 0.8  # of five negative rows, all treated
    assert (interval.low, interval.high) == pytest.approx((max(found.value - half, least), found.value + half))
    standardised = fot.risk.NetBenefit(0.2, standardised=True).estimate(fot.ScoreSample(y, p))
    assert standardised.value == pytest.approx(gains.mean() / 0.4)
    psi = (gains - standardised.value * np.array(y)) / 0.4
    assert standardised.standard_error == pytest.approx(psi.std() / np.sqrt(5))


def test_standard_errors_are_those_of_fresh_rows():
    rng = np.random.default_rng(1)
    for settings in ({}, {"standardised": True}, {"against": "all"}):
        measure, found = fot.risk.NetBenefit(0.3, **settings), []
        for _ in range(400):
            p = rng.beta(1, 2, 200)
            found.append(measure.estimate(fot.ScoreSample((rng.random(200) < p**1.2).astype(int), p)))
        spread, error = np.std([float(each) for each in found]), np.mean([each.standard_error for each in found])
        assert error / spread == pytest.approx(1.0, abs=0.12)  # three standard errors of a standard deviation


def test_weights_are_repetitions_and_groups_are_summed():
    y, p, _ = population(300)
    rng = np.random.default_rng(2)
    w = rng.integers(1, 4, 300)
    for settings in ({}, {"standardised": True}, {"against": "all"}):
        measure = fot.risk.NetBenefit(0.4, **settings)
        weighted = measure.estimate(fot.read(y, p, sample_weight=w))
        repeated = measure.estimate(fot.read(np.repeat(y, w), np.repeat(p, w)))
        assert weighted.value == pytest.approx(repeated.value, abs=1e-12)
        assert weighted.standard_error == pytest.approx(repeated.standard_error, abs=1e-12)
    groups = rng.integers(0, 40, 300)
    found = fot.risk.NetBenefit(0.4).estimate(fot.read(y, p, groups=groups))
    gain = np.where(p >= 0.4, y - (1 - y) * (2 / 3), 0.0)
    sums = np.bincount(groups, gain - gain.mean())
    assert found.standard_error == pytest.approx(np.sqrt(40 / 39 * sums @ sums) / 300)
    assert "Student's t" in found.evidence.interval_at(0.95).method
    few = fot.risk.NetBenefit(0.4).estimate(fot.read(y, p, groups=groups % 5))
    assert few.standard_error is None
    assert few.evidence.interval_at(0.95) is None
    assert "fewer than 10 groups" in few.evidence.interval_reason


def test_its_interval_needs_no_redrawn_labels():
    y, p, _ = population(500)
    found = fot.measure(y, p, "net_benefit", threshold=0.3)
    assert found.null is None
    assert found.interval.draws == 0
    assert found.interval.low < found.value < found.interval.high
    assert "net benefit" in str(found)
    assert "threshold 0.3" in str(found)
    named = fot.evaluate(y, p, measures=[fot.risk.NetBenefit(t) for t in (0.2, 0.3)], interval="always", level=0.9)
    assert named["net_benefit(threshold=0.3)"].interval.level == 0.9


def test_no_row_above_the_threshold():
    found = fot.measure([0, 1, 1], [0.1, 0.2, 0.3], "net_benefit", threshold=0.9)
    assert found.value == found.standard_error == found.evidence.share_treated == 0.0
    assert found.interval.low < 0 < found.interval.high  # as if two rows more of each label were treated


@pytest.mark.parametrize("threshold", [1, 1.0, -0.1, 1.5, float("nan"), "0.5", None, True, [0.5]])
def test_wrong_thresholds(threshold):
    for measure in (fot.risk.NetBenefit, fot.risk.DecisionLoss):
        with pytest.raises(ValueError, match=r"threshold must be a number in \[0, 1\), got"):
            measure(threshold)


def test_wrong_settings():
    with pytest.raises(ValueError, match="against must be None, for treating nobody, or 'all', got 'none'"):
        fot.risk.NetBenefit(against="none")
    with pytest.raises(ValueError, match="standardised must be True or False"):
        fot.risk.NetBenefit(standardised=1)
    with pytest.raises(NoValueError, match="y_true must hold a positive row"):
        value([0, 0], [0.1, 0.9], standardised=True)


def test_classes_have_intervals_without_debiased_values():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 200)
    y = (scores.cumsum(axis=1) > rng.random((200, 1))).argmax(axis=1)
    measures = [fot.risk.NetBenefit(0.2)]
    (mean,) = fot.evaluate(y, scores, measures=measures, reduction="classwise", interval="always")
    assert mean[0].interval.low < mean[0].value < mean[0].interval.high
    assert f"-  {mean.measure.printed(mean[0].interval.low)} to" in str(mean)
