"""Classes that a fold lacks: what they get, and that the user is told once."""

import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from tests.evaluation.classifier.problems import NAMES, problem

X, CODES = problem(120, classes=3)
Y = NAMES[CODES]
ROWS = np.arange(120)
COMMON, RARE = np.flatnonzero(CODES != 2), np.flatnonzero(CODES == 2)
UNTRAINED = [(COMMON[:50], np.concatenate((COMMON[50:], RARE))), (ROWS[:60], ROWS[60:])]
UNCALIBRATED = [(np.concatenate((COMMON[:50], RARE)), COMMON[50:]), (ROWS[:60], ROWS[60:])]


def told(fit):
    """Return the result of a fit and the warnings of this package that it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fit()
    return found, [warning for warning in caught if issubclass(warning.category, fot.CalibrationWarning)]


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearSVC()], ids=["probabilities", "decision values"])
def test_not_in_the_training_rows_is_probability_zero(estimator):
    found, messages = told(lambda: CalibratedClassifier(estimator, "isotonic", UNTRAINED).fit(X, Y))
    first, second = found.calibrated_classifiers_
    assert list(first.families_) == ["ash", "birch"]
    assert list(second.families_) == ["ash", "birch", "cedar"]
    assert (first.predict_proba(X)[:, 2] == 0).all()
    assert second.predict_proba(X)[:, 2].max() > 0.5
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)
    assert len(messages) == 1
    assert messages[0].filename == __file__
    text = str(messages[0].message)
    assert text.startswith("classes missing from the training rows of 1 of 2 folds: 'cedar'; ")
    assert "calibration rows" not in text
    assert text.endswith("Use ensemble=False or fewer folds, stratified by class.")


def test_both_columns_of_a_binary_estimator_among_three_classes_are_used():
    found, _ = told(lambda: CalibratedClassifier(LinearSVC(), "platt", UNTRAINED).fit(X, Y))
    pair = found.calibrated_classifiers_[0]
    scores = pair.scores(X)
    np.testing.assert_allclose(scores[:, 0] + scores[:, 1], 1, rtol=0, atol=1e-14)
    assert (scores[:, 2] == 0).all()
    held = UNTRAINED[0][1]
    for k in (0, 1):
        expected = fot.Platt().fit(scores[held, k], CODES[held] == k)
        assert pair.families_[NAMES[k]].map_ == expected.map_


def test_not_in_the_calibration_rows_is_what_the_family_says():
    found, messages = told(lambda: CalibratedClassifier(GaussianNB(), "beta", UNCALIBRATED).fit(X, Y))
    assert (found.calibrated_classifiers_[0].predict_proba(X)[:, 2] == 0).all()
    assert [str(message.message).split(";")[0] for message in messages] == [
        "classes missing from the calibration rows of 1 of 2 folds: 'cedar'"
    ]
    smooth = CalibratedClassifier(GaussianNB(), fot.Platt(smoothing=True), UNCALIBRATED)
    found, _ = told(lambda: smooth.fit(X, Y))
    held = UNCALIBRATED[0][1].size
    assert found.calibrated_classifiers_[0].families_["cedar"].predict([0.3]) == pytest.approx(1 / (held + 2))


def test_rows_of_weight_zero_are_not_there():
    w = np.ones(120)
    w[np.intersect1d(ROWS[60:], RARE)] = 0
    found, messages = told(
        lambda: CalibratedClassifier(GaussianNB(), "isotonic", [(ROWS[:60], ROWS[60:])]).fit(X, Y, w)
    )
    assert (found.predict_proba(X)[:, 2] == 0).all()
    assert [str(message.message).split(";")[0] for message in messages] == [
        "classes missing from the calibration rows: 'cedar'"
    ]


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearSVC()], ids=["probabilities", "decision values"])
def test_one_set_of_maps_sees_score_zero(estimator):
    calibrated = CalibratedClassifier(estimator, "isotonic", UNTRAINED, ensemble=False)
    found, messages = told(lambda: calibrated.fit(X, Y))
    assert len(messages) == 1
    text = str(messages[0].message)
    assert text.startswith("classes missing from the training rows of 1 of 2 folds: 'cedar'; ")
    assert text.endswith(". Use fewer folds, stratified by class.")
    (pair,) = found.calibrated_classifiers_
    assert list(pair.families_) == ["ash", "birch", "cedar"]
    held = np.concatenate([rows for _, rows in UNTRAINED])
    second = pair.reading.scores(_raw(estimator, *UNTRAINED[1]))[:, 2]
    scores = np.concatenate((np.zeros(UNTRAINED[0][1].size), second))
    expected = fot.Isotonic().fit(scores, CODES[held] == 2)
    assert pair.families_["cedar"].map_ == expected.map_


def _raw(estimator, train, held):
    fitted = estimator.fit(X[train], Y[train])
    return fitted.predict_proba(X[held]) if hasattr(fitted, "predict_proba") else fitted.decision_function(X[held])


def test_a_pair_that_knows_one_class_is_certain_of_it():
    order = np.argsort(CODES[COMMON], kind="stable")  # unshuffled folds over sorted labels: one class to learn from
    rows = COMMON[order]
    fit = CalibratedClassifier(DecisionTreeClassifier(), cv=KFold(2)).fit
    found, messages = told(lambda: fit(X[rows], Y[rows]))
    assert [pair.predict_proba(X)[0].tolist() for pair in found.calibrated_classifiers_] == [[0, 1], [1, 0]]
    assert (found.predict_proba(X) == 0.5).all()
    assert [pair.families_ for pair in found.calibrated_classifiers_] == [{}, {}]
    assert len(messages) == 1
    assert "missing from the training rows of 2 of 2 folds: 'ash', 'birch'" in str(messages[0].message)
    assert "missing from the calibration rows of 2 of 2 folds: 'ash', 'birch'" in str(messages[0].message)


def test_a_pair_that_knows_one_class_of_three():
    splits = [(RARE, COMMON), (ROWS[:60], ROWS[60:])]
    found, _ = told(lambda: CalibratedClassifier(DummyClassifier(), "isotonic", splits).fit(X, Y))
    assert found.calibrated_classifiers_[0].predict_proba(X).tolist() == [[0, 0, 1]] * 120


def test_estimators_that_refuse_one_class_are_heard():
    order = COMMON[np.argsort(CODES[COMMON], kind="stable")]
    with pytest.raises(ValueError, match=r"number of classes has to be greater than one|at least 2 classes"):
        CalibratedClassifier(LinearSVC(), cv=KFold(2)).fit(X[order], Y[order])


@pytest.mark.filterwarnings("ignore:The least populated class in y:UserWarning")
def test_a_class_of_one_row_among_five_folds():
    y = Y.copy()
    y[7] = "yew"
    found, messages = told(lambda: CalibratedClassifier(GaussianNB(), "isotonic").fit(X, y))
    assert len(messages) == 1
    assert "training rows of 1 of 5 folds: 'yew'" in str(messages[0].message)
    assert "calibration rows of 4 of 5 folds: 'yew'" in str(messages[0].message)
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)


def test_a_frozen_estimator_may_know_more_classes_than_occur():
    frozen = FrozenEstimator(GaussianNB().fit(X, Y))
    found, messages = told(lambda: CalibratedClassifier(frozen, "beta").fit(X[COMMON], Y[COMMON]))
    assert found.classes_.tolist() == ["ash", "birch", "cedar"]
    assert (found.predict_proba(X)[:, 2] == 0).all()
    assert [str(message.message) for message in messages] == [
        (
            "classes missing from the calibration rows: 'cedar'; there their families saw no positive label. "
            "Give rows of every class."
        )
    ]


def test_a_frozen_estimator_must_know_every_class_that_occurs():
    frozen = FrozenEstimator(GaussianNB().fit(X[COMMON], Y[COMMON]))
    with pytest.raises(ValueError, match=r"the frozen estimator knows, \['ash', 'birch'\]; got \['cedar'\]"):
        CalibratedClassifier(frozen).fit(X, Y)


def test_nothing_is_said_where_nothing_is_missing():
    _, messages = told(lambda: CalibratedClassifier(GaussianNB(), "isotonic").fit(X, Y))
    assert messages == []


def test_the_warnings_of_families_reach_the_user():
    separable, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    frozen = FrozenEstimator(GaussianNB().fit(separable, y))
    with pytest.warns(fot.results.SeparableDataWarning) as caught:
        CalibratedClassifier(frozen, "beta").fit(separable, y)
    assert caught[0].filename == __file__


def test_rows_without_any_score_are_shared_by_the_classes_that_the_estimator_knows():
    found, _ = told(lambda: CalibratedClassifier(GaussianNB(), "isotonic", UNTRAINED).fit(X, Y))
    for pair in found.calibrated_classifiers_:
        for family in pair.families_.values():
            family.map_ = fot.maps.KnotsMap([0, 1], [0, 0])
    first, second = (pair.predict_proba(X) for pair in found.calibrated_classifiers_)
    np.testing.assert_array_equal(first, [[0.5, 0.5, 0]] * 120)
    np.testing.assert_array_equal(second, [[1 / 3] * 3] * 120)
