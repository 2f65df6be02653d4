"""What the estimator promises by itself: the formula, labels of every kind, weights, and what it leaves alone."""

import threading

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, LeaveOneOut, StratifiedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from fitontest.numerics.links import sigmoid
from tests.evaluation.classifier.problems import NAMES, Recorder, problem, weights
from tests.quick_families import SETTINGS, quick

pytestmark = pytest.mark.multiplies

either_way = pytest.mark.parametrize("ensemble", [True, False])
few_or_many = pytest.mark.parametrize("classes", [2, 3])


@pytest.mark.filterwarnings("ignore::fitontest.results.exceptions.CalibrationWarning")
@pytest.mark.parametrize("family", fot.families.names("two"))
@pytest.mark.parametrize(("classes", "ensemble"), [(2, True), (3, False)])
def test_every_family(family, classes, ensemble):
    X, y = problem(90, classes=classes)
    chosen = quick(family) if family in SETTINGS else family
    found = CalibratedClassifier(GaussianNB(), chosen, 2, ensemble=ensemble).fit(X, y)
    proba = found.predict_proba(X)
    assert proba.shape == (90, classes)
    assert ((proba >= 0) & (proba <= 1)).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.predict(X), found.classes_[proba.argmax(axis=1)])
    assert found.score(X, y) > 1.2 / classes
    several = classes > 2 and family in fot.families.names("any")
    for pair in found.calibrated_classifiers_:
        fitted = [pair.family_] if several else pair.families_.values()
        assert {type(one) for one in fitted} == {type(fot.families.make(family))}


def test_the_formula_by_hand():
    X, y = problem(classes=3)
    found = CalibratedClassifier(GaussianNB(), "beta", 3).fit(X, y)
    total = np.zeros((y.size, 3))
    for train, held in StratifiedKFold(3).split(X, y):
        inner = GaussianNB().fit(X[train], y[train])
        scores, held_scores = inner.predict_proba(X), inner.predict_proba(X[held])
        each = [fot.Beta().fit(held_scores[:, k], y[held] == k).transform(scores[:, k]) for k in range(3)]
        total += np.transpose(each) / np.sum(each, axis=0)[:, None]
    np.testing.assert_allclose(found.predict_proba(X), total / 3, rtol=0, atol=1e-12)


def test_the_identity_leaves_probabilities_alone():
    X, y = problem()
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    for method in ("auto", "decision_function"):
        found = CalibratedClassifier(frozen, "identity", response_method=method).fit(X, y)
        np.testing.assert_allclose(found.predict_proba(X), frozen.predict_proba(X), rtol=0, atol=1e-14)


def test_auto_takes_probabilities_where_there_are_some():
    X, y = problem()
    methods = {
        type(estimator).__name__: CalibratedClassifier(estimator).fit(X, y).calibrated_classifiers_[0].reading.method
        for estimator in (LogisticRegression(), GaussianNB(), LinearSVC())
    }
    expected = {"LogisticRegression": "predict_proba", "GaussianNB": "predict_proba", "LinearSVC": "decision_function"}
    assert methods == expected


def test_a_family_for_the_second_of_two_classes_and_for_each_of_more():
    two = CalibratedClassifier(GaussianNB()).fit(*problem())
    assert [list(pair.families_) for pair in two.calibrated_classifiers_] == [[1]] * 5
    three = CalibratedClassifier(GaussianNB(), ensemble=False).fit(*problem(classes=3))
    assert [list(pair.families_) for pair in three.calibrated_classifiers_] == [[0, 1, 2]]


@pytest.mark.parametrize(
    "kind",
    [NAMES, NAMES.astype(object), np.array([-1, 1]), np.array([7, 3, 5]), np.array([1.0, 2.0, 3.0]), [False, True]],
    ids=["text", "object", "signs", "whole", "float", "bool"],
)
@either_way
def test_labels_of_any_kind(kind, ensemble):
    """The columns follow the order of the labels, wherever each stands in it."""
    names = np.asarray(kind)
    X, y = problem(classes=names.size)
    plain = CalibratedClassifier(GaussianNB(), "isotonic", ensemble=ensemble).fit(X, y)
    named = CalibratedClassifier(GaussianNB(), "isotonic", ensemble=ensemble).fit(X, names[y])
    np.testing.assert_array_equal(named.classes_, np.sort(names))
    assert named.classes_.dtype == names.dtype
    expected = plain.predict_proba(X)[:, np.argsort(names)]
    np.testing.assert_allclose(named.predict_proba(X), expected, rtol=0, atol=1e-12)
    assert set(named.predict(X)) == set(names)


@pytest.mark.parametrize("family", ["beta", "isotonic", "platt"])
@few_or_many
def test_swapped_names_swap_columns(family, classes):
    """Of two classes the family is fitted to the other one: these families do not mind."""
    X, y = problem(classes=classes)
    forth = CalibratedClassifier(GaussianNB(), family).fit(X, y).predict_proba(X)
    back = CalibratedClassifier(GaussianNB(), family).fit(X, classes - 1 - y).predict_proba(X)
    np.testing.assert_allclose(back[:, ::-1], forth, rtol=0, atol=1e-8)


@pytest.mark.parametrize("family", ["beta", "isotonic", "slope1"])
@few_or_many
@either_way
def test_a_row_of_weight_two_is_that_row_twice(family, classes, ensemble):
    """And a row of weight 0 is absent, as long as the splitter holds copies out together."""
    X, y = problem(classes=classes)
    w = weights(y.size)
    family = fot.Slope1(4) if family == "slope1" else family
    copies = np.repeat(np.arange(y.size), w.astype(int))
    held = [np.flatnonzero(np.arange(y.size) % 3 == i) for i in range(3)]
    splits = [(np.setdiff1d(np.arange(y.size), rows), rows) for rows in held]
    repeated = [tuple(np.flatnonzero(np.isin(copies, rows)) for rows in split) for split in splits]
    weighted = CalibratedClassifier(GaussianNB(), family, splits, ensemble=ensemble).fit(X, y, w)
    copied = CalibratedClassifier(GaussianNB(), family, repeated, ensemble=ensemble).fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=0, atol=1e-7)
    plain = CalibratedClassifier(GaussianNB(), family, splits, ensemble=ensemble).fit(X, y)
    assert np.abs(weighted.predict_proba(X) - plain.predict_proba(X)).max() > 1e-3


def test_weights_go_to_estimators_that_take_none_only_by_the_calibration():
    X, y = problem()
    w = weights(y.size)
    frozen = FrozenEstimator(SVC(kernel="linear").fit(X, y))
    expected = CalibratedClassifier(frozen, "isotonic").fit(X, y, w).predict_proba(X)  # nothing is fitted, no warning
    splits = [(np.arange(y.size), np.arange(y.size))]
    unweighted = type("Unweighted", (SVC,), {"fit": lambda self, X, y: SVC.fit(self, X, y)})
    with pytest.warns(fot.CalibrationWarning, match="Unweighted.fit takes no sample_weight, so only the calib"):
        found = CalibratedClassifier(unweighted(kernel="linear"), "isotonic", splits).fit(X, y, w)
    np.testing.assert_allclose(found.predict_proba(X), expected, rtol=0, atol=1e-12)


@either_way
def test_parameters_of_the_fit_are_split_by_fold(ensemble):
    X, y = problem(30)
    rows = np.arange(30)
    found = CalibratedClassifier(Recorder(), cv=3, ensemble=ensemble)
    found.fit(X, y, sample_weight=np.arange(30) + 1.5, per_row=list(rows), tag="a tag of thirty characters, 30")
    expected = [train for train, _ in StratifiedKFold(3).split(X, y)] if ensemble else [rows]
    assert len("a tag of thirty characters, 30") == len(rows)
    for pair, train in zip(found.calibrated_classifiers_, expected, strict=True):
        seen = pair.estimator.seen_
        np.testing.assert_array_equal(seen["per_row"], train)
        np.testing.assert_array_equal(seen["sample_weight"], train + 1.5)
        np.testing.assert_array_equal(seen["X"], X[train])
        np.testing.assert_array_equal(seen["y"], y[train])
        assert seen["tag"] == "a tag of thirty characters, 30"


def test_what_was_passed_is_left_alone():
    X, y = problem()
    family, estimator = fot.Slope1(3), GaussianNB()
    calibrated = CalibratedClassifier(estimator, family)
    before = repr(calibrated.get_params())
    calibrated.fit(X, y)
    assert repr(calibrated.get_params()) == before
    assert not hasattr(family, "map_")
    assert not hasattr(estimator, "classes_")


def test_the_seed_goes_to_families_given_by_name():
    X, y = problem()
    named = CalibratedClassifier(GaussianNB(), "slope1", 2, random_state=11).fit(X, y)
    assert named.calibrated_classifiers_[0].families_[1].random_state == 11
    instance = CalibratedClassifier(GaussianNB(), fot.Slope1(random_state=4), 2, random_state=11).fit(X, y)
    assert instance.calibrated_classifiers_[0].families_[1].random_state == 4


@pytest.mark.parametrize("cv", [LeaveOneOut(), TimeSeriesSplit(3), [(range(30, 90), range(30))]], ids=str)
def test_one_set_of_maps_needs_no_partition(cv):
    X, y = problem(90)
    found = CalibratedClassifier(GaussianNB(), "isotonic", cv, ensemble=False).fit(X, y)
    splits = cv if isinstance(cv, list) else list(cv.split(X))
    scores = [GaussianNB().fit(X[train], y[train]).predict_proba(X[held])[:, 1] for train, held in splits]
    labels = np.concatenate([y[held] for _, held in splits])
    family = fot.Isotonic().fit(np.concatenate(scores), labels)
    expected = family.transform(GaussianNB().fit(X, y).predict_proba(X)[:, 1])
    np.testing.assert_allclose(found.predict_proba(X)[:, 1], expected, rtol=0, atol=1e-12)


def test_splits_may_be_masks_and_count_from_the_end():
    X, y = problem(60)
    held = np.arange(60) >= 40
    forms = [
        [(np.arange(40), np.arange(40, 60))],
        [(~held, held)],
        ((train, test) for train, test in [(list(range(40)), list(range(-20, 0)))]),
    ]
    found = [CalibratedClassifier(GaussianNB(), cv=cv).fit(X, y).predict_proba(X) for cv in forms]
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_none_is_five_folds():
    X, y = problem()
    none, five = (CalibratedClassifier(GaussianNB(), cv=cv).fit(X, y) for cv in (None, 5))
    np.testing.assert_array_equal(none.predict_proba(X), five.predict_proba(X))


@either_way
@few_or_many
def test_similarities(ensemble, classes):
    """A kernel computed beforehand gives what the same kernel gives inside."""
    X, y = problem(120, classes=classes)
    inside = CalibratedClassifier(SVC(kernel="linear"), cv=3, ensemble=ensemble).fit(X, y)
    kernel = X @ X.T
    before = CalibratedClassifier(SVC(kernel="precomputed"), cv=3, ensemble=ensemble).fit(kernel, y)
    np.testing.assert_allclose(before.predict_proba(kernel), inside.predict_proba(X), rtol=0, atol=1e-6)
    assert before.n_features_in_ == 120
    with pytest.raises(ValueError, match=r"X must be a square matrix .*, got shape \(120, 4\)"):
        CalibratedClassifier(SVC(kernel="precomputed")).fit(X, y)


def test_a_new_fit_leaves_nothing_of_the_old_one():
    pd = pytest.importorskip("pandas")
    X, y = problem()
    calibrated = CalibratedClassifier(GaussianNB(), cv=2).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert list(calibrated.feature_names_in_) == list("abcd")
    calibrated.fit(X, y)
    assert not hasattr(calibrated, "feature_names_in_")


class Threads(GaussianNB):
    """Remembers where it was fitted."""

    def fit(self, X, y):
        self.thread_ = threading.get_ident()
        return super().fit(X, y)


def test_more_workers_find_the_same():
    X, y = problem(classes=3)
    one = CalibratedClassifier(Threads(), cv=2).fit(X, y)
    with parallel_config(backend="threading"):
        two = CalibratedClassifier(Threads(), cv=2, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert {pair.estimator.thread_ for pair in one.calibrated_classifiers_} == {threading.get_ident()}
    assert threading.get_ident() not in {pair.estimator.thread_ for pair in two.calibrated_classifiers_}


def test_splitters_by_group_want_routing():
    X, y = problem(60)
    with pytest.raises(ValueError, match="groups"):
        CalibratedClassifier(GaussianNB(), cv=GroupKFold(3)).fit(X, y)


def test_scores_are_those_before_calibration():
    X, y = problem()
    pair = CalibratedClassifier(LinearSVC(), cv=2).fit(X, y).calibrated_classifiers_[0]
    np.testing.assert_allclose(pair.scores(X)[:, 1], sigmoid(pair.estimator.decision_function(X)), rtol=0, atol=1e-15)
