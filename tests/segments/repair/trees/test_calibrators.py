"""What the trees predict, and what they refuse."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import fitontest as fot
from fitontest.segments.repair.trees.base import TAKES_MISSING
from tests.segments.repair.trees.problems import blobs, regions

pytestmark = pytest.mark.multiplies


def logit(p):
    return np.log(p) - np.log1p(-p)


def test_a_leaf_holds_the_logistic_regression_of_its_rows():
    X, y, scores = regions()
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=2, min_samples_leaf=50).fit(X, y, scores=scores)
    cells, proba = tree.cells(X), tree.predict_proba(X, scores=scores)
    assert tree.n_leaves_ >= 2
    for cell in range(tree.n_leaves_):
        rows = cells == cell
        z = logit(scores[rows])[:, None]
        alone = LogisticRegression(C=1e6, tol=1e-12, max_iter=1000).fit(z, y[rows])
        np.testing.assert_allclose(proba[rows], alone.predict_proba(z), atol=1e-5)


def test_it_sees_what_a_map_of_scores_cannot_see():
    X, y, scores = regions(1200)
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=4).fit(X[:600], y[:600], scores=scores[:600])
    platt = fot.Platt().fit(scores[:600], y[:600])
    ours = log_loss(y[600:], tree.predict_proba(X[600:], scores=scores[600:])[:, 1])
    assert ours < log_loss(y[600:], platt.predict(scores[600:])) - 0.1
    assert tree.structure_.feature[0] == 0  # the sign of x_0 decides which way round the score is


def test_more_than_two_classes_have_one_tree_and_rows_that_add_up_to_one():
    X, y, P = blobs()
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, np.array(["a", "b", "c"])[y], scores=P)
    proba = tree.predict_proba(X, scores=P)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert tree.predict(X, scores=P)[0] in ("a", "b", "c")
    assert log_loss(y, proba) < log_loss(y, P) - 0.1
    assert tree.models_.slopes.shape == (tree.structure_.size, 3)


def test_nodes_of_one_class_are_constants():
    rng = np.random.default_rng(0)
    X, scores = rng.normal(size=(80, 2)), rng.random(80)
    y = (X[:, 1] > 0.2).astype(int)
    tree = fot.segments.ProbabilityCalibrationTree().fit(X, y, scores=scores)
    assert tree.n_leaves_ == 2
    assert np.array_equal(tree.predict_proba(X, scores=rng.random(80))[:, 1], y)
    alone = fot.segments.ProbabilityCalibrationTree().fit(X, np.zeros(80), scores=scores)
    assert alone.predict_proba(X).tolist() == [[1.0]] * 80


@pytest.mark.parametrize("with_scores", [True, False])
def test_a_weight_is_a_repetition(with_scores):
    X, y, scores = regions(250)
    w = np.random.default_rng(3).integers(0, 4, 250)
    kind = fot.segments.ProbabilityCalibrationTree if with_scores else fot.segments.TreeCalibrator
    given, repeated = ({"scores": s} if with_scores else {} for s in (scores, np.repeat(scores, w)))
    weighted = kind(max_depth=4).fit(X, y, w.astype(float), **given)
    again = kind(max_depth=4).fit(np.repeat(X, w, axis=0), np.repeat(y, w), **repeated)
    assert weighted.n_leaves_ == again.n_leaves_ > 1
    np.testing.assert_allclose(weighted.predict_proba(X, **given), again.predict_proba(X, **given), atol=1e-8)


@pytest.mark.parametrize("kind", [fot.segments.TreeCalibrator, fot.segments.ProbabilityCalibrationTree])
@pytest.mark.parametrize("least", [20, 0.1])
def test_a_weight_is_a_repetition_in_small_leaves_and_among_equal_rows_too(kind, least):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (150, 2)).astype(float)
    y = (rng.random(150) < 0.2 + 0.2 * X[:, 0] * (X[:, 1] > 1)).astype(int)
    w = rng.integers(0, 4, 150)
    weighted = kind(min_samples_leaf=least).fit(X, y, w)
    again = kind(min_samples_leaf=least).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.n_leaves_ == again.n_leaves_ > 1
    np.testing.assert_allclose(weighted.predict_proba(X), again.predict_proba(X), atol=1e-12)
    least_weight = np.bincount(weighted.cells(X), w).min()
    assert least_weight >= (least if least > 1 else least * w.sum())


def test_no_leaf_is_smaller_than_half_the_rows_where_it_must_have_more():
    X, y, _ = regions(100)
    w = np.full(100, 2.0)
    assert fot.segments.TreeCalibrator(min_samples_leaf=101).fit(X, y, w).tree_.get_n_leaves() == 1
    assert fot.segments.TreeCalibrator(min_samples_leaf=100, max_depth=1).fit(X, y, w).tree_.get_n_leaves() == 2


@pytest.mark.parametrize("kind", [fot.segments.TreeCalibrator, fot.segments.ProbabilityCalibrationTree])
def test_features_of_few_values_are_used(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 1)).astype(float)
    y = (rng.random(400) < np.where(X[:, 0] > 0, 0.8, 0.2)).astype(int)
    assert kind().fit(X, y).n_leaves_ == 2
    assert kind().fit(X, y, np.full(400, 0.5)).n_leaves_ == 2
    shuffled = StratifiedKFold(5, shuffle=True, random_state=0)
    cells = rng.integers(0, 30, (400, 1)).astype(float)  # noise: no more of it is learnt than with shuffled folds
    ours, theirs = (
        np.mean([kind(cv=cv).fit(cells, rng.permutation(y)).n_leaves_ for _ in range(12)]) for cv in (5, shuffled)
    )
    assert ours <= theirs + 2


def test_the_score_takes_base_scores():
    X, y, scores = regions(200)
    w = np.arange(200) % 3
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=scores)
    right = tree.predict(X, scores=scores) == y
    assert tree.score(X, y, w, scores=scores) == pytest.approx(w @ right / w.sum())
    with pytest.raises(ValueError, match="scores must be given where fit was given scores"):
        tree.score(X, y)
    assert 0 <= fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, y).score(X, y) <= 1


@pytest.mark.parametrize(
    "wrong", [{"cv": 1}, {"random_state": "x"}, {"max_depth": -1}, {"min_samples_leaf": 0}, {"min_samples_leaf": 1.5}]
)
def test_a_refused_fit_leaves_the_fitted_tree_as_it_was(wrong):
    X, y, _ = regions(100)
    for kind in (fot.segments.TreeCalibrator, fot.segments.ProbabilityCalibrationTree):
        tree = kind(max_depth=2).fit(X, y)
        before = tree.predict_proba(X)
        with pytest.raises(ValueError, match="sample_weight"):
            tree.fit(X[:, :1], y, np.full(100, -1.0))
        usual = {name: getattr(tree, name) for name in wrong}
        with pytest.raises(ValueError, match=next(iter(wrong))):
            tree.set_params(**wrong).fit(X[:, :1], y)
        assert {name: getattr(tree, name) for name in wrong} == wrong  # parameters are the caller's
        tree.set_params(**usual)
        assert np.array_equal(tree.predict_proba(X), before)


def test_the_order_of_rows_changes_nothing():
    X, y, scores = regions(250)
    order = np.random.default_rng(1).permutation(250)
    a = fot.segments.ProbabilityCalibrationTree(max_depth=4).fit(X, y, scores=scores)
    b = fot.segments.ProbabilityCalibrationTree(max_depth=4).fit(X[order], y[order], scores=scores[order])
    np.testing.assert_allclose(a.predict_proba(X, scores=scores), b.predict_proba(X, scores=scores), atol=1e-8)


def test_missing_features_are_taken_and_infinite_ones_refused():
    X, y, scores = regions(300)
    missing = X.copy()
    missing[::7, 0] = np.nan
    if TAKES_MISSING:
        tree = fot.segments.ProbabilityCalibrationTree(max_depth=3).fit(missing, y, scores=scores)
        assert np.isfinite(tree.predict_proba(missing, scores=scores)).all()
    else:
        with pytest.raises(ValueError, match="X contains NaN"):
            fot.segments.TreeCalibrator().fit(missing, y)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="X contains infinity"):
        fot.segments.TreeCalibrator().fit(X, y)


def test_refusals_say_what_to_give():
    X, y, scores = regions(100)
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=2)
    with pytest.raises(ValueError, match="scores must have one score of the second class"):
        tree.fit(X, y, scores=scores[:50])
    with pytest.raises(ValueError, match=r"scores must be in \[0, 1\]|scores must"):
        tree.fit(X, y, scores=scores + 1)
    tree.fit(X, y, scores=scores)
    with pytest.raises(ValueError, match="scores must be given where fit was given scores"):
        tree.predict(X)
    tree.fit(X, y)
    with pytest.raises(ValueError, match="scores must be left out where fit was given none"):
        tree.predict_proba(X, scores=scores)
    with pytest.raises(ValueError, match="cv must be a whole number of folds"):
        fot.segments.TreeCalibrator(cv=1).fit(X, y)


def test_the_registry_lists_them_apart_and_measures_refuse_them():
    assert {"probability_calibration_tree", "tree"} <= set(fot.families.names("features"))
    assert not {"tree", "probability_calibration_tree"} & {*fot.families.names("two"), *fot.families.names("any")}
    assert fot.families.make("tree", max_depth=2).max_depth == 2
    for reduction in (None, "canonical"):
        with pytest.raises(ValueError, match="got 'tree', which takes the features of the rows"):
            fot.calibration_error(
                [0, 1, 1], [[0.5, 0.5]] * 3 if reduction else [0.5] * 3, family="tree", reduction=reduction
            )


def test_a_matrix_of_two_columns_is_its_second_one():
    X, y, scores = regions(100)
    P = np.stack([1 - scores, scores], axis=1)
    a = fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=P).predict_proba(X, scores=P)
    b = fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=scores).predict_proba(X, scores=scores)
    assert np.array_equal(a, b)
