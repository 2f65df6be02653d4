"""What the trees predict, and what they refuse."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import fitontest as fot
from tests.trees.problems import blobs, regions


def logit(p):
    return np.log(p) - np.log1p(-p)


def test_a_leaf_holds_the_logistic_regression_of_its_rows():
    X, y, scores = regions()
    tree = fot.ProbabilityCalibrationTree(max_depth=2, min_samples_leaf=50).fit(X, y, scores=scores)
    cells, proba = tree.cells(X), tree.predict_proba(X, scores=scores)
    assert tree.n_leaves_ >= 2
    for cell in range(tree.n_leaves_):
        rows = cells == cell
        z = logit(scores[rows])[:, None]
        alone = LogisticRegression(C=1e6, tol=1e-12, max_iter=1000).fit(z, y[rows])
        np.testing.assert_allclose(proba[rows], alone.predict_proba(z), atol=1e-5)


def test_it_sees_what_a_map_of_scores_cannot_see():
    X, y, scores = regions(1200)
    tree = fot.ProbabilityCalibrationTree(max_depth=4).fit(X[:600], y[:600], scores=scores[:600])
    platt = fot.Platt().fit(scores[:600], y[:600])
    ours = log_loss(y[600:], tree.predict_proba(X[600:], scores=scores[600:])[:, 1])
    assert ours < log_loss(y[600:], platt.predict(scores[600:])) - 0.1
    assert tree.structure_.feature[0] == 0  # the sign of x_0 decides which way round the score is


def test_more_than_two_classes_have_one_tree_and_rows_that_add_up_to_one():
    X, y, P = blobs()
    tree = fot.ProbabilityCalibrationTree(max_depth=2).fit(X, np.array(["a", "b", "c"])[y], scores=P)
    proba = tree.predict_proba(X, scores=P)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert tree.predict(X, scores=P)[0] in ("a", "b", "c")
    assert log_loss(y, proba) < log_loss(y, P) - 0.1
    assert tree.models_.slopes.shape == (tree.structure_.size, 3)


def test_nodes_of_one_class_are_constants():
    rng = np.random.default_rng(0)
    X, scores = rng.normal(size=(80, 2)), rng.random(80)
    y = (X[:, 1] > 0.2).astype(int)
    tree = fot.ProbabilityCalibrationTree().fit(X, y, scores=scores)
    assert tree.n_leaves_ == 2
    assert np.array_equal(tree.predict_proba(X, scores=rng.random(80))[:, 1], y)
    alone = fot.ProbabilityCalibrationTree().fit(X, np.zeros(80), scores=scores)
    assert alone.predict_proba(X).tolist() == [[1.0]] * 80


@pytest.mark.parametrize("with_scores", [True, False])
def test_a_weight_is_a_repetition(with_scores):
    X, y, scores = regions(250)
    w = np.random.default_rng(3).integers(0, 4, 250)
    kind = fot.ProbabilityCalibrationTree if with_scores else fot.TreeCalibrator
    given, repeated = ({"scores": s} if with_scores else {} for s in (scores, np.repeat(scores, w)))
    weighted = kind(max_depth=4).fit(X, y, w.astype(float), **given)
    again = kind(max_depth=4).fit(np.repeat(X, w, axis=0), np.repeat(y, w), **repeated)
    assert weighted.n_leaves_ == again.n_leaves_ > 1
    np.testing.assert_allclose(weighted.predict_proba(X, **given), again.predict_proba(X, **given), atol=1e-8)


def test_the_order_of_rows_changes_nothing():
    X, y, scores = regions(250)
    order = np.random.default_rng(1).permutation(250)
    a = fot.ProbabilityCalibrationTree(max_depth=4).fit(X, y, scores=scores)
    b = fot.ProbabilityCalibrationTree(max_depth=4).fit(X[order], y[order], scores=scores[order])
    np.testing.assert_allclose(a.predict_proba(X, scores=scores), b.predict_proba(X, scores=scores), atol=1e-8)


def test_missing_features_are_taken_and_infinite_ones_refused():
    X, y, scores = regions(300)
    X[::7, 0] = np.nan
    tree = fot.ProbabilityCalibrationTree(max_depth=3).fit(X, y, scores=scores)
    assert np.isfinite(tree.predict_proba(X, scores=scores)).all()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="X contains infinity"):
        fot.TreeCalibrator().fit(X, y)


def test_refusals_say_what_to_give():
    X, y, scores = regions(100)
    tree = fot.ProbabilityCalibrationTree(max_depth=2)
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
        fot.TreeCalibrator(cv=1).fit(X, y)


def test_the_registry_lists_them_apart_and_measures_refuse_them():
    assert fot.available_families("features") == ["probability_calibration_tree", "tree"]
    assert not {"tree", "probability_calibration_tree"} & {*fot.available_families(), *fot.available_families("any")}
    assert fot.make_family("tree", max_depth=2).max_depth == 2
    for reduction in (None, "canonical"):
        with pytest.raises(ValueError, match="got 'tree', which takes the features of the rows"):
            fot.calibration_error(
                [0, 1, 1], [[0.5, 0.5]] * 3 if reduction else [0.5] * 3, family="tree", reduction=reduction
            )


def test_a_matrix_of_two_columns_is_its_second_one():
    X, y, scores = regions(100)
    P = np.stack([1 - scores, scores], axis=1)
    a = fot.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=P).predict_proba(X, scores=P)
    b = fot.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=scores).predict_proba(X, scores=scores)
    assert np.array_equal(a, b)
