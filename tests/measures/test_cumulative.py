"""Cumulated residuals against published values, brute force over intervals of scores, and the laws of their null."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.measures.cumulative import CumulativeError
from fitontest.numerics.brownian import maximum_tail, range_tail
from fitontest.uncertainty.dependence import score_redraws
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from fitontest.uncertainty.seminorm import noise_of

ECCE, KS = CumulativeError(), CumulativeError("maximum")
P = [0.6, 0.8, 0.2, 0.4]


def value(measure, y, p, w=None, **settings):
    return measure.estimate(fot.ScoreSample(y, p, w, **settings)).value


def brute_force(y, p, w):
    """Return ECCE and KS by the sums over all intervals of distinct scores, in exact order."""
    distinct = np.unique(p[w > 0])
    residual = np.array([np.sum((w * (y - p))[p == score]) for score in distinct])
    sums = np.concatenate(([0.0], np.cumsum(residual)))
    every = [abs(sums[j] - sums[i]) for i in range(sums.size) for j in range(i + 1, sums.size)]
    return max(every) / w.sum(), np.abs(sums).max() / w.sum()


@pytest.mark.parametrize(
    ("y", "w", "ecce", "units", "law", "ks"),
    [
        ([0, 1, 0, 1], None, 0.15, 0.670820, None, 0.10),
        ([1, 1, 1, 1], None, 0.5, 2.236068, 0.101327, 0.5),
        ([0, 1, 0, 0], None, 0.3, 1.341641, 0.661210, 0.3),
        ([0, 1, 0, 0], [0.4, 0.3, 0.2, 0.1], 0.32, 1.289317, 0.711111, 0.32),
    ],
)
def test_published_values(y, w, ecce, units, law, ks):
    estimate = ECCE.estimate(fot.ScoreSample(y, P, w))
    assert estimate.value == pytest.approx(ecce, abs=1e-12)
    assert estimate.evidence.standardised == pytest.approx(units, abs=5e-7)
    assert value(KS, y, P, w) == pytest.approx(ks, abs=1e-12)
    if law is not None:
        assert estimate.evidence.asymptotic_p_value == pytest.approx(law, abs=5e-7)


def test_residuals_of_ties_are_added_before_they_are_cumulated():
    p, y = [0.5, 0.5, 0.5, 0.5, 0.8, 0.8], [1, 1, 0, 0, 1, 0]
    assert value(ECCE, y, p) == pytest.approx(0.1, abs=1e-12)
    for order in ([0, 1, 2, 3, 4, 5], [2, 3, 0, 1, 5, 4], [5, 3, 1, 4, 2, 0]):
        assert value(ECCE, np.array(y)[order], np.array(p)[order]) == value(ECCE, y, p)


def test_scores_of_0_or_1():
    for score, expected in ((0.0, 0.25), (1.0, 0.75)):
        with pytest.warns(fot.CalibrationWarning, match="ecce"):
            estimate = fot.measure([0, 1, 0, 0], [score] * 4, "ecce")
        assert estimate.value == expected
        assert estimate.null is None
        assert estimate.interval is None
        assert estimate.evidence.standardised is None
        assert "contradicted by their labels" in estimate.note
    with pytest.warns(fot.CalibrationWarning, match="decisions"):
        right = fot.measure([0, 1], [0.0, 1.0], "ecce")
    assert right.value == 0.0
    assert "contradicted" not in right.note
    half = ECCE.estimate(fot.ScoreSample([0, 1], [0.5, 0.5]))
    assert half.evidence.standard_deviation**2 == pytest.approx(0.125, abs=1e-15)


@given(st.integers(0, 2**32 - 1))
def test_brute_force_on_tied_weighted_rows(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    p, y = rng.integers(0, 6, n) / 5.0, rng.integers(0, 2, n)
    w = rng.exponential(size=n) * (rng.random(n) < 0.8) + np.eye(n)[0]
    ecce, ks = brute_force(y, p, w)
    sample = fot.ScoreSample(y, p, w, weights="importances")
    assert ECCE.estimate(sample).value == pytest.approx(ecce, abs=1e-14)
    assert KS.estimate(sample).value == pytest.approx(ks, abs=1e-14)
    assert ks - 1e-14 <= ecce <= 2 * ks + 1e-14
    assert ecce >= abs(np.average(y, weights=w) - np.average(p, weights=w)) - 1e-14


@given(st.integers(0, 2**32 - 1))
def test_target_is_the_value_of_residuals_of_the_truth(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    p, c, w = rng.integers(0, 8, n) / 7.0, rng.random(n), rng.integers(1, 4, n)
    sample = fot.ScoreSample(rng.integers(0, 2, n), p, w)
    ecce, _ = brute_force(c, p, w.astype(float))
    assert ECCE.target(sample, c) == pytest.approx(ecce, abs=1e-14)
    assert ecce <= np.average(np.abs(c - p), weights=w) + 1e-14


def test_targets_of_known_shapes():
    p = (np.arange(200_000) + 0.5) / 200_000
    sample = fot.ScoreSample(np.arange(p.size) % 2, p)
    assert ECCE.target(sample, p**1.3) == pytest.approx(0.5 - 1 / 2.3, abs=1e-5)
    wave = p + 0.08 * np.sin(6 * np.pi * p)
    assert ECCE.target(sample, wave) == pytest.approx(0.0085, abs=5e-4)
    assert np.mean(np.abs(wave - p)) == pytest.approx(0.0509, abs=2e-4)


def test_values_of_many_labels_are_those_one_by_one():
    rng = np.random.default_rng(0)
    p, w = rng.integers(0, 30, 300) / 29.0, rng.integers(0, 4, 300)
    sample = fot.ScoreSample(rng.integers(0, 2, 300), p, w)
    redraws = score_redraws(sample)
    labels = next(iter(redraws.draw([redraws.points], range(4), (0, 1))))
    for measure in (ECCE, KS):
        each = [measure.estimate(one).value for one in redraws.samples(labels)]
        np.testing.assert_allclose(measure.values(redraws, labels), each, atol=1e-14)


@pytest.mark.parametrize(
    ("tail", "points"),
    [
        (range_tail, {2.241175: 0.1, 2.497672: 0.05, 3.023341: 0.01, 3.662260: 1e-3, 4.214799: 1e-4, 4.70813: 1e-5}),
        (maximum_tail, {1.959964: 0.1, 2.241403: 0.05, 2.807034: 0.01, 3.480756: 1e-3, 4.055627: 1e-4}),
    ],
)
def test_upper_points_of_the_laws(tail, points):
    np.testing.assert_allclose(tail(np.array([*points])), [*points.values()], rtol=3e-5)


def test_the_laws_are_laws():
    x = np.linspace(0.01, 9, 4000)
    for tail, mean in ((range_tail, np.sqrt(8 / np.pi)), (maximum_tail, np.sqrt(np.pi / 2))):
        values = tail(x)
        assert np.all(np.diff(values) <= 1e-12)
        assert tail(0.0) == 1.0
        assert float(np.trapezoid(values, x)) + 0.01 == pytest.approx(mean, abs=1e-5)
    assert range_tail(5.0) == pytest.approx(2.293e-6, rel=1e-3)
    assert range_tail(30.0) < 1e-190  # no cancellation
    assert range_tail(1.0 - 1e-9) == pytest.approx(float(range_tail(1.0 + 1e-9)), abs=1e-7)


def test_the_law_is_that_of_a_simulated_walk():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal((4000, 2000)), axis=1) / np.sqrt(2000)
    low, high = np.minimum(walk.min(axis=1), 0), np.maximum(walk.max(axis=1), 0)
    for size, tail in ((high - low, range_tail), (np.maximum(high, -low), maximum_tail)):
        for x in (1.5, 2.2):
            expected = float(tail(x + 1.165 / np.sqrt(2000)))
            assert np.mean(size > x) == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000))


# -------------------------------------------------------------------------------------------------------- intervals


def rows(n=800, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p**1.3).astype(int), p


def test_the_interval_reaches_as_far_as_the_noise():
    y, p = rows()
    estimate = fot.measure(y, p, "ecce")
    values = np.sort(estimate.null.values)
    assert values.size == 1000
    more = max(1.0, float(np.sqrt(np.sum((y - p) ** 2) / np.sum(p * (1 - p)))))
    reach = more * values[int(np.ceil(1001 * 0.95)) - 1]
    assert estimate.interval.low == pytest.approx(estimate.value - reach, abs=1e-15)
    assert estimate.interval.high == pytest.approx(estimate.value + reach, abs=1e-15)
    assert estimate.debiased == pytest.approx(np.sqrt(estimate.value**2 - more**2 * np.mean(values**2)), abs=1e-15)
    assert estimate.interval.low <= estimate.debiased <= estimate.value
    text = str(estimate)
    assert text.startswith(f"ECCE: {estimate.value:.3f}; corrected for chance {estimate.in_words}")
    assert "as far as the noise of labels reaches on either side" in text


@pytest.mark.exhaustive
def test_the_interval_of_evaluate_is_that_of_measure():
    y, p = rows()
    one = fot.measure(y, p, "ecce")
    (same,) = fot.evaluate(y, p, measures=["ecce"])
    assert (same.interval, same.debiased) == (one.interval, one.debiased)
    table = str(fot.evaluate(y, p, measures=["ecce", "ks"]).table())
    assert "Debiased by the mean square of label noise" in table
    assert "median-unbiased" not in table
    beside = str(fot.evaluate(y, p, families=["platt"], measures=["ks"]).table())
    assert beside.count("median-unbiased") == beside.count("Debiased by the mean square") == 1


def test_weights_are_repetitions_in_nulls_and_intervals():
    y, p = rows(200)
    w = np.random.default_rng(1).integers(0, 3, 200)
    weighted = estimate_of(ECCE, fot.ScoreSample(y, p, w), redrawing=Redrawing(interval="always", level=0.9))
    repeated = estimate_of(
        ECCE, fot.ScoreSample(np.repeat(y, w), np.repeat(p, w)), redrawing=Redrawing(interval="always", level=0.9)
    )
    assert weighted.interval.low == pytest.approx(repeated.interval.low, abs=1e-14)
    np.testing.assert_allclose(weighted.null.values, repeated.null.values, atol=1e-14)


def test_a_level_that_needs_more_draws_has_them():
    y, p = rows(100)
    estimate = estimate_of(ECCE, fot.ScoreSample(y, p), redrawing=Redrawing(interval="always", level=0.9995))
    assert estimate.null.values.size == 2000
    reach = noise_of(fot.ScoreSample(y, p)) * estimate.null.values.max()
    assert estimate.interval.high - estimate.value == pytest.approx(reach)


@pytest.mark.parametrize("weights", ["ones", "counts", "shares"])
def test_labels_of_rare_events_vary_more_where_they_are_more_frequent(weights):
    rng = np.random.default_rng(8)
    p = rng.choice([0.001, 0.004, 0.01], 2000)
    y = (rng.random(2000) < 6 * p).astype(int)
    w = {"ones": np.ones(2000), "counts": rng.integers(1, 4, 2000), "shares": rng.random(2000)}[weights]
    sample = fot.ScoreSample(y, p, sample_weight=w)
    # a whole weight is so many rows, other weights are those of one row
    squared = w if weights != "shares" else w**2
    ratio = np.sum(squared * (y - p) ** 2) / np.sum(squared * p * (1 - p))
    assert ratio > 3.0
    assert noise_of(sample) == pytest.approx(np.sqrt(ratio), rel=1e-12)
    assert noise_of(fot.ScoreSample(np.zeros(2000), p)) == 1.0


def test_normal_walks_of_many_rows_have_the_law_of_labels(monkeypatch):
    rng = np.random.default_rng(0)
    p = rng.integers(0, 400, 3000) / 399.0
    sample = fot.ScoreSample(rng.random(3000) < p, p)
    counted = estimate_of(ECCE, sample, redrawing=Redrawing(2000, interval="always")).null
    monkeypatch.setattr("fitontest.uncertainty.seminorm.MOST_ROWS", 100)
    normal = estimate_of(ECCE, fot.ScoreSample(sample.y, p), redrawing=Redrawing(2000, interval="always")).null
    assert not np.array_equal(counted.values, normal.values)
    assert normal.mean == pytest.approx(counted.mean, abs=5 * counted.sd / np.sqrt(1000))
    assert np.quantile(normal.values, 0.95) == pytest.approx(np.quantile(counted.values, 0.95), rel=0.06)


def test_groups_widen_the_interval():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 20)
    p = rng.random(1200)
    y = rng.random(1200) < np.clip(p + 0.25 * rng.standard_normal(60)[group], 0, 1)
    alone = estimate_of(ECCE, fot.ScoreSample(y, p), redrawing=Redrawing(interval="always"))
    grouped = estimate_of(ECCE, fot.read(y, p, groups=group), redrawing=Redrawing(interval="always"))
    assert grouped.value == alone.value
    assert grouped.interval.high > alone.interval.high + 0.01
    assert grouped.evidence.asymptotic_p_value is None
    few = estimate_of(ECCE, fot.read(y, p, groups=group // 12), redrawing=Redrawing(interval="always"))
    assert few.interval is None
    assert "effective groups" in few.interval_reason or "groups" in few.interval_reason


def test_refusals():
    with pytest.raises(ValueError, match="reduction"):
        fot.evaluate([0, 1, 2], np.eye(3), measures=["ecce"], reduction="canonical")
    with pytest.raises(ValueError, match="settings of ecce must be among statistic"):
        fot.measures.make("ecce", bins=3)
