"""Classifiers of rows that belong together: nothing is calibrated on a group that its classifier was fitted to."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from fitontest.segments.repair.trees.folds import tree_splits
from fitontest.segments.repair.trees.rows import TreeRows
from tests.evaluation.classifier.problems import Recorder, problem, weights

pytestmark = pytest.mark.multiplies

X, Y = problem(300)
X3, Y3 = problem(300, classes=3)
W = weights(300)
RNG = np.random.default_rng(7)
GROUPS = RNG.integers(0, 30, size=300)
X_AND_ID = np.column_stack([X, GROUPS])  # for estimators that remember the groups of their rows


class Remembers(GaussianNB):
    """Keeps the last feature apart, which is the group: of rows it is fitted to, and of those it is asked about."""

    def fit(self, X, y, sample_weight=None):
        self.fitted_, self.asked_ = set(X[:, -1]), set()
        return super().fit(X[:, :-1], y, sample_weight)

    def predict_proba(self, X):
        self.asked_ |= set(X[:, -1])
        return super().predict_proba(X[:, :-1])


@pytest.mark.parametrize("cv", [None, 3, StratifiedGroupKFold(4), GroupKFold(3)])
@pytest.mark.parametrize("family", ["isotonic", "spline"])
def test_no_group_is_on_both_sides(cv, family):
    calibrated = CalibratedClassifier(Remembers(), family, cv=cv).fit(X_AND_ID, Y, groups=GROUPS)
    pairs = calibrated.calibrated_classifiers_
    assert all(pair.estimator.asked_ and not pair.estimator.asked_ & pair.estimator.fitted_ for pair in pairs)
    assert set().union(*(pair.estimator.asked_ for pair in pairs)) == set(GROUPS)
    plain = CalibratedClassifier(Remembers(), family, cv=3).fit(X_AND_ID, Y)
    assert any(pair.estimator.asked_ & pair.estimator.fitted_ for pair in plain.calibrated_classifiers_)


def first_seen(groups):
    """Return the groups numbered in the order in which they occur."""
    return pd.factorize(np.asarray(groups))[0]


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("w", [None, W])
def test_a_number_is_the_stratified_folds_of_groups_of_scikit_learn(ensemble, w):
    found = CalibratedClassifier(GaussianNB(), "platt", cv=4, ensemble=ensemble).fit(X, Y, w, GROUPS)
    splits = list(StratifiedGroupKFold(4).split(X, Y, first_seen(GROUPS)))
    expected = CalibratedClassifier(GaussianNB(), "platt", cv=splits, ensemble=ensemble).fit(X, Y, w)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_names_of_groups_do_not_matter():
    expected = CalibratedClassifier(GaussianNB(), cv=4).fit(X, Y, groups=GROUPS).predict_proba(X)
    for groups in (
        [f"site {29 - group}" for group in GROUPS],
        [("site", int(group)) for group in GROUPS],
        [int(group) if group % 2 else str(group) for group in GROUPS],
        pd.Series(GROUPS).astype("category"),
    ):
        found = CalibratedClassifier(GaussianNB(), cv=4).fit(X, Y, groups=groups)
        np.testing.assert_array_equal(found.predict_proba(X), expected)


@pytest.mark.parametrize("family", ["spline", "stacking"])
@pytest.mark.parametrize("w", [None, W])
def test_groups_of_one_row_each_are_no_groups(family, w):
    expected = CalibratedClassifier(GaussianNB(), family, cv=3).fit(X, Y, w).predict_proba(X)
    for groups in (None, np.arange(300), [f"row {i}" for i in range(300)]):
        found = CalibratedClassifier(GaussianNB(), family, cv=3).fit(X, Y, w, groups)
        np.testing.assert_array_equal(found.predict_proba(X), expected)


@pytest.mark.parametrize(
    ("family", "data"), [("slope1", (X, Y)), ("spline", (X3, Y3)), (fot.families.Vector(penalty="cv", cv=3), (X3, Y3))]
)
def test_the_family_is_fitted_with_the_groups_of_its_rows(family, data):
    """Given the splits, groups matter to the folds of the family alone."""
    frozen = FrozenEstimator(GaussianNB().fit(*data))
    found = CalibratedClassifier(frozen, family).fit(*data, groups=GROUPS)
    p = frozen.predict_proba(data[0])
    pair = found.calibrated_classifiers_[0]
    if family == "slope1":
        expected = fot.Slope1().fit(p[:, 1], Y, groups=GROUPS)
        np.testing.assert_array_equal(pair.families_[1].predict(p[:, 1]), expected.predict(p[:, 1]))
    elif family == "spline":
        expected = fot.Spline().fit(p[:, 2], Y3 == 2, groups=GROUPS)
        np.testing.assert_array_equal(pair.families_[2].predict(p[:, 2]), expected.predict(p[:, 2]))
    else:
        expected = fot.families.Vector(penalty="cv", cv=3).fit(p, Y3, groups=GROUPS)
        np.testing.assert_array_equal(pair.family_.predict_proba(p), expected.predict_proba(p))


def test_groups_follow_rows_that_are_held_out_in_another_order():
    """With ensemble=False the family sees the held-out rows fold after fold."""
    splits = list(GroupKFold(3).split(X, Y, GROUPS))
    found = CalibratedClassifier(GaussianNB(), "spline", cv=splits, ensemble=False).fit(X, Y, groups=GROUPS)
    p = np.empty(300)
    for train, held in splits:
        p[held] = GaussianNB().fit(X[train], Y[train]).predict_proba(X[held])[:, 1]
    expected = fot.Spline().fit(p, Y, groups=GROUPS)
    np.testing.assert_allclose(
        found.calibrated_classifiers_[0].families_[1].predict(p), expected.predict(p), rtol=1e-12
    )


def test_a_fold_of_one_group_is_calibrated_by_its_rows():
    five = np.arange(300) % 5
    found = CalibratedClassifier(GaussianNB(), "spline", cv=5).fit(X, Y, groups=five)
    splits = list(StratifiedGroupKFold(5).split(X, Y, five))
    expected = CalibratedClassifier(GaussianNB(), "spline", cv=splits).fit(X, Y)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_a_splitter_that_ignores_groups_says_so():
    with pytest.warns(UserWarning, match="groups parameter is ignored by KFold"):
        CalibratedClassifier(GaussianNB(), "platt", cv=KFold(3)).fit(X, Y, groups=GROUPS)


def test_listed_splits_that_cut_groups_are_told_of():
    apart = list(GroupKFold(3).split(X, Y, GROUPS))
    CalibratedClassifier(GaussianNB(), "platt", cv=apart).fit(X, Y, groups=GROUPS)
    cut = list(KFold(3).split(X, Y))
    number = np.intersect1d(GROUPS[cut[0][0]], GROUPS[cut[0][1]]).size
    told = f"cv must hold out whole groups: {number} of them are on both sides of fold 0"
    for family in ("platt", fot.segments.TreeCalibrator()):
        with pytest.warns(fot.results.exceptions.CalibrationWarning, match=told):
            CalibratedClassifier(GaussianNB(), family, cv=cut).fit(X, Y, groups=GROUPS)


def test_estimators_that_name_groups_and_searches_get_them():
    class Grouped(Recorder):
        def fit(self, X, y, groups=None):
            super().fit(X, y)
            self.seen_["groups"] = groups
            return self

    found = CalibratedClassifier(Grouped(), "platt", cv=3).fit(X, Y, groups=GROUPS)
    for pair in found.calibrated_classifiers_:
        assert pair.estimator.seen_["groups"].size == pair.estimator.seen_["y"].size
    inside = CalibratedClassifier(CalibratedClassifier(Remembers(), "platt", 3), "platt", 3)
    inside.fit(X_AND_ID, Y, groups=GROUPS)
    for outer in inside.calibrated_classifiers_:
        assert not any(set(pair.estimator.fitted_) == set(GROUPS) for pair in outer.estimator.calibrated_classifiers_)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=GroupKFold(2))
    fitted = CalibratedClassifier(search, "platt", cv=3).fit(X, Y, groups=GROUPS)
    assert len(fitted.calibrated_classifiers_) == 3


def test_groups_are_routed():
    with config_context(enable_metadata_routing=True):
        calibrated = CalibratedClassifier(GaussianNB(), "platt", cv=3)
        routed = calibrated.fit(X, Y, groups=GROUPS).predict_proba(X)
        asked = CalibratedClassifier(GaussianNB(), "platt", cv=3).set_fit_request(groups=True)
        in_pipeline = make_pipeline(StandardScaler(), asked).fit(X, Y, groups=GROUPS)
        assert in_pipeline.predict_proba(X).shape == (300, 2)
        found = cross_validate(
            make_pipeline("passthrough", CalibratedClassifier(Remembers(), "platt", 3).set_fit_request(groups=True)),
            X_AND_ID,
            Y,
            cv=GroupKFold(3),
            params={"groups": GROUPS},
            return_estimator=True,
        )
        silent = make_pipeline("passthrough", CalibratedClassifier(GaussianNB(), "platt", 3))
        with pytest.raises(UnsetMetadataPassedError, match="groups"):
            silent.fit(X, Y, groups=GROUPS)
        by_splitter = CalibratedClassifier(GaussianNB(), "platt", cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(
        routed, CalibratedClassifier(GaussianNB(), "platt", cv=3).fit(X, Y, groups=GROUPS).predict_proba(X)
    )
    assert len(found["estimator"]) == 3
    expected = CalibratedClassifier(GaussianNB(), "platt", cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(by_splitter.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": GROUPS[:7]}, "y and groups must have the same number of rows"),
        ({"groups": [None] * 300}, "groups must not have missing values"),
        ({"groups": np.arange(300) % 4}, "cv must be at most the number of groups, .* got cv=5 and 4 groups"),
        ({"groups": [[1]] * 300}, "groups must hold ids that can be hashed"),
    ],
)
def test_bad_groups_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(LogisticRegression()).fit(X, Y, **options)


@pytest.mark.parametrize("family", ["tree", "probability_calibration_tree"])
def test_trees_hold_out_whole_groups(family):
    calibrated = CalibratedClassifier(GaussianNB(), fot.families.make(family, max_depth=3), cv=3, ensemble=False)
    grouped = calibrated.fit(X, Y, groups=GROUPS).calibrated_classifiers_[0].family_
    p = np.empty(300)
    for train, held in StratifiedGroupKFold(3).split(X, Y, first_seen(GROUPS)):
        p[held] = GaussianNB().fit(X[train], Y[train]).predict_proba(X[held])[:, 1]
    scores = {} if family == "tree" else {"scores": p}
    alone = fot.families.make(family, max_depth=3).fit(X, Y, groups=GROUPS, **scores)
    assert grouped.pruning_factor_ == pytest.approx(alone.pruning_factor_, rel=1e-9)
    single = fot.families.make(family, max_depth=3).fit(X, Y, groups=np.arange(300), **scores)
    assert single.pruning_factor_ == fot.families.make(family, max_depth=3).fit(X, Y, **scores).pruning_factor_


@pytest.mark.parametrize("w", [None, W])
def test_folds_of_trees_depend_neither_on_names_nor_on_the_order_of_rows(w):
    features = np.round(X, 1).astype(np.float32)
    w = np.ones(300) if w is None else w

    def folds(order, names):
        rows = TreeRows(features[order], Y[order], w[order], None, 2, whole=True, groups=names[GROUPS[order]])
        present = order[w[order] > 0]
        held = np.zeros((5, 300))
        for fold, (train, out) in enumerate(tree_splits(5, rows, 3)):
            held[fold, present] = out
            assert not set(GROUPS[present[out > 0]]) & set(GROUPS[present[train > 0]])
        return held

    first = folds(np.arange(300), np.arange(30))
    np.testing.assert_array_equal(first.sum(axis=0), w)
    np.testing.assert_array_equal(folds(RNG.permutation(300), np.array([f"site {i}" for i in range(30)])[::-1]), first)


def test_a_splitter_of_a_tree_gets_groups():
    tree = fot.segments.TreeCalibrator(cv=GroupKFold(3), max_depth=3).fit(X, Y, groups=GROUPS)
    by_hand = fot.segments.TreeCalibrator(cv=list(GroupKFold(3).split(X, Y, GROUPS)), max_depth=3).fit(X, Y)
    assert tree.pruning_factor_ == by_hand.pruning_factor_
