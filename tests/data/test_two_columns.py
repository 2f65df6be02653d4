"""The columns of two classes are one column of scores, as far as rows add up to 1; those of more need a reduction."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fitontest as fot
from tests.strategies import noisy

Y, P = noisy(60)
BOTH = np.column_stack((1 - P, P))
WORDS = np.where(Y == 1, "yes", "no")
NOTE = r"of the two columns of y_prob the (first|second) one is read, that of class"


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("y", "pos_label", "column", "named"),
    [
        (Y, None, 1, "second one is read, that of class 1"),
        (Y, 1, 1, "second one is read, that of class 1"),
        (Y, 0, 0, "first one is read, that of class 0"),
        (Y == 1, None, 1, "second one is read, that of class 1"),
        (2 * Y - 1, -1, 0, "first one is read, that of class -1"),
    ],
)
def test_the_column_of_the_positive_class_is_read(form, y, pos_label, column, named):
    weights = np.arange(60) % 3
    with pytest.warns(fot.results.exceptions.PrintedWarning, match=named):
        found = fot.read(y, form(BOTH), sample_weight=weights, pos_label=pos_label, groups=np.arange(60) // 2)
    alone = fot.read(y, BOTH[:, column], sample_weight=weights, pos_label=pos_label, groups=np.arange(60) // 2)
    for one in ("p", "y", "w"):
        assert np.array_equal(getattr(found, one), getattr(alone, one))
    assert found.reduction is None
    assert len(found.groups) == len(alone.groups)


def test_labels_of_words_and_columns_by_their_names():
    expected = fot.ece(WORDS, P, pos_label="yes").value
    with pytest.warns(fot.CalibrationWarning, match="second one is read, that of class 'yes'"):
        assert fot.ece(WORDS, BOTH, pos_label="yes").value == expected
    turned = pd.DataFrame({"p_yes": P, "p_no": 1 - P})
    with pytest.warns(fot.CalibrationWarning, match="(read by their names|first one is read, that of class 'yes')"):
        assert fot.ece(WORDS, turned, pos_label="yes").value == expected
    with pytest.raises(ValueError, match=r"pos_label must say which class is positive .*\['no', 'yes'\]"):
        fot.ece(WORDS, BOTH)


@pytest.mark.parametrize("y", [0, 1])
def test_labels_of_one_class(y):
    with pytest.warns(fot.CalibrationWarning, match="that of class 1"):
        assert np.array_equal(fot.read([y] * 60, BOTH).p, P)
    with pytest.raises(ValueError, match="y_true must hold both classes where y_prob has a column for each, got 'a'"):
        fot.read(["a"] * 60, BOTH, pos_label="a")


@pytest.mark.exhaustive
def test_every_result_says_which_column_was_read():
    with pytest.warns(fot.CalibrationWarning, match=NOTE):
        printed = [
            str(fot.ece(Y, BOTH)),
            str(fot.evaluate(Y, BOTH, families=["platt"])),
            str(fot.risk.validate(Y, BOTH)),
            str(fot.check_calibration(Y, BOTH, max_error=0.2)),
        ]
    for text in printed:
        assert "two columns of y_prob the second one is read, that of class 1" in " ".join(text.split())
    assert "two columns" not in str(fot.ece(Y, P))


def test_rounded_rows_are_read_and_others_refused():
    with pytest.warns(fot.CalibrationWarning, match=NOTE):
        fot.read(Y, BOTH.round(2))
    off = BOTH.copy()
    off[[4, 7]] = 0.4, 0.5
    with pytest.raises(
        ValueError,
        match=r"^y_prob must be one column of scores, or two that add up to 1 in each row, unless reduction is given, "
        r"got a sum of 0\.9 at row 5 \(rows counted from 1; 2 such rows\)$",
    ):
        fot.read(Y, off)
    with pytest.raises(ValueError, match="got 2 columns and 3 classes"):
        fot.read(np.arange(60) % 3, BOTH)


@pytest.mark.parametrize("columns", [3, 10])
def test_more_columns_need_a_reduction(columns):
    P = np.random.default_rng(0).dirichlet(np.ones(columns), 60)
    message = (
        f"^y_prob must be one column of scores unless reduction is given, got {columns} columns. "
        "reduction='confidence': is the top class right as often as its score says\\? "
        "'classwise': each class against the rest$"
    )
    for form in (np.asarray, np.ndarray.tolist, pd.DataFrame):
        with pytest.raises(ValueError, match=message):
            fot.ece(np.arange(60) % columns, form(P))
