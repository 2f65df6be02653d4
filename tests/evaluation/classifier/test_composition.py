"""As a part of larger things: pipelines, searches, cross-validation, copies, and routed metadata."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags

import fitontest as fot
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from tests.evaluation.classifier.problems import Recorder, problem, weights

X, Y = problem(300)
W = weights(300)


def test_last_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), CalibratedClassifier(LogisticRegression(), cv=3)).fit(X, Y)
    alone = CalibratedClassifier(LogisticRegression(), cv=3).fit(StandardScaler().fit_transform(X), Y)
    np.testing.assert_allclose(
        pipeline.predict_proba(X), alone.predict_proba(StandardScaler().fit_transform(X)), rtol=0, atol=1e-12
    )


def test_around_a_pipeline():
    inner = make_pipeline(SelectKBest(k=2), GaussianNB())
    found = CalibratedClassifier(inner, cv=3).fit(X, Y)
    assert len({tuple(pair.estimator[0].scores_) for pair in found.calibrated_classifiers_}) == 3  # refitted each time
    with pytest.warns(fot.CalibrationWarning, match="Pipeline.fit takes no sample_weight"):
        CalibratedClassifier(inner, cv=3).fit(X, Y, W)
    weighted = CalibratedClassifier(make_pipeline(Recorder()), cv=3).fit(X, Y, recorder__sample_weight=W)
    seen = [pair.estimator[0].seen_["sample_weight"] for pair in weighted.calibrated_classifiers_]
    assert [part.size for part in seen] == [200, 200, 200]
    assert sum(part.sum() for part in seen) == 2 * W.sum()


def test_searching_for_the_family():
    grid = {"family": ["beta", "isotonic", fot.families.Identity()], "cv": [2, 3]}
    search = GridSearchCV(CalibratedClassifier(GaussianNB()), grid, cv=2, scoring="neg_brier_score").fit(X, Y)
    assert len(set(search.cv_results_["mean_test_score"])) >= 5
    assert search.best_estimator_.predict_proba(X).shape == (300, 2)


def test_searching_for_parameters_of_a_family_and_of_the_estimator():
    grid = {"family__n_bins": [1, 4], "estimator__var_smoothing": [1e-9, 1.0]}
    calibrated = CalibratedClassifier(GaussianNB(), fot.Slope1(2), cv=2)
    search = GridSearchCV(calibrated, grid, cv=2, scoring="neg_brier_score").fit(X, Y)
    assert len(set(search.cv_results_["mean_test_score"])) == 4
    found = search.best_estimator_.calibrated_classifiers_[0].families_[1]
    assert found.n_bins_ == search.best_params_["family__n_bins"]
    assert calibrated.family.n_bins == 2


def test_cross_validation_of_similarities():
    kernel = X @ X.T
    scores = cross_val_score(CalibratedClassifier(SVC(kernel="precomputed"), cv=2), kernel, Y, cv=2)
    expected = cross_val_score(CalibratedClassifier(SVC(kernel="linear"), cv=2), X, Y, cv=2)
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression(), SVC(kernel="precomputed")])
def test_tags_are_those_of_the_estimator(estimator):
    calibrated = CalibratedClassifier(estimator)
    assert is_classifier(calibrated)
    assert get_tags(calibrated).input_tags == get_tags(estimator).input_tags


def test_copies():
    calibrated = CalibratedClassifier(GaussianNB(), fot.Slope1(3), cv=2, ensemble=False, random_state=None)
    copy = clone(calibrated)
    assert repr(copy) == repr(calibrated)
    calibrated.fit(X, Y)
    again = pickle.loads(pickle.dumps(calibrated))
    np.testing.assert_array_equal(again.predict_proba(X), calibrated.predict_proba(X))
    copy.set_params(family__n_bins=1, estimator__var_smoothing=1e-3, cv=3)
    assert (copy.family.n_bins, copy.estimator.var_smoothing, copy.cv) == (1, 1e-3, 3)
    assert calibrated.family.n_bins == 3


def test_inside_another():
    """Twice calibrated; a calibrated classifier is a classifier like others."""
    inner = CalibratedClassifier(GaussianNB(), "isotonic", 2)
    outer = CalibratedClassifier(inner, "identity", 2, ensemble=False).fit(X, Y, W)
    np.testing.assert_allclose(outer.predict_proba(X), inner.fit(X, Y, W).predict_proba(X), rtol=0, atol=1e-14)


@pytest.mark.parametrize("ensemble", [True, False])
def test_weights_are_routed_as_requested(ensemble):
    plain = CalibratedClassifier(Recorder(), cv=3, ensemble=ensemble).fit(X, Y, W)
    with config_context(enable_metadata_routing=True):
        estimator = Recorder().set_fit_request(sample_weight=True)
        routed = CalibratedClassifier(estimator, cv=3, ensemble=ensemble).fit(X, Y, sample_weight=W)
        deaf = Recorder().set_fit_request(sample_weight=False)
        partly = CalibratedClassifier(deaf, cv=3, ensemble=ensemble).fit(X, Y, sample_weight=W)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            CalibratedClassifier(Recorder(), cv=3, ensemble=ensemble).fit(X, Y, sample_weight=W)
    np.testing.assert_array_equal(routed.predict_proba(X), plain.predict_proba(X))
    assert all(pair.estimator.seen_["sample_weight"] is None for pair in partly.calibrated_classifiers_)
    without = CalibratedClassifier(Recorder(), cv=3, ensemble=ensemble).fit(X, Y)
    maps = [[pair.families_[1].map_ for pair in found.calibrated_classifiers_] for found in (without, partly, routed)]
    assert maps[0] != maps[1]
    assert maps[1] != maps[2]


def test_groups_are_routed_to_the_splitter():
    groups = np.arange(300) % 6
    with config_context(enable_metadata_routing=True):
        estimator = Recorder().set_fit_request(per_row=True)
        calibrated = CalibratedClassifier(estimator, cv=GroupKFold(3)).fit(X, Y, groups=groups, per_row=groups)
    for pair in calibrated.calibrated_classifiers_:
        assert len(set(pair.estimator.seen_["per_row"])) == 4  # of six groups two are held out


def test_weights_are_routed_from_outside():
    with config_context(enable_metadata_routing=True):
        inner = Recorder().set_fit_request(sample_weight=True)
        calibrated = CalibratedClassifier(inner, cv=2).set_fit_request(sample_weight=True)
        calibrated.set_score_request(sample_weight=False)
        found = cross_validate(calibrated, X, Y, cv=2, params={"sample_weight": W}, return_estimator=True)
    for outer in found["estimator"]:
        assert all(pair.estimator.seen_["sample_weight"] is not None for pair in outer.calibrated_classifiers_)


def test_a_frozen_estimator_takes_no_part_in_routing():
    frozen = FrozenEstimator(GaussianNB().fit(X, Y))
    expected = CalibratedClassifier(frozen).fit(X, Y, W).predict_proba(X)
    with config_context(enable_metadata_routing=True):
        found = CalibratedClassifier(frozen).fit(X, Y, sample_weight=W)
    np.testing.assert_array_equal(found.predict_proba(X), expected)
