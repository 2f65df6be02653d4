"""Where CalibratedClassifierCV computes the same thing, the numbers are the same."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from tests.evaluation.classifier.problems import Margin, problem, weights

pytestmark = pytest.mark.multiplies

either_way = pytest.mark.parametrize("ensemble", [True, False])
few_or_many = pytest.mark.parametrize("classes", [2, 4])
with_or_without = pytest.mark.parametrize("weighted", [False, True])
PROBABILISTIC = {"naive Bayes": GaussianNB(), "forest": RandomForestClassifier(5, random_state=0)}


def both(estimator, classes, weighted, ensemble, *, method, family, cv=4, **params):
    """Return the probabilities of new rows by this package and by scikit-learn."""
    X, y = problem(classes=classes)
    w = weights(y.size) if weighted else None
    new = problem(seed=9, classes=classes)[0]
    ours = CalibratedClassifier(estimator, family, cv, ensemble=ensemble, **params).fit(X, y, w)
    theirs = CalibratedClassifierCV(estimator, method=method, cv=cv, ensemble=ensemble).fit(X, y, w)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert len(ours.calibrated_classifiers_) == len(theirs.calibrated_classifiers_)
    found = ours.predict_proba(new)
    assert np.ptp(found) > 0.25
    return found, theirs.predict_proba(new)


@pytest.mark.parametrize("estimator", PROBABILISTIC)
@few_or_many
@with_or_without
@either_way
def test_isotonic(estimator, classes, weighted, ensemble):
    found, expected = both(PROBABILISTIC[estimator], classes, weighted, ensemble, method="isotonic", family="isotonic")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_isotonic_on_shuffled_folds():
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    found, expected = both(GaussianNB(), 4, True, True, method="isotonic", family="isotonic", cv=folds)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@few_or_many
@with_or_without
@either_way
def test_sigmoid_of_probabilities(classes, weighted, ensemble):
    family = fot.Platt(link="identity", smoothing=True)
    found, expected = both(GaussianNB(), classes, weighted, ensemble, method="sigmoid", family=family)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("estimator", [LinearSVC(), SVC()], ids=["linear", "kernel"])
@few_or_many
@with_or_without
@either_way
def test_sigmoid_of_decision_values(estimator, classes, weighted, ensemble):
    """Platt's own method; scikit-learn takes decision values wherever there are any."""
    found, expected = both(
        estimator,
        classes,
        weighted,
        ensemble,
        method="sigmoid",
        family=fot.Platt(smoothing=True),
        response_method="decision_function",
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("factor", [1e3, 1e6, -1e3])
@either_way
def test_sigmoid_of_large_decision_values(factor, ensemble):
    """The sigmoid alone would make all of these 0 or 1."""
    estimator = Margin(factor)
    found, expected = both(estimator, 2, False, ensemble, method="sigmoid", family=fot.Platt(smoothing=True))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("family", ["platt", "isotonic", "spline"])
def test_decision_values_of_any_size(family):
    """The sigmoid alone would make all of the small ones 1/2, and all of the large ones 0 or 1."""
    X, y = problem()
    for factors in ((1e-30, 1e-12, 1e-7), (1e3, 1e6)):
        first, *others = (CalibratedClassifier(Margin(one), family, 3).fit(X, y).predict_proba(X) for one in factors)
        for other in others:
            np.testing.assert_allclose(other, first, rtol=0, atol=1e-6)
    plain = CalibratedClassifier(Margin(1e-3), family, 3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(
        CalibratedClassifier(Margin(1e-12), family, 3).fit(X, y).predict_proba(X), plain, atol=0.05
    )


def test_isotonic_of_large_decision_values_at_the_data():
    X, y = problem()
    splits = [(np.arange(y.size), np.arange(y.size))]
    ours = CalibratedClassifier(Margin(1e4), "isotonic", splits).fit(X, y)
    theirs = CalibratedClassifierCV(Margin(1e4), method="isotonic", cv=splits).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator does not appear to accept sample_weight:UserWarning")
@few_or_many
@with_or_without
def test_frozen(classes, weighted):
    X, y = problem(classes=classes)
    w = weights(y.size) if weighted else None
    frozen = FrozenEstimator(GaussianNB().fit(*problem(seed=3, classes=classes)))
    ours = CalibratedClassifier(frozen, "isotonic").fit(X, y, w)
    theirs = CalibratedClassifierCV(frozen, method="isotonic").fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)
    assert len(ours.calibrated_classifiers_) == 1
    assert ours.calibrated_classifiers_[0].estimator is frozen


def test_large_decision_values_stay_apart_on_both_sides():
    """Next to 1 floats are farther apart than next to 0, so the sigmoid must not be asked for scores too close to 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 1))
    y = (rng.random(600) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    found = {}
    for side in (1, -1):
        estimator = FrozenEstimator(Margin(1e-4, 25.0 * side).fit(X, y))
        found[side] = CalibratedClassifier(estimator, "isotonic").fit(X, y).predict_proba(X)[:, 1]
        theirs = CalibratedClassifierCV(estimator, method="isotonic").fit(X, y).predict_proba(X)[:, 1]
        np.testing.assert_allclose(found[side], theirs, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1], found[-1], rtol=0, atol=1e-12)


def test_scores_that_are_nearly_tied_are_ties_to_scikit_learn_only():
    """The docstring says so: its isotonic regression pools scores less than 1e-15 apart, as naive Bayes has."""
    p, y = [1e-20, 1e-18, 1e-17, 0.5, 0.6], [0, 1, 0, 1, 1]
    np.testing.assert_allclose(fot.Isotonic().fit(p, y).predict(p), [0, 0.5, 0.5, 1, 1])
    np.testing.assert_allclose(IsotonicRegression().fit(p, y).predict(p), [1 / 3, 1 / 3, 1 / 3, 1, 1])
