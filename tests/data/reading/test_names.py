"""Columns of frames with names of every kind, and columns of lists, one for each row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fitontest as fot

RNG = np.random.default_rng(0)
P = RNG.uniform(0.1, 0.9, 60)
Y = (RNG.random(60) < P).astype(int)
SITE = np.arange(60) // 6
EXPECTED = fot.ece(Y, P).value
MATRIX = RNG.dirichlet(np.ones(3), 60)
CLASS = RNG.integers(0, 3, 60)
CONFIDENCE = fot.ece(CLASS, MATRIX, reduction="confidence").value


@pytest.mark.parametrize("names", [(0, 1, 2), (("a", "y"), ("a", "p"), ("b", "")), (np.int64(7), 8, 9)])
def test_names_that_are_no_texts(names):
    frame = pd.DataFrame({"y": Y, "p": P, "site": SITE})
    frame.columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else list(names)
    assert fot.ece(frame, label=names[0], prob=names[1]).value == EXPECTED
    found = fot.read(frame, label=names[0], prob=names[1], groups=names[2], by=[names[2]])
    assert found.whole.named_groups.rows.tolist() == [6] * 10
    cells = fot.Cells.of_frame(frame, label=names[0], prob=names[1])
    assert cells.n == 60


def test_two_levels_of_names_are_the_classes():
    frame = pd.DataFrame(MATRIX, columns=pd.MultiIndex.from_product([["p"], [0, 1, 2]]))
    frame[("y", "")] = CLASS
    probs = [("p", 2), ("p", 0), ("p", 1)]
    with pytest.warns(fot.CalibrationWarning, match="read by their names: 'p_2' is class 2"):
        found = fot.ece(frame, label=("y", ""), prob=probs, reduction="confidence")
    assert found.value == CONFIDENCE


def test_a_name_that_is_there_twice_matters_where_it_is_wanted():
    frame = pd.DataFrame({"y": Y, "p": P, "site": SITE})
    frame = pd.concat([frame, frame[["site"]]], axis=1)
    assert fot.ece(frame, label="y", prob="p").value == EXPECTED
    assert fot.Cells.of_frame(frame, label="y", prob="p").n == 60
    with pytest.raises(ValueError, match=r"^groups must be one column of the frame, got 'site', 2 times"):
        fot.read(frame, label="y", prob="p", groups="site")
    matrix = pd.DataFrame(MATRIX[:, :2], columns=["p_a", "p_a"])
    with pytest.raises(ValueError, match=r"^y_prob must have columns of different names, got 'p_a' 2 times"):
        fot.ece(["a", "b"] * 30, matrix, reduction="confidence")


def test_a_text_is_not_the_number_that_it_names():
    frame = pd.DataFrame({"y": Y, "p": P, "q": 1 - P}).rename(columns={"p": 1, "q": "1"})
    assert fot.ece(frame, label="y", prob=1).value == EXPECTED
    assert fot.ece(frame, label="y", prob="1").value == fot.ece(Y, 1 - P).value
    with pytest.raises(ValueError, match=r"prob must be a column of the frame, got 3"):
        fot.ece(frame, label="y", prob=3)


LISTS = {
    "pandas": lambda rows: pd.Series(rows.tolist()),
    "pandas arrays": lambda rows: pd.Series(list(rows)),
    "polars": lambda rows: pl.Series(rows.tolist()),
    "polars fixed": lambda rows: pl.Series(rows.tolist(), dtype=pl.Array(pl.Float64, 3)),
    "pyarrow": lambda rows: pa.array(rows.tolist()),
    "numpy": lambda rows: pd.Series(rows.tolist()).to_numpy(),
}


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_columns_of_lists_are_matrices(make):
    column = make(MATRIX)
    assert fot.ece(CLASS, column, reduction="confidence").value == CONFIDENCE
    with pytest.raises(ValueError, match=r"y_prob must be one column of scores .*got 3 columns"):
        fot.ece(CLASS, column)


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "pandas", "polars", "pyarrow"])
def test_tables_have_columns_of_lists(tmp_path, name):
    frame = pl.DataFrame({"y": CLASS, "p": MATRIX.tolist()})
    source = tmp_path / name
    if name == "a.parquet":
        frame.write_parquet(source)
    elif name == "a.jsonl":
        frame.write_ndjson(source)
    else:
        source = {
            "pandas": pd.DataFrame({"y": CLASS, "p": MATRIX.tolist()}),
            "polars": frame,
            "pyarrow": frame.to_arrow(),
        }[name]
    found = fot.ece(source, label="y", prob="p", reduction="confidence")
    assert found.value == pytest.approx(CONFIDENCE, rel=1e-14)


def test_lists_of_other_lengths_are_named_by_their_row():
    rows = [*MATRIX[:3].tolist(), [0.5, 0.5], [1.0]]
    with pytest.raises(ValueError, match=r"y_prob must hold lists of one length, 3, got one of 2 at row 4 \("):
        fot.ece([0, 1, 2, 0, 1], pd.Series(rows), reduction="confidence")


def test_columns_of_one_name_are_refused_where_they_are_wanted_and_left_alone_else():
    n = len(CLASS)
    rng = np.random.default_rng(0)
    y, p, site = rng.integers(0, 2, n), rng.random(n), rng.choice(["u", "v"], n)
    plain = pd.DataFrame({"y": y, "p": p, "site": site})
    twice = pd.concat([plain, plain[["site"]]], axis=1)
    arrow = pa.Table.from_arrays([*map(pa.array, (y, p, site, site))], names=["y", "p", "site", "site"])
    quick = {"label": "y", "prob": "p", "families": ["slope1"], "interval": None}
    expected = float(fot.evaluate(plain, **quick)["slope1"])
    for frame in (twice, arrow):
        assert float(fot.evaluate(frame, **quick)["slope1"]) == expected
        with pytest.raises(ValueError, match=r"^by must be one column of the frame, got 'site', 2 times"):
            fot.evaluate(frame, by="site", **quick)


@pytest.mark.parametrize("label", [["y"], {"y"}, {"y": 1}, np.array(["y"]), ("a", "z")], ids=str)
def test_what_is_no_name_of_a_column_is_refused(label):
    frame = pd.DataFrame({("a", "y"): [0, 1], ("a", "p"): [0.2, 0.7]})
    with pytest.raises(ValueError, match=r"^label must be the name of one column, got "):
        fot.ece(frame, label=label, prob=("a", "p"))
    with pytest.raises(ValueError, match=r"^prob must be the name of one column, got "):
        fot.ece(frame, label=("a", "y"), prob=[["p"], "q"], reduction="confidence")
