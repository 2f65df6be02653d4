"""Trees behind a classifier: they are handed the features of the calibration rows and of the predicted rows."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import fitontest as fot
from tests.evaluation.classifier.problems import NAMES, Margin, problem, weights


@pytest.mark.parametrize("name", ["tree", "probability_calibration_tree"])
def test_a_frozen_classifier_has_the_tree_of_its_scores(name):
    X, y = problem(300)
    classifier = GaussianNB().fit(X[:100], y[:100])
    model = fot.CalibratedClassifier(FrozenEstimator(classifier), family=name).fit(X[100:], y[100:])
    scores = classifier.predict_proba(X)[:, 1]
    if name == "tree":
        expected = fot.segments.TreeCalibrator().fit(X[100:], y[100:]).predict_proba(X)
    else:
        tree = fot.segments.ProbabilityCalibrationTree().fit(X[100:], y[100:], scores=scores[100:])
        expected = tree.predict_proba(X, scores=scores)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


@pytest.mark.parametrize("ensemble", [True, False])
def test_folds_hand_over_the_features_of_their_own_rows(ensemble):
    """The first feature alone decides; a tree that saw other rows' features would find nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0.3).astype(int)
    noise = Margin(factor=0.0)
    model = fot.CalibratedClassifier(noise, "probability_calibration_tree", cv=3, ensemble=ensemble).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.97
    assert model.calibrated_classifiers_[0].families_ == {}
    assert isinstance(model.calibrated_classifiers_[0].family_, fot.segments.ProbabilityCalibrationTree)


def test_several_classes_with_names_weights_and_decision_values():
    X, y = problem(320, classes=4)
    w = weights(320)
    family = fot.segments.ProbabilityCalibrationTree(max_depth=2)
    model = fot.CalibratedClassifier(SVC(), family, cv=2).fit(X, NAMES[y], sample_weight=w)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, NAMES[y]) > 0.4
    assert not hasattr(family, "tree_")  # it is cloned


def test_a_class_that_the_classifier_does_not_know_has_probability_zero():
    X, y = problem(120, classes=3)
    folds = [(np.flatnonzero(y < 2), np.arange(120)), (np.arange(120), np.arange(120))]
    with pytest.warns(fot.CalibrationWarning, match="classes missing from the training rows"):
        model = fot.CalibratedClassifier(
            GaussianNB(), fot.segments.ProbabilityCalibrationTree(max_depth=1), cv=folds
        ).fit(X, y)
    first, second = model.calibrated_classifiers_
    assert not first.predict_proba(X)[:, 2].any()
    assert second.predict_proba(X)[:, 2].any()


def test_sparse_features_are_those_of_the_matrix():
    X, y = problem(200)
    X = np.where(np.abs(X) < 0.8, 0.0, X)
    a, b = (
        fot.CalibratedClassifier(FrozenEstimator(Margin().fit(X, y)), fot.segments.TreeCalibrator(max_depth=3)).fit(
            X, y
        ),
        fot.segments.TreeCalibrator(max_depth=3).fit(csr_array(X), y),
    )
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(csr_array(X)))


def test_similarities_are_no_features():
    X, y = problem(60)
    with pytest.raises(ValueError, match="family must not need features where X holds similarities"):
        fot.CalibratedClassifier(SVC(kernel="precomputed"), "tree", cv=2).fit(X @ X.T, y)


def test_refusals_name_the_families_of_features_too():
    X, y = problem(60)
    with pytest.raises(ValueError, match="'probability_calibration_tree'"):
        fot.CalibratedClassifier(GaussianNB(), "forest").fit(X, y)
