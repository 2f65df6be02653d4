"""Groups by the argument of each function: those that read would have carried, and none where each is a single row."""

import inspect

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from tests.displays.figures import plain

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(1)
P = RNG.random(240)
Y = (RNG.random(240) < P**1.5).astype(int)
PATIENT = RNG.integers(0, 80, size=240)
BOTH = np.stack([1 - P, P], axis=1)
FRAME = pd.DataFrame(
    {"y": Y, "p": P, "patient": [f"p{i}" for i in PATIENT], "half": PATIENT % 2, "one": np.arange(240)}
)

POINT = {"interval": None, "null_draws": 0}
ERRORS = {
    "spline": (fot.calibration_error, POINT | {"family": "spline"}),
    "slope1": (fot.calibration_error, POINT | {"family": "slope1"}),
    "stacking": (fot.calibration_error, POINT | {"family": "stacking"}),
    "gce": (fot.gce, POINT),
    "ece": (fot.ece, POINT),
    "measure": (fot.measure, POINT | {"name": "proper_error"}),
    "proper_error": (fot.evaluation.proper_error, {"cv": 5}),
    "within_bin": (fot.measure, POINT | {"name": "within_bin"}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_argument_is_that_of_read(name):
    function, settings = ERRORS[name]
    by_argument = function(Y, P, groups=PATIENT, **settings)
    assert by_argument == function(fot.read(Y, P, groups=PATIENT), **settings)
    assert by_argument == function(FRAME, label="y", prob="p", groups="patient", **settings)
    assert function(Y, P, groups=None, **settings) == function(Y, P, **settings)


def test_folds_hold_out_whole_groups():
    """So that numbers of families that choose by cross-validation are others than those of independent rows."""
    for name in ("spline", "slope1", "stacking", "proper_error"):
        function, settings = ERRORS[name]
        assert function(Y, P, groups=PATIENT, **settings) != function(Y, P, **settings)


INFERENCE = {
    "calibration_error": lambda **groups: fot.calibration_error(
        Y, P, draws=20, interval="always", level=0.9, **groups
    ).to_dict(),
    "calibration_error, slope1": lambda **groups: fot.calibration_error(
        Y, P, family="slope1", draws=20, interval="always", level=0.9, **groups
    ).to_dict(),
    "gce": lambda **groups: fot.gce(Y, P, null_draws=20, interval="always", level=0.9, **groups).to_dict(),
    "tce": lambda **groups: fot.tce(Y, P, null_draws=20, **groups).to_dict(),
    "proper_error": lambda **groups: fot.evaluation.proper_error(Y, P, null_draws=5, **groups).to_dict(),
    "classwise": lambda **groups: fot.calibration_error(
        Y, BOTH, reduction="classwise", null_draws=20, **groups
    ).to_dict(),
    "canonical": lambda **groups: fot.gce(
        Y, BOTH, reduction="canonical", interval="always", level=0.9, draws=15, **groups
    ).to_dict(),
    "evaluate": lambda **groups: fot.evaluate(Y, P, families=["beta"], **groups).to_dict(),
    "evaluate by": lambda **groups: fot.evaluate(Y, P, by=PATIENT % 2, families=["beta"], **groups).to_dict(),
    "compare_calibrators": lambda **groups: fot.compare_calibrators(
        Y, P, families=["platt", "spline"], evaluators=["isotonic"], **groups
    ).to_dict(),
    "compare_errors": lambda **groups: fot.compare_errors(Y, P, P**2, **groups).to_dict(),
    "plan_evaluation": lambda **groups: fot.apps.plan_evaluation(
        Y, P, n=[60, 120], families=["isotonic"], draws=20, errors=[0.1], **groups
    ).to_dict(),
    "report": lambda **groups: fot.report(
        Y, P, families=["platt"], compare=False, date="2026-01-01", **groups
    ).evaluation.to_dict(),
    "check_calibration": lambda **groups: fot.check_calibration(Y, P, max_error=0.1, **groups).to_dict(),
}


@pytest.mark.parametrize("name", INFERENCE)
def test_groups_of_one_row_each_are_independent_rows(name):
    call = INFERENCE[name]
    singles, plain = call(groups=[f"row {i}" for i in range(240)]), call()
    assert without_groups(singles) == without_groups(plain)


def without_groups(value):
    """Return a record without what it says of groups, which may be said where each is one row."""
    if isinstance(value, dict):
        said = {"rho", "design_effect", "notes", "fit_seconds"}
        return {key: without_groups(part) for key, part in value.items() if "group" not in key and key not in said}
    return [without_groups(part) for part in value] if isinstance(value, list) else value


def test_segments_keep_their_groups():
    quick = {"families": ["spline"], "interval": None, "by": PATIENT % 2, "groups": PATIENT}
    found = fot.evaluate(Y, P, **quick)
    of_frame = fot.evaluate(FRAME, label="y", prob="p", **quick | {"by": "half", "groups": "patient"})
    for half in (0, 1):
        rows = half == PATIENT % 2
        alone = fot.calibration_error(Y[rows], P[rows], groups=PATIENT[rows], interval=None)
        assert found[half]["spline"] == alone == of_frame[half]["spline"]
        assert len(found[half].sample.groups) == np.unique(PATIENT[rows]).size


def test_models_share_groups():
    quick = {"families": ["spline"], "interval": None, "groups": PATIENT}
    found = fot.evaluate(Y, {"a": P, "b": P**1.5}, **quick)
    assert found["b"]["spline"] == fot.evaluate(Y, P**1.5, **quick)["spline"]


@pytest.mark.parametrize("rows", [100, 60_000])
def test_large_frames_keep_the_groups_of_their_rows(rows):
    frame = pd.concat([FRAME] * (rows // 240 + 1), ignore_index=True).head(rows)
    found = fot.evaluate(frame, label="y", prob="p", groups="patient", families=["beta"], interval=None)
    assert len(found.sample.groups) == frame["patient"].nunique()


def test_scorers_take_groups_where_metadata_is_routed():
    from sklearn import config_context
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_validate

    model, X = LogisticRegression(), P[:, None]
    scorer = fot.make_scorer(family="spline")
    assert scorer(model.fit(X, Y), X, Y, groups=PATIENT) != scorer(model, X, Y)
    with config_context(enable_metadata_routing=True):
        routed = fot.make_scorer(family="spline").set_score_request(groups=True)
        found = cross_validate(model, X, Y, scoring=routed, cv=GroupKFold(3), params={"groups": PATIENT})
    by_hand = []
    for train, test in GroupKFold(3).split(X, Y, PATIENT):
        model.fit(X[train], Y[train])
        scores = model.predict_proba(X[test])[:, 1]
        by_hand.append(-float(fot.calibration_error(Y[test], scores, groups=PATIENT[test], interval=None)))
    assert found["test_score"].tolist() == by_hand


def test_diagrams_take_groups():
    quick = {"band": None, "interval": None}
    drawn = fot.ReliabilityDisplay.from_predictions(Y, P, groups=PATIENT, **quick)
    assert drawn.error == fot.calibration_error(Y, P, groups=PATIENT, interval=None)
    several = fot.ReliabilityDisplay.from_predictions(Y, {"a": P, "b": P**2}, groups=PATIENT, **quick)
    assert several.diagrams["a"].error == drawn.error
    assert fot.displays.validity_curves(Y, P, groups=PATIENT, null_draws=2).rows("curve")
    three = np.stack([1 - P, P / 2, P / 2], axis=1)
    error = fot.calibration_error(
        Y, three, family="vector", reduction="canonical", groups=PATIENT, labels=[0, 1, 2], interval=None
    )
    triangle = error.plot(plain())
    assert triangle.data.groups.rows.sum() == 240


@pytest.mark.parametrize(
    "function",
    [
        fot.calibration_error,
        fot.evaluate,
        fot.measure,
        fot.ece,
        fot.gce,
        fot.tce,
        fot.evaluation.proper_error,
        fot.apps.plan_evaluation,
        fot.report,
        fot.check_calibration,
        fot.ReliabilityDisplay.from_predictions,
        fot.displays.validity_curves,
    ],
)
def test_every_door_says_the_same_of_groups(function):
    """The text is written once, in read."""
    text = inspect.getdoc(fot.read).partition("\ngroups : ")[2].partition("\nlabel, prob")[0]
    assert "Which rows belong together" in text
    assert f"\ngroups : {text}" in inspect.getdoc(function)


def test_a_plan_without_labels_takes_no_groups():
    with pytest.raises(ValueError, match="groups must be left out without labels"):
        fot.apps.plan_evaluation(P, groups=PATIENT)
