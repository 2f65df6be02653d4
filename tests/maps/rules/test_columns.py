"""Columns of features: what is read as numbers and as categories, by which names, and what is refused."""

import datetime

import numpy as np
import pandas as pd
import pytest

from fitontest.maps.rules.columns import Categories, Numbers
from fitontest.segments.features.read_columns import read_columns

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

PLAIN = {"age": [20.0, 60.0, None], "sex": ["f", None, "m"], "old": [False, True, True], "n": [1, 2, 3]}
FRAMES = {
    "dict": PLAIN,
    "pandas": pd.DataFrame(PLAIN),
    "categorical": pd.DataFrame(PLAIN).astype({"sex": "category"}),
    "polars": pl.DataFrame(PLAIN),
    "polars categories": pl.DataFrame(PLAIN).with_columns(pl.col("sex").cast(pl.Categorical)),
    "pyarrow": pa.table(PLAIN),
}


@pytest.mark.parametrize("engine", FRAMES)
def test_frames_of_every_library_are_the_same_columns(engine):
    columns = read_columns(FRAMES[engine])
    assert columns.names == ["age", "sex", "old", "n"]
    assert [column.is_number for column in columns] == [True, False, False, True]
    np.testing.assert_array_equal(columns.named("age").values, [20.0, 60.0, np.nan])
    np.testing.assert_array_equal(columns.named("n").values, [1.0, 2.0, 3.0])
    sex, old = columns.named("sex"), columns.named("old")
    assert [None if code < 0 else sex.levels[code] for code in sex.codes] == ["f", None, "m"]
    assert [old.levels[code] for code in old.codes] == [False, True, True]
    assert columns.named("age").missing.tolist() == [False, False, True]
    assert sex.missing.tolist() == [False, True, False]


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.float64])
def test_a_matrix_has_numbers_called_x0_x1(dtype):
    columns = read_columns(np.array([[1, 2], [3, 4]], dtype=dtype))
    assert columns.names == ["x0", "x1"]
    assert all(isinstance(column, Numbers) and column.values.dtype == np.float64 for column in columns)
    assert read_columns([[1, "a"], [2, "b"]]).named("x1").levels == ("a", "b")
    assert read_columns(np.array([[1.5, None], ["a", 2.0]], dtype=object)).named("x0").levels == (1.5, "a")


def test_columns_are_categories_by_name_place_or_mask():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [1.0, 5.0]])
    for given in (["x1"], [1], [False, True], np.array([False, True])):
        columns = read_columns(X, given)
        assert isinstance(columns[0], Numbers)
        assert isinstance(columns[1], Categories)
        assert columns[1].levels == (5.0,)
        assert columns[1].codes.tolist() == [0, -1, 0]
    for given, rule in (
        ("x1", "must be 'from_dtype', or names"),
        (["x2"], "must name columns of X"),
        ([True], "must say of each of 2 columns"),
        (3, "must be 'from_dtype'"),
    ):
        with pytest.raises(ValueError, match=f"categorical_features {rule}"):
            read_columns(X, given)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ({"day": [datetime.date(2020, 1, 1)]}, "hold numbers, texts or booleans"),
        ({"day": np.array(["2020-01-01"], dtype="M8[D]")}, "got datetime64"),
        (pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}), "make numbers of it"),
        ({"a": [np.inf, 1.0]}, "X column 'a' must be finite or missing, got inf at row 1"),
        ({"a": [1j]}, "Complex data not supported"),
        ({"a": [[1], [2]]}, "columns of one value a row"),
        ({"a": [{}]}, "cannot be hashed"),
        ({"a": [1, 2], "b": [1]}, "columns of one length"),
        ({}, "got a dict of no column"),
        (np.empty((3, 0)), "0 feature"),
        (np.empty((0, 3)), "must have rows"),
        ([1, 2], "Reshape your data"),
        ([[1], [1, 2]], "X must be a data frame"),
        (pl.LazyFrame({"a": [1]}), "collect it first"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns of different names, got 'a' twice"),
        ({1: [1], "1": [2]}, "columns of different names, got '1' twice"),
    ],
)
def test_what_is_no_column_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        read_columns(X)


def test_sparse_matrices_are_refused():
    from scipy.sparse import csr_array, dok_array

    for sparse in (csr_array, dok_array):
        with pytest.raises(ValueError, match="sparse matrix"):
            read_columns(sparse(np.eye(2)))


def test_rows_and_columns_are_taken_by_place_mask_and_name():
    columns = read_columns(PLAIN)
    for rows in (np.array([2, 0]), np.array([True, False, True])):
        part = columns.take(rows)
        assert (part.n, len(part)) == (2, 4)
        np.testing.assert_array_equal(part.named("n").values, np.array([1.0, 2.0, 3.0])[rows])
        assert part.named("sex").levels == ("f", "m")
    assert columns.chosen(["n", "age"]).names == ["n", "age"]
    with pytest.raises(ValueError, match=r"X must have the column 'agee'.*did you mean 'age'"):
        columns.named("agee")


def test_a_column_without_a_value_has_no_level():
    column = read_columns({"a": [None, None]})[0]
    assert isinstance(column, Categories)
    assert column.levels == ()
    assert column.missing.all()
