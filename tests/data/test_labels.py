"""Which labels are read without a hint, what pos_label does, and what is refused."""

import datetime

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.arrays import as_column
from fitontest.data.labels import code_labels, coded, distinct, is_binary_coded
from fitontest.numerics.search import BLOCK


def read(labels, pos_label=None):
    return code_labels(as_column(labels, "y"), "y", pos_label).astype(float).tolist()


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float16, np.float32, float, np.longdouble])
def test_zero_and_one_need_no_hint(dtype):
    labels = np.array([0, 1, 1, 0], dtype=dtype)
    assert is_binary_coded(labels)
    assert code_labels(labels, "y", None) is labels  # neither copied nor converted
    assert read(labels[labels == 0]) == [0, 0]
    assert read(labels[labels == 1]) == [1, 1]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.float32, float, object])
def test_minus_one_and_one_need_no_hint(dtype):
    assert read(np.array([-1, 1, 1, -1], dtype=dtype)) == [0, 1, 1, 0]
    assert read(np.array([-1, -1], dtype=dtype)) == [0, 0]


@pytest.mark.parametrize("labels", [[False, True], [np.False_, np.True_], [0, True], [0.0, np.int8(1)], [-0.0, 1]])
def test_a_column_of_objects_is_read_as_the_numbers_it_holds(labels):
    assert read(np.array(labels, dtype=object)) == [0, 1]
    assert read(labels) == [0, 1]


@pytest.mark.parametrize("odd", [0.5, 2.0, -1.0, np.nan, np.inf, np.nextafter(1, 2), 5e-324])
@pytest.mark.parametrize(
    ("row", "n"), [(0, 1), (0, BLOCK + 1), (BLOCK - 1, BLOCK), (BLOCK, BLOCK + 1), (2 * BLOCK, 3 * BLOCK)]
)
def test_one_other_value_anywhere_is_seen(odd, row, n):
    labels = np.ones(n)
    labels[row] = odd
    assert not is_binary_coded(labels)


@pytest.mark.parametrize(
    "labels",
    [np.array([0, 2]), np.array([-1, 1]), np.array([0, 255], dtype=np.uint8), np.array(["0", "1"]), np.array([0j, 1])],
)
def test_what_is_not_coded_in_zero_and_one(labels):
    assert not is_binary_coded(labels)


TEXTS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy object": lambda v: np.array(v, dtype=object),
    "numpy StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas Index": pd.Index,
    "pandas arrow": lambda v: pd.Series(v, dtype="string[pyarrow]"),
    "pandas frame": pd.DataFrame,
    "polars": pl.Series,
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["spam", "ham", "unused"])),
    "pyarrow": pa.array,
    "pyarrow large": lambda v: pa.array(v, pa.large_string()),
    "pyarrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "pyarrow chunked": lambda v: pa.chunked_array([v[:1], v[1:]]),
}


@pytest.mark.parametrize("build", TEXTS.values(), ids=TEXTS)
def test_texts_are_read_with_pos_label(build):
    labels = build(["spam", "ham", "ham"])
    assert read(labels, "spam") == [1, 0, 0]
    assert read(labels, "ham") == [0, 1, 1]
    with pytest.raises(
        ValueError, match=r"^y must be labelled .* unless pos_label .*; got the classes \['ham', 'spam'\]"
    ):
        read(labels)
    with pytest.raises(ValueError, match=r"^pos_label must be one of the labels in y, \['ham', 'spam'\]; got 'Spam'$"):
        read(labels, "Spam")


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        ([1, 2, 2], 2, [0, 1, 1]),
        ([1, 2, 2], 1, [1, 0, 0]),
        ([0, 1, 1], 0, [1, 0, 0]),
        ([0, 1, 1], 1, [0, 1, 1]),
        ([0, 1, 1], True, [0, 1, 1]),
        ([0, 1, 1], 1.0, [0, 1, 1]),
        ([False, True], False, [1, 0]),
        ([-1, 1], -1, [1, 0]),
        ([0.5, 7.25], 7.25, [0, 1]),
        (np.array([3, 200], dtype=np.uint8), 200, [0, 1]),
        ([b"no", b"yes"], b"yes", [0, 1]),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], datetime.date(2020, 1, 2), [0, 1]),
        (np.array([1, 2], dtype=object), 2, [0, 1]),
        (pd.Series([1, 2], dtype="Int64"), 2, [0, 1]),
        (jnp.array([1, 2], dtype=jnp.bfloat16), 2, [0, 1]),
        (["a", "b"], np.str_("b"), [0, 1]),
        ([1, 2], np.int8(2), [0, 1]),
    ],
)
def test_pos_label_names_the_positive_class(labels, pos_label, expected):
    assert read(labels, pos_label) == expected


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [(["a", "a"], "a", [1, 1]), (["a", "a"], "b", [0, 0]), ([3, 3], 3, [1, 1]), ([3, 3], 4, [0, 0]), ([0], 0, [1])],
)
def test_one_class_may_be_either(labels, pos_label, expected):
    assert read(labels, pos_label) == expected


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 2], r"\[1, 2\]"),
        ([0.0, 0.5], r"\[0\.0, 0\.5\]"),
        ([0, 255], r"\[0, 255\]"),
        (np.array([1, 2], dtype=object), r"\[1\.0, 2\.0\]"),
        ([3, 3], r"\[3\]"),
        (["a"], r"\['a'\]"),
        (["0", "1"], r"\['0', '1'\]"),
        (["False", "True"], r"\['False', 'True'\]"),
        ([0j, 1 + 0j], r"\[0j, \(1\+0j\)\]"),
    ],
)
def test_other_classes_need_pos_label(labels, classes):
    rule = "must be labelled 0 and 1, -1 and 1, or False and True unless pos_label says which class is positive"
    with pytest.raises(ValueError, match=f"^y {rule}; got the classes {classes}$"):
        read(labels)


@pytest.mark.parametrize(
    ("labels", "description"),
    [
        ([0, 1, 2], "3: 0, 1, 2"),
        ([-1, 0, 1], "3: -1, 0, 1"),
        ([0.1, 0.2, 0.3], r"3: 0\.1, 0\.2, 0\.3"),
        (["a", "b", "c"], "3: 'a', 'b', 'c'"),
        (list(range(9)), r"9: 0, 1, 2, 3, 4, 5, \.\.\."),
    ],
)
@pytest.mark.parametrize("hint", [False, True])
def test_more_than_two_classes_are_refused_where_two_are_read(labels, description, hint):
    with pytest.raises(ValueError, match=f"^y must have at most two classes, got {description}$"):
        read(labels, labels[1] if hint else None)


@pytest.mark.parametrize("labels", [["H", "D", "A", "H"], [0, 1, 2, 0], [-1.0, 0.5, 2.0, -1.0]])
def test_one_of_several_labels_is_held_against_the_rest(labels):
    p = [0.5, 0.25, 0.25, 0.75]
    sample = fot.read(labels, p, pos_label=labels[0])
    assert sample.y.tolist() == [1, 0, 0, 1]
    note = f"labels are of more than two classes: {labels[0]!r} is positive, all others are the rest"
    assert sample.rows_note == note
    assert fot.read(np.array(labels) == labels[0], p).rows_note == ""
    assert fot.read(labels[1::2], p[1::2], pos_label=labels[0]).rows_note == ""  # two of the labels
    with pytest.raises(ValueError, match="pos_label must be one of the labels in y_true"):
        fot.read(labels, p, pos_label=7)
    with pytest.raises(ValueError, match="y_true must have at most two classes, got 3"):
        fot.read(labels, p)


@pytest.mark.exhaustive
@pytest.mark.parametrize("cells", ["never", "always"])
def test_results_say_that_a_label_is_held_against_the_rest(cells):
    rng = np.random.default_rng(0)
    p = np.round(rng.random(400), 2)
    y = np.where(rng.random(400) < p, "H", np.where(rng.random(400) < 0.5, "D", "A"))
    frame = pl.DataFrame({"y": y, "p": p, "half": np.arange(400) % 2})
    note = "labels are of more than two classes: 'H' is positive, all others are the rest"
    for part in ({}, {"by": "half"}):
        data = fot.read(frame, label="y", prob="p", pos_label="H", cells=cells, **part)
        found = fot.evaluate(data, families=["platt"])
        assert str(found).replace("\n", " ").count(note) == 1
    expected = fot.evaluate(y == "H", p, families=["platt"], interval=None)
    whole = fot.evaluate(data.whole, families=["platt"], interval=None)
    assert float(whole["platt"]) == pytest.approx(float(expected["platt"]), rel=1e-6)
    assert note in whole.notes
    assert note in fot.calibration_error(data.whole, family="platt").note
    refused = {"label": "y", "prob": "p", "cells": cells, "pos_label": "X"}
    with pytest.raises(ValueError, match="pos_label must be one of the labels in label column 'y'"):
        fot.read(frame, **refused)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([1, 2], 3),
        ([0, 1], 2),
        ([0, 1], "1"),
        (["0", "1"], 1),
        ([0, 1], float("nan")),
        ([b"a", b"b"], "a"),
        ([0, 1], [1]),
    ],
)
def test_pos_label_must_be_a_label(labels, pos_label):
    with pytest.raises(ValueError, match=r"^pos_label must be one of the labels in y, \[.*\]; got ") as caught:
        read(labels, pos_label)
    assert str(caught.value).endswith(repr(pos_label))


@pytest.mark.parametrize(
    ("labels", "mix"),
    [
        (["a", 1], "int, str"),
        (("a", 1.5, "b"), "float, str"),
        ([True, "a"], "bool, str"),
        (np.array(["a", 1, b"b"], dtype=object), "bytes, int, str"),
        (pd.Series(["a", 1]), "int, str"),
        (pd.Index(["a", 1]), "int, str"),
    ],
)
def test_labels_of_several_types_are_refused(labels, mix):
    with pytest.raises(ValueError, match=f"^y must have labels of one type, got a mix of {mix}$"):
        read(labels, "a")


@pytest.mark.parametrize("bad", [float("nan"), float("inf")], ids=str)
@pytest.mark.parametrize("pos_label", [None, 1])
def test_labels_that_are_not_finite_are_refused(bad, pos_label):
    with pytest.raises(
        ValueError, match=rf"^y must be finite, got {bad} at row 2 \(rows counted from 1; 1 such value\)$"
    ):
        read([0.0, bad, 1.0], pos_label)


def test_distinct_labels_are_plain_python_values_in_order():
    classes = distinct(np.array([3, 1, 3, 2], dtype=np.int8), "y")
    assert classes == [1, 2, 3]
    assert {type(label) for label in classes} == {int}


@settings(deadline=None, max_examples=50)
@given(st.lists(st.booleans(), min_size=1), st.permutations([-3, 0, 1, 2.5, 7]))
def test_any_two_numbers_can_be_the_classes(positive, values):
    low, high = values[:2]
    assert read([high if p else low for p in positive], high) == [float(p) for p in positive]


def test_every_caller_passes_pos_label_on():
    labels, scores = ["no", "yes", "no", "yes"], [0.1, 0.6, 0.7, 0.9]
    error = fot.calibration_error(labels, scores, family=fot.Slope1(1), pos_label="yes")
    assert float(error) == pytest.approx(abs(0.5 - 0.575))
    error = fot.calibration_error(labels[1:], scores[1:], family=fot.Slope1(1), pos_label="no")
    assert float(error) == pytest.approx(abs(1 / 3 - 2.2 / 3))
    assert fot.Flat(1).fit(scores[1:], labels[1:], pos_label="yes").predict([0.5]) == pytest.approx(2 / 3)
    assert fot.Flat(1).fit(scores[1:], labels[1:], pos_label="no").predict([0.5]) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match=r"^y must be labelled .*; got the classes \['no', 'yes'\]$"):
        fot.Flat(1).fit(scores, labels)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
@pytest.mark.parametrize("labels", [[3, 1, 1, 3, 120], [5], [7, 7, 7], [0, 1, 2, 3], [100, 102, 100]])
def test_whole_labels_are_coded_as_sorting_them_codes(labels, dtype):
    labels = np.tile(np.array(labels, dtype=dtype), 40)
    for given_labels in (labels, labels[::-2], np.concatenate((labels, labels - labels.max()))):
        classes, inverse = coded(given_labels, "y")
        expected, places = np.unique(given_labels, return_inverse=True)
        assert (classes, [type(each) for each in classes]) == (expected.tolist(), [int] * expected.size)
        np.testing.assert_array_equal(inverse, places)


@pytest.mark.parametrize("labels", [[-(2**62), 2**62], [2**63 - 1, 0], [-128, 127], [10**9, 10**9 + 1]])
def test_whole_labels_far_apart_or_far_from_zero_are_coded(labels):
    labels = np.array(labels * 3)
    classes, inverse = coded(labels, "y")
    assert classes == sorted(set(labels.tolist()))
    assert np.array(classes)[inverse].tolist() == labels.tolist()
