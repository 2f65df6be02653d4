"""The default calibrator of a classifier is the choice of `compare_calibrators`."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

import fitontest as fot


def fitted(n, seed=0):
    X, y = make_classification(2 * n, n_informative=6, n_redundant=10, random_state=seed)
    model = GaussianNB().fit(X[:n], y[:n])
    return model, X[n:], y[n:]


@pytest.mark.exhaustive
def test_it_is_what_a_comparison_of_the_scores_chooses():
    model, X, y = fitted(1500)
    calibrated = fot.CalibratedClassifier(FrozenEstimator(model)).fit(X, y)
    (pair,) = calibrated.calibrated_classifiers_
    expected = fot.compare_calibrators(y, model.predict_proba(X)[:, 1], evaluators=())
    assert expected.chosen != "identity"
    assert pair.families_[1].map_.to_dict() == expected.chosen_.map_.to_dict()


def test_calibrated_scores_are_left_alone():
    class Calibrated(GaussianNB):
        def predict_proba(self, X):
            return np.column_stack((1 - X[:, 0], X[:, 0]))

    rng = np.random.default_rng(0)
    X = rng.random((400, 1))
    y = (rng.random(400) < X[:, 0]).astype(int)
    model = FrozenEstimator(Calibrated().fit(X, y))
    assert np.array_equal(fot.CalibratedClassifier(model).fit(X, y).predict_proba(X)[:, 1], X[:, 0])


@pytest.mark.parametrize("rows", [[0, 1], [0, 0, 1, 1]])
def test_a_handful_of_rows_is_left_alone(rows):
    model, X, y = fitted(100)
    at = [int(np.flatnonzero(y == label)[k]) for k, label in enumerate(rows)]
    calibrated = fot.CalibratedClassifier(FrozenEstimator(model)).fit(X[at], y[at])
    assert calibrated.predict_proba(X[:5]) == pytest.approx(model.predict_proba(X[:5]))


def test_two_groups_are_too_few_to_choose():
    model, X, y = fitted(200)
    calibrated = fot.CalibratedClassifier(FrozenEstimator(model)).fit(X, y, groups=np.arange(200) % 2)
    assert calibrated.predict_proba(X[:5]) == pytest.approx(model.predict_proba(X[:5]))
