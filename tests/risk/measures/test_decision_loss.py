"""Decision losses: the table of a published example, their areas, and their intervals."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_law

import fitontest as fot
from fitontest.uncertainty.dependence import redraws_of
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.risk.measures.decisions import population
from tests.valprob import rows_of

OVERFIT = {  # threshold: net benefit, treat all, after recalibration on these rows, loss under the spline
    0.05: (0.3516, 0.3596, 0.3600, 0.0070),
    0.10: (0.3144, 0.3241, 0.3285, 0.0143),
    0.20: (0.2246, 0.2396, 0.2496, 0.0214),
    0.30: (0.1650, 0.1310, 0.1824, 0.0187),
    0.50: (0.0633, -0.2167, 0.0717, 0.0066),
}
LAWS = [(1.0, 1.0), (2.0, 8.0), (0.5, 0.5), (3.0, 1.0)]


def sample_of(*columns):
    return fot.ScoreSample(*columns)


def test_an_overfitted_model():
    _, y, p, _ = rows_of("sim_overfit")
    sample = sample_of(y, p)
    for t, (model, everybody, after, expected) in OVERFIT.items():
        benefit = fot.risk.NetBenefit(t).estimate(sample).value
        loss = fot.risk.DecisionLoss(t, "spline").estimate(sample)
        against = fot.risk.NetBenefit(t, against="all").estimate(sample).value
        found = (benefit, benefit - against, benefit + loss.evidence.gain_on_these_rows)
        assert found == pytest.approx((model, everybody, after), abs=5.1e-5)
        assert loss.value == pytest.approx(expected, abs=5.1e-5 if t not in (0.1, 0.5) else 1.5e-4)


def brute_force(p, c, t):
    """Return what recalibration gains, by the expected net benefits."""
    worth = (c - t) / (1 - t)
    return np.mean(np.where(c >= t, worth, 0.0)) - np.mean(np.where(p >= t, worth, 0.0))


@pytest.mark.parametrize("t", [0.1, 0.3, 0.5, 0.8])
def test_the_target_is_a_difference_of_net_benefits(t):
    y, p, c = population()
    loss = fot.risk.DecisionLoss(t)
    order = np.argsort(p)
    assert loss.target(sample_of(y[order], p[order]), c[order]) == pytest.approx(brute_force(p, c, t), abs=1e-14)


@pytest.mark.exhaustive
def test_the_areas_are_the_squared_error_and_the_divergence():
    y, p, c = population(40)
    sample = sample_of(y, p)
    breaks = np.unique(np.concatenate((p, c)))

    def area(integrand):
        ends = np.concatenate(([1e-9], breaks, [1 - 1e-9]))
        pieces = [quad(integrand, a, b, epsabs=1e-13)[0] for a, b in pairwise(ends)]
        return sum(pieces)

    def loss(t):
        return fot.risk.DecisionLoss(t).target(sample, c)

    assert area(lambda t: 2 * (1 - t) * loss(t)) == pytest.approx(np.mean((c - p) ** 2), abs=1e-10)
    divergence = np.mean(c * np.log(c / p) + (1 - c) * np.log((1 - c) / (1 - p)))
    assert area(lambda t: loss(t) / t) == pytest.approx(divergence, abs=1e-10)
    for a, b in LAWS:
        weighed = area(lambda t, a=a, b=b: 2 * (1 - t) * loss(t) * beta_law.pdf(t, a, b))
        measure = fot.risk.CostWeightedError(a, b)
        assert measure.target(sample, c) == pytest.approx(weighed, abs=1e-8)


def test_a_uniform_law_is_the_squared_error():
    y, p, _ = population(800)
    squares = fot.measures.PlugIn("isotonic", norm="squared").estimate(sample_of(y, p)).value
    for law in ((1, 1), (1.0 + 1e-9, 1.0)):  # the closed form too, a hair beside it
        assert fot.risk.CostWeightedError(*law).estimate(sample_of(y, p)).value == pytest.approx(squares, abs=1e-9)


@pytest.mark.parametrize(
    "measure",
    [fot.risk.DecisionLoss(0.3), fot.risk.DecisionLoss(0.3, "spline"), fot.risk.CostWeightedError(2, 8)],
    ids=lambda measure: measure.name,
)
def test_redrawn_labels_have_the_values_of_single_estimates(measure):
    y, p, _ = population(150)
    redraws = redraws_of(sample_of(y, np.round(p, 2)))
    (labels,) = redraws.draw([redraws.points], range(3), (0,))
    each = [measure.estimate(one).value for one in redraws.samples(labels)]
    np.testing.assert_allclose(measure.values(redraws, labels), each, rtol=0, atol=1e-9)


@pytest.mark.exhaustive
def test_intervals_are_inverted_under_isotonic_and_hold_the_truth():
    y, p, c = population()
    sample = sample_of(y, p)
    order = np.argsort(p)
    for measure in (fot.risk.DecisionLoss(0.3), fot.risk.CostWeightedError(2, 8)):
        found = fot.measure(sample, name=measure)
        true = measure.target(sample_of(y[order], p[order]), c[order])
        assert found.interval.low <= true <= found.interval.high
        assert found.interval.target == "true error"
        assert found.family == "isotonic"
        assert found.null.values.size == 200
    assert found.quoted == found.debiased  # label noise adds to a mean of squares
    loss = fot.measure(sample, name=fot.risk.DecisionLoss(0.3))
    assert loss.quoted == loss.value
    assert "plug-in value is quoted" in str(loss)
    assert str(loss).startswith(f"decision loss {loss.value:.3f} (95 % CI ")


def test_no_row_on_the_wrong_side_is_an_answer():
    y, p, _ = population(400)
    found = fot.measure(y, p / 2, "decision_loss", threshold=0.95, family="platt", interval="always")
    assert found.value == found.evidence.share_changed == 0.0
    assert found.interval.cut
    assert found.interval.low == 0.0 < found.interval.high < 0.1  # what the labels leave open
    constant = fot.measure(y, np.full(400, 0.5), "decision_loss", threshold=0.4)
    assert constant.value == 0.0  # both sides treat everybody


@pytest.mark.exhaustive
def test_it_is_no_calibration_error_by_family():
    y, p, _ = population(400)
    loss, error = fot.risk.DecisionLoss(0.3), fot.measures.PlugIn("isotonic")
    assert loss.fitting is not None
    assert error.is_family_error
    assert not loss.is_family_error
    evaluation = fot.evaluate(y, p, families=["isotonic"], measures=[loss], interval="always")
    assert evaluation["decision_loss(threshold=0.3)"].interval is not None
    assert evaluation.verdict.estimate.measure.is_family_error


def test_a_map_is_held_fixed():
    y, p, _ = population(400)
    c_hat = fot.Platt().fit(p, y).map_
    by_map = fot.risk.DecisionLoss(0.3, c_hat).estimate(sample_of(y, p))
    assert by_map.value == pytest.approx(fot.risk.DecisionLoss(0.3, "platt").estimate(sample_of(y, p)).value)
    found = estimate_of(by_map.measure, sample_of(y, p), redrawing=Redrawing(interval="always"))
    assert found.interval is None
    assert "not fitted" in found.interval_reason
    with pytest.raises(ValueError, match="family must be one that can be fitted"):
        by_map.measure.held_out_gain(sample_of(y, p))


def test_the_held_out_gain():
    y, p, c = population(4000)
    measure = fot.risk.DecisionLoss(0.3, "spline")
    gain, error = measure.held_out_gain(fot.read(y, p))
    order = np.argsort(p)
    assert abs(gain - measure.target(sample_of(y[order], p[order]), c[order])) < 3 * error
    grouped, of_groups = measure.held_out_gain(fot.read(y, p, groups=np.arange(4000) // 800))
    assert of_groups is None
    assert np.isfinite(grouped)


def test_wrong_settings():
    with pytest.raises(ValueError, match="family must be"):
        fot.risk.DecisionLoss(0.3, 7)
    with pytest.raises(ValueError, match="a must be a finite number above 0, got 0"):
        fot.risk.CostWeightedError(0)
    with pytest.raises(ValueError, match="b must be a finite number above 0, got 'x'"):
        fot.risk.CostWeightedError(1, "x")
