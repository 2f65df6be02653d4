"""The diagram of a tree: its numbers are those of the leaves, and its texts do not touch."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from tests.displays.figures import blank
from tests.trees.problems import blobs, regions


def test_the_leaves_are_those_of_the_rows_given():
    X, y, scores = regions(600)
    tree = fot.ProbabilityCalibrationTree(max_depth=3).fit(X[:400], y[:400], scores=scores[:400])
    w = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    display = fot.TreeDisplay.from_estimator(
        tree, X[400:], y[400:], sample_weight=w, scores=scores[400:], max_depth=9, ax=blank()
    )
    cells, p = tree.cells(X[400:]), tree.predict_proba(X[400:], scores=scores[400:])[:, 1]
    rows = display.rows("leaves")
    assert len(rows) == tree.n_leaves_ > 1
    for cell, row in enumerate(rows):
        v = w * (cells == cell)
        assert row["share"] == pytest.approx(v.sum() / w.sum())
        assert row["observed"] == pytest.approx(v @ y[400:] / v.sum())
        assert row["predicted"] == pytest.approx(v @ p / v.sum())
        assert row["low"] <= row["observed"] <= row["high"]
    assert display.observed_.get_xdata().tolist() == [row["observed"] for row in rows]
    assert display.predicted_.get_xdata().tolist() == [row["predicted"] for row in rows]


def test_a_deep_tree_is_cut_and_says_so():
    X, y, _ = regions(600)
    tree = fot.TreeCalibrator(max_depth=5, cv=[(range(600), range(600))]).fit(X, y)
    display = fot.TreeDisplay.from_estimator(tree, X, y, max_depth=2, ax=blank())
    assert "drawn to depth 2" in display.ax_.get_title(loc="left")
    assert sum(row["leaves"] for row in display.rows("leaves")) == tree.n_leaves_ > 4
    assert len(display.rows("leaves")) == 4
    np.testing.assert_allclose(display.observed_.get_xdata(), display.predicted_.get_xdata())  # shares of these rows


@pytest.mark.parametrize("depth", [2, 4])
def test_texts_do_not_touch(depth):
    X, y, scores = regions(700)
    X = pd.DataFrame(X, columns=["a feature with quite a long name", "another one of these", "x"])
    X.iloc[::9, 0] = np.nan
    options = {"max_depth": depth, "cv": [(range(700), range(700))]}  # deep: the factor is chosen on the same rows
    tree = fot.ProbabilityCalibrationTree(**options).fit(X, y, scores=scores)
    display = fot.TreeDisplay.from_estimator(tree, X, y, scores=scores, max_depth=depth, ax=blank((9, 6)))
    display.plot(blank(display.size))
    display.figure_.draw_without_rendering()
    boxes = [text.get_window_extent() for text in display.ax_.texts]
    assert len(boxes) > 2**depth
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_missing_features_are_named_where_they_go():
    X, y, _ = regions(300)
    X[y == 1, 0] = np.nan
    tree = fot.TreeCalibrator(max_depth=1).fit(X, y)
    paths = [row["path"] for row in fot.TreeDisplay.from_estimator(tree, X, y, ax=blank()).rows("leaves")]
    assert sum("or missing" in path for path in paths) == 1


def test_a_calibrated_classifier_with_one_tree_is_drawn():
    X, y, _ = regions(400)
    classifier = FrozenEstimator(GaussianNB().fit(X[:200], y[:200]))
    model = fot.CalibratedClassifier(classifier, "probability_calibration_tree").fit(X[200:], y[200:])
    display = fot.TreeDisplay.from_estimator(model, X, y, ax=blank())
    shares = [row["share"] for row in display.rows("leaves")]
    predicted = [row["predicted"] for row in display.rows("leaves")]
    assert np.dot(shares, predicted) == pytest.approx(model.predict_proba(X)[:, 1].mean())
    several = fot.CalibratedClassifier(GaussianNB(), "tree", cv=2).fit(X, y)
    with pytest.raises(ValueError, match="estimator must have one tree, got 2"):
        fot.TreeDisplay.from_estimator(several, X, y)
    with pytest.raises(ValueError, match="estimator must be a fitted tree or a CalibratedClassifier with one"):
        fot.TreeDisplay.from_estimator(GaussianNB(), X, y)


def test_of_several_classes_one_is_shown():
    X, y, P = blobs()
    tree = fot.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=P)
    with pytest.raises(ValueError, match="pos_label must be given of 3 classes"):
        fot.TreeDisplay.from_estimator(tree, X, y, scores=P)
    with pytest.raises(ValueError, match="pos_label must be one of the classes"):
        fot.TreeDisplay.from_estimator(tree, X, y, scores=P, pos_label=7)
    display = fot.TreeDisplay.from_estimator(tree, X, y, scores=P, pos_label=2, ax=blank())
    rows = display.rows("leaves")
    assert sum(row["share"] * row["observed"] for row in rows) == pytest.approx((y == 2).mean())
