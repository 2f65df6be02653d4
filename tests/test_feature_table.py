"""The feature table is a contract: every question has an answer for every kind of data, or a refusal that says why.

Rows that belong to groups are kinds of data of their own.
"""

import re
import warnings

import numpy as np
import pytest

import fitontest as fot
from tests.few_draws import few_draws, few_null_draws, no_pictures  # noqa: F401 - fixtures of this module

pytestmark = pytest.mark.multiplies

N, CLASSES, FAMILIES = 240, ["a", "b", "c"], ["temperature", "isotonic"]


def labelled(seed):
    """Return labels of three classes, their distributions, and a second model's."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet([1.0, 1.0, 1.0], N)
    y = np.array(CLASSES)[(P.cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1)]
    sharper = P**1.7
    return y, P, sharper / sharper.sum(axis=1, keepdims=True)


def columns(seed=0):
    """Return (labels, scores, a second model's scores, reduction, what they are read into) of each kind of data."""
    y, P, Q = labelled(seed)
    b = y == "b"
    return {
        "one score": (b, P[:, 1], Q[:, 1], None),
        "confidence": (y, P, Q, "confidence"),
        "class-wise": (y, P, Q, "classwise"),
        "whole distributions": (y, P, Q, "canonical"),
        "Cells": (b, P[:, 1], Q[:, 1], None),
        "ClassCells": (y, P, Q, "classwise"),
        "groups": (b, P[:, 1], Q[:, 1], None),
        "groups, class-wise": (y, P, Q, "classwise"),
        "groups, whole distributions": (y, P, Q, "canonical"),
        "groups, Cells": (b, P[:, 1], Q[:, 1], None),
        "groups, ClassCells": (y, P, Q, "classwise"),
    }


def groups_of(kind):
    """Return the group of each row, of which there are 30, each in both regions; None of kinds without groups."""
    return np.arange(N) // 2 % 30 if kind.startswith("groups") else None


def data_of(kind, seed=0):
    y, p, _, reduction = columns(seed)[kind]
    if kind.endswith("Cells"):
        return cells_of(y, p, reduction, groups_of(kind))
    return fot.read(y, p, reduction=reduction, groups=groups_of(kind))


def cells_of(y, p, reduction, groups):
    if reduction is None:
        return fot.Cells.of(y, p, groups=groups)
    return fot.data.ClassCells(
        {label: fot.Cells.of(y == label, p[:, k], groups=groups) for k, label in enumerate(CLASSES)}
    )


def region():
    return np.where(np.arange(N) % 2 == 0, "north", "south")


def evaluated(kind):
    evaluation = fot.evaluate(data_of(kind), families=FAMILIES, interval=None)
    return [estimate.value for estimate in evaluation]


def null(kind):
    evaluation = fot.evaluate(data_of(kind), families=FAMILIES, null_draws=20, interval=None)
    each = [one for estimate in evaluation for one in (estimate.classes or {"": estimate}).values()]
    return [one.null.mean for one in each if one.null is not None]


def interval(kind):
    data = data_of(kind)
    if kind.endswith("whole distributions"):
        estimate = fot.gce(data, interval="always", level=0.9, draws=15)
    else:
        estimate = fot.calibration_error(data, family="platt", interval="always", level=0.9, draws=15)
    each = [estimate] if estimate.classes is None else list(estimate.classes.values())
    return [value for one in each for value in (one.interval.low, one.debiased, one.interval.high)]


def by(kind):
    (y, p, _, reduction), groups = columns()[kind], groups_of(kind)
    if kind.endswith("Cells"):
        parts = {name: region() == name for name in ("north", "south")}
        of_rows = {name: None if groups is None else groups[rows] for name, rows in parts.items()}
        data = {name: cells_of(y[rows], p[rows], reduction, of_rows[name]) for name, rows in parts.items()}
        evaluation = fot.evaluate(data, measures=["ece"], null_draws=80, interval=None)
    else:
        measures = ["simplex_ece"] if reduction == "canonical" else ["ece"]
        options = {"reduction": reduction, "by": region(), "groups": groups, "measures": measures}
        evaluation = fot.evaluate(y, p, **options, interval=None)
    return [row["value"] for row in evaluation.rows()]


def gate(kind):
    checked = fot.check_calibration(data_of(kind), max_error=0.5)
    return [gate.p_value for gate in checked.gates]


def report(kind):
    quick = {} if kind == "one score" else {"families": ["temperature"], "compare": False}
    return [len(fot.report(data_of(kind), **quick).html)]


def choice(kind):
    compared = fot.compare_calibrators(data_of(kind), families=["temperature"], evaluators=[])
    return [row["score"] for row in compared.rows()]


def two_models(kind):
    y, p, q, reduction = columns()[kind]
    if kind.endswith("Cells"):
        compared = fot.compare_errors(data_of(kind), q, q, reduction=reduction)
    else:
        compared = fot.compare_errors(y, p, q, reduction=reduction, groups=groups_of(kind))
    return [compared.difference, compared.interval.low, compared.interval.high, compared.p_value]


def plan(kind):
    planned = fot.apps.plan_evaluation(data_of(kind), n=[200], errors=[0], families=["platt"], draws=20)
    return [float(len(planned.rows()))]


def drift(kind):
    return [row["p_value"] for row in fot.monitor.compare_cells(data_of(kind, 0), data_of(kind, 1)).rows()]


def validated(kind):
    found = fot.risk.validate(data_of(kind), thresholds=0.4, family="platt")
    return [row["value"] for row in found.rows()]


FEATURES = {
    "evaluate": evaluated,
    "null": null,
    "interval": interval,
    "by": by,
    "gate": gate,
    "report": report,
    "compare_calibrators": choice,
    "compare_errors": two_models,
    "plan_evaluation": plan,
    "drift": drift,
    "validate": validated,
}
ONE_SCORE = "where one sample is needed, of one score in each row"
BOTH_MODELS = "must be the labels of rows that both models scored"
EMPTY = {  # and the reason that the refusal gives
    ("compare_calibrators", "ClassCells"): "do not keep which scores belong to one row",
    ("compare_errors", "Cells"): BOTH_MODELS,
    ("compare_errors", "ClassCells"): BOTH_MODELS,
    ("plan_evaluation", "class-wise"): ONE_SCORE,
    ("plan_evaluation", "whole distributions"): ONE_SCORE,
    ("plan_evaluation", "ClassCells"): "must be the cells of one sample",
    ("validate", "whole distributions"): "which is of one risk for each row",
    ("drift", "whole distributions"): "probabilities of all classes at once have no cells",
}
EMPTY |= {(feature, f"groups, {kind}"): reason for (feature, kind), reason in EMPTY.items()}
NOT_STUDIED = "of whole distributions, whose dependence within groups was not studied"
EMPTY |= {(feature, "groups, whole distributions"): NOT_STUDIED for feature in ("null", "interval", "gate", "report")}


@pytest.mark.parametrize("kind", columns())
@pytest.mark.parametrize("feature", FEATURES)
def test_every_question_has_an_answer_or_a_reason(feature, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        if (feature, kind) in EMPTY:
            with pytest.raises(ValueError, match=re.escape(EMPTY[feature, kind])):
                FEATURES[feature](kind)
            return
        numbers = FEATURES[feature](kind)
    assert len(numbers) > 0
    assert all(number is None or np.isfinite(number) for number in numbers)
