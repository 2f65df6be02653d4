"""What a validation says where values and intervals could contradict each other, or where there is no value."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.results.text import p_in_words
from fitontest.risk.validation.thresholds import threshold_of_cost


@pytest.fixture(scope="module")
def levels() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores and probabilities that go up and down from one score to the next, by which no map is isotonic."""
    rng = np.random.default_rng(0)
    p = np.round(rng.beta(1.5, 3, 3000), 2).clip(0.01, 0.99)
    c = np.clip(p + np.where(np.round(100 * p) % 2 == 1, 0.3, -0.3), 0.005, 0.995)
    return (rng.random(3000) < c).astype(int), p, c


@pytest.mark.exhaustive
def test_a_loss_that_its_interval_leaves_out_is_not_quoted(levels):
    y, p, c = levels
    validation = fot.risk.validate(y, p, thresholds=0.2)
    loss = validation["decision_loss(0.2)"]
    truth = float(np.mean(np.where((c >= 0.2) != (p >= 0.2), abs(c - 0.2), 0.0))) / 0.8
    assert loss.interval.low < truth < loss.interval.high
    assert loss.value < loss.interval.low  # an isotonic map follows next to nothing of it
    assert loss.interval.low <= loss.quoted <= loss.interval.high
    assert f"{1000 * loss.quoted:.0f} (" in str(validation.table())
    assert loss.headline().startswith(f"decision loss: {loss.in_words}")


def test_the_auc_of_one_class_is_no_number():
    validation = fot.risk.validate(np.zeros(60, dtype=int), np.linspace(0.1, 0.6, 60))
    assert "auc" not in validation.statistics
    assert "both classes" in validation.reasons["auc"]


@pytest.mark.parametrize("t", [0.1, 0.5, 0.99])
@pytest.mark.parametrize("settings", [{}, {"against": "all"}, {"standardised": True}])
def test_the_interval_of_a_net_benefit_holds_only_what_there_can_be(t, settings):
    y, p = np.array([1, 0, 1]), np.array([0.95, 0.995, 0.2])
    cost = t / (1.0 - t)
    least, most = (-1.0, cost) if settings.get("against") else (-cost * (1.5 if settings else 1.0), 1.0)
    estimate = fot.measure(y, p, "net_benefit", threshold=t, interval="always", **settings)
    assert least - 1e-12 <= estimate.interval.low <= estimate.value <= estimate.interval.high <= most + 1e-12


def test_bands_and_intervals_of_a_curve_hold_only_what_there_can_be():
    rng = np.random.default_rng(1)
    p = rng.random((2, 40))
    curve = fot.risk.decision_curve(rng.random(40) < p[0], {"a": p[0], "b": p[1]})
    cost = curve.thresholds / (1.0 - curve.thresholds)
    cases = [
        (curve.net_benefit["a"], -cost, 1.0),
        (curve.against_all["a"], -1.0, cost),
        (curve.difference("a", "b"), -np.maximum(cost, 1.0), np.maximum(cost, 1.0)),
        (curve.standardised["b"], -cost / curve.base_rate, 1.0),
    ]
    for values, least, most in cases:
        assert np.all((least <= values.band_low) & (values.band_low <= values.low) & (values.low <= values.value))
        assert np.all((values.value <= values.high) & (values.high <= values.band_high) & (values.band_high <= most))


def test_certain_scores_tell_nothing_of_the_risk_between_them():
    (at,) = fot.risk.validate([0, 1, 1], [0.0, 1.0, 1.0], thresholds=0.1).at_thresholds
    assert at.probability is None
    assert at.interval is None


def test_thresholds_that_are_called_the_same_are_refused():
    y, p = [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9]
    with pytest.raises(ValueError, match="six digits"):
        fot.risk.validate(y, p, thresholds=[0.3, 0.1 + 0.2])
    assert "net_benefit(0.333333)" in fot.risk.validate(y, p, cost=0.5).statistics
    assert threshold_of_cost(0.5) == pytest.approx(1 / 3)


def test_no_p_value_is_printed_as_0():
    rng = np.random.default_rng(0)
    test = fot.measure(rng.random(1000) < 0.5, np.full(1000, 1e-12) * rng.random(1000), "spiegelhalter")
    assert test.evidence.asymptotic_p_value == 0.0
    assert "p < 1e-300" in str(test)
    assert p_in_words(0.0204) == "p = 0.020"


def test_a_factor_of_events_is_no_percentage():
    y = np.arange(400) % 2
    assert " times as many events as predicted" in str(fot.risk.validate(y, np.linspace(0.001, 0.02, 400)))


def test_copies_within_groups_leave_the_intervals_of_net_benefits_as_wide():
    rng = np.random.default_rng(0)
    p = 0.5 * rng.random(40) ** 3
    y = rng.random(40) < p / 2
    copies = {"groups": np.repeat(np.arange(40), 50)}
    alone, copied = (
        fot.risk.decision_curve(np.repeat(y, times), np.repeat(p, times), thresholds=[0.3, 0.45], **groups)
        for times, groups in ((1, {}), (50, copies))
    )
    for way in ("net_benefit", "against_all"):
        one, many = (getattr(curve, way)["model"] for curve in (alone, copied))
        np.testing.assert_allclose(many.value, one.value, atol=1e-12)
        np.testing.assert_allclose(many.high - many.low, one.high - one.low, rtol=0.1)
    sample = fot.read(np.repeat(y, 50), np.repeat(p, 50), **copies)
    ends = fot.measure(sample, name="net_benefit", threshold=0.45, interval="always").interval
    assert ends.high == pytest.approx(copied.net_benefit["model"].high[1], abs=1e-12)


def test_a_loss_of_no_row_is_exactly_0():
    rng = np.random.default_rng(0)
    p = np.round(rng.random(500), 2)
    curve = fot.risk.decision_curve(rng.random(500) < p, p)
    assert not np.any((curve.loss["model"] > 0.0) & (curve.loss["model"] < 1e-12))
