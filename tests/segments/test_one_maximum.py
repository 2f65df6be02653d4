"""Segments that are tested by one maximum: what evaluate and the gate say of them."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot


def rows(n=2500, seed=0):
    rng = np.random.default_rng(seed)
    by = {"site": rng.integers(0, 4, n), "sex": rng.choice(["f", "m"], n)}
    p = rng.random(n)
    y = (rng.random(n) < np.where(by["site"] == 1, p**0.6, p)).astype(int)
    return y, p, by


@pytest.fixture(scope="module")
def evaluation():
    y, p, by = rows()
    return fot.evaluate(y, p, by=by, adjust="max", segments="pairs")


def test_the_sentence_the_table_and_the_records_agree(evaluation):
    adjusted = evaluation.adjusted_p_values()
    assert adjusted["site = 1"] == pytest.approx(1 / 1001)
    shown = [segment for segment in evaluation.worst() if adjusted[segment] <= 0.05]
    text = str(evaluation)
    assert " ".join(text.split()).startswith(
        f"Miscalibration is shown in {len(shown)} of 14 segments: {', '.join(shown)} ("
    )
    assert "(adjusted p-value at most 0.05)" in " ".join(text.split())
    records = {record["segment"]: record for record in evaluation.rows()}
    for segment in shown:
        assert records[segment]["low"] > 0.0
        assert records[segment]["adjusted_p_value"] == adjusted[segment]
    values = [record["standardised"] for record in evaluation.rows() if not record["total"]]
    assert values == sorted(values, reverse=True)
    assert json.loads(evaluation.to_json())["maxima"]["ecce"]["tested"] == 14
    assert "in s.d." in text
    assert "Holm" not in text


def test_intervals_hold_together_around_each_value(evaluation):
    maximum = evaluation.maxima["ecce"]
    reach = maximum.maxima.reach(0.95)
    assert reach == pytest.approx(np.sort(maximum.maxima.maxima)[950])
    for place, segment in enumerate(maximum.keys):
        estimate = evaluation.estimates["ecce"][segment]
        sigma = maximum.maxima.sigma[place] * maximum.maxima.noise[place]
        assert estimate.interval.high == pytest.approx(estimate.value + reach * sigma)
        assert estimate.interval.low == pytest.approx(max(0.0, estimate.value - reach * sigma))
        assert estimate.null.values.size == 1000
        assert estimate.interval.low <= estimate.debiased <= estimate.value
    # where the interval leaves out 0 the step-down p-value is small, whatever the rounding
    for segment, p_value in evaluation.adjusted_p_values().items():
        assert (evaluation.estimates["ecce"][segment].interval.low > 0.0) <= (p_value <= 0.05)


def test_an_error_of_all_rows_makes_no_segment_guilty():
    rng = np.random.default_rng(0)
    p, site = rng.random(3000), rng.integers(0, 5, 3000)
    y = rng.random(3000) < 1 / (1 + np.exp(-(np.log(p / (1 - p)) * 0.6 + 0.7)))
    beyond = fot.evaluate(y, p, by=site, adjust="max")
    assert min(beyond.adjusted_p_values().values()) > 0.05
    assert "Scores were calibrated by one logistic map of all rows first (intercept 0.7" in " ".join(
        str(beyond).split()
    )
    as_they_are = fot.evaluate(y, p, by=site, adjust="max", against="scores")
    assert max(as_they_are.adjusted_p_values().values()) <= 0.05
    assert "logistic" not in str(as_they_are)


def test_levels_draws_and_measures():
    y, p, by = rows(800)
    found = fot.evaluate(
        y, p, by=by, adjust="max", measures=["ecce", "ks"], interval="always", level=0.8, null_draws=70
    )
    assert found.names == ["ecce", "ks"]
    for name in found.names:
        assert found.maxima[name].maxima.drawn.shape[0] == 70
        assert all(one.interval.level == 0.8 for one in found.estimates[name].values())


def test_segments_with_too_little_are_named():
    y, p, _ = rows(400)
    by = np.where(np.arange(400) < 8, "tiny", "rest")
    found = fot.evaluate(y, p, by=by, adjust="max", against="scores")
    assert list(found.adjusted_p_values()) == ["rest"]
    assert "tiny: no interval, for too little to test, since the sum of p (1 - p) is below 5" in " ".join(
        str(found).split()
    )
    nothing = fot.evaluate(y[:12], p[:12], by=by[:12], adjust="max", against="scores")
    assert nothing.adjusted_p_values() == {}
    assert "none was tested" in str(nothing)


def test_many_segments_are_printed_in_part():
    y, p, _ = rows(3000)
    found = fot.evaluate(y, p, by=np.arange(3000) % 60, adjust="max")
    assert "20 segments more: print(evaluation.table()), or --verbose." in str(found)
    assert len(str(found.table()).splitlines()) > len(str(found).splitlines()) + 15


def test_few_groups_conclude_nothing():
    y, p, by = rows(900)
    found = fot.evaluate(y, p, by=by, adjust="max", groups=np.arange(900) % 6)
    assert found.adjusted_p_values() == {}
    assert all(one.interval is None for one in found.estimates["ecce"].values())
    assert "groups" in str(found).splitlines()[0]


def test_overlapping_segments_take_holm_too():
    y, p, by = rows(1200)
    found = fot.evaluate(y, p, by=by, segments="each", families=[fot.Slope1(4)], interval=None)
    assert len(found) == 6
    assert found.adjusted_p_values()["site = 1"] == pytest.approx(6 / 241)


def test_pictures(evaluation):
    display = evaluation.plot(ax=Figure())
    names = {dot.name for dot in display.dots}
    assert "all rows" in names
    assert len(names) == len(evaluation) + 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"adjust": "fdr"}, "adjust must be one of 'holm', 'max'"),
        ({"against": "isotonic"}, "against must be one of 'logistic', 'scores'"),
        ({"segments": "triples"}, "segments must be one of"),
        ({"adjust": "max", "families": ["platt"]}, "families must be left out for measures"),
        ({"adjust": "max", "measures": ["brier"]}, "measures must be among 'ecce' and 'ks'"),
        ({"adjust": "max", "by": None}, "by must be given with adjust='max'"),
        ({"segments": "each", "by": None}, "segments must be left out without by"),
    ],
)
def test_refusals(settings, message):
    y, p, by = rows(60)
    with pytest.raises(ValueError, match=message):
        fot.evaluate(y, p, **{"by": by, **settings})


def test_segments_of_rows_read_without_by_are_refused():
    y, p, _ = rows(60)
    for data in (fot.read(y, p), fot.read(y, np.stack([1 - p, p], axis=1), reduction="classwise")):
        with pytest.raises(ValueError, match="segments must be left out without by"):
            fot.evaluate(data, segments="each", families=["slope1"], interval=None)


def test_one_class_has_no_logistic_map():
    _, p, by = rows(300)
    with pytest.raises(ValueError, match="against must be 'scores' where all labels are of one class"):
        fot.evaluate(np.zeros(300, dtype=int), p, by=by, adjust="max", pos_label=1)
    found = fot.evaluate(np.zeros(300, dtype=int), p, by=by, adjust="max", pos_label=1, against="scores")
    assert max(found.adjusted_p_values().values()) < 0.01


def test_several_classes_are_refused_but_for_one_score():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 400)
    y = np.array(["a", "b", "c"])[(P.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)]
    by = np.arange(400) % 3
    with pytest.raises(ValueError, match="adjust must be 'holm' unless segments are of one score"):
        fot.evaluate(y, P, by=by, adjust="max", reduction="classwise")
    found = fot.evaluate(y, P, by=by, adjust="max", reduction="confidence")
    assert len(found.adjusted_p_values()) == 3


# ------------------------------------------------------------------------------------------------------------- gate


def test_the_gate_holds_the_ecce_of_each_segment_against_the_limit():
    y, p, by = rows()
    check = fot.check_calibration(y, p, by=by, adjust="max", segments="each", max_error=0.06)
    same = fot.evaluate(y, p, by=by, adjust="max", segments="each", against="scores")
    outcomes = {gate.name: gate.outcome for gate in check.gates}
    for segment, estimate in same.estimates["ecce"].items():
        interval = next(gate.interval for gate in check.gates if gate.name == segment)
        assert (interval.low, interval.high) == pytest.approx((estimate.interval.low, estimate.interval.high))
        expected = "pass" if interval.high <= 0.06 else "fail" if interval.low > 0.06 else "undecided"
        assert outcomes[segment] == expected
    assert outcomes["site = 1"] == "fail"
    assert check.outcome == "fail"
    assert str(check).startswith("Fail: ECCE above 0.06 (errors by ecce): site = 1")
    assert "which the mean distance may exceed" in " ".join(str(check.table()).split())
    assert "adjusted p-value of calibration" in str(check.gates[0])
    passed = fot.check_calibration(y, np.where(by["site"] == 1, p**0.6, p), by=by["sex"], adjust="max", max_error=0.2)
    assert str(passed).startswith("Pass: ECCE at most 0.2 (errors by ecce)")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_error": 0.1, "slope": (0.8, 1.25)}, "slope must be left out with adjust='max'"),
        ({"max_error": 0.1, "family": "platt"}, "family must be left out with adjust='max'"),
        ({"max_error": 0.1, "by": None}, "adjust must be left out without by="),
        ({"max_error": 0.1, "adjust": "holm"}, "adjust must be one of 'bonferroni', 'max'"),
    ],
)
def test_gates_that_are_refused(settings, message):
    y, p, by = rows(60)
    with pytest.raises(ValueError, match=message):
        fot.check_calibration(y, p, **{"by": by, "adjust": "max", **settings})


def test_a_segment_without_rows_and_a_required_one_leave_the_gate_open():
    y, p, by = rows(400)
    w = (by["site"] != 3).astype(float)
    check = fot.check_calibration(
        y, p, by=by["site"], adjust="max", max_error=0.3, sample_weight=w, require=["9"], weights="counts"
    )
    assert {gate.name for gate in check.gates if gate.rows is None} == {"3", "9"}
    assert check.outcome == "undecided"


def test_the_scale_of_importances_means_nothing():
    y, p, by = rows(1500)
    w = np.random.default_rng(1).uniform(0.5, 2.0, y.size)
    scaled = (w, w / w.sum(), 100 * w)
    first, *others = (
        fot.evaluate(y, p, by=by, adjust="max", against="scores", sample_weight=v, null_draws=200) for v in scaled
    )
    assert first.adjusted_p_values()
    for other in others:
        assert list(other.maxima["ecce"].standardised) == list(first.maxima["ecce"].standardised) == list(other)
        assert other.adjusted_p_values() == first.adjusted_p_values()
        assert other.worst() == first.worst()
        for key, estimate in other.estimates["ecce"].items():
            assert estimate.interval.high == pytest.approx(first.estimates["ecce"][key].interval.high, rel=1e-6)
    gates = [fot.check_calibration(y, p, by=by, adjust="max", sample_weight=v, max_error=0.02) for v in scaled]
    for gate in gates:
        assert gate.outcome == "fail"
        assert [one.outcome for one in gate.gates] == [one.outcome for one in gates[0].gates]


@pytest.mark.exhaustive
def test_labels_that_contradict_certain_scores_refute_their_segment_alone():
    rng = np.random.default_rng(1)
    n = 3000
    site = rng.choice(["n", "s", "w"], n, p=[0.5, 0.4, 0.1])
    p = rng.uniform(0.05, 0.95, n)
    y = (rng.random(n) < p).astype(int)
    p[site == "w"], y[site == "w"] = 0.0, 1
    found = fot.evaluate(y, p, by={"site": site}, adjust="max", against="scores")
    assert found.adjusted_p_values()["w"] == pytest.approx(1 / 1001)
    assert found.worst()[0] == "w"
    assert found.maxima["ecce"].contradicted == ["w"]
    assert set(found.maxima["ecce"].standardised) == set(found) - {"w"}
    text = " ".join(str(found).split())
    assert text.startswith("Miscalibration is shown in 1 of 3 segments: w (")
    assert "refute the segments that they are in" in text
    # of a segment that overlaps, the other rows are tested as if those were not there
    half = {"half": np.where(np.arange(n) % 2, "odd", "even")}
    y[(site == "w") & (half["half"] == "odd")] = 0
    overlapping = fot.evaluate(y, p, by=half, adjust="max", against="scores")
    uncertain = site != "w"
    without = fot.evaluate(
        y[uncertain], p[uncertain], by={"half": half["half"][uncertain]}, adjust="max", against="scores"
    )
    assert overlapping.adjusted_p_values()["even"] == pytest.approx(1 / 1001)
    for key in ("even", "odd"):
        assert overlapping.maxima["ecce"].standardised[key] == pytest.approx(without.maxima["ecce"].standardised[key])
