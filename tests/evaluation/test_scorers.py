"""Scorers: minus the errors, in searches, with labels of any type and weights."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.evaluation.scorers import METRICS, make_scorer

OPTIONS = {
    "calibration_error": {"family": "beta", "norm": "l2"},
    "gce": {"n_bins": 5, "norm": "max"},
    "tce": {"partition": "equal_mass", "n_bins": 5},
}


def two_classes(names=None):
    x, y = make_classification(400, random_state=1)
    return x, y if names is None else np.array(names)[y]


@pytest.mark.parametrize("metric", METRICS)
def test_it_is_minus_the_error(metric):
    x, y = two_classes()
    w = np.random.default_rng(0).integers(0, 3, y.size)
    model = GaussianNB().fit(x, y)
    p = model.predict_proba(x)[:, 1]
    for weights in (None, w):
        expected = float(METRICS[metric](y, p, sample_weight=weights, **OPTIONS[metric]))
        assert make_scorer(metric, **OPTIONS[metric])(model, x, y, sample_weight=weights) == -expected
        assert expected > 0


def test_labels_of_any_type_and_the_positive_class():
    x, y = two_classes()
    _, named = two_classes(["sick", "well"])
    model, other = GaussianNB().fit(x, y), GaussianNB().fit(x, named)
    scorer = make_scorer("tce")
    assert scorer(other, x, named) == scorer(model, x, y)
    sick = make_scorer("tce", pos_label="sick")(other, x, named)
    assert sick == -float(fot.tce(y == 0, model.predict_proba(x)[:, 0], null_draws=0))
    assert scorer(other, x[named == "well"], named[named == "well"]) < 0  # one class only


@pytest.mark.parametrize("reduction", ["confidence", "classwise"])
def test_several_classes(reduction):
    x, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(x, y)
    scorer = make_scorer("gce", reduction=reduction, n_bins=5)
    rows = y > 0  # a fold that lacks a class
    found = fot.gce(y[rows], model.predict_proba(x[rows]), reduction=reduction, n_bins=5, labels=[0, 1, 2])
    assert scorer(model, x[rows], y[rows]) == -float(found)


@pytest.mark.parametrize("names", [None, ["no", "yes"], [1, 2]])
def test_a_binary_reduction_takes_the_second_class_too(names):
    x, y = two_classes(names)
    model = GaussianNB().fit(x, y)
    assert make_scorer("gce", reduction="binary")(model, x, y) == make_scorer("gce")(model, x, y)
    first = model.classes_[0].item()
    both = [make_scorer("gce", pos_label=first, **more)(model, x, y) for more in ({}, {"reduction": "binary"})]
    assert both[0] == both[1] != make_scorer("gce")(model, x, y)


def test_scikit_learns_own_scorers_work_too():
    x, y = two_classes()
    made = sklearn_scorer(fot.calibration_error, greater_is_better=False, response_method="predict_proba")
    model = GaussianNB().fit(x, y)
    assert made(model, x, y) == make_scorer()(model, x, y)


def test_in_cross_validation_and_search():
    x, y = two_classes(["no", "yes"])
    folds = KFold(3, shuffle=True, random_state=0)
    scorer = make_scorer(family=fot.Slope1(5))
    scores = cross_val_score(GaussianNB(), x, y, cv=folds, scoring=scorer)
    for score, (train, test) in zip(scores, folds.split(x), strict=True):
        p = GaussianNB().fit(x[train], y[train]).predict_proba(x[test])[:, 1]
        assert score == -float(fot.calibration_error(y[test] == "yes", p, family=fot.Slope1(5)))
    search = GridSearchCV(LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=scorer, cv=folds).fit(x, y)
    assert search.best_params_ == {"C": 1.0}
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_weights_are_routed():
    x, y = two_classes()
    w = np.random.default_rng(0).integers(0, 3, y.size).astype(float)
    folds = KFold(2)
    with config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        given = {"params": {"sample_weight": w}, "error_score": "raise"}
        for ask, weights in ((True, w), (False, np.ones_like(w))):
            scorer = make_scorer("gce").set_score_request(sample_weight=ask)
            found = cross_validate(model, x, y, cv=folds, scoring=scorer, **given)
            for score, (train, test) in zip(found["test_score"], folds.split(x), strict=True):
                fitted = clone(model).fit(x[train], y[train], sample_weight=w[train])
                p = fitted.predict_proba(x[test])[:, 1]
                assert score == pytest.approx(-float(fot.gce(y[test], p, sample_weight=weights[test])), rel=1e-12)


def test_it_pickles_and_tells_what_it_is():
    scorer = make_scorer("gce", n_bins=7)
    assert repr(pickle.loads(pickle.dumps(scorer))) == repr(scorer) == "make_scorer('gce', n_bins=7, debiased=False)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_scorer("no_such"), "metric must be one of 'calibration_error', 'gce', 'tce', .*; got 'no_such'"),
        (lambda: make_scorer("tce", bins=3), "options of tce must be among partition, .*; got 'bins'"),
        (lambda: make_scorer("tce", sample_weight=[1]), "options of tce must be among"),
        (lambda: make_scorer(family="identity"), "family must not be the identity"),
        (lambda: make_scorer(family="no_such"), "'no_such'"),
        (lambda: make_scorer(reduction="top"), "reduction must be one of"),
        (lambda: make_scorer(reduction="classwise", pos_label=1), "pos_label must be left out"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_several_classes_need_a_reduction():
    x, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="two classes, got one of 3"):
        make_scorer()(GaussianNB().fit(x, y), x, y)
