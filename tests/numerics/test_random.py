"""Folds: the draws of scikit-learn's KFold, from the state that a generator is in."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from fitontest.numerics.random import held_out_rows, repeated_folds


@pytest.mark.parametrize(("n", "cv"), [(2, 2), (17, 5), (300, 300), (1003, 10)])
def test_folds_are_those_of_kfold(n, cv):
    expected = [held_out for _, held_out in KFold(cv, shuffle=True, random_state=3).split(np.empty((n, 0)))]
    for ours, theirs in zip(held_out_rows(n, cv, 3), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_repeated_folds_go_on_with_the_same_generator():
    splitter = KFold(3, shuffle=True, random_state=np.random.RandomState(5))
    for folds in repeated_folds(20, 3, 2, np.random.RandomState(5)):
        for ours, (_, theirs) in zip(folds, splitter.split(np.empty((20, 0))), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_one_row_has_no_folds():
    with pytest.raises(ValueError, match="2 or more"):
        held_out_rows(1, 5, 0)
