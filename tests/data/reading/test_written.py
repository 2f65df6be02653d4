"""Scores that are no probabilities yet, rows in which a value is missing, and what is said of both."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fitontest as fot
from tests.maps.engines import connected

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(0)
P = RNG.uniform(0.1, 0.9, 40)
Y = (RNG.random(40) < P).astype(int)
COLUMNS = {"label": "y", "prob": "p"}
MAKES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": lambda frame: connected().from_df(frame),
}
every_make = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)


def gaps():
    """Return rows of which the second lacks a score, the fourth a label, and the fifth a group."""
    frame = pd.DataFrame({"y": Y.astype(float), "p": P, "g": [f"g{k % 10}" for k in range(40)]})
    frame.loc[1, "p"] = np.nan
    frame.loc[3, "y"] = np.nan
    frame.loc[4, "g"] = None
    return frame


KEPT = np.delete(np.arange(40), [1, 3, 4])
SAID = r"3 of 40 rows are left out, in which a value is missing: 1 without {}, 1 without {}, 1 without {}"


@every_make
def test_rows_with_a_missing_value_are_left_out_and_counted(make):
    frame = make(gaps())
    with pytest.raises(ValueError, match="missing"):
        fot.read(frame, **COLUMNS, groups="g")
    is_lazy = make in (MAKES["polars lazy"], MAKES["duckdb"])
    names = ("column 'y'", "column 'p'", "column 'g'")
    names = names if is_lazy else ("label column 'y'", "prob column 'p'", "group column 'g'")
    with pytest.warns(fot.CalibrationWarning, match=SAID.format(*names)):
        found = fot.read(frame, **COLUMNS, groups="g", missing="drop")
    expected = fot.read(Y[KEPT], P[KEPT], groups=gaps()["g"].to_numpy()[KEPT])
    assert found.n == expected.n == 37
    assert float(found.rows.w @ found.rows.p) == pytest.approx(P[KEPT].sum())
    np.testing.assert_array_equal(found.groups.rows, expected.groups.rows)
    with pytest.raises(ValueError, match=r"missing must be at least the number of .*, 3 of 40 rows \(.*\); got 2"):
        fot.read(frame, **COLUMNS, groups="g", missing=2)


@pytest.mark.parametrize("build", [list, np.array, pd.Series, pl.Series, pa.array])
def test_arrays_lose_rows_too(build):
    p = build([0.2, np.nan, 0.4, 0.9])
    y = [0, 1, None, 1]
    with pytest.warns(fot.CalibrationWarning, match="2 of 4 rows are left out, .*: 1 without y_true, 1 without y_p"):
        found = fot.read(y, p, missing="drop")
    assert (found.y.tolist(), found.p.tolist()) == ([0, 1], [0.2, 0.9])
    assert fot.read([0, 1], [0.2, 0.9], missing="drop").n == 2
    with pytest.raises(ValueError, match=r"got none of 4 rows \(4 without y_true"):
        fot.read([None] * 4, p, missing="drop")


def test_a_matrix_loses_a_row_in_which_any_score_is_missing():
    matrix = np.array([[0.2, 0.8], [np.nan, 0.5], [0.6, 0.4]])
    with pytest.warns(fot.CalibrationWarning, match="1 of 3 rows"):
        found = fot.read(["b", "a", "a"], matrix, reduction="confidence", missing="drop", by={"s": [1, 2, 3]})
    assert [sample.p.tolist() for sample in found.values()] == [[0.8], [0.6]]


def test_a_value_that_is_refused_has_the_place_that_it_had_before(tmp_path):
    with pytest.warns(fot.CalibrationWarning), pytest.raises(ValueError, match=r"got 1\.7 at row 4 \("):
        fot.read([0, 1, 1, 0], [0.2, None, 0.4, 1.7], missing="drop")
    (tmp_path / "a.csv").write_text("y,p\n0,0.2\n1,\n\n,0.4\n0,1.7\n")
    with pytest.warns(fot.CalibrationWarning), pytest.raises(ValueError, match=r"got 1\.7 at line 6 \("):
        fot.read(tmp_path / "a.csv", **COLUMNS, missing="drop")
    with pytest.warns(fot.CalibrationWarning), pytest.raises(ValueError, match=r"row 3, column 2 \("):
        fot.read([0, 1, 1], [[0.2, 0.8], [None, 0.5], [0.6, 1.4]], reduction="confidence", missing="drop")


@every_make
@pytest.mark.parametrize(
    ("scale", "change"), [("percent", lambda p: 100.0 * p), ("log", np.log), ("probability", lambda p: p)]
)
def test_scores_of_other_scales(make, scale, change):
    frame = pd.DataFrame({"y": Y, "p": change(P)})
    found = fot.read(make(frame), **COLUMNS, scale=scale)
    assert found.n == 40
    assert float(found.rows.w @ found.rows.p) == pytest.approx(P.sum(), rel=1e-14)


@every_make
def test_scores_outside_are_clipped_if_that_is_wanted_and_counted(make):
    frame = pd.DataFrame({"y": [0, 1, 1, 0], "p": [-0.2, 0.5, 1.4, 0.2]})
    with pytest.warns(fot.CalibrationWarning, match="2 of 4 scores are outside"):
        found = fot.read(make(frame), **COLUMNS, clip=True)
    np.testing.assert_array_equal(found.rows.p, [0.0, 0.2, 0.5, 1.0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scale": "percents"}, "scale must be one of 'probability', 'percent', 'log'; got 'percents'"),
        ({"clip": 1}, "clip must be True or False"),
        ({"missing": "ignore"}, "missing must be 'refuse', 'drop' or a number of rows, got 'ignore'"),
        ({"missing": -1}, "missing must be 'refuse', 'drop' or a number of rows, got -1"),
        (
            {"scale": "percent"},
            "scale must be left out unless columns of a data frame or a file are read; got",
        ),
    ],
)
def test_what_is_said_of_scores_is_checked(given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fot.read([0, 1], [0.2, 0.9], **given)
