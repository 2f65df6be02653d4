"""Bad input is refused with the argument, the rule, and what was found."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from tests.evaluation.classifier.problems import Margin, problem

X, Y = problem(60)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cv": "prefit"}, r"cv must not be 'prefit'; wrap .* estimator=sklearn.frozen.FrozenEstimator\(classifier\)"),
        ({"cv": "5"}, "cv must be a whole number of folds, at least 2, a splitter, or an iterable .*; got '5'"),
        ({"cv": 1}, "cv must be .*; got 1"),
        ({"cv": True}, "cv must be .*; got True"),
        ({"cv": 2.5}, "cv must be .*; got 2.5"),
        ({"cv": StratifiedKFold}, "cv must be .*; got <class"),
        ({"cv": []}, r"cv must give at least one split, got none from \[\]"),
        ({"cv": [3]}, "cv must give for each fold a pair, the training rows and the held-out rows; got 3 for fold 0"),
        ({"cv": [([0, 1], [])]}, r"cv must give positions of at least one of the 60 rows, got \[\] as the held-out"),
        ({"cv": [([], [0, 1])]}, r"cv must give positions .*, got \[\] as the training rows of fold 0"),
        ({"cv": [([0, 60], [1])]}, r"cv must give positions .*, got \[0, 60\] as the training rows of fold 0"),
        ({"cv": [([0, 0.5], [1])]}, "cv must give positions"),
        ({"cv": [([0, 1], [[1]])]}, "cv must give positions"),
        ({"ensemble": "auto"}, "ensemble must be True or False, got 'auto'"),
        ({"ensemble": 1}, "ensemble must be True or False, got 1"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0, got 0"),
        ({"n_jobs": "two"}, "n_jobs must be None or a whole number other than 0, got 'two'"),
        ({"response_method": "predict"}, "response_method must be one of 'auto', 'predict_proba', .*; got 'predict'"),
        ({"response_method": "decision_function"}, "response_method must be a method of the estimator or 'auto', got"),
        ({"family": "betta"}, "family must be one of"),
        (
            {"family": fot.Beta},
            "family must be the name of a family or a Family, got <class .*; a class must be called",
        ),
        ({"family": None}, "family must be the name of a family or a Family, got None"),
        ({"family": fot.maps.IdentityMap()}, r"family must be the name of a family or a Family, got IdentityMap\(\)"),
        ({"family": fot.Slope1(0)}, "n_bins must be"),
        ({"estimator": None}, "estimator must be a scikit-learn classifier, got None"),
        (
            {"estimator": GaussianNB},
            "estimator must be a scikit-learn classifier, got <class .*; a class must be called",
        ),
        ({"estimator": LinearRegression()}, "estimator must have predict_proba or decision_function, got Linear"),
    ],
)
def test_parameters(params, message):
    calibrated = CalibratedClassifier(**{"estimator": GaussianNB(), **params})
    with pytest.raises(ValueError, match=message):
        calibrated.fit(X, Y)


def test_probabilities_where_there_are_none():
    with pytest.raises(ValueError, match=r"response_method must be .*, got 'predict_proba' with RidgeClassifier"):
        CalibratedClassifier(RidgeClassifier(), response_method="predict_proba").fit(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones(60, int), r"y must have at least two classes, got one class: \[1\]"),
        (["a"] * 60, r"y must have at least two classes, got one class: \['a'\]"),
        (np.r_[np.nan, np.ones(59)], "y must be finite, got nan at row 1"),
        (np.array(["a", 1] * 30, dtype=object), "y must have labels of one type, got a mix of int, str"),
        (np.linspace(0, 1, 60), "Unknown label type: continuous"),
        (np.eye(60, 3, dtype=int), "y should be a 1d array"),
        (np.array(["a", None] * 30, dtype=object), "y must not have missing values"),
        (np.arange(59) % 2, r"inconsistent numbers of samples: \[60, 59\]"),
        (None, "y should be a 1d array"),
    ],
)
def test_labels(y, message):
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(GaussianNB()).fit(X, y)


def test_a_column_vector_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning):
        found = CalibratedClassifier(GaussianNB()).fit(X, Y[:, None])
    np.testing.assert_array_equal(found.predict_proba(X), CalibratedClassifier(GaussianNB()).fit(X, Y).predict_proba(X))


@pytest.mark.parametrize(
    ("w", "message"),
    [
        (np.ones(59), "must have the same number of rows, got: .*sample_weight has 59"),
        (np.r_[-1.0, np.ones(59)], r"sample_weight must not be negative, got -1\.0 at row 1"),
        (np.r_[np.ones(59), np.nan], "sample_weight must be finite, got nan at row 60"),
        (np.zeros(60), "sample_weight must have a positive sum, got zero in every row"),
        (np.ones((60, 2)), "sample_weight must be one-dimensional"),
        (1.0 - Y, "y must have at least two classes in rows of positive weight"),
        (2.0, "sample_weight must be a one-dimensional array"),
    ],
)
def test_weights(w, message):
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(GaussianNB()).fit(X, Y, w)


def test_a_fold_whose_held_out_rows_have_no_weight():
    w = np.r_[np.zeros(20), np.ones(40)]
    splits = [(range(20, 60), range(20)), (range(40), range(40, 60))]
    with pytest.raises(
        ValueError, match=r"sample_weight must be positive for at least one .* got zero in all 20 of fold 0"
    ):
        CalibratedClassifier(GaussianNB(), cv=splits).fit(X, Y, w)


class Broken(ClassifierMixin, BaseEstimator):
    """A classifier that answers whatever it is told to."""

    def __init__(self, answer, classes=(0, 1)):
        self.answer = answer
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        return np.tile(self.answer, (len(X), 1))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Broken([0.5, 1.5]), r"predict_proba of the estimator must lie in \[0, 1\], got 1.5"),
        (Broken([0.5, np.nan]), "predict_proba of the estimator must be finite, got nan"),
        (Broken([0.2, 0.3, 0.5]), r"a predict_proba with one column for each of its 2 classes, got .* \(12, 3\)"),
        (Broken([0.2]), r"a predict_proba with one column for each of its 2 classes, got .* \(12, 1\)"),
        (Broken([0.5, 0.5], classes=(1, 2)), r"classes_ that occur in y, got \[2\] beside \[0, 1\]"),
        (Margin(np.nan), "decision_function of the estimator must be finite, got nan"),
    ],
)
def test_answers_of_the_estimator(estimator, message):
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(estimator).fit(X, Y)


def test_rounding_beyond_the_unit_interval_is_no_error():
    above = np.array([0.0, 1 + 1e-15])
    found = CalibratedClassifier(Broken(above), "identity").fit(X, Y)
    np.testing.assert_array_equal(found.predict_proba(X), [[0.0, 1.0]] * 60)
    with pytest.warns(fot.CalibrationWarning, match=r"predict_proba of the estimator has scores from 1\.0000001 to"):
        CalibratedClassifier(Broken(np.array([0.0, 1 + 1e-7])), "identity").fit(X, Y)


def test_decision_values_of_pairs_of_classes():
    inputs, y = problem(120, classes=4)
    with pytest.raises(ValueError, match=r"each of its 4 classes, got .*, 6.*decision_function_shape='ovr'"):
        CalibratedClassifier(SVC(decision_function_shape="ovo")).fit(inputs, y)


def test_before_the_fit():
    with pytest.raises(NotFittedError):
        CalibratedClassifier(GaussianNB()).predict_proba(X)
    with pytest.raises(NotFittedError):
        CalibratedClassifier(GaussianNB()).predict(X)
    with pytest.raises(NotFittedError):
        CalibratedClassifier(FrozenEstimator(GaussianNB())).fit(X, Y)


def test_a_failed_fit_leaves_the_last_one():
    calibrated = CalibratedClassifier(LogisticRegression()).fit(X, Y)
    before = calibrated.predict_proba(X)
    with pytest.raises(ValueError):
        calibrated.fit(X, np.ones(60))
    np.testing.assert_array_equal(calibrated.predict_proba(X), before)


def test_a_frozen_estimator_takes_no_parameters_of_a_fit():
    with pytest.raises(ValueError, match=r"fit_params must be left out with a frozen estimator, got \['tag'\]"):
        CalibratedClassifier(FrozenEstimator(GaussianNB().fit(X, Y))).fit(X, Y, tag=1)
