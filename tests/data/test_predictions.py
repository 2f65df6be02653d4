"""Reductions: what labels and a matrix of scores become, by brute force, and what is refused."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fitontest as fot
from fitontest.data.read import one_sample

pytestmark = pytest.mark.multiplies

NAMES = ["cat", "dog", "eel", "fox"]


def matrix(n=300, k=4, seed=0, ties=2):
    """Return (y, p, w): rounded scores with one largest in each row, and rows that do not add up to 1."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.dirichlet(np.ones(k), n), ties)
    p[: n // 3, 1] = p[: n // 3, 0]
    p[: n // 6] /= 2
    several = (p == p.max(axis=1, keepdims=True)).sum(axis=1) > 1
    p[several, p[several].argmax(axis=1)] += 0.125
    y = rng.integers(0, k, n)
    return np.array(NAMES)[y], p, rng.integers(0, 4, n).astype(float)


def top_by_hand(y, p, classes):
    hits, scores = [], []
    for label, row in zip(y, p.tolist(), strict=True):
        best = row.index(max(row))
        hits.append(float(classes[best] == label))
        scores.append(row[best])
    return np.array(hits), np.array(scores)


@pytest.mark.parametrize("seed", range(5))
def test_top_labels_by_brute_force(seed):
    y, p, w = matrix(seed=seed)
    hits, scores = top_by_hand(y, p, NAMES)
    sample = fot.read(y, p, sample_weight=w, reduction="confidence")
    np.testing.assert_array_equal(sample.y, hits)
    np.testing.assert_array_equal(sample.p, scores)
    np.testing.assert_array_equal(sample.w, w)
    assert sample.base_rate == pytest.approx(np.sum(w * hits) / w.sum())


MEASURES = {
    "calibration_error": lambda *a, **o: fot.calibration_error(*a, family=fot.Slope1(8, "equal_width"), **o),
    "gce": lambda *a, **o: fot.gce(*a, partition="equal_mass", **o),
    "tce": partial(fot.tce, null_draws=2),
    "evaluate": lambda *a, **o: fot.evaluate(*a, families=[fot.Slope1(5)], **o),
}


def value_of(result):
    if isinstance(result, fot.evaluation.Evaluation):
        return float(result["slope1"])
    return result.means["slope1"] if isinstance(result, fot.evaluation.Evaluation) else float(result)


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")  # of the two columns alone
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_entry_point_measures_the_sample_of_the_reduction(measure):
    y, p, w = matrix()
    hits, scores = top_by_hand(y, p, NAMES)
    result = measure(y, p, reduction="confidence", sample_weight=w)
    assert value_of(result) == value_of(measure(hits, scores, sample_weight=w))
    each = [value_of(measure(y == name, p[:, k], sample_weight=w)) for k, name in enumerate(NAMES)]
    assert value_of(measure(y, p, reduction="classwise", sample_weight=w)) == pytest.approx(np.mean(each), abs=1e-12)
    two = np.isin(y, NAMES[:2])
    binary = measure(y[two], p[two][:, :2], reduction="binary", pos_label="cat", sample_weight=w[two])
    assert value_of(binary) == value_of(measure(y[two] == "cat", p[two, 0], sample_weight=w[two]))


EVERY = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
BOTH = pytest.mark.parametrize("reduction", ["confidence", "classwise"])


@BOTH
@EVERY
def test_columns_permuted_with_their_labels(measure, reduction):
    y, p, w = matrix()
    order = [2, 0, 3, 1]
    named = [NAMES[k] for k in order]
    result = measure(y, p[:, order], reduction=reduction, labels=named, sample_weight=w)
    expected = value_of(measure(y, p, reduction=reduction, sample_weight=w))
    assert value_of(result) == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:rows come in runs")  # as repeated rows do
@BOTH
@EVERY
def test_weights_are_repetitions(measure, reduction):
    y, p, w = matrix()
    times = w.astype(int)
    again = measure(np.repeat(y, times), np.repeat(p, times, axis=0), reduction=reduction)
    assert value_of(measure(y, p, reduction=reduction, sample_weight=w)) == pytest.approx(value_of(again), abs=1e-12)


@BOTH
@EVERY
def test_row_order(measure, reduction):
    y, p, _ = matrix()
    rows = np.random.default_rng(1).permutation(y.size)
    again = measure(y[rows], p[rows], reduction=reduction)
    assert value_of(again) == pytest.approx(value_of(measure(y, p, reduction=reduction)), abs=1e-12)


@BOTH
@EVERY
def test_classes_that_do_not_occur(measure, reduction):
    y, p, _ = matrix()
    some = y != "dog"
    with pytest.raises(ValueError, match="4 columns and 3 classes in y_true; name the classes of the columns by"):
        measure(y[some], p[some], reduction=reduction)
    result = measure(y[some], p[some], reduction=reduction, labels=NAMES)
    if reduction == "confidence":
        expected = value_of(measure(*top_by_hand(y[some], p[some], NAMES)))
    else:
        each = [value_of(measure(y[some] == name, p[some, k])) for k, name in enumerate(NAMES)]
        expected = np.mean(each)
    assert value_of(result) == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")
@BOTH
@EVERY
@pytest.mark.parametrize("read", [pd.DataFrame, pl.DataFrame, np.float32, list, np.ndarray.tolist], ids=str)
def test_libraries_and_types(measure, reduction, read):
    y, p, _ = matrix()
    p = (p * 1024).round() / 1024  # exact in float32
    expected = value_of(measure(y, p, reduction=reduction))
    assert value_of(measure(y.tolist(), read(p), reduction=reduction)) == expected
    codes = np.searchsorted(NAMES, y)
    for labels in (codes.astype(np.int8), codes.astype(np.float32), pd.Series(y), pl.Series(y.tolist())):
        assert value_of(measure(labels, read(p), reduction=reduction)) == expected


@pytest.mark.parametrize(
    "frame",
    [lambda p, columns: pd.DataFrame(p, columns=columns), lambda p, columns: pl.DataFrame(p, schema=columns)],
    ids=["pandas", "polars"],
)
@pytest.mark.parametrize("reduction", ["confidence", "classwise"])
def test_frames_named_after_the_classes(frame, reduction):
    y, p, _ = matrix()
    expected = float(fot.gce(y, p, reduction=reduction))
    assert float(fot.gce(y, frame(p, NAMES), reduction=reduction)) == expected
    unnamed = frame(p, ["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"unless labels says .*; got the columns \['a', 'b', 'c', 'd'\] and"):
        fot.gce(y, unnamed, reduction=reduction)
    assert float(fot.gce(y, unnamed, reduction=reduction, labels=NAMES)) == expected
    order = [1, 0, 2, 3]
    turned = frame(p[:, order], [NAMES[k] for k in order])
    with pytest.raises(ValueError, match="y_prob must have its columns in the order of the classes"):
        fot.gce(y, turned, reduction=reduction, labels=NAMES)
    with pytest.warns(fot.CalibrationWarning, match="the columns of y_prob are read by their names"):
        by_name = fot.gce(y, turned, reduction=reduction)
    named = fot.gce(y, turned, reduction=reduction, labels=[NAMES[k] for k in order])
    assert float(named) == float(by_name) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [np.int16, np.float64, object])
@pytest.mark.parametrize("spelt", ["{}", "{}.0"])
def test_columns_named_after_numbers(kind, spelt):
    y, p, _ = matrix()
    codes = np.searchsorted(NAMES, y).astype(kind)
    frame = pd.DataFrame(p, columns=[spelt.format(k) for k in range(4)])
    assert float(fot.gce(codes, frame, reduction="confidence")) == float(fot.gce(y, p, reduction="confidence"))
    with pytest.warns(fot.CalibrationWarning, match=f"'{spelt.format(3)}' is class 3"):
        turned = fot.gce(codes, frame.iloc[:, ::-1], reduction="classwise")
    assert float(turned) == pytest.approx(float(fot.gce(y, p, reduction="classwise")))


def test_one_row():
    options = {"labels": ["a", "b", "c"], "family": "slope1"}
    one = fot.calibration_error(["b"], [[0.2, 0.7, 0.1]], reduction="confidence", **options)
    assert float(one) == pytest.approx(0.3)
    each = fot.gce(["b"], [[0.2, 0.7, 0.1]], labels=["a", "b", "c"], reduction="classwise")
    assert [float(error) for error in each.classes.values()] == pytest.approx([0.2, 0.3, 0.1])


@pytest.mark.parametrize(
    "family", [fot.Slope1(9, "equal_width"), "platt", "isotonic", "temperature", "identity"], ids=str
)
def test_two_classes_have_the_same_error_under_symmetric_families(family):
    rng = np.random.default_rng(5)
    p = rng.random(500) / 1.001
    y = (rng.random(500) < p**2).astype(int)
    error = fot.calibration_error(y, np.column_stack((1 - p, p)), family=family, reduction="classwise")
    alone = float(fot.calibration_error(y, p, family=family))
    assert float(error[1]) == alone
    assert float(error[0]) == pytest.approx(alone, abs=1e-7)
    assert float(error) == pytest.approx(alone, abs=1e-7)


@pytest.mark.parametrize(
    ("y", "options", "column"),
    [
        ([0, 1, 1, 0], {}, 1),
        ([-1, 1, 1, -1], {}, 1),
        ([False, True, True, False], {}, 1),
        ([0, 1, 1, 0], {"pos_label": 0}, 0),
        (["n", "y", "y", "n"], {"pos_label": "y"}, 1),
        (["n", "y", "y", "n"], {"pos_label": "n"}, 0),
        (["n", "y", "y", "n"], {"pos_label": "y", "labels": ["y", "n"]}, 0),
        ([1, 1, 1, 1], {"labels": [1, 0]}, 0),
        ([1, 1, 1, 1], {"labels": [0, 1]}, 1),
    ],
)
@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")
def test_binary_takes_the_column_of_the_positive_class(y, options, column):
    p = np.array([[0.1, 0.8], [0.3, 0.6], [0.5, 0.4], [0.7, 0.2]])  # rows need not add up to 1
    sample = fot.read(y, p, reduction="binary", **options)
    positive = options.get("pos_label", 1)
    assert sample.p.tolist() == p[:, column].tolist()
    assert sample.y.tolist() == [float(label == positive) for label in y]


Y, P = ["a", "b", "c", "a"], np.full((4, 3), 0.25)
TWO = P[:, :2]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize(
    ("y", "p", "options", "message"),
    [
        (Y, P, {}, "y_prob must be one column .* got 3 columns. reduction='confidence': .* 'classwise': each class"),
        (Y, P.tolist(), {}, "got 3 columns. reduction='confidence'"),
        (Y, pd.DataFrame(P), {}, "got 3 columns. reduction='confidence'"),
        ([0, 1, 1, 0], TWO, {}, r"two that add up to 1 in each row, .* a sum of 0.5 at row 1 \(.* 4 such rows\)"),
        (Y, P, {"reduction": "top"}, "reduction must be one of 'confidence', .*, 'canonical'; got 'top'"),
        (Y, P[:, 0], {"reduction": "confidence"}, "y_prob must be a matrix .* got one column; .* leave reduction out"),
        (Y, P[:, :1], {"reduction": "classwise"}, "y_prob must be a matrix .* got one column"),
        (Y, P[:, 0].tolist(), {"reduction": "binary"}, "y_prob must be a matrix .* got one column"),
        (Y, P[:3], {"reduction": "confidence"}, "same number of rows, got: y_true has 4, y_prob has 3"),
        (Y, P - 0.5, {"reduction": "confidence"}, r"y_prob must lie in \[0, 1\]"),
        (Y, P * np.nan, {"reduction": "confidence"}, "y_prob must be finite"),
        (Y, P, {"reduction": "binary"}, "y_prob must have exactly two columns with reduction='binary', got 3"),
        (Y[:2], TWO[:2], {"reduction": "binary"}, r"pos_label must say which class is positive .*got \['a', 'b'\]"),
        (
            Y[:2],
            TWO[:2],
            {"reduction": "binary", "pos_label": "c"},
            r"pos_label must be one of the classes \['a', 'b'\]",
        ),
        (["0", "1"], TWO[:2], {"reduction": "binary"}, "pos_label must say which class is positive"),
        (Y, P, {"reduction": "confidence", "pos_label": "a"}, "pos_label must be None with reduction='confidence'"),
        (Y, P, {"reduction": "classwise", "pos_label": "a"}, "pos_label must be None with reduction='classwise'"),
        (Y, P, {"reduction": "confidence", "labels": ["a", "b"]}, "labels must list every class in y_true"),
        (Y, P, {"reduction": "confidence", "labels": list("abcd")}, "got 3 columns and 4 classes in labels"),
        (Y, P, {"reduction": "confidence", "labels": list("abca")}, "labels must be distinct"),
        ([0, 1, 1, 0], P[:, 0], {"labels": [0, 1]}, "labels must be left out unless reduction is given"),
        (Y, P, {"reduction": "confidence", "sample_weight": [1, 1, 1]}, "same number of rows, .*sample_weight has 3"),
    ],
)
def test_refusals(measure, y, p, options, message):
    with pytest.raises(ValueError, match=message):
        measure(y, p, **options)


def test_many_classes_are_not_all_listed():
    with pytest.raises(ValueError, match=r"got \[0, 1, 2, 3, 4, 5, \.\.\.\] without \[99\]"):
        fot.read([99, 1], np.full((2, 50), 0.02), labels=range(50), reduction="classwise")


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")
def test_one_sample_is_not_asked_of_each_class():
    with pytest.raises(ValueError, match="where one sample is needed"):
        one_sample(fot.read(Y, P, reduction="classwise"))


def test_the_results_say_how_they_were_reduced():
    y, p, _ = matrix()
    error = fot.calibration_error(y, p, reduction="confidence", family=fot.Slope1(3))
    assert (error.reduction, error.to_dict()["reduction"]) == ("confidence", "confidence")
    assert "reduction='confidence'" in repr(error)
    plain = fot.calibration_error(*top_by_hand(y, p, NAMES), family=fot.Slope1(3))
    assert plain.reduction is None
    assert "reduction" not in plain.to_dict()
    assert "reduction" not in repr(plain)
    tested = fot.tce(y, p, reduction="confidence", null_draws=3)
    assert (tested.reduction, tested.to_dict()["reduction"]) == ("confidence", "confidence")
    assert "reduction='confidence'" in repr(tested)
    assert str(tested).startswith(f"TCE {100 * tested.value:#.3g} %: reduction confidence, loss rejection")
    of_class = fot.gce(y, p, reduction="classwise")["cat"]
    assert of_class.reduction == "classwise"
    assert tested.null.values.tolist() == fot.tce(*top_by_hand(y, p, NAMES), null_draws=3).null.values.tolist()


def test_scores_of_a_class_are_views_of_the_matrix():
    y, p, _ = matrix()
    scores = fot.read(y, p, reduction="classwise").whole
    assert all(np.shares_memory(sample.p, scores.scores) for sample in scores.classwise().values())
