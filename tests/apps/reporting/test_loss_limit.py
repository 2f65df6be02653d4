"""Gates with limits of the decision loss: what decides, and what the labels of few rows leave open."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

import fitontest as fot
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.risk.loss_bounds import LossBounds
from fitontest.risk.measures.decision_loss import DecisionLoss
from fitontest.uncertainty.redrawing import Redrawing, estimate_of


def drawn(n=600, power=1.0, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < p**power, p


Y, P = drawn()


def brute_force(y, p, t, level):
    """Return the upper bound over all windows that begin at the threshold, one by one."""
    largest = 0.0
    for s in np.unique(np.append(p, [0.0, 2.0])):
        rows = (p >= s) & (p < t) if s < t else (p >= t) & (p < s)
        n, k = rows.sum(), y[rows].sum()
        if n:
            high = 1.0 if k == n else beta.ppf((1 + level) / 2, k + 1, n - k)
            low = 0.0 if k == 0 else beta.ppf((1 - level) / 2, k, n - k + 1)
            largest = max(largest, n / p.size * ((high - t) if s < t else (t - low)) / (1 - t))
    return largest


@pytest.mark.parametrize("t", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("decimals", [9, 1])
def test_the_upper_bound_is_that_of_all_windows(t, decimals):
    p = np.round(P[:200], decimals)
    bounds = LossBounds.of(fot.ScoreSample(Y[:200], p), t, 0.9)
    assert bounds.most == pytest.approx(brute_force(Y[:200], p, t, 0.9), rel=1e-9)


@pytest.mark.exhaustive
def test_of_many_rows_every_hundredth_is_enough():
    y, p = drawn(6000)
    p = 0.3 * p  # all below the threshold
    assert LossBounds.of(fot.ScoreSample(y, p), 0.35, 0.9).most == pytest.approx(brute_force(y, p, 0.35, 0.9), rel=0.01)


@pytest.mark.parametrize("t", [0.05, 0.3, 0.8])
def test_the_bounds_hold_the_loss_of_truths_that_do_not_fall(t):
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(100):
        p = rng.random(80)
        c = p**3
        true = np.mean(np.abs(c - t) * ((c >= t) != (p >= t))) / (1 - t)
        bounds = LossBounds.of(fot.ScoreSample(rng.random(80) < c, p), t, 0.8)
        held += bounds.least <= true <= bounds.most
    assert held >= 80  # of 100 at the level .8


def test_the_exact_bound_cuts_the_upper_end_where_rows_are_independent():
    bounds = LossBounds.of(fot.ScoreSample(Y, P), 0.3, 0.95)
    many = replace(bounds, least=0.0, most=0.05)
    assert many.around(0.01, 0.1) == (0.01, 0.05)
    assert many.around(0.01, 0.04) == (0.01, 0.04)
    assert replace(many, exact=False).around(0.01, 0.1) == (0.01, 0.1)
    assert replace(many, few_of_a_class=True).around(0.01, 0.04) == (0.01, 0.05)
    assert replace(many, few=True).around(0.01, 0.04) == (0.0, 0.04)
    groups = fot.read(Y, P, groups=np.repeat(np.arange(200), 3))
    importances = fot.read(Y, P, sample_weight=P + 0.5)
    assert [LossBounds.of(sample, 0.3, 0.95).exact for sample in (groups, importances)] == [False, False]
    assert LossBounds.of(fot.ScoreSample(Y, P), 0.3, 0.95, excess=0.01).most == pytest.approx(bounds.most + 0.01)


def test_the_bound_is_no_bound_where_only_levels_of_neighbours_fit():
    """Windows average out errors that go up and down: of these it lies below the loss, and cuts nothing off."""
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    c = np.clip(p + 0.2 * np.sign(np.sin(40 * np.pi * p)), 0.01, 0.99)
    sample = fot.ScoreSample(rng.random(3000) < c, p)
    true = DecisionLoss(0.3).target(sample, c)
    assert LossBounds.of(sample, 0.3, 0.95).most < true
    interval = fot.measure(sample, name="decision_loss", threshold=0.3, interval="always").interval
    assert not interval.cut
    assert interval.low < true < interval.high
    assert fot.check_calibration(sample, max_decision_loss={0.3: true * 0.99}).outcome != "pass"


def test_the_lower_bound_is_that_of_treating_everybody_or_nobody():
    y, p = np.repeat([0, 1], [90, 10]), np.full(100, 0.6)
    least = (0.5 - share_interval(10, 100, 0.95)[1]) / 0.5
    assert LossBounds.of(fot.ScoreSample(y, p), 0.5, 0.95).least == pytest.approx(least)
    assert LossBounds.of(fot.ScoreSample(1 - y, p), 0.5, 0.95).least == 0.0
    both = fot.ScoreSample(np.append(y, 1 - y), np.append(p, 1 - p))
    assert LossBounds.of(both, 0.5, 0.95).least == pytest.approx((0.5 - share_interval(10, 100, 0.975)[1]) / 0.5)


def test_bounds_of_copies_in_groups_are_those_of_the_rows():
    plain = LossBounds.of(fot.ScoreSample(Y[:300], P[:300]), 0.3, 0.95)
    copies = fot.read(Y[:300].repeat(4), P[:300].repeat(4), groups=np.repeat(np.arange(300), 4))
    assert LossBounds.of(copies, 0.3, 0.95).most == pytest.approx(plain.most, rel=0.15)
    weighted = fot.read(Y[:300], P[:300], sample_weight=np.full(300, 2), weights="counts")
    repeated = fot.ScoreSample(Y[:300].repeat(2), P[:300].repeat(2))
    bounds = (LossBounds.of(sample, 0.3, 0.95) for sample in (weighted, repeated))
    assert next(bounds).most == pytest.approx(next(bounds).most, rel=1e-12)


def test_the_interval_of_the_loss_decides():
    y, p = drawn(1200, 2.0)
    sample = fot.ScoreSample(y, p)
    measured = estimate_of(DecisionLoss(0.3), sample, None, Redrawing(interval="always", random_state=3))
    low, high = measured.interval.low, measured.interval.high
    assert 0 < low < measured.value < high
    for limit, outcome in ((high, "pass"), (low * 0.99, "fail"), ((low + high) / 2, "undecided")):
        check = fot.check_calibration(y, p, max_decision_loss={0.3: limit}, random_state=3)
        (criterion,) = check.gates[0].criteria
        assert (check.outcome, criterion.interval.low, criterion.interval.high) == (outcome, low, high)
        assert (criterion.rows_needed is None) == (outcome != "undecided")
        assert criterion.estimate.value == measured.value
    assert check.gates[0].headline.startswith(f"Cannot tell at {(low + high) / 2:g} with 1,200 rows: they can show 0.")
    assert check.gates[0].hints[0].startswith("decision loss at 0.3 0.")
    assert "decision loss by isotonic, in net true positives per row" in str(check.gates[0])


def test_a_loss_of_zero_passes_where_the_labels_rule_out_more():
    """No score reaches the threshold: of 200 rows without an event it is clear that none should, of 5 it is not."""
    p = np.linspace(0.001, 0.01, 200)
    many = fot.check_calibration(np.zeros(200), p, max_decision_loss={0.2: 0.03})
    high = brute_force(np.zeros(200), p, 0.2, 0.95)
    assert many.outcome == "pass"
    assert many.gates[0].criteria[0].interval.high == pytest.approx(high)
    assert "the interval is cut off at what the labels beside the threshold leave open" in str(many.gates[0])
    few = fot.check_calibration(np.zeros(5), p[:5], max_decision_loss={0.2: 0.03})
    assert (few.outcome, few.gates[0].criteria[0].estimate.value) == ("undecided", 0.0)
    strict = fot.check_calibration(np.zeros(200), p, max_decision_loss={0.2: high * 0.99})
    assert strict.outcome == "undecided"


def test_few_rows_fail_only_if_the_labels_alone_say_so():
    assert fot.check_calibration([0] * 20, [0.9] * 20, max_decision_loss={0.5: 0.1}).outcome == "fail"
    assert fot.check_calibration([0], [0.9], max_decision_loss={0.5: 0.1}).outcome == "undecided"


def test_each_threshold_is_a_limit_of_its_own():
    check = fot.check_calibration(Y, P, max_decision_loss={0.5: 0.2, 0.2: 0.2}, slope=(0.5, 2))
    assert check.outcome == "pass"
    assert [criterion.subject for criterion in check.gates[0].criteria] == [
        "calibration slope",
        "decision loss at 0.2",
        "decision loss at 0.5",
    ]
    assert [line.split(",")[0] for line in str(check).splitlines()[3:6]] == [
        "calibration slope",
        "decision loss at 0.2",
        "decision loss at 0.5",
    ]
    records = json.loads(check.to_json())["gates"][0]["limits"]
    assert [(one["limit"], one["threshold"], one["most"]) for one in records] == [
        ("slope", None, 2.0),
        ("max_decision_loss", 0.2, 0.2),
        ("max_decision_loss", 0.5, 0.2),
    ]
    assert "since there are 3." in str(check)
    failing = fot.check_calibration(1 - Y, P, max_decision_loss={0.2: 0.001, 0.5: 0.001})
    levels = [criterion.interval.level for criterion in failing.gates[0].criteria]
    assert (failing.outcome, levels) == ("fail", [pytest.approx(0.975)] * 2)


def test_segments_classes_and_groups():
    by = np.resize(["a", "b"], Y.size)
    segments = fot.check_calibration(Y, P, max_decision_loss={0.5: 0.3}, by=by, require=["c"])
    assert [gate.outcome for gate in segments.gates] == ["pass", "pass", "undecided"]
    assert {gate.criteria[0].interval.level for gate in segments.gates[:2]} == {0.975}
    assert segments.gates[2].headline == "Cannot tell: no rows, limit 0.3"
    p = np.column_stack((1 - P, P))
    classes = fot.check_calibration(Y.astype(int), p, max_decision_loss={0.5: 0.3}, reduction="classwise")
    assert [gate.outcome for gate in classes.gates] == ["pass", "pass"]
    few = fot.check_calibration(Y, P, max_decision_loss={0.5: 0.3}, groups=np.arange(Y.size) % 5)
    assert few.outcome == "undecided"
    assert "dependence cannot be learnt from fewer than 10 groups" in few.gates[0].headline


@pytest.mark.parametrize(
    "bad", [{}, 0.2, [(0.2, 0.01)], {0.2: 0}, {0.2: 1}, {0: 0.1}, {1: 0.1}, {"a": 0.1}, {0.2: "a"}]
)
def test_bad_limits_are_refused(bad):
    with pytest.raises(ValueError, match=r"^max_decision_loss must be a dict of limits by threshold, both strictly"):
        fot.check_calibration(Y, P, max_decision_loss=bad)


def test_families_without_an_interval_and_whole_distributions_are_refused():
    with pytest.raises(ValueError, match=r"^family must be fitted to the labels, got identity"):
        fot.check_calibration(Y, P, max_decision_loss={0.2: 0.1}, family="identity")
    p = np.column_stack((1 - P, P))
    with pytest.raises(ValueError, match=r"^max_decision_loss must be left out with reduction='canonical'"):
        fot.check_calibration(Y.astype(int), p, max_decision_loss={0.2: 0.1}, reduction="canonical")
