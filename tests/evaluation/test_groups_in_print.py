"""What evaluations and estimates say of rows that belong to groups, in print and in JSON."""

from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.dependence import Dependence
from fitontest.evaluation.evaluation import Evaluation

RNG = np.random.default_rng(0)
P = RNG.random(300)
Y = (RNG.random(300) < P).astype(int)
BETA = {"families": ["beta"], "interval": None}
DEPENDENCE = Dependence(100, 300, 100.0, 100, 0.052, 0.036, 0.04, 0.01, 0.03, 1.46)
LINE = "groups: 100 (3 rows each), rho 0.05 +- 0.04, design effect 1.5"
TOO_FEW = "ependence cannot be learnt from fewer than 10 groups (got 6 effective): no interval, no p-value"


def read(groups, **options):
    return fot.read(Y, P, groups=np.arange(300) % groups, **options)


def known(estimate):
    """Return an estimate that knows how alike the labels of its groups are."""
    return replace(estimate, known=replace(estimate.known, dependence=DEPENDENCE))


@pytest.fixture(scope="module")
def evaluation():
    found = fot.evaluate(read(100), **BETA)
    return Evaluation(tuple(map(known, found.estimates)), found.data)


def test_an_estimate_says_its_groups_once(evaluation):
    estimate = evaluation["beta"]
    assert str(estimate).count("groups: ") == 1
    assert f"{LINE}." in str(estimate).splitlines()
    assert estimate.to_dict()["groups"] == evaluation.to_dict()["groups"]
    assert estimate.to_dict()["groups"] == {
        "count": 100,
        "rows": 300,
        "effective": pytest.approx(100.0),
        "rho": 0.052,
        "se": 0.036,
        "design_effect": 1.46,
    }
    assert estimate.note is None


def test_an_evaluation_says_them_once_and_not_that_rows_must_be_independent(evaluation):
    for text in (str(evaluation), str(evaluation.table())):
        assert text.count(LINE) == 1
        assert "independent" not in text
    assert evaluation.rows()[0]["rho"] == 0.052
    assert evaluation.notes == []


def test_rows_without_groups_have_no_fields_of_groups():
    found = fot.evaluate(Y, P, **BETA)
    assert "groups" not in found.to_dict()
    assert "groups" not in found.rows()[0]
    assert found["beta"].groups is None


def test_groups_of_one_row_each_are_said():
    found = fot.evaluate(read(300), **BETA)
    assert "groups: 300 of one row each, so that rows are independent." in str(found)


def test_the_conclusion_of_too_few_groups_is_why_there_is_none():
    found = fot.evaluate(read(6), **BETA)
    for text in (str(found), str(found.table())):
        assert text.splitlines()[0] == f"D{TOO_FEW}."
        assert text.count("cannot be learnt") == 1
        assert "groups: 6 (50 rows each)." in text
        assert "beta" in text
    assert found.notes == [f"d{TOO_FEW}"]
    assert found.to_dict()["groups"]["rho"] is None
    assert found["beta"].note == f"d{TOO_FEW}"
    assert str(found["beta"]).count("cannot be learnt") == 1


def test_few_groups_have_a_note(evaluation):
    found = fot.evaluate(read(14), **BETA)
    assert found.notes == []  # there is nothing that rests on rho
    known = replace(evaluation["beta"], group_sizes=found["beta"].group_sizes)
    found = replace(found, estimates=(known,))
    assert found.notes == [
        "few groups (14): rho is hardly known; intervals may hold the truth less often than their level"
    ]
    assert str(found).count("few groups (14)") == 1


def test_models_share_their_groups_and_each_has_its_own_dependence(evaluation):
    data = fot.evaluate(Y, {"a": P, "b": P**2}, **BETA)
    b = fot.evaluate(read(100), **BETA)
    models = replace(data, evaluations={"a": evaluation, "b": b})
    assert "groups: 100 (3 rows each); a: rho 0.05 +- 0.04, design effect 1.5." in str(models)
    few = fot.evaluate(read(6), **BETA)
    few = replace(data, evaluations={"a": few, "b": few})
    assert str(few).splitlines()[0] == f"D{TOO_FEW}."
    assert str(few).count("cannot be learnt") == 1
    assert few.notes == [f"d{TOO_FEW}"]


def test_segments_have_a_column_of_groups_and_say_which_have_few():
    region = np.where(np.arange(300) % 100 < 8, "north", np.where(np.arange(300) % 100 < 22, "west", "south"))
    found = fot.evaluate(read(100, by=region), **BETA)
    text = str(found)
    assert text.splitlines()[2].split()[:3] == ["segment", "n", "groups"]
    (note,) = found.notes
    assert set(note.partition(": ")[0].split(", ")) == {"north", "west"}
    assert note.endswith(": few groups, so that rho is that of all rows")
    assert found["north"].groups.dependence.rho == found.total.groups.dependence.rho
    assert {row["segment"]: row["groups"] for row in found.rows()} == {
        "north": 8,
        "west": 14,
        "south": 78,
        "all rows": 100,
    }
    assert "groups: 100 (3 rows each), rho " in text
    assert "independent" not in text


def test_segments_of_too_few_groups_in_all_have_no_conclusion():
    found = fot.evaluate(read(6, by=np.arange(300) % 2), **BETA)
    text = str(found)
    assert text.splitlines()[0] == f"D{TOO_FEW}."
    assert text.count("cannot be learnt") == 1
    assert found.notes == [f"d{TOO_FEW}"]


def test_classes_say_their_groups():
    matrix = np.column_stack((1 - P, P))
    found = fot.evaluate(Y, matrix, reduction="classwise", **BETA)
    assert found.groups is None
    groups = fot.read(Y, matrix, reduction="classwise", groups=np.arange(300) % 100)
    found = fot.evaluate(groups, **BETA)
    assert "groups: 100 (3 rows each)." in str(found)
    assert found.to_dict()["groups"]["count"] == 100


@pytest.mark.exhaustive
def test_segments_that_are_a_group_each_say_why_none_is_measured_once():
    ids = np.arange(300) % 12
    found = fot.evaluate(Y, P, groups=ids, families=["spline"], by={"site": ids})
    text = str(found)
    assert text.splitlines()[1].startswith("Whether calibration is missed in any of 12 segments cannot be said")
    assert sum("not measured" in note for note in found.notes) == 1
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more: not measured: groups must be at least 2" in text
    assert "each segment is one group: without groups each has an interval" in text
    assert "each segment is one group" not in str(
        fot.evaluate(Y, P, groups=np.arange(300) % 100, **BETA, by={"site": ids})
    )
