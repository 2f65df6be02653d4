"""Maps of several classes as values: formulas, what they refuse, JSON."""

import pickle
from copy import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import fitontest as fot
from fitontest.maps import IdentityMap, OneVsRestMap

pytestmark = pytest.mark.multiplies

ROWS = np.array([[0.2, 0.3, 0.5], [1.0, 0, 0], [0.5, 0.5, 0], [1e-20, 0.4, 0.6]])
MAPS = {
    "identity": fot.maps.MulticlassIdentityMap(),
    "diagonal": fot.maps.SoftmaxMap([0.5, 1.5, 2.0], [0.1, 0.0, -0.3]),
    "full": fot.maps.SoftmaxMap([[1, 0.1, 0], [0, 1, 0.2], [-0.3, 0, 1]], [0, 0, 1], beta=0.7, mix=0.01, eps=1e-12),
    "one_vs_rest": OneVsRestMap(
        [IdentityMap(), fot.maps.LogisticMap(-1.0, 0.3, "logit", 1e-16), fot.maps.KnotsMap([0, 1], [0, 0.5])]
    ),
    "shared": fot.maps.SharedMap(fot.maps.BinnedMap(fot.partitions.Partition([0.4]), [0.1, 0.8], [0.0, 0.0]), beta=1.3),
}
MAPS["order_preserving"] = fot.maps.OrderPreservingMap(np.linspace(-2, 3, 14), [3, 2, 2], True, beta=1.2, mix=0.01)
MAPS["diagonal_order"] = fot.maps.DiagonalOrderMap([-4.0, -1.0], [0.5, 2.0, 0.0], beta=0.9, mix=1e-3, eps=1e-12)
BY_CLASS = fot.maps.ByClassMap(MAPS["one_vs_rest"].parts)
MAPS["mixture"] = fot.maps.MulticlassMixtureMap([0.2, 0.5, 0.3], [MAPS["identity"], MAPS["full"], MAPS["one_vs_rest"]])
every_map = pytest.mark.parametrize("name", MAPS)


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def test_the_formula_of_a_softmax_map():
    x = np.log(np.maximum(ROWS, 1e-16))
    expected = softmax(x * [0.5, 1.5, 2.0] + [0.1, 0.0, -0.3])
    np.testing.assert_allclose(MAPS["diagonal"](ROWS), expected, rtol=0, atol=1e-15)
    full = MAPS["full"]
    q = 0.99 * softmax(0.7 * np.log(np.maximum(ROWS, 1e-12))) + 0.01 / 3
    np.testing.assert_allclose(full(ROWS), softmax(np.log(q) @ full.W.T + full.b), rtol=0, atol=1e-15)
    half = fot.maps.SoftmaxMap(np.ones(3), np.zeros(3), beta=0.5)
    np.testing.assert_allclose(half(ROWS[:1]), np.sqrt(ROWS[:1]) / np.sqrt(ROWS[:1]).sum(), rtol=0, atol=1e-15)


def test_the_formula_of_one_vs_rest():
    q = np.column_stack([part(ROWS[:, k]) for k, part in enumerate(MAPS["one_vs_rest"].parts)]) + 1e-9 * ROWS
    np.testing.assert_allclose(MAPS["one_vs_rest"](ROWS), q / q.sum(axis=1, keepdims=True), rtol=0, atol=1e-15)
    nothing = OneVsRestMap([fot.maps.KnotsMap([0], [0])] * 3)
    np.testing.assert_allclose(nothing(ROWS), ROWS, rtol=0, atol=1e-15)  # rows of zeros are p


def test_maps_by_class_are_left_as_they_are():
    rows = np.array([[0.2, 0.9, 0.5], [1.0, 0.0, 1.0]])
    np.testing.assert_array_equal(
        BY_CLASS(rows), np.column_stack([part(rows[:, k]) for k, part in enumerate(BY_CLASS.parts)])
    )
    assert fot.maps.MulticlassMap.from_dict(BY_CLASS.to_dict()) == BY_CLASS
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    calibrated = BY_CLASS.apply_to(frame, ["a", "b", "c"])
    np.testing.assert_allclose(calibrated.to_numpy()[:, 3:], BY_CLASS(rows), atol=1e-15)
    with pytest.raises(ValueError, match="P must have a column for each of the map's 3 classes"):
        BY_CLASS([[0.2, 0.8]])


def test_a_mixture_is_the_weighted_mean_of_its_parts():
    expected = 0.2 * ROWS + 0.5 * MAPS["full"](ROWS) + 0.3 * MAPS["one_vs_rest"](ROWS)
    np.testing.assert_allclose(MAPS["mixture"](ROWS), expected, rtol=0, atol=1e-15)
    assert MAPS["mixture"].n_classes == 3
    calm = fot.maps.MulticlassMixtureMap([0.4, 0.6, 0.0], [MAPS["identity"], MAPS["shared"], MAPS["full"]])
    assert calm.keeps_argmax
    assert calm.for_classes(list("abc")).to_dict()["classes"] == ["a", "b", "c"]


@every_map
def test_logarithms_and_probabilities_give_the_same(name):
    rows = np.maximum(ROWS, 1e-9)
    rows /= rows.sum(axis=1, keepdims=True)
    c_hat = MAPS[name]
    np.testing.assert_allclose(c_hat.evaluate_log(np.log(rows)), c_hat.evaluate(rows), rtol=0, atol=1e-9)


@every_map
@given(arrays(float, (4, 3), elements=st.sampled_from([0.0, 5e-324, 1e-300, 1e-9, 0.5, 1.0]) | st.floats(0, 1)))
def test_values_are_points_of_the_simplex_whatever_the_row(name, P):
    P[P.sum(axis=1) == 0] = 1.0
    q = MAPS[name](P / P.sum(axis=1, keepdims=True))
    assert ((q >= 0) & (q <= 1)).all()
    np.testing.assert_allclose(q.sum(axis=1), 1, rtol=0, atol=1e-12)


@every_map
def test_equality_hash_and_json(name):
    c_hat = MAPS[name]
    again = fot.maps.MulticlassMap.from_dict(c_hat.to_dict())
    assert again == c_hat
    assert hash(again) == hash(c_hat)
    assert c_hat.to_dict()["schema"] == 2
    assert all(other != c_hat for key, other in MAPS.items() if key != name)


def test_a_part_says_by_itself_that_it_decreases():
    d = MAPS["one_vs_rest"].to_dict()
    assert d["parts"][1]["decreasing"] is True
    del d["parts"][1]["decreasing"]
    with pytest.raises(ValueError, match="parts must say that it is decreasing"):
        fot.maps.MulticlassMap.from_dict(d)


def test_who_keeps_the_argmax():
    assert {name for name, c_hat in MAPS.items() if c_hat.keeps_argmax} == {
        "diagonal_order",
        "identity",
        "order_preserving",
        "shared",
    }
    assert fot.maps.SoftmaxMap([2, 2], [0.5, 0.5]).keeps_argmax
    for other in ([-1, -1], [1, 2], [[1, 0], [0, 1]]):
        assert not fot.maps.SoftmaxMap(other, [0, 0]).keeps_argmax
    assert not fot.maps.SoftmaxMap([1, 1], [0, 1]).keeps_argmax
    assert not fot.maps.SoftmaxMap([1, 1], [0, 0], beta=0.0).keeps_argmax
    assert not fot.maps.SharedMap(fot.maps.LogisticMap(-1.0, 0.0, "logit", 1e-9)).keeps_argmax


REFUSED = {
    "b must hold a bias for each of two classes or more": lambda: fot.maps.SoftmaxMap([1], [0]),
    "W must be 2 numbers, or 2 rows of 2 numbers, as b has 2": lambda: fot.maps.SoftmaxMap([1, 2, 3], [0, 0]),
    "W must be finite, got nan at row 2, column 1": lambda: fot.maps.SoftmaxMap([[1, 2], [np.nan, 3]], [0, 0]),
    "sizes must be whole numbers: K >= 2 inputs, .* K - 1 outputs; got": lambda: fot.maps.OrderPreservingMap(
        [0.0] * 14, [3, 2, 3], True
    ),
    "weights must be the 14 numbers of a network of sizes .*, got 13": lambda: fot.maps.OrderPreservingMap(
        [0.0] * 13, [3, 2, 2], True
    ),
    "invariant must be True or False, got 1": lambda: fot.maps.OrderPreservingMap([0.0] * 14, [3, 2, 2], 1),
    "knots must be strictly increasing, at least one": lambda: fot.maps.DiagonalOrderMap([0, 0], [1, 1, 1]),
    "slopes must be 2 numbers that are not negative": lambda: fot.maps.DiagonalOrderMap([0], [1, -1]),
    "slopes must be 3 numbers that are not negative": lambda: fot.maps.DiagonalOrderMap([0, 1], [1, 1]),
    "mix must lie in .0, 1., got -0.1": lambda: fot.maps.DiagonalOrderMap([0], [1, 1], mix=-0.1),
    "beta must not be negative, got -2": lambda: fot.maps.OrderPreservingMap([0.0] * 14, [3, 2, 2], True, beta=-2),
    "a map of kind 'order_preserving' can be applied to arrays only": lambda: MAPS["order_preserving"].to_sql(
        list("abc")
    ),
    "beta must not be negative, got -1": lambda: fot.maps.SoftmaxMap([1, 1], [0, 0], beta=-1.0),
    r"mix must lie in \[0, 1\]": lambda: fot.maps.SoftmaxMap([1, 1], [0, 0], mix=1.5),
    r"eps must be a number in \[0, 0.5\)": lambda: fot.maps.SoftmaxMap([1, 1], [0, 0], eps=-1e-9),
    "parts must hold calibration maps of two classes, got .* at position 1": lambda: OneVsRestMap(
        [IdentityMap(), fot.maps.MulticlassIdentityMap()]
    ),
    "parts must hold a map for each of two classes or more, got 1": lambda: OneVsRestMap([IdentityMap()]),
    "parts must hold maps of several classes, got .* at position 1": lambda: fot.maps.MulticlassMixtureMap(
        [0.5, 0.5], [fot.maps.MulticlassIdentityMap(), IdentityMap()]
    ),
    r"parts must be maps of as many classes, got \[2, 3\]": lambda: fot.maps.MulticlassMixtureMap(
        [0.5, 0.5], [MAPS["full"], fot.maps.SoftmaxMap([1, 1], [0, 0])]
    ),
    "part must be a calibration map of two classes": lambda: fot.maps.SharedMap(0.5),
    "P must be a matrix with a row per prediction": lambda: MAPS["full"]([0.2, 0.8]),
    "P must have a column for each of the map's 3 classes, got 2 columns": lambda: MAPS["full"]([[0.2, 0.8]]),
    "P must have rows that add up to 1 .*, got a sum of 1.2 at row 2": lambda: MAPS["shared"]([[0, 1], [0.2, 1]]),
    "kind must be one of .*'softmax'": lambda: fot.maps.MulticlassMap.from_dict({"schema": 2, "kind": "soft"}),
    "kind must be one that MulticlassMap can read, got 'identity'": lambda: fot.maps.MulticlassMap.from_dict(
        IdentityMap().to_dict()
    ),
    "must have the fields": lambda: fot.maps.MulticlassMap.from_dict({"schema": 2, "kind": "softmax", "W": [1, 1]}),
    "W must be rows of numbers, got True": lambda: fot.maps.MulticlassMap.from_dict(
        {**MAPS["full"].to_dict(), "W": [[True, 0, 0], [0, 1, 0], [0, 0, 1]]}
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


def test_rows_of_float32_are_divided_by_their_sums():
    P = np.random.default_rng(0).dirichlet([1, 1, 1], 20).astype(np.float32)
    q = fot.maps.MulticlassIdentityMap()(P)
    assert q.dtype == np.float64
    np.testing.assert_allclose(q.sum(axis=1), 1, rtol=0, atol=1e-15)
    assert fot.maps.MulticlassIdentityMap()(ROWS) is not None
    np.testing.assert_array_equal(fot.maps.MulticlassIdentityMap()(ROWS), ROWS)


@every_map
def test_json_holds_the_labels_of_the_classes_where_they_are_known(name):
    c_hat = MAPS[name]
    assert "classes" not in c_hat.to_dict()  # what was written before is written still, and read
    for labels in (["a", "b", "c"], [1, 2, 3], [0.5, 1.5, -2.0], np.array([3, 1, 2])):
        named = c_hat.for_classes(labels)
        d = named.to_dict()
        assert list(d)[-1] == "classes"
        assert d["classes"] == list(labels)
        again = fot.maps.MulticlassMap.from_json(named.to_json())
        assert again == named != c_hat
        assert again.classes == tuple(labels)
        assert again.to_json() == named.to_json()
        assert pickle.loads(pickle.dumps(named)) == named
        assert copy(named).classes == named.classes
        np.testing.assert_array_equal(named(ROWS), c_hat(ROWS))
    assert c_hat.for_classes(None) == c_hat
    assert c_hat.classes is None


def test_classes_are_given_by_keyword():
    assert fot.maps.SoftmaxMap([1, 1], [0, 0], classes=["no", "yes"]).classes == ("no", "yes")
    assert fot.maps.MulticlassIdentityMap(classes=["no", "yes"]).classes == ("no", "yes")


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "b"], r"classes must be 3 labels that differ, one for each column, got \['a', 'b'\]"),
        (["a", "b", "a"], "classes must be 3 labels that differ"),
        (["a", "b", None], "classes must be booleans, finite numbers or texts, got None"),
        ([1.0, 2.0, np.nan], "classes must be booleans, finite numbers or texts, got nan"),
        ("abc", "classes must be a non-empty list of classes, got 'abc'"),
        ([], "classes must be a non-empty list"),
    ],
)
def test_classes_that_are_refused(classes, message):
    d = {**MAPS["diagonal"].to_dict(), "classes": classes}
    with pytest.raises(ValueError, match=message):
        fot.maps.SoftmaxMap([1, 2, 3], [0, 0, 0], classes=classes)
    with pytest.raises(ValueError, match=message):
        MAPS["diagonal"].for_classes(classes)
    with pytest.raises(ValueError, match=message):
        fot.maps.MulticlassMap.from_dict(d)


def test_columns_named_after_the_classes_stand_in_their_order():
    c_hat = MAPS["diagonal"].for_classes(["a", "b", "c"])
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    np.testing.assert_array_equal(c_hat(frame), c_hat(ROWS))
    np.testing.assert_array_equal(c_hat(frame.set_axis(["x", "y", "z"], axis=1)), c_hat(ROWS))
    with pytest.raises(ValueError, match="P must have its columns in the order of the classes"):
        c_hat(frame[["b", "a", "c"]])
