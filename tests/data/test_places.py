"""Where a refused value is, as messages say it."""

import pickle

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.data.places import BadValueError


def at(shape, index, value):
    array = np.full(shape, 0.5)
    array[index] = value
    return array


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (at(4, 2, 1.5), "p must lie in [0, 1], got 1.5 at row 3 (rows counted from 1; 1 of 4 values outside"),
        (at((4, 1), 2, np.nan), "p must be finite, got nan at row 3 (rows counted from 1; 1 such value)"),
        (at((4, 3), (2, 1), np.inf), "got inf at row 3, column 2 (rows and columns counted from 1; 1 such value)"),
        (at((4, 3, 2), (2, 1, 1), -1), "got -1.0 at entry (3, 2, 2) (entries counted from 1; 1 of 24 values outside"),
        (1.5, "p must lie in [0, 1], got 1.5 (1 of 1 values outside, from 1.5 to 1.5)"),
        ([0.5, "abc", "x"], "got str values such as 'abc' at row 2 (rows counted from 1; 2 such values)"),
        ([[0.5, 0.5], [0.5, "abc"]], "'abc' at row 2, column 2 (rows and columns counted from 1; 1 such value)"),
        ([[0.5, 0.5], [0.5, None]], "got 1, the first at row 2, column 2 (rows and columns counted from 1)"),
        (np.ma.masked_less(at((2, 2), (1, 0), 0.1), 0.2), "got 1, the first at row 2, column 1 (rows and columns"),
        (pd.Series([0.5, 7.0], index=[10, 20]), "got 7.0 at row 2 (rows counted from 1; "),
        ("x" * 1000, "got str values such as 'xxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxx' (1 such value)"),
    ],
)  # fmt: skip
def test_rows_and_columns_are_counted_from_1(values, message):
    with pytest.raises(ValueError, match=r"^p must") as error:
        fot.maps.IdentityMap()(values)
    assert message in str(error.value)


def test_the_first_negative_weight_is_named():
    with pytest.raises(ValueError, match=r"got -1\.0 at row 2 \(rows counted from 1; 2 such values\)"):
        fot.ScoreSample([0, 1, 1], [0.1, 0.2, 0.3], [1, -1, -5])


def test_it_is_pickled_as_parallel_fits_need():
    error = BadValueError("p", "be finite", "nan", 3, (2, 2), "1 such value")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.row, type(again)) == (str(error), 1, BadValueError)


def test_the_message_is_the_argument_and_the_error_can_be_pickled():
    error = BadValueError("p", "be finite", "nan", 3, (5,))
    assert error.args == (str(error),)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.row, vars(again)) == (str(error), 3, vars(error))
