"""Gates on rows that belong to groups: what they print, count and record."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import fitontest as fot
from fitontest.apps.reporting.calibration_check import CalibrationCheck
from fitontest.apps.reporting.gate_outcome import Gate
from fitontest.apps.reporting.max_error import ErrorCriterion
from fitontest.data.dependence import Dependence
from fitontest.data.known_groups import KnownGroups
from fitontest.data.row_groups import GroupSizes
from fitontest.data.segment_names import NO_ROWS

RNG = np.random.default_rng(0)
P = RNG.random(300)
Y = (RNG.random(300) < P).astype(int)
DEPENDENCE = Dependence(100, 300, 100.0, 100, 0.052, 0.036, 0.04, 0.01, 0.03, 1.46)
KNOWN = KnownGroups(GroupSizes(100, 300, 100.0, 100, 3, 3.0, 3), DEPENDENCE)
TOO_FEW = KnownGroups(GroupSizes(6, 300, 6.0, 6, 50, 50.0, 50))
FEW = KnownGroups(GroupSizes(14, 300, 14.0, 14, 21, 21.0, 22), DEPENDENCE)


@pytest.fixture(scope="module")
def undecided():
    (gate,) = fot.check_calibration(Y, P, max_error=0.05).gates
    return gate


def changed(gate, groups, **criterion):
    """Return the gate with other groups, and other attributes of its criterion."""
    (of_error,) = gate.criteria
    return replace(gate, rows=replace(gate.rows, groups=groups), criteria=(replace(of_error, **criterion),))


def open_gate(gate):
    """Return the gate of rows of too few groups."""
    nothing = dict.fromkeys(("interval", "rows_needed", "persistent"))
    return replace(changed(gate, TOO_FEW, outcome="undecided", reason=TOO_FEW.refusal, **nothing), p_value=None)


def test_rows_needed_are_counted_in_groups_too(undecided):
    gate = changed(undecided, KNOWN, rows_needed=5200)
    text = str(CalibrationCheck((gate,), "isotonic"))
    assert gate.criteria[0].told_by(KNOWN) == "about 5,200 rows, that is 1,734 groups, would tell"
    assert text.count("Groups: 100 (3 rows each), rho 0.05 +- 0.04, design effect 1.5") == 1
    assert "independent" not in text
    assert gate.record()["groups_needed"] == 1734
    assert (gate.record()["groups"], gate.record()["rho"]) == (100, 0.052)
    assert "groups" not in undecided.record()


def test_too_few_groups_leave_the_outcome_open_and_say_why(undecided):
    check = CalibrationCheck((open_gate(undecided),), "isotonic")
    first, second, *others = str(check).splitlines()
    assert first == (
        "Cannot tell: dependence cannot be learnt from fewer than 10 groups (got 6 effective): no interval, no p-value;"
    )
    assert second.startswith("calibration error 0.")
    assert second.endswith(", limit 0.05")
    assert "Groups: 6 (50 rows each)." in "\n".join(others)
    assert not any(word in "\n".join(others) for word in ("interval", "p-value of", "would tell", "independent"))
    record = json.loads(check.to_json())["gates"][0]
    assert [record[name] for name in ("outcome", "low", "joint_p_value", "rows_needed", "groups_needed")] == [
        "undecided",
        None,
        None,
        None,
        None,
    ]
    assert "cannot be learnt" in record["note"]
    assert 'type="undecided"' in check.to_junit()


def test_several_gates_have_columns_of_groups_and_notes_on_each(undecided):
    gates = (
        replace(changed(undecided, replace(FEW), rows_needed=5200), name="north"),
        replace(open_gate(undecided), name="south"),
        Gate("west", (ErrorCriterion(reason=NO_ROWS, most=0.05),)),
    )
    text = str(CalibrationCheck(gates, "isotonic"))
    lines = text.splitlines()
    assert lines[1].split()[-4:] == ["groups", "rho", "rows", "needed"]
    north, south, west = (
        next(line for line in lines if line.startswith(f"{name} ")) for name in ("north", "south", "west")
    )
    assert north.endswith("14  0.05  5,200 (243 groups)")
    assert south.split()[-4:] == ["300", "6", "-", "-"]
    assert west.split()[-4:] == ["0", "-", "-", "-"]
    assert "north: few groups (14)" in text
    assert "south: dependence cannot be learnt from fewer than 10 groups (got 6 effective)" in text
    assert "independent" not in text


def test_one_gate_of_few_groups_has_a_note(undecided):
    text = str(CalibrationCheck((changed(undecided, FEW),), "isotonic"))
    assert text.count("Few groups (14): rho is hardly known") == 1


def clustered(groups, rows, seed=0):
    """Return labels, calibrated scores and groups; labels of a group have a latent correlation of .3."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), rows)
    p = rng.random(group.size)
    latent = np.sqrt(0.3) * rng.standard_normal(groups)[group] + np.sqrt(0.7) * rng.standard_normal(group.size)
    return ndtr(latent) < p, p, group


@pytest.mark.exhaustive
def test_a_gate_on_groups_leaves_more_open_than_one_that_takes_rows_as_independent():
    y, p, group = clustered(60, 20)
    (plain,) = fot.check_calibration(y, p, max_error=0.04).gates
    (gate,) = fot.check_calibration(y, p, max_error=0.04, groups=group).gates
    assert gate.interval.high > plain.interval.high
    assert gate.groups.dependence.rho > 0.15
    assert (plain.groups, gate.groups.sizes.groups) == (None, 60)
    (single,) = fot.check_calibration(y, p, max_error=0.04, groups=np.arange(y.size)).gates
    assert (single.interval, single.p_value) == (plain.interval, plain.p_value)
    assert "of one row each, so that rows are independent" in str(single)


def test_gates_of_too_few_groups_are_open_and_assertions_fail():
    y, p, group = clustered(6, 60)
    check = fot.check_calibration(y, p, max_error=0.2, groups=group)
    assert check.outcome == "undecided"
    assert (check.gates[0].interval, check.gates[0].p_value) == (None, None)
    with pytest.raises(AssertionError, match=r"cannot be learnt from fewer than 10 groups \(got 6 effective\)"):
        fot.assert_calibrated(y, p, max_error=0.2, groups=group)
    fot.assert_calibrated(y, p, max_error=0.2, groups=group, undecided="pass")
    segments = fot.check_calibration(y, p, max_error=0.2, groups=group, by=group % 2)
    assert str(segments).splitlines()[0] == (
        "Cannot tell: dependence cannot be learnt from fewer than 10 groups (got 6 effective): no interval, no p-value"
    )
    assert str(segments).count("cannot be learnt") == 1


@pytest.mark.exhaustive
def test_segments_of_few_groups_have_the_dependence_of_all_rows():
    y, p, group = clustered(30, 20)
    check = fot.check_calibration(y, p, max_error=0.3, groups=group, by=group % 5 == 0, resolution=None)
    small = next(gate for gate in check.gates if gate.n == 120)
    assert small.groups.is_part
    assert small.interval is not None
    assert "few groups (6), so that rho is that of all rows" in str(check)


def test_a_segment_of_one_group_is_open_and_the_others_are_judged():
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(40), 15)
    p = rng.random(600)
    y = rng.random(600) < p
    check = fot.check_calibration(y, p, max_error=0.4, groups=group, by=group == 7, resolution=None)
    alone = next(gate for gate in check.gates if gate.name == "True")
    assert (alone.outcome, alone.interval, alone.p_value) == ("undecided", None, None)
    assert "dependence cannot be learnt from fewer than 10 groups (got 1 effective)" in str(check)
    assert all(gate.interval is not None for gate in check.gates if gate is not alone)


def test_whole_distributions_of_groups_are_refused_by_name():
    y, p, group = clustered(30, 5)
    data = fot.read(y.astype(int), np.column_stack((1 - p, p)), reduction="canonical", groups=group)
    with pytest.raises(ValueError, match="whole distributions, whose dependence within groups was not studied"):
        fot.check_calibration(data, max_error=0.1)
