"""Rows that belong to groups: carried with the rows, and nothing is concluded from them as if they were independent."""

import numpy as np
import pytest

import fitontest as fot

RNG = np.random.default_rng(0)
P = RNG.random(300)
Y = (RNG.random(300) < P).astype(int)
PATIENT = np.arange(300) // 3
HALF = PATIENT % 2
BOTH = np.stack([1 - P, P], axis=1)
ONE = fot.read(Y, P, groups=PATIENT)
CLASSES = fot.read(Y, BOTH, reduction="classwise", groups=PATIENT)
WHOLE = fot.read(Y, BOTH, reduction="canonical", groups=PATIENT)
QUICK = {"families": ["beta"], "interval": None}


def test_the_group_travels_with_the_rows():
    assert ONE.facts["group"].tolist() == PATIENT.tolist()
    assert CLASSES[1].facts["group"].tolist() == WHOLE.facts["group"].tolist() == PATIENT.tolist()
    by_half = fot.read(Y, P, groups=PATIENT, by=HALF)
    assert by_half[1].facts["group"].tolist() == PATIENT[HALF == 1].tolist()


@pytest.mark.parametrize(("data", "scores"), [(ONE, P), (CLASSES, BOTH), (WHOLE, BOTH)])
def test_point_estimates_are_those_without_groups(data, scores):
    reduction = {id(CLASSES): "classwise", id(WHOLE): "canonical"}.get(id(data))
    family = "vector" if reduction == "canonical" else "beta"
    plain = fot.calibration_error(Y, scores, reduction=reduction, family=family)
    assert float(fot.calibration_error(data, family=family)) == float(plain)
    assert float(fot.gce(data)) == float(fot.gce(Y, scores, reduction=reduction))


def test_segments_have_point_estimates():
    found = fot.evaluate(fot.read(Y, P, groups=PATIENT, by=HALF), **QUICK)
    plain = fot.evaluate(Y, P, by=HALF, **QUICK)
    assert [float(found[half]["beta"]) for half in found] == [float(plain[half]["beta"]) for half in plain]
    assert found[0]["beta"].null is None


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("intervals", lambda: fot.calibration_error(ONE, family="beta", interval=0.9)),
        ("intervals", lambda: fot.evaluate(ONE, families=["beta"])),
        ("intervals", lambda: fot.gce(WHOLE, interval=0.9)),
        ("p-values", lambda: fot.gce(ONE, null_draws=10)),
        ("p-values", lambda: fot.tce(CLASSES)),
        ("p-values", lambda: fot.gce(WHOLE, null_draws=10)),
        ("p-values", lambda: fot.evaluate(fot.read(Y, P, groups=PATIENT, by=HALF), **QUICK | {"null_draws": 200})),
        ("comparisons", lambda: fot.compare_calibrators(ONE, families=["beta"])),
        ("gates", lambda: fot.check_calibration(ONE, max_error=0.1)),
        ("gates", lambda: fot.check_calibration(WHOLE, max_error=0.1)),
        ("gates", lambda: fot.check_calibration(CLASSES, max_error=0.1)),
        ("reports", lambda: fot.report(ONE)),
        ("bands", lambda: fot.ReliabilityDisplay.from_predictions(ONE, family="beta", band="confidence")),
    ],
)
def test_what_takes_rows_for_independent_is_refused(what, call):
    with pytest.raises(ValueError, match=f"groups must be left out for {what}.* there are point estimates"):
        call()


def test_bad_groups_are_refused():
    with pytest.raises(ValueError, match="y_true and groups must have the same number of rows"):
        fot.read(Y, P, groups=PATIENT[:5])
    with pytest.raises(ValueError, match="groups must not have missing values"):
        fot.read(Y, P, groups=[None, *PATIENT[1:]])


def test_tests_of_bins_are_refused_too():
    for call in (lambda: fot.tce(ONE, null_draws=0), lambda: fot.gce(ONE, loss="rejection")):
        with pytest.raises(ValueError, match="groups must be left out for p-values"):
            call()


def test_comparisons_of_tables_and_test_sets_are_refused():
    for tables in ((ONE, fot.read(Y, P)), (fot.read(Y, P), ONE), (CLASSES, CLASSES)):
        with pytest.raises(ValueError, match="groups must be left out for comparisons of two tables"):
            fot.compare_cells(*tables)
    with pytest.raises(ValueError, match="groups must be left out for test sets of comparisons"):
        fot.compare_calibrators(Y, P, families=["beta"], test=ONE)


def test_plans_are_refused():
    with pytest.raises(ValueError, match="groups must be left out for plans"):
        fot.plan_evaluation(ONE, draws=20)


@pytest.mark.parametrize(("data", "scores", "family"), [(ONE, P, "beta"), (WHOLE, BOTH, "vector")])
def test_the_standard_error_is_that_of_groups(data, scores, family):
    plain = fot.calibration_error(Y, scores, reduction=data.reduction, family=family)
    estimate = fot.calibration_error(data, family=family)
    assert estimate.se_map_fixed != plain.se_map_fixed
    assert estimate.se_map_fixed == pytest.approx(plain.se_map_fixed, rel=0.3)
