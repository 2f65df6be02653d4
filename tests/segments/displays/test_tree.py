"""The diagram of a tree: its numbers are those of the leaves, and its texts do not touch."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from tests.displays.figures import blank
from tests.releases import trees_tell_of_missing
from tests.segments.repair.trees.problems import blobs, regions

pytestmark = pytest.mark.multiplies


def test_the_leaves_are_those_of_the_rows_given():
    X, y, scores = regions(600)
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=3).fit(X[:400], y[:400], scores=scores[:400])
    w = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    display = fot.segments.TreeDisplay.from_estimator(
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
    tree = fot.segments.TreeCalibrator(max_depth=5, cv=[(range(600), range(600))]).fit(X, y)
    display = fot.segments.TreeDisplay.from_estimator(tree, X, y, max_depth=2, ax=blank())
    assert "drawn to depth 2" in display.ax_.get_title(loc="left")
    assert sum(row["leaves"] for row in display.rows("leaves")) == tree.n_leaves_ > 4
    assert len(display.rows("leaves")) == 4
    np.testing.assert_allclose(display.observed_.get_xdata(), display.predicted_.get_xdata())  # shares of these rows


@trees_tell_of_missing
@pytest.mark.parametrize("depth", [2, 4])
def test_texts_do_not_touch(depth):
    X, y, scores = regions(700)
    X = pd.DataFrame(X, columns=["a feature with quite a long name", "another one of these", "x"])
    X.iloc[::9, 0] = np.nan
    options = {"max_depth": depth, "cv": [(range(700), range(700))]}  # deep: the factor is chosen on the same rows
    tree = fot.segments.ProbabilityCalibrationTree(**options).fit(X, y, scores=scores)
    display = fot.segments.TreeDisplay.from_estimator(tree, X, y, scores=scores, max_depth=depth, ax=blank((9, 6)))
    display.plot(blank(display.size))
    display.figure_.draw_without_rendering()
    boxes = [text.get_window_extent() for text in display.ax_.texts]
    assert len(boxes) > 2**depth
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@trees_tell_of_missing
def test_missing_features_are_named_where_they_go():
    X, y, _ = regions(300)
    X[y == 1, 0] = np.nan
    tree = fot.segments.TreeCalibrator(max_depth=1).fit(X, y)
    paths = [row["path"] for row in fot.segments.TreeDisplay.from_estimator(tree, X, y, ax=blank()).rows("leaves")]
    assert paths == ["x0 not missing", "x0 missing"]
    X[y == 0, 0] = np.where(np.arange((y == 0).sum()) % 2, np.nan, -1.0)
    tree = fot.segments.TreeCalibrator(max_depth=1).fit(X, y)
    paths = [row["path"] for row in fot.segments.TreeDisplay.from_estimator(tree, X, y, ax=blank()).rows("leaves")]
    assert paths == ["x0 not missing", "x0 missing"]
    X[y == 1, 0] = np.where(np.arange((y == 1).sum()) % 2, np.nan, 1.0)
    tree = fot.segments.TreeCalibrator(max_depth=1).fit(X, y)
    paths = [row["path"] for row in fot.segments.TreeDisplay.from_estimator(tree, X, y, ax=blank()).rows("leaves")]
    assert sum("or missing" in path for path in paths) == 1


def test_a_calibrated_classifier_with_one_tree_is_drawn():
    X, y, _ = regions(400)
    classifier = FrozenEstimator(GaussianNB().fit(X[:200], y[:200]))
    model = fot.CalibratedClassifier(classifier, "probability_calibration_tree").fit(X[200:], y[200:])
    display = fot.segments.TreeDisplay.from_estimator(model, X, y, ax=blank())
    shares = [row["share"] for row in display.rows("leaves")]
    predicted = [row["predicted"] for row in display.rows("leaves")]
    assert np.dot(shares, predicted) == pytest.approx(model.predict_proba(X)[:, 1].mean())
    several = fot.CalibratedClassifier(GaussianNB(), "tree", cv=2).fit(X, y)
    with pytest.raises(ValueError, match="estimator must have one tree, got 2"):
        fot.segments.TreeDisplay.from_estimator(several, X, y)
    with pytest.raises(ValueError, match="estimator must be a fitted tree or a CalibratedClassifier with one"):
        fot.segments.TreeDisplay.from_estimator(GaussianNB(), X, y)


def test_of_several_classes_one_is_shown():
    X, y, P = blobs()
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=P)
    with pytest.raises(ValueError, match="pos_label must be given of 3 classes"):
        fot.segments.TreeDisplay.from_estimator(tree, X, y, scores=P)
    with pytest.raises(ValueError, match="pos_label must be one of the classes"):
        fot.segments.TreeDisplay.from_estimator(tree, X, y, scores=P, pos_label=7)
    display = fot.segments.TreeDisplay.from_estimator(tree, X, y, scores=P, pos_label=2, ax=blank())
    rows = display.rows("leaves")
    assert sum(row["share"] * row["observed"] for row in rows) == pytest.approx((y == 2).mean())


def test_labels_that_are_no_classes_are_refused():
    X, y, _ = regions(100)
    tree = fot.segments.TreeCalibrator(max_depth=1).fit(X, y)
    wrong = y.astype(float)
    wrong[[3, 5]] = 7
    with pytest.raises(ValueError, match=r"y must be one of the classes .*, got 7.0 at row 4 \(.*2 such values\)"):
        fot.segments.TreeDisplay.from_estimator(tree, X, wrong)
    with pytest.raises(ValueError, match=r"y must be one of the classes .*, got 'yes'"):
        fot.segments.TreeDisplay.from_estimator(tree, X, np.where(y, "yes", "no"))
    absent = np.where(wrong == 7, 0.0, 1.0)
    assert fot.segments.TreeDisplay.from_estimator(tree, X, wrong, sample_weight=absent, ax=blank()).n == 98


def test_the_regression_is_that_of_the_class_shown():
    X, y, scores = regions(400)
    tree = fot.segments.ProbabilityCalibrationTree(max_depth=2).fit(X, y, scores=scores)
    for label, own in ((0, 1 - scores), (1, scores)):
        display = fot.segments.TreeDisplay.from_estimator(tree, X, y, scores=scores, pos_label=label, ax=blank())
        rows, cells = display.rows("leaves"), tree.cells(X)
        a, b = (np.array([row[key] for row in rows])[cells] for key in ("intercept", "slope"))
        p = 1 / (1 + np.exp(-(a + b * (np.log(own) - np.log1p(-own)))))
        np.testing.assert_allclose(p, tree.predict_proba(X, scores=scores)[:, label], atol=1e-12)


def test_whole_weights_count_rows_in_the_intervals_and_the_scale_of_others_does_not_matter():
    X, y, _ = regions(200)
    tree = fot.segments.TreeCalibrator(max_depth=1).fit(X, y)

    def ends(X, y, w=None):
        rows = fot.segments.TreeDisplay.from_estimator(tree, X, y, sample_weight=w, ax=blank()).rows("leaves")
        return [[row["low"], row["high"]] for row in rows]

    w = np.random.default_rng(0).integers(0, 5, 200)
    np.testing.assert_allclose(ends(X, y, w), ends(np.repeat(X, w, axis=0), np.repeat(y, w)), atol=1e-12)
    np.testing.assert_allclose(ends(X, y, w + 0.5), ends(X, y, 3.1 * (w + 0.5)), atol=1e-12)


@trees_tell_of_missing
def test_paths_say_where_missing_rows_are_and_only_where_they_come():
    X, y, _ = regions(600)
    X[::5, 0] = np.nan
    X[::3, 1] = np.nan
    tree = fot.segments.TreeCalibrator(max_depth=4, cv=[(range(600), range(600))]).fit(X, y)
    display = fot.segments.TreeDisplay.from_estimator(tree, X, y, max_depth=4, ax=blank())
    cells = tree.cells(X)
    texts = [text.get_text() for text in display.ax_.texts]
    assert not any("inf" in text for text in texts)
    for cell, row in enumerate(display.rows("leaves")):
        path = row["path"]
        for j in (0, 1):
            conditions = [one for one in path.split(" and ") if one.strip("(").startswith(f"x{j} ")]
            comes = all("missing" in one and "not missing" not in one for one in conditions)
            # every condition of a feature says it where rows without the feature come, and otherwise not the last one
            assert comes or not np.isnan(X[cells == cell, j]).any()
            assert not conditions or comes or " or missing" not in conditions[-1]
        meaning = path.replace("not missing", "== {0}")
        inside = np.ones(600, dtype=bool)
        for one in meaning.split(" and "):
            feature, rule = one.strip("()").split(" ", 1)
            x = X[:, int(feature[1:])]
            if rule == "== {0}":
                inside &= ~np.isnan(x)
            elif rule == "missing":
                inside &= np.isnan(x)
            else:
                sign, number = rule.split()[:2]
                beyond = x <= float(number) if sign == "<=" else x > float(number)
                inside &= beyond | (np.isnan(x) if rule.endswith("or missing") else False)
        assert (inside == (cells == cell)).mean() > 0.99  # thresholds are printed with three digits


def test_intervals_take_groups_for_independent():
    """Rows that come five times, in groups, tell as much as once; of fewer than ten groups nothing is concluded."""
    rng = np.random.default_rng(0)
    X = rng.random((120, 2))
    y = (rng.random(120) < X[:, 0]).astype(int)
    calibrator = fot.segments.TreeCalibrator(max_depth=2).fit(X, y)
    once = fot.segments.TreeDisplay.from_estimator(calibrator, X, y, ax=blank())
    copies = (calibrator, np.repeat(X, 5, axis=0), np.repeat(y, 5))
    ids = np.repeat([f"site {i}" for i in range(120)], 5)
    grouped = fot.segments.TreeDisplay.from_estimator(*copies, groups=ids, ax=blank())
    wrong = fot.segments.TreeDisplay.from_estimator(*copies, ax=blank())
    singles = fot.segments.TreeDisplay.from_estimator(calibrator, X, y, groups=np.arange(120), ax=blank())
    assert singles.rows("leaves") == once.rows("leaves")

    def widths(display):
        return np.array([row["high"] - row["low"] for row in display.rows("leaves")])

    inside = np.array([0.02 < row["observed"] < 0.98 for row in once.rows("leaves")])
    np.testing.assert_allclose(widths(grouped)[inside], widths(once)[inside], rtol=0.15)
    assert (widths(wrong)[inside] < 0.6 * widths(once)[inside]).all()
    few = fot.segments.TreeDisplay.from_estimator(calibrator, X, y, groups=np.arange(120) % 6, ax=blank())
    assert np.isnan(widths(few)).all()
    assert "n = 120, 6 groups: too few for intervals" in few.ax_.get_title(loc="left")
    assert "n = 600, 120 groups, class 1" in repr(grouped)
