"""Gates with limits of the calibration slope: what decides, with what levels, and what is printed."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import fitontest as fot
from fitontest.apps.reporting.criterion import Levels
from fitontest.numerics.links import logit, sigmoid
from fitontest.uncertainty.tendency import tendency_of

RANGE = (0.8, 1.25)


def drawn(n=2000, slope=1.0, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < sigmoid(slope * logit(p, 1e-12)), p


Y, P = drawn(1500)


@pytest.mark.parametrize(
    ("slope", "n", "outcome"), [(1.0, 3000, "pass"), (0.6, 3000, "fail"), (1.7, 3000, "fail"), (1.0, 100, "undecided")]
)
def test_the_interval_of_the_slope_decides(slope, n, outcome):
    y, p = drawn(n, slope)
    check = fot.check_calibration(y, p, slope=RANGE)
    (criterion,) = check.gates[0].criteria
    interval = tendency_of(fot.ScoreSample(y, p), 0.95).slope_interval
    assert (check.outcome, criterion.interval) == (outcome, interval)
    inside = RANGE[0] <= interval.low and interval.high <= RANGE[1]
    outside = interval.high < RANGE[0] or interval.low > RANGE[1]
    assert (inside, outside) == (outcome == "pass", outcome == "fail")
    assert (check.family, check.gates[0].estimate, check.gates[0].p_value) == (None, None, None)


def test_rows_needed_bring_the_half_of_the_interval_to_the_nearer_limit():
    y, p = drawn(300)
    (gate,) = fot.check_calibration(y, p, slope=RANGE).gates
    interval = gate.criteria[0].interval
    slope = gate.criteria[0].slope
    times = ((interval.high - interval.low) / 2 / min(slope - RANGE[0], RANGE[1] - slope)) ** 2
    assert gate.outcome == "undecided"
    assert gate.rows_needed == pytest.approx(max(300 * times, 360), rel=0.1)
    assert f"about {gate.rows_needed:,} rows would tell" in str(gate)


def test_the_line_of_one_limit():
    text = str(fot.check_calibration(*drawn(3000, 0.6), slope=RANGE))
    assert text.startswith("Fail: calibration slope 0.57 (95 % CI 0.52 to 0.62) is below 0.8\n")
    assert "\nSlope of the line logit c = a + b logit p; n = 3,000." in text
    assert "above 1.25" in str(fot.check_calibration(*drawn(3000, 1.7), slope=RANGE))


def test_every_limit_must_pass_and_one_fails_by_a_wider_interval():
    check = fot.check_calibration(Y, P, max_error=0.05, slope=RANGE, resolution=None)
    alone = fot.check_calibration(Y, P, max_error=0.05, resolution=None)
    of_error, of_slope = check.gates[0].criteria
    assert check.outcome == "pass"
    assert check.gates[0].interval == alone.gates[0].interval
    assert [criterion.interval.level for criterion in (of_error, of_slope)] == [0.95, 0.95]
    failing = fot.check_calibration(*drawn(800, 0.4), max_error=0.3, slope=RANGE, resolution=None)
    of_error, of_slope = failing.gates[0].criteria
    assert (of_error.outcome, of_slope.outcome, failing.outcome) == ("pass", "fail", "fail")
    assert (of_error.interval.level, of_slope.interval.level) == (0.95, pytest.approx(0.975))
    assert failing.gates[0].headline == "Fail: calibration slope below 0.8"


def test_a_limit_that_only_the_narrow_interval_breaks_is_open():
    """The 95 % interval lies below the range, that of 97.5 % does not."""
    y, p = drawn(600, 0.7, seed=3)
    narrow, wide = (tendency_of(fot.ScoreSample(y, p), level).slope_interval for level in (0.95, 0.975))
    least = (narrow.high + wide.high) / 2
    alone = fot.check_calibration(y, p, slope=(least, 1.5))
    both = fot.check_calibration(y, p, slope=(least, 1.5), max_error=0.5, resolution=None)
    (criterion,) = (each for each in both.gates[0].criteria if each.argument == "slope")
    assert (alone.outcome, criterion.outcome, both.outcome) == ("fail", "undecided", "undecided")
    assert criterion.interval == wide
    reason = "its 95 % interval is outside, but the 97.5 % interval, by which one of 2 limits fails, is not"
    assert reason in str(both.gates[0])
    assert reason in " ".join(str(both).split())


def test_levels_share_segments_and_limits():
    assert Levels.of(0.95, 1, 1) == Levels(0.95, 0.95, 1)
    levels = Levels.of(0.95, 2, 3)
    assert (levels.to_pass, levels.to_fail) == (pytest.approx(0.975), pytest.approx(1 - 0.05 / 6))


def test_the_table_of_several_limits():
    text = str(fot.check_calibration(Y, P, max_error=0.2, slope=RANGE, resolution=None))
    title, header, _, error, slope, *notes = text.splitlines()
    assert title == "Pass: calibration error at most 0.2, calibration slope within 0.8 to 1.25"
    assert header.split() == ["limit", "outcome", "value", "rows", "needed"]
    assert error.startswith("calibration error, limit 0.2 ")
    assert slope.startswith("calibration slope, limits 0.8 to 1.25 ")
    assert "(95 % CI 0." in slope
    levels = "Each limit passes by its 95 % interval, and fails by its 97.5 % interval, since there are 2."
    assert levels in notes


def test_segments_and_missing_ones_have_each_limit():
    by = np.resize(["north", "south"], Y.size)
    check = fot.check_calibration(Y, P, max_error=0.2, slope=RANGE, by=by, require=["west"], resolution=None)
    assert [gate.name for gate in check.gates] == ["north", "south", "west"]
    assert [criterion.outcome for criterion in check.gates[2].criteria] == ["undecided", "undecided"]
    assert str(check).splitlines()[0] == "Cannot tell: no rows (west)"
    assert check.gates[2].headline == "Cannot tell: no rows, limit 0.2, limits 0.8 to 1.25"
    assert {criterion.interval.level for gate in check.gates[:2] for criterion in gate.criteria} == {0.975}
    assert len(check.to_frame()) == 6
    assert check.to_frame()["limit"].tolist() == ["max_error", "slope"] * 3


def test_records_and_test_cases_are_of_each_limit():
    check = fot.check_calibration(*drawn(800, 0.4), max_error=0.3, slope=RANGE, resolution=None)
    record = json.loads(check.to_json())["gates"][0]
    assert record["outcome"] == "fail"
    assert record["max_error"] == 0.3
    of_error, of_slope = record["limits"]
    assert (of_error["limit"], of_error["most"], of_error["low"]) == ("max_error", 0.3, record["low"])
    assert (of_slope["limit"], of_slope["least"], of_slope["most"], of_slope["outcome"]) == ("slope", 0.8, 1.25, "fail")
    suite = ElementTree.fromstring(check.to_junit().encode())
    assert [case.get("name") for case in suite] == ["all rows: calibration error", "all rows: calibration slope"]
    assert [case[0].tag for case in suite] == ["system-out", "failure"]
    one = fot.check_calibration(Y, P, max_error=0.3, resolution=None)
    assert [limit["limit"] for limit in one.to_dict()["gates"][0]["limits"]] == ["max_error"]


def test_labels_that_contradict_certain_scores_fail_whatever_the_slope_of_the_others():
    p = np.where(P < 0.1, 0.0, P)
    (gate,) = fot.check_calibration(Y, p, slope=RANGE).gates
    interval = gate.criteria[0].interval
    assert RANGE[0] < interval.low < interval.high < RANGE[1]
    assert gate.outcome == "fail"
    assert gate.headline == (
        "Fail: calibration slope 1.00 (95 % CI 0.88 to 1.12) is excluded, since labels contradict scores of exactly 0"
    )
    assert "without scores of exactly 0 (10 % of the weight)" in str(gate)
    assert "more than none" in str(gate)
    right = fot.check_calibration(np.where(p == 0, 0, Y), p, slope=RANGE)
    assert right.outcome == "pass"
    assert "without scores of exactly 0 (10 % of the weight)" in str(right)


def test_rounding_to_a_grid_may_bring_about_wrong_labels_of_certain_scores():
    y, p = drawn(3000)
    rounded = np.round(p, 1)
    assert y[rounded == 0].sum() > 0
    (gate,) = fot.check_calibration(y, rounded, slope=RANGE).gates
    assert gate.outcome == "pass"
    assert "which rounding to steps of 0.100 may have brought about" in str(gate)


def test_an_infinite_slope_fails_where_its_interval_leaves_out_the_range():
    for labels, place, low, high in ((P > 0.4, "above 1.25", True, False), (P < 0.4, "below 0.8", False, True)):
        check = fot.check_calibration(labels, P, slope=RANGE)
        (record,) = check.to_dict()["gates"][0]["limits"]
        assert (check.outcome, record["value"]) == ("fail", None)
        assert (record["low"] is not None, record["high"] is not None) == (low, high)
        assert str(check).startswith(f"Fail: calibration slope {'inf' if low else '-inf'} (95 % CI ")
        assert f") is {place}\n" in str(check)
    sharp = np.where(np.arange(60) % 2, 0.99, 0.01) + 1e-3 * P[:60]  # which separated labels do not contradict
    open_ = fot.check_calibration(sharp > 0.5, sharp, slope=RANGE)
    assert open_.outcome == "undecided"
    assert "How many rows would tell cannot be said." in str(open_)


@pytest.mark.parametrize(
    ("y", "p", "outcome", "reason"),
    [
        (Y, np.full(Y.size, 0.3), "undecided", "all scores between 0 and 1 are one value"),
        (Y[:12], P[:12], "undecided", "a class has fewer than 10 rows of a score between 0 and 1"),
        (P > 0.5, np.round(P), "undecided", "all scores are exactly 0 or 1"),
        (Y, np.round(P), "fail", "all scores are exactly 0 or 1, and labels contradict scores of exactly 0 and 1"),
    ],
)
def test_without_a_slope_the_reason_is_said(y, p, outcome, reason):
    check = fot.check_calibration(y, p, slope=RANGE)
    assert check.outcome == outcome
    assert check.gates[0].headline.endswith(f": no slope, since {reason}; limits 0.8 to 1.25")
    assert check.to_dict()["gates"][0]["limits"][0]["reason"] == f"no slope, since {reason}"
    both = fot.check_calibration(y, p, slope=RANGE, max_error=0.99, resolution=None)
    assert f"Calibration slope: no slope, since {reason}." in " ".join(str(both).split())
    excluded = "excluded, since labels contradict" if outcome == "fail" else "may be inside or outside 0.8 to 1.25"
    assert f"calibration slope {excluded}" in both.gates[0].headline


def test_groups_widen_the_interval_and_too_few_leave_it_open():
    group = np.arange(Y.size)
    few = fot.check_calibration(Y, P, slope=RANGE, groups=group % 5)
    assert few.outcome == "undecided"
    assert few.gates[0].headline.startswith("Cannot tell: dependence cannot be learnt from fewer than 10 groups (got 5")
    copies = np.repeat(group[:400], 5)
    y, p = Y[:400].repeat(5), P[:400].repeat(5)
    grouped = fot.check_calibration(y, p, slope=RANGE, groups=copies)
    with pytest.warns(UserWarning, match="groups="):
        plain = fot.check_calibration(y, p, slope=RANGE)
    widths = [check.gates[0].criteria[0].interval for check in (grouped, plain)]
    assert widths[0].high - widths[0].low > 2 * (widths[1].high - widths[1].low)
    assert "groups: 400" in str(grouped).lower()


def test_weights_are_repetitions_and_kinds_of_data_agree():
    w = np.random.default_rng(1).integers(1, 4, Y.size)
    (weighted,) = fot.check_calibration(Y, P, slope=RANGE, sample_weight=w, weights="counts").gates
    with pytest.warns(UserWarning, match="look like copies"):
        (repeated,) = fot.check_calibration(Y.repeat(w), P.repeat(w), slope=RANGE).gates
    for name in ("low", "high"):
        ends = (getattr(gate.criteria[0].interval, name) for gate in (weighted, repeated))
        assert next(ends) == pytest.approx(next(ends), rel=1e-9)
    p = np.column_stack((1 - P, P))
    classes = fot.check_calibration(Y.astype(int), p, slope=RANGE, reduction="classwise")
    assert [gate.name for gate in classes.gates] == ["0", "1"]
    assert classes.gates[0].criteria[0].slope == pytest.approx(classes.gates[1].criteria[0].slope)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "max_error must be a number where there is no other limit, slope= or max_decision_loss=; got None"),
        *(
            ({"slope": slope}, "slope must be two finite numbers, the least slope in .0, 1. and a larger one of at l")
            for slope in [(0.8,), 1.0, "ab", (0.0, 2.0), (1.1, 1.2), (0.5, 0.9), (1, 1), (0.8, np.inf), (0.8, np.nan)]
        ),
        ({"slope": RANGE, "family": "platt"}, "family must be left out where no error has a limit, got 'platt'"),
        ({"slope": RANGE, "resolution": 40}, "resolution must be left out without max_error=, got 40"),
    ],
)
def test_bad_limits_are_refused(options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fot.check_calibration(Y, P, **options)


def test_whole_distributions_have_no_slope():
    p = np.column_stack((1 - P, P))
    with pytest.raises(ValueError, match=r"^slope must be left out with reduction='canonical'"):
        fot.check_calibration(Y.astype(int), p, slope=RANGE, max_error=0.1, reduction="canonical")


def test_assertions_take_the_same_limits():
    fot.assert_calibrated(Y, P, slope=RANGE)
    with pytest.raises(AssertionError, match=r"^Fail: calibration slope 0\.46 .* is below 0\.8"):
        fot.assert_calibrated(*drawn(3000, 0.5), slope=RANGE)
    with pytest.raises(ValueError, match="max_error must be a number where"):
        fot.assert_calibrated(Y, P)
