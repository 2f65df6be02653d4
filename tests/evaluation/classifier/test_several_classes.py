"""Families of several classes behind a classifier: fitted to the scores of all classes at once."""

import warnings

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from tests.evaluation.classifier.problems import NAMES, problem, weights

QUICK = ("temperature", "bias_corrected", "vector", "matrix", "one_vs_rest", "shared_isotonic")


@pytest.mark.parametrize("family", QUICK)
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_mean_of_maps_of_the_held_out_rows(family, weighted):
    X, y = problem(classes=3)
    w = weights(y.size) if weighted else None
    found = CalibratedClassifier(GaussianNB(), family, 3).fit(X, y, w)
    expected = np.zeros((y.size, 3))
    for train, held in StratifiedKFold(3).split(X, y):
        inner = GaussianNB().fit(X[train], y[train], None if w is None else w[train])
        own = fot.families.make(family)
        own.fit(inner.predict_proba(X[held]), y[held], None if w is None else w[held], labels=range(3))
        expected += own.predict_proba(inner.predict_proba(X)) / 3
    np.testing.assert_allclose(found.predict_proba(X), expected, rtol=0, atol=1e-9)
    for pair in found.calibrated_classifiers_:
        assert isinstance(pair.family_, type(fot.families.make(family)))
        assert pair.families_ == {}


def test_decision_values_are_read_by_the_softmax():
    X, y = problem(classes=4)
    frozen = FrozenEstimator(LinearSVC().fit(X, y))
    values = frozen.decision_function(X)
    found = CalibratedClassifier(frozen, "temperature").fit(X, y)
    expected = fot.families.Temperature(input="logits").fit(values, y).predict_proba(values)
    np.testing.assert_allclose(found.predict_proba(X), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.calibrated_classifiers_[0].scores(X), softmax(values, axis=1), rtol=0, atol=1e-12)
    left = CalibratedClassifier(frozen, "identity").fit(X, y)
    np.testing.assert_allclose(left.predict_proba(X), softmax(values, axis=1), rtol=0, atol=1e-12)


def test_an_instance_is_read_as_its_name_is():
    X, y = problem(classes=3)
    named, given = (CalibratedClassifier(GaussianNB(), one, 3).fit(X, y) for one in ("matrix", fot.families.Matrix()))
    np.testing.assert_array_equal(named.predict_proba(X), given.predict_proba(X))
    seeded = CalibratedClassifier(GaussianNB(), "dirichlet", 2, random_state=11)
    assert seeded.fit(X[:60], y[:60]).calibrated_classifiers_[0].family_.random_state == 11


def test_two_classes_are_one_column_unless_the_family_takes_none():
    X, y = problem()
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    P = frozen.predict_proba(X)
    column = CalibratedClassifier(frozen, "temperature").fit(X, y)
    np.testing.assert_allclose(
        column.predict_proba(X)[:, 1], fot.families.Temperature().fit(P[:, 1], y).predict(P[:, 1]), rtol=0, atol=1e-15
    )
    assert column.calibrated_classifiers_[0].family_ is None
    both = CalibratedClassifier(frozen, "vector").fit(X, y)
    np.testing.assert_allclose(
        both.predict_proba(X), fot.families.Vector().fit(P, y).predict_proba(P), rtol=0, atol=1e-12
    )
    margins = CalibratedClassifier(FrozenEstimator(LinearSVC().fit(X, y)), "vector").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(margins.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_a_class_that_a_fold_does_not_know_has_probability_0():
    X, y = problem(120, classes=4)
    known = np.flatnonzero(y != 3)
    splits = [(known[:60], np.arange(60, 120)), (np.arange(60), np.arange(60, 120)), (known[y[known] == 1], known)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        found = CalibratedClassifier(GaussianNB(), "matrix", splits).fit(X, NAMES[y])
    lacking, whole, single = found.calibrated_classifiers_
    assert (lacking.predict_proba(X)[:, 3] == 0).all()
    assert lacking.family_.classes_.tolist() == NAMES[:3].tolist()
    assert (whole.predict_proba(X)[:, 3] > 0).all()
    assert single.family_ is None
    assert single.predict_proba(X)[0].tolist() == [0, 1, 0, 0]
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)


class Careless(GaussianNB):
    """Probabilities that do not add up to 1."""

    def predict_proba(self, X):
        return super().predict_proba(X) * 0.9


def test_rows_that_do_not_add_up_are_refused():
    X, y = problem(classes=3)
    with pytest.raises(ValueError, match=r"predict_proba of the estimator must have rows that add up to 1"):
        CalibratedClassifier(Careless(), "vector").fit(X, y)
    with pytest.raises(ValueError, match="family must be the name of a family or a Family, got 3"):
        CalibratedClassifier(GaussianNB(), 3).fit(X, y)


@pytest.mark.parametrize("family", ["vector", "bias_corrected", "matrix"])
def test_a_margin_of_two_classes_is_read_as_families_of_two_classes_read_it(family):
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    settings = {"cv": 2, "response_method": "decision_function"}
    several = fot.CalibratedClassifier(LinearSVC(), family, **settings).fit(X, y)
    two = fot.CalibratedClassifier(LinearSVC(), "platt", **settings).fit(X, y)
    for pair, other in zip(several.calibrated_classifiers_, two.calibrated_classifiers_, strict=True):
        margin = pair.estimator.decision_function(X)
        np.testing.assert_allclose(pair.scores(X)[:, 1], 1 / (1 + np.exp(-margin)), rtol=0, atol=1e-12)
        np.testing.assert_allclose(pair.scores(X), other.scores(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(several.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)
