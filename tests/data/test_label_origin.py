"""Where labels come from: they are asked about where scores predict them all, or fit them as only those of a fit do."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

import fitontest as fot
from fitontest.data.label_origin import LabelOrigin
from fitontest.data.repeated_rows import Repeats

CUT = "the labels are the scores cut at .5: are they predictions?"
TOP = "the labels are those of the largest scores: are they predictions?"
FITTED = "O:E and slope are 1 but for rounding: were these rows used for the fit?"


def note(y, p, **options):
    return Repeats.of(fot.read(y, p, **options)).origin.note


def fitted(n, seed=0, digits=None):
    """Return labels, and the scores of a logistic regression of them."""
    rng = np.random.default_rng(seed)
    x = np.column_stack((rng.normal(size=(n, 2)), np.ones(n)))
    y = (rng.random(n) < expit(x @ [1.0, -0.5, -0.7])).astype(float)
    b = np.zeros(3)
    for _ in range(30):
        c = expit(x @ b)
        b = b + np.linalg.solve((x.T * (c * (1 - c))) @ x, x.T @ (y - c))
    p = expit(x @ b)
    return y, p if digits is None else p.round(digits)


def sets(n_sets, miscalibrated):
    rng = np.random.default_rng(0)
    for place in range(n_sets):
        n = int(rng.integers(20, 1500))
        p = [rng.random(n), rng.beta(0.3, 0.3, n), rng.beta(1, 20, n), rng.random(n).round(1)][place % 4]
        c = expit(rng.uniform(0.3, 2.5) * logit(np.clip(p, 1e-9, 1 - 1e-9)) + rng.normal()) if miscalibrated else p
        yield (rng.random(n) < c).astype(int), p


@pytest.mark.parametrize("miscalibrated", [False, True])
def test_nothing_is_asked_of_ordinary_rows(miscalibrated):
    assert [note(y, p) for y, p in sets(200, miscalibrated)] == [""] * 200


def test_labels_that_are_the_scores_cut_in_the_middle():
    p = np.random.default_rng(0).random(200)
    y = (p > 0.5).astype(int)
    assert note(y, p) == CUT
    assert note(y[:15], p[:15]) == ""  # too few to be sure
    assert note(1 - y, p) == ""
    assert note((p > 0.4).astype(int), p) == ""
    wrong = y.copy()
    wrong[3] = 1 - wrong[3]
    assert note(wrong, p) == ""
    separated = np.where(y == 1, 0.7 + 0.3 * p, 0.3 * p)  # what a good classifier may do
    assert note(y, separated) == ""


@pytest.mark.filterwarnings("ignore:.*separate")
def test_the_doubt_stands_before_the_verdict_and_is_warned_of():
    p = np.random.default_rng(0).random(200)
    with pytest.warns(fot.CalibrationWarning, match="are they predictions"):
        evaluation = fot.evaluate(p > 0.5, p, families=["spline"])
    assert evaluation.doubts == [CUT]
    assert str(evaluation).startswith("The labels are the scores cut at .5: are they predictions?\n")


def test_labels_that_are_those_of_the_largest_scores():
    P = np.random.default_rng(0).dirichlet(np.ones(3), 60)
    assert note(P.argmax(axis=1), P, reduction="confidence") == TOP
    assert note(P.argmax(axis=1), P, reduction="canonical") == TOP
    right = 0.999 * np.eye(3)[P.argmax(axis=1)] + 0.001 / 3  # as sure as it is right
    assert note(P.argmax(axis=1), right, reduction="confidence") == ""
    drawn = np.array([np.random.default_rng(k).choice(3, p=row) for k, row in enumerate(P)])
    assert note(drawn, P, reduction="confidence") == ""


@pytest.mark.parametrize("digits", [None, 6])
def test_scores_of_the_rows_that_they_were_fitted_to(digits):
    y, p = fitted(400, digits=digits)
    assert note(y, p) == FITTED
    assert note(y, p, sample_weight=np.full(400, 3)) == FITTED
    assert note(y[:300], p[:300]) == ""
    other, _ = fitted(400, seed=1)
    assert note(other, p) == ""


def test_a_map_of_the_rows_themselves_and_few_scores():
    y, p = fitted(2000)
    steps = IsotonicRegression(out_of_bounds="clip").fit_transform(p, y)
    assert note(y, steps) == FITTED
    halves = np.repeat([0, 1], 50)  # of which half are positive, as their only score says
    assert note(halves, np.full(100, 0.5)) == ""
    assert note(np.tile([0] * 9 + [1] + [1] * 9 + [0], 10), np.tile([0.1] * 10 + [0.9] * 10, 10)) == ""


@pytest.mark.exhaustive
def test_results_ask_and_an_estimator_that_is_fitted_here_is_not_asked_about():
    from sklearn.linear_model import LogisticRegression

    y, p = fitted(300)
    with pytest.warns(fot.CalibrationWarning, match="used for the fit"):
        assert str(fot.evaluate(y, p, families=["spline"])).startswith(FITTED)
    with pytest.warns(fot.CalibrationWarning, match="used for the fit"):
        assert FITTED in str(fot.risk.validate(y, p))
    x = np.random.default_rng(0).normal(size=(300, 2))
    found = fot.risk.validate(y, estimator=LogisticRegression(C=np.inf, tol=1e-10), X=x, optimism=10)
    assert LabelOrigin.of(found.sample.rows).fitted
    assert FITTED not in str(found)


def test_parts_tell_what_all_of_them_do():
    both, one = LabelOrigin(predicted=True, fitted=True), LabelOrigin(predicted=True)
    assert both + one == one
    assert (one + LabelOrigin()).note == ""


def test_rows_whose_classes_are_all_tied_are_no_predictions():
    y = np.random.default_rng(4).integers(0, 4, 600)
    sample = fot.read(y, np.full((600, 4), 0.25), reduction="confidence")
    assert not LabelOrigin.of(sample.rows, of_classes=True).note
