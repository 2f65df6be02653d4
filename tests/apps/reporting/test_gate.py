"""The gate: outcomes of intervals, rows needed, levels of segments, and how outcomes are written."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.calibration_check import CalibrationCheck
from fitontest.apps.reporting.checked_rows import CheckedRows
from fitontest.apps.reporting.gate_outcome import Gate
from fitontest.apps.reporting.max_error import ErrorCriterion
from fitontest.measures.error_limits import ErrorLimits
from fitontest.measures.interval import ErrorInterval
from fitontest.uncertainty.joint import joint_test


def drawn(n=1000, power=1.0, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < p**power, p


Y, P = drawn()
ONE = fot.calibration_error(Y, P, family="platt")


def gate_of(name, found, limit, resolution=20):
    """Return the gate of many rows of each class, whose mean label says nothing more."""
    bounds = Bounds(0.0, 0.0, 1.0, False, False, 0.95)
    criterion = ErrorCriterion(most=limit).decided_in(bounds, found, resolution)
    return Gate(name, (criterion,), CheckedRows(found.n), 0.25)


def estimate(low, high, debiased, n=1000, persistent=0.0):
    """Return an estimate; errors of up to `persistent` may persist over 32 rows, and .2 over 2 rows."""
    interval = ErrorInterval(low, high, 0.95, target="true error", draws=50)
    noise = persistent**2 / 1.6448536269514722  # T = 0: all of B is noise
    limits = ErrorLimits((1.0, 16.0), (0.04, 0.0), (0.0, noise), 1000.0)
    return replace(ONE, n=n).with_uncertainty(debiased=debiased, interval=interval, limits=limits)


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.0, 0.05, "pass"), (0.0, 0.0501, "undecided"), (0.05, 0.09, "undecided"), (0.0501, 0.09, "fail")],
)
def test_the_interval_decides(low, high, outcome):
    gate = gate_of("all rows", estimate(low, high, (low + high) / 2), 0.05)
    assert gate.outcome == outcome
    assert (gate.rows_needed is None) == (outcome != "undecided")


def test_the_rows_needed_bring_the_interval_off_the_limit():
    """Half of the interval shrinks as one over the root of the rows: .04 to the distance of .02 takes four times."""
    assert gate_of("a", estimate(0.0, 0.07, 0.03), 0.05).rows_needed == 4000
    assert gate_of("a", estimate(0.03, 0.11, 0.07), 0.05).rows_needed == 4000
    assert gate_of("a", estimate(0.0, 0.13, 0.07), 0.05).rows_needed == pytest.approx(
        1000 * (0.07 / 0.02) ** 2, rel=0.1
    )
    assert gate_of("a", estimate(0.0, 0.6, 0.05), 0.05).rows_needed is None
    assert gate_of("a", estimate(0.0, 0.6, 0.0501), 0.05).rows_needed is None
    assert gate_of("a", estimate(0.0, 0.7, 0.6, n=1), 0.05).rows_needed == 50
    assert "about 4,000 rows would" in str(gate_of("a", estimate(0.0, 0.07, 0.03), 0.05))
    assert str(gate_of("a", estimate(0.0, 0.6, 0.05), 0.05)).startswith(
        "Cannot tell at 0.05 with 1,000 rows: they can show 0.6 at best; how many rows would tell cannot be said. (A "
        "limit is set before the rows are seen.); calibration error 0.000 to 0.600 (95 % CI); "
    )
    assert gate_of("a", estimate(0.0, 0.1491, 0.06), 0.05).rows_needed == 80_000
    assert gate_of("a", estimate(0.0, 0.1591, 0.059), 0.05).rows_needed is None  # more than 100 times the rows


def test_errors_that_may_persist_decide_as_well():
    """A gate passes only if the limit at its resolution is kept too; that alone never makes it fail."""
    waves = gate_of("a", estimate(0.0, 0.04, 0.02, persistent=0.06), 0.05)
    assert (waves.outcome, waves.persistent.value, waves.persistent.share) == ("undecided", pytest.approx(0.06), 0.032)
    assert waves.headline.startswith(
        "Cannot tell at 0.05 with 1,000 rows: they can show 0.06 at best; about 1,800 rows would tell."
    )
    assert waves.rows_needed == 1800  # 1.2 * 1,000 * (.06 / .05)^2 = 1,728
    assert waves.details[0] == (
        "calibration error 0.000 to 0.040 (95 % CI); errors of up to 0.060 that persist over 3.2 % of the rows cannot "
        "be ruled out"
    )
    kept = gate_of("a", estimate(0.0, 0.04, 0.02, persistent=0.05), 0.05)
    assert kept.outcome == "pass"
    assert str(kept).endswith("no error above 0.05 persists over 3.2 % of the rows or more")
    assert gate_of("a", estimate(0.0, 0.04, 0.02, persistent=0.06), 0.05, None).outcome == "pass"
    assert gate_of("a", estimate(0.06, 0.09, 0.07, persistent=0.0), 0.05).outcome == "fail"
    # between two scales the smaller one is taken: fewer rows per window, and a larger limit
    assert gate_of("a", estimate(0.0, 0.04, 0.02), 0.05, 40).persistent.value == pytest.approx(0.2)
    assert gate_of("a", estimate(0.0, 0.04, 0.02), 0.05).persistent.value == 0.04  # at least the end of the interval


@pytest.mark.exhaustive
def test_an_error_of_a_few_rows_is_not_promised_to_pass():
    """B tends to the root mean square, .050 here, which is above a limit that the mean of .025 keeps."""
    rng = np.random.default_rng(0)
    p = rng.random(8000)
    y = rng.random(8000) < np.where(p < 0.25, p + 0.1, p)
    (gate,) = fot.check_calibration(y, p, max_error=0.04).gates
    assert (gate.outcome, gate.rows_needed) == ("undecided", None)
    assert gate.interval.high < 0.04  # so that it is not the estimate that is near the limit
    assert "how many rows would tell cannot be said" in gate.headline


def test_one_row_excludes_nothing():
    """A row without a near one has no pair: no error of it is ruled out."""
    by = ["many"] * 1000 + ["one"]
    found = fot.check_calibration(np.append(Y, 1), np.append(P, 0.87), max_error=0.2, by=by)
    one = found.gates[1]
    assert (one.outcome, one.persistent.share) == ("undecided", 1.0)
    assert one.persistent.value >= 0.87
    assert "e+" not in str(found)


def test_waves_do_not_pass():
    """Eight waves of .058 on average: an isotonic map sees little of them, and its interval alone would pass."""
    rng = np.random.default_rng(11)
    p = rng.random(4000)
    ends = np.clip(np.minimum(p, 1 - p) / 0.1, 0, 1)
    y = rng.random(4000) < p + 0.1 * np.sin(16 * np.pi * p) * ends
    strict = fot.check_calibration(y, p, max_error=0.05)
    assert strict.outcome != "pass"
    assert strict.gates[0].persistent.value > 0.058


def test_the_joint_p_value_is_carried_and_decides_nothing():
    (gate,) = fot.check_calibration(Y, P, max_error=0.2, random_state=4).gates
    assert gate.p_value == joint_test(fot.ScoreSample(Y, P), 200, 4).p_value
    assert gate.record()["joint_p_value"] == gate.p_value
    assert "calibrated" not in str(gate)


def check_of(*outcomes):
    spans = {"pass": (0.0, 0.04), "undecided": (0.0, 0.09), "fail": (0.06, 0.09)}
    gates = [gate_of(f"<{k}>", estimate(*spans[one], 0.03), 0.05) for k, one in enumerate(outcomes)]
    return CalibrationCheck(tuple(gates), "platt")


def test_one_failure_fails_and_one_open_question_leaves_it_open():
    assert check_of("pass", "pass").outcome == "pass"
    assert check_of("pass", "undecided").outcome == "undecided"
    assert check_of("undecided", "fail", "pass").outcome == "fail"
    with pytest.raises(TypeError, match="three outcomes"):
        bool(check_of("pass"))


def test_junit_counts_failures_and_open_questions():
    suite = ElementTree.fromstring(check_of("pass", "undecided", "fail", "fail").to_junit().encode())
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "4",
        "failures": "2",
        "errors": "1",
    }
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["<0>", "<1>", "<2>", "<3>"]
    assert [[child.tag for child in case] for case in cases] == [["system-out"], ["error"], ["failure"], ["failure"]]
    assert cases[0][0].text.startswith("Pass: calibration error 0.000 to 0.040 (95 % CI) is at most 0.05; by platt; ")
    assert cases[1][0].get("message").startswith("Cannot tell at 0.05 with 1,000 rows: they can show 0.09 at best; ")


def test_the_table_of_segments():
    title, header, _, *rows = str(check_of("pass", "undecided")).splitlines()
    assert title == "Cannot tell: calibration error may be above or below 0.05 (errors by platt): <1>"
    expected = "segment outcome error (95 % CI) persistent joint p-value n rows needed"
    assert header.split() == expected.split()
    assert rows[0].split() == ["<0>", "pass", "0.000", "to", "0.040", "0.040", "0.25", "1,000", "-"]
    assert rows[-1] == "persistent: errors up to there that persist over 3.2 % of the rows cannot be excluded."
    assert check_of("pass", "fail").to_frame()["outcome"].tolist() == ["pass", "fail"]


def test_the_interval_is_that_of_the_error():
    found = fot.check_calibration(Y, P, max_error=0.2, level=0.9, family="platt", random_state=3)
    expected = fot.calibration_error(Y, P, family="platt", interval="always", level=0.9, random_state=3)
    assert found.outcome == "pass"
    assert found.gates[0].estimate.interval == expected.interval
    assert found.to_dict()["gates"][0]["high"] == expected.interval.high


def test_outcomes_of_planted_errors():
    bold = drawn(power=2.0)
    assert fot.check_calibration(*bold, max_error=0.05).outcome == "fail"
    assert fot.check_calibration(*bold, max_error=0.3).outcome == "pass"
    assert fot.check_calibration(*drawn(100), max_error=0.02).outcome == "undecided"


@pytest.mark.exhaustive
def test_segments_share_the_level():
    region = np.array(["north", "south"])[np.arange(1000) % 2]
    found = fot.check_calibration(Y, P, max_error=0.1, by=region, family="platt")
    assert [gate.name for gate in found.gates] == ["north", "south"]
    south = fot.calibration_error(Y[1::2], P[1::2], family="platt", interval="always", level=0.975)
    assert found.gates[1].estimate.interval.level == pytest.approx(0.975)
    assert found.gates[1].estimate.interval.high == pytest.approx(south.interval.high)
    by_cells = {name: fot.Cells.of(Y[region == name], P[region == name], exact=True) for name in ("north", "south")}
    of_cells = fot.check_calibration(by_cells, max_error=0.1, family="platt")
    assert [gate.outcome for gate in of_cells.gates] == [gate.outcome for gate in found.gates]
    assert of_cells.gates[0].estimate.value == pytest.approx(found.gates[0].estimate.value)


def test_segments_of_one_class_cannot_tell():
    y, p = np.array([1, 1, 1, 0, 1, 0]), np.array([0.5, 0.6, 0.4, 0.5, 0.6, 0.4])
    found = fot.check_calibration(y, p, max_error=0.05, by=["a"] * 3 + ["b"] * 3)
    assert found.outcome == "undecided"


def test_cells_and_the_confidence_are_checked():
    assert fot.check_calibration(fot.Cells.of(Y, P), max_error=0.2, family="platt").outcome == "pass"
    found = fot.check_calibration(
        Y.astype(int), np.column_stack((1 - P, P)), max_error=0.3, family="platt", reduction="confidence"
    )
    assert found.gates[0].estimate.reduction == "confidence"


def test_classes_have_outcomes_that_hold_together():
    rng = np.random.default_rng(2)
    truth = rng.dirichlet([1, 1, 1], 900)
    y = (rng.random(900)[:, None] > truth.cumsum(axis=1)).sum(axis=1)
    scores = truth + np.array([0, 1, 0])  # the second class has most of it, whatever the truth
    scores /= scores.sum(axis=1, keepdims=True)
    options = {"max_error": 0.15, "family": "platt"}
    found = fot.check_calibration(y, scores, reduction="classwise", **options)
    assert [gate.name for gate in found.gates] == ["0", "1", "2"]
    for k, gate in enumerate(found.gates):
        alone = fot.check_calibration(y == k, scores[:, k], level=1 - 0.05 / 3, **options)
        assert (gate.interval, gate.outcome) == (alone.gates[0].interval, alone.outcome)
    assert found.gates[1].outcome == found.outcome == "fail"
    cells = fot.data.ClassCells({k: fot.Cells.of(y == k, scores[:, k], exact=True) for k in range(3)})
    of_cells = fot.check_calibration(cells, **options)
    assert [gate.outcome for gate in of_cells.gates] == [gate.outcome for gate in found.gates]
    assert of_cells.kind == "class"
    assert str(found).splitlines()[1].split()[:2] == ["class", "outcome"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_error": 0}, "max_error must be a fraction in .0, 1. such as 0.02, never percent; got 0"),
        ({"max_error": True}, "max_error must be"),
        ({"max_error": 0.1, "level": 1}, "level must be a number in"),
        ({"max_error": 0.1, "resolution": 3}, "resolution must be a number of at least 20"),
        ({"max_error": 0.1, "resolution": "fine"}, "resolution must be a number of at least 20"),
        ({"max_error": 0.1, "family": "none such"}, "family must be"),
        ({"max_error": 0.1, "reduction": "classwise"}, "y_prob must be a matrix"),
        (
            {"max_error": 0.1, "reduction": "classwise", "by": ["a"] * 1000},
            "by must be left out with reduction",
        ),
        ({"max_error": 0.1, "reduction": "canonical"}, "y_prob must be a matrix"),
        ({"max_error": 0.1, "by": ["a"]}, "by"),
        ({"max_error": 0.1, "family": fot.maps.IdentityMap()}, "family must be"),
        (
            {"max_error": 0.1, "family": "identity"},
            "family must be fitted to the labels, got identity, whose error is 0",
        ),
        ({"max_error": 0.1, "require": ["north"]}, r"require must be left out without by=, .*; got \['north'\]"),
        ({"max_error": 0.1, "require": "north"}, "require must be a list of names of segments, got 'north'"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        fot.check_calibration(Y, P, **options)


def test_assert_calibrated_raises_what_the_gate_says():
    fot.assert_calibrated(Y, P, max_error=0.2, family="platt")
    with pytest.raises(
        AssertionError, match=r"^Fail: calibration error 0.* \(95 % CI .*\) is above 0.05\n.* n = 1,000; joint p"
    ):
        fot.assert_calibrated(*drawn(power=2.0), max_error=0.05, family="platt")
    few = drawn(100)
    with pytest.raises(AssertionError, match=r"^Cannot tell at 0.02 with 100 rows: they can show 0\.\d+ at best; "):
        fot.assert_calibrated(*few, max_error=0.02, family="platt")
    fot.assert_calibrated(*few, max_error=0.02, family="platt", undecided="pass")
    with pytest.raises(ValueError, match="undecided must be one of"):
        fot.assert_calibrated(*few, max_error=0.02, undecided="skip")


def test_a_segment_without_events_never_passes_for_that():
    """Labels redrawn from a truth without positives do not vary, so that their interval is too narrow."""
    p = np.full(200, 0.001)
    (gate,) = fot.check_calibration(np.zeros(200), p, max_error=0.005).gates
    assert gate.outcome == "undecided"
    assert gate.interval.high >= 1 - 0.025 ** (1 / 200) - 0.001  # of Clopper and Pearson without a positive
    many = fot.check_calibration(np.zeros(20_000), np.full(20_000, 0.001), max_error=0.005)
    assert many.outcome == "pass"


def test_few_rows_fail_only_if_the_means_alone_say_so():
    assert fot.check_calibration([0], [0.9], max_error=0.05).outcome == "undecided"
    assert fot.check_calibration([0] * 20, [0.9] * 20, max_error=0.05).outcome == "fail"


def test_a_segment_in_which_nothing_varies_does_not_stop_the_others():
    y, p = np.append(Y, [0, 0]), np.append(P, [0.0, 0.0])
    by = np.append(np.repeat("many", 1000), ["none", "none"])
    found = {gate.name: gate for gate in fot.check_calibration(y, p, max_error=0.1, by=by).gates}
    assert found["many"].outcome == "pass"
    assert found["none"].outcome == "undecided"
    assert found["none"].interval.high == 1.0
    assert found["none"].interval.level == pytest.approx(0.975)


def test_junit_holds_no_character_that_xml_must_not():
    by = np.where(np.arange(1000) % 2, "a\x01\uffff\u202e", "b")
    suite = ElementTree.fromstring(fot.check_calibration(Y, P, max_error=0.5, by=by).to_junit().encode())
    assert [case.get("name") for case in suite] == ["a\\x01\N{REPLACEMENT CHARACTER}\\u202e", "b"]


REGIONS = np.resize(["east", "north", "south"], Y.size)
ABSENT = np.where(REGIONS == "south", 0.0, 1.0)  # the weights that take a segment out


def without_south(kind):
    """Return what a gate takes, of rows or of cells, in which all rows of a segment have weight 0."""
    if kind == "rows":
        return (Y, P), {"by": REGIONS, "sample_weight": ABSENT}
    frame = pd.DataFrame({"y": Y, "p": P, "region": REGIONS, "w": ABSENT})
    return (fot.Cells.of_frame(frame, label="y", prob="p", weight="w", by="region"),), {}


@pytest.mark.parametrize("kind", ["rows", "cells"])
def test_a_segment_of_weight_zero_has_no_rows_and_leaves_the_outcome_open(kind):
    given, options = without_south(kind)
    found = fot.check_calibration(*given, max_error=0.3, family="platt", **options)
    assert found.outcome == "undecided"
    assert {gate.name: gate.outcome for gate in found.gates} == {"east": "pass", "north": "pass", "south": "undecided"}
    gate = found.gates[2]
    assert (gate.n, gate.estimate, gate.interval, gate.p_value) == (0, None, None, None)
    assert str(gate) == "Cannot tell: no rows, limit 0.3"
    line = next(line for line in str(found).splitlines() if line.startswith("south"))
    assert line.split() == ["south", "no", "rows", "-", "-", "-", "0", "-"]
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))["gates"][2]
    assert (record["name"], record["outcome"], record["n"], record["error"], record["low"]) == (
        *("south", "undecided", 0),
        *(None, None),
    )
    error = ElementTree.fromstring(found.to_junit()).find("testcase[@name='south']/error")
    assert error.get("message") == str(gate)
    with pytest.raises(AssertionError, match=r"south +no rows"):
        fot.assert_calibrated(*given, max_error=0.3, family="platt", **options)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["rows", "cells"])
def test_required_segments_that_are_absent_leave_the_outcome_open(kind):
    given, options = without_south(kind)
    options |= {"max_error": 0.3, "family": "platt"}
    found = fot.check_calibration(*given, require=["west", "north", "south", "west"], **options)
    assert [gate.name for gate in found.gates] == ["east", "north", "south", "west"]
    with pytest.raises(AssertionError, match=r"west +no rows"):
        fot.assert_calibrated(*given, require=["west"], **options)
    kept = ABSENT > 0
    there = fot.check_calibration(Y[kept], P[kept], by=REGIONS[kept], require=["east"], max_error=0.3, family="platt")
    assert there.outcome == "pass"


@pytest.mark.exhaustive
def test_required_segments_are_named_as_they_are_printed():
    by = pd.DataFrame({"region": REGIONS, "year": np.resize([2023, 2024], Y.size)})
    found = fot.check_calibration(
        Y, P, by=by, require=["north, 2024", ("south", 2023), "north, 2025"], max_error=0.5, family="platt"
    )
    assert [gate.name for gate in found.gates if not gate.n] == ["north, 2025"]
    years = fot.check_calibration(Y, P, by=by.year, require=[2023, 2025], max_error=0.5, family="platt")
    assert [gate.name for gate in years.gates if not gate.n] == ["2025"]


def test_classes_are_never_required():
    scores = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    with pytest.raises(ValueError, match="require must be left out with reduction='classwise'"):
        fot.check_calibration(
            np.arange(300) % 3, scores, reduction="classwise", require=["0"], max_error=0.1, family="platt"
        )


@pytest.mark.exhaustive
def test_required_segments_may_be_named_as_other_readers_print_them():
    days = pd.to_datetime(np.resize(["2024-01-01", "2024-01-02"], Y.size))
    for by, require in ((REGIONS == "east", ["true", "False"]), (np.resize([1.0, 2.0], Y.size), [1, "2"])):
        found = fot.check_calibration(Y, P, by=by, require=require, max_error=0.5, family="platt")
        assert all(gate.n for gate in found.gates)
    found = fot.check_calibration(Y, P, by=days, require=["2024-01-01", "2024-01-03"], max_error=0.5, family="platt")
    assert [gate.name for gate in found.gates if not gate.n] == ["2024-01-03"]


def test_the_line_says_why_it_is_isotonic():
    text = str(fot.check_calibration(Y, P, max_error=0.2, resolution=None))
    assert "By isotonic, whose intervals hold where the error jumps, too; n = 1,000" in text
