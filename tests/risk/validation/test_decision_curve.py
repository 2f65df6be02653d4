"""Decision curves: against measures at single thresholds, brute force over rows and groups, and the golden sets."""

import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.data.row_groups import RowGroups
from fitontest.numerics.simultaneous import simultaneous_quantile
from fitontest.risk.validation.at_threshold import probabilities_at
from fitontest.risk.validation.curve_in_words import ranges_in_words
from tests.risk.measures.decisions import population
from tests.valprob import SETS, rows_of

T = np.array([0.1, 0.25, 0.3, 0.6, 0.9])
COSTS = T / (1 - T)


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """All draws are made here."""


def gains_of(y, p):
    """Return what treating by each threshold is worth, row by row, shape (n, T)."""
    return (p[:, None] >= T) * np.where(y[:, None] == 1, 1.0, -COSTS)


def errors_of(influence, w, w2, groups=None):
    """Return the covariances of weighted means by the definition."""
    if groups is None:
        return (influence * w2[:, None]).T @ influence / w.sum() ** 2
    sums = np.stack([(influence * w[:, None])[groups == k].sum(axis=0) for k in np.unique(groups)])
    return sums.T @ sums / w.sum() ** 2 * len(sums) / (len(sums) - 1)


def test_golden_sets():
    for name in SETS:
        expected = SETS[name]["expected"]
        _, y, p, _ = rows_of(name)
        curve = fot.risk.decision_curve(y, p, thresholds=expected["net_benefit"]["threshold"])
        found = [curve.net_benefit["model"], curve.net_benefit["treat all"]]
        for one, key in zip(found, ("model", "all"), strict=True):
            np.testing.assert_allclose(one.value, expected["net_benefit"][key], rtol=0, atol=1e-12)
        np.testing.assert_allclose(curve.share_above["model"], expected["net_benefit"]["test_positive"], atol=1e-12)
        if "dcurves" in expected:
            avoided = fot.risk.decision_curve(y, p, thresholds=expected["dcurves"]["threshold"]).interventions_avoided
            np.testing.assert_allclose(
                avoided["model"].value, expected["dcurves"]["net_intervention_avoided"], rtol=0, atol=1e-11
            )


@pytest.mark.parametrize("kind", ["rows", "counts", "importances", "groups", "weighted groups"])
def test_brute_force(kind):
    y, p, _ = population(400)
    p = np.round(p, 2)  # scores at thresholds
    q = np.round(p**1.5, 2)
    rng = np.random.default_rng(3)
    w = {"counts": rng.integers(1, 4, 400).astype(float), "importances": rng.random(400) + 0.5}.get(kind, np.ones(400))
    groups = rng.integers(0, 60, 400) if "groups" in kind else None
    if kind == "weighted groups":
        w = rng.random(400) + 0.5
    options = {"groups": groups, "sample_weight": None if np.all(w == 1) else w}
    curve = fot.risk.decision_curve(y, {"a": p, "b": q}, thresholds=T, **options)
    single = fot.risk.decision_curve(y, p, thresholds=T, **options)
    w2 = w if kind == "counts" else w**2 / (1 - w / w.sum()) if kind == "importances" else w**2
    share, mean = w / w.sum(), {}
    for name, scores in (("a", p), ("b", q), ("treat all", np.ones(400)), ("treat none", np.zeros(400))):
        gains = gains_of(y, scores)
        mean[name] = share @ gains
        found = curve.net_benefit[name]
        np.testing.assert_allclose(found.value, mean[name], atol=1e-13)
        error = np.sqrt(np.diag(errors_of(gains - mean[name], w, w2, groups)))
        np.testing.assert_allclose(found.standard_error, error, atol=1e-13)
        rate = share @ y
        influence = (gains - np.outer(y, mean[name] / rate)) / rate
        error = np.sqrt(np.diag(errors_of(influence, w, w2, groups)))
        np.testing.assert_allclose(curve.standardised[name].value, mean[name] / rate, atol=1e-13)
        np.testing.assert_allclose(curve.standardised[name].standard_error, error, atol=1e-13)
    np.testing.assert_allclose(single.net_benefit["model"].standard_error, curve.net_benefit["a"].standard_error)
    paired = gains_of(y, p) - gains_of(y, q)
    difference = curve.difference("a", "b")
    np.testing.assert_allclose(difference.value, share @ paired, atol=1e-13)
    covariance = errors_of(paired - share @ paired, w, w2, groups)
    np.testing.assert_allclose(difference.standard_error, np.sqrt(np.diag(covariance)), atol=1e-13)
    reach = difference.high - difference.value
    np.testing.assert_allclose(difference.value - difference.low, reach, atol=1e-13)
    effective = np.inf
    if groups is not None:
        effective = RowGroups.of(groups, np.arange(400), np.ones(400, dtype=int), w).effective
    elif kind == "importances":
        effective = w.sum() ** 2 / (w @ w)
    quantile = simultaneous_quantile(covariance, 0.95, degrees=effective - 1)
    one = difference.band_high - difference.value
    rows = w.sum() ** 2 / (w.sum() if kind == "counts" else w @ w)
    if groups is not None:  # by how much the mean residual varies more
        residuals = [y - scores - share @ (y - scores) for scores in (p, q)]
        of_groups, of_rows = ([errors_of(r[:, None], w, w2, g)[0, 0] for r in residuals] for g in (groups, None))
        rows /= max(1.0, *np.divide(of_groups, of_rows))
    expected = quantile / (reach / np.sqrt(np.diag(covariance) + 2 * (1 + COSTS**2) / rows**2))
    np.testing.assert_allclose(one / reach, expected, rtol=1e-9)


def test_measures_at_single_thresholds():
    y, p, _ = population(500)
    groups = np.arange(500) // 5
    for options in ({}, {"groups": groups}):
        sample = fot.read(y, p, **options)
        curve = fot.risk.DecisionCurve.of({"it": sample}, T, level=0.9, family="spline")
        for k, t in enumerate(T):
            for settings, found in (
                ({}, curve.net_benefit),
                ({"standardised": True}, curve.standardised),
                ({"against": "all"}, curve.against_all),
            ):
                one = fot.risk.NetBenefit(t, **settings).estimate(sample)
                interval = one.evidence.interval_at(0.9)
                found = found["it"]
                numbers = [one.value, one.standard_error, interval.low, interval.high]
                expected = [found.value[k], found.standard_error[k], found.low[k], found.high[k]]
                np.testing.assert_allclose(numbers, expected, atol=1e-13)
            loss = fot.risk.DecisionLoss(t, "spline").estimate(sample).value
            assert curve.loss["it"][k] == pytest.approx(loss, abs=1e-13)
            assert curve.recalibrated["it"][k] == pytest.approx(curve.net_benefit["it"].value[k] + loss)


def test_the_quantile_over_thresholds():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((300, 12)).cumsum(axis=1)
    multipliers = rng.standard_normal((4000, 300))
    process = np.abs(multipliers @ rows) / np.sqrt((rows**2).sum(axis=0))
    expected = np.quantile(process.max(axis=1), 0.95)  # by the multipliers themselves
    assert simultaneous_quantile(rows.T @ rows, 0.95) == pytest.approx(expected, abs=0.06)
    assert simultaneous_quantile(rows.T @ rows, 0.95, degrees=9) > 1.1 * expected
    assert simultaneous_quantile(np.zeros((3, 3)), 0.95) == 0.0
    same = np.ones((40, 40))  # one dimension at forty thresholds
    assert simultaneous_quantile(same, 0.95) == pytest.approx(1.96, abs=0.06)


def test_bands_hold_intervals_and_grow_with_thresholds():
    y, p, _ = population(800)
    wide, narrow = (fot.risk.decision_curve(y, p, thresholds=t) for t in (None, [0.3]))
    band = wide.net_benefit["model"]
    assert np.all(band.band_low < band.low)
    assert np.all(band.band_high > band.high)
    assert narrow.net_benefit["model"].band_low == pytest.approx(narrow.net_benefit["model"].low, abs=2e-3)
    k = np.searchsorted(wide.thresholds, 0.295)
    assert band.band_low[k] < narrow.net_benefit["model"].band_low[0]
    again = fot.risk.decision_curve(y[::-1], p[::-1])
    np.testing.assert_allclose(again.net_benefit["model"].band_low, band.band_low, atol=1e-12)


def test_what_is_said():
    y, p, _ = population(3000)
    good = fot.risk.decision_curve(y, p, thresholds=[0.3, 0.4, 0.5])
    assert good.sentence == "Better than treating all and none at every threshold."
    bad = fot.risk.decision_curve(y, {"tree": 0.3 * p, "forest": p}, thresholds=[0.2, 0.5])
    pair, better, worse = bad.sentence.splitlines()
    assert pair == "forest has more net benefit than tree at every threshold."
    assert better.startswith("Better than treating all and none: tree nowhere shown; forest ")
    assert worse == "Worse than treating all: tree at 20 %."
    assert "Recalibrating first would gain, by the map of these rows, most per 1,000: tree " in str(bad)
    same = fot.risk.decision_curve(y, {"a": p, "b": p}, thresholds=[0.2, 0.5])
    assert "No difference of a and b is shown at any threshold." in str(same)
    few = fot.risk.decision_curve(y, p, thresholds=[0.2, 0.5], groups=np.arange(3000) % 4)
    assert "Nothing is shown, since dependence cannot be learnt" in str(few)
    assert few.net_benefit["model"].low is None
    assert few.rows()[0]["low"] is None


def test_it_prints_net_benefits_per_1000_where_most_is_gained():
    y, p, _ = population(3000)
    curve = fot.risk.decision_curve(y, {"tree": 0.3 * p, "forest": p})
    gap = curve.difference("tree", "forest")
    at = int(np.argmax(np.abs(gap.value)))
    lines = str(curve).splitlines()
    assert len(lines) <= 8
    tree, forest = (1000 * curve.net_benefit[name].value[at] for name in curve.models)
    assert f"at {100 * curve.thresholds[at]:.0f} %: tree {tree:.0f}, forest {forest:.0f}, treat all" in str(curve)
    assert f"Difference {1000 * gap.value[at]:.0f} (95 % CI {1000 * gap.low[at]:.0f} to " in str(curve)
    table = str(curve.table())
    k = int(np.searchsorted(curve.thresholds, 0.495))
    assert re.search(rf"^0\.5 .* {1000 * curve.net_benefit['forest'].value[k]:.0f} ", table, re.MULTILINE)
    assert "true positives less false ones" in str(curve.explain())


def test_ranges():
    t = np.arange(1, 8) / 10
    assert ranges_in_words(np.zeros(7, dtype=bool), t) == ""
    assert ranges_in_words(np.isin(np.arange(7), [1, 3, 4]), t) == "at 0.2 and from 0.4 to 0.5"
    assert ranges_in_words(np.isin(np.arange(7), [0, 2, 4, 6]), t) == "at 4 of 7 thresholds"


def test_forms():
    y, p, _ = population(300)
    curve = fot.risk.decision_curve(y, {"a": p, "b": p**2}, thresholds=T)
    frame = curve.to_frame()
    assert len(frame) == 2 * len(T)
    assert frame.notna().all().all()
    data = json.loads(curve.to_json())
    assert data["family"] == "isotonic"
    assert len(data["rows"]) == 10
    assert data["rows"][0]["standardised"] == pytest.approx(curve.standardised["a"].value[0])
    assert curve._repr_html_()
    by_cells = fot.risk.decision_curve(fot.Cells.of(y, p, exact=True), thresholds=T)
    np.testing.assert_allclose(by_cells.net_benefit["model"].value, curve.net_benefit["a"].value, atol=1e-12)
    np.testing.assert_allclose(
        by_cells.net_benefit["model"].standard_error, curve.net_benefit["a"].standard_error, atol=1e-12
    )


def test_edges():
    constant = fot.risk.decision_curve([0, 1, 0, 1], [0.4] * 4, thresholds=[0.3, 0.4, 0.5])
    np.testing.assert_array_equal(constant.share_above["model"], [1, 1, 0])
    np.testing.assert_allclose(constant.difference("model", "treat all").value[:2], 0)
    np.testing.assert_allclose(constant.net_benefit["model"].value[2], 0)
    np.testing.assert_allclose(constant.loss["model"], [0, 0, 0], atol=1e-15)
    none = fot.risk.decision_curve([0, 0, 0], [0.4, 0.2, 0.7], thresholds=[0.3])
    assert str(none)
    assert none.rows()[0]["standardised"] is None
    with pytest.raises(fot.results.exceptions.NoValueError, match="y_true must hold a positive row"):
        _ = none.standardised


def test_bad_input():
    y, p, _ = population(50)
    with pytest.raises(ValueError, match="must have the same number of rows, got: y_true has 50"):
        fot.risk.decision_curve(y, {"a": p, "b": p[:-1]})
    with pytest.raises(ValueError, match="samples must be of the same rows, got 50 of 'a' and 49 of 'b'"):
        fot.risk.DecisionCurve.of({"a": fot.read(y, p), "b": fot.read(y[:-1], p[:-1])})
    with pytest.raises(ValueError, match="the labels of 'a' and 'b' differ, first in row"):
        fot.risk.DecisionCurve.of({"a": fot.read(y, p), "b": fot.read(1 - y, p)})
    with pytest.raises(ValueError, match="level must be a number in"):
        fot.risk.decision_curve(y, p, level=95)
    with pytest.raises(ValueError, match="family must be"):
        fot.risk.decision_curve(y, p, family=3)
    with pytest.raises(ValueError, match="models must not be called"):
        fot.risk.decision_curve(y, {"treat all": p})
    with pytest.raises(ValueError, match="b must be"):
        fot.risk.decision_curve(y, p).difference("model", "other")
    with pytest.raises(ValueError, match="thresholds must increase"):
        fot.risk.decision_curve(y, p, thresholds=[0.2, 0.1])
    cells = fot.read(fot.Cells.of(np.repeat(y, 9), np.repeat(p, 9)))
    with pytest.raises(ValueError, match="single rows"):
        fot.risk.DecisionCurve.of({"a": cells, "b": cells})


def test_the_probability_at_a_threshold():
    _, y, p, _ = rows_of("sim_overfit")
    low, at, high = probabilities_at(fot.read(y, p), [0.001, 0.2, 0.999])
    assert at.probability == pytest.approx(0.339, abs=5e-4)
    assert (at.interval.low, at.interval.high) == pytest.approx((0.274, 0.403), abs=0.01)
    assert low.probability is low.interval is high.probability is None
    assert "the rows do not tell" in low.reason
    (grouped,) = probabilities_at(fot.read(y, p, groups=np.arange(600) % 5), 0.2)
    assert grouped.interval is None
    assert "fewer than 10 groups" in grouped.reason


def test_from_a_threshold_of_0_on_everybody_is_treated():
    rng = np.random.default_rng(3)
    p = rng.beta(1, 3, 500)
    y = rng.random(500) < p
    thresholds = np.arange(0, 0.5, 0.01)
    curve = fot.risk.decision_curve(y, {"a": p, "b": np.sqrt(p)}, thresholds=thresholds)
    for name in ("a", "b", "treat all"):
        assert curve.net_benefit[name].value[0] == pytest.approx(y.mean(), abs=1e-12)
    for gain in (curve.against_all["a"], curve.difference("a", "b"), curve.interventions_avoided["a"]):
        assert [float(part[0]) for part in vars(gain).values()] == [0.0] * 6
    assert curve.loss["b"][0] == 0.0
    assert all(value is not None for row in curve.rows() for value in row.values())
    later = fot.risk.decision_curve(y, {"a": p, "b": np.sqrt(p)}, thresholds=thresholds[1:])
    np.testing.assert_array_equal(curve.net_benefit["a"].value[1:], later.net_benefit["a"].value)
    assert float(fot.measure(y, p, "net_benefit", threshold=0)) == pytest.approx(y.mean(), abs=1e-12)
    assert fot.measure(y, p, "decision_loss", threshold=0).value == 0.0


@pytest.mark.parametrize("options", [{}, {"kind": "interventions avoided"}, {"scale": "logit"}])
def test_a_curve_from_0_on_is_drawn(options):
    rng = np.random.default_rng(3)
    p = rng.beta(1, 3, 500)
    curve = fot.risk.decision_curve(rng.random(500) < p, p, thresholds=np.arange(0, 0.3, 0.01))
    axes = curve.plot(Figure(), **options).ax_
    low, _ = axes.get_xlim()
    assert low == pytest.approx(0.01, abs=0.005) if options.get("scale") else low == 0.0
