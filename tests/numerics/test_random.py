"""Folds: the draws of scikit-learn's KFold, from the state that a generator is in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from fitontest.numerics import random
from fitontest.numerics.random import counted_folds, held_out_rows, repeated_folds


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


@given(
    counts=st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(lambda counts: sum(counts) > 1),
    cv=st.integers(2, 12),
    repeats=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_parts_of_counted_rows_add_up_and_folds_have_the_sizes_of_kfold(counts, cv, repeats, seed):
    counts = np.array(counts)
    folds = counted_folds(counts, cv, repeats, seed)
    assert folds.count.min() > 0
    np.testing.assert_array_equal(np.bincount(folds.kind, folds.count, counts.size), counts)
    assert folds.fold.shape == (repeats, folds.kind.size)
    keys = np.vstack([folds.kind, folds.fold])
    assert np.array_equal(np.unique(keys, axis=1), keys)  # in order, and no combination of folds twice
    sizes = [held_out.size for held_out in held_out_rows(int(counts.sum()), cv, 0)]
    for fold in folds.fold:
        np.testing.assert_array_equal(np.bincount(fold, folds.count), sizes)
    again = counted_folds(counts, cv, repeats, seed)
    np.testing.assert_array_equal(again.count, folds.count)
    first = counted_folds(counts, cv, 1, seed)  # the repeats go on with the same generator
    held_out = np.zeros((counts.size, len(sizes)))
    np.add.at(held_out, (folds.kind, folds.fold[0]), folds.count)
    alone = np.zeros_like(held_out)
    alone[first.kind, first.fold[0]] = first.count
    np.testing.assert_array_equal(held_out, alone)


@pytest.mark.parametrize("beyond", [False, True], ids=["hypergeometric", "binomial"])
def test_counts_in_a_fold_have_the_law_of_rows_that_are_dealt_one_by_one(beyond, monkeypatch):
    """Means N_f c / N, and variances and covariances of draws without replacement, or of independent draws."""
    counts, cv, draws = np.array([400, 300, 50, 250]), 4, 1000
    if beyond:
        monkeypatch.setattr(random, "MOST_DRAWN", 1)
    share = counts / counts.sum()
    found = np.zeros((draws, cv, counts.size))
    for seed in range(draws):
        folds = counted_folds(counts, cv, 1, seed)
        found[seed, folds.fold[0], folds.kind] = folds.count
    without = 250 * (750 / 999) * (np.diag(share) - np.outer(share, share))
    covariance = np.diag(counts) / cv * (1 - 1 / cv) if beyond else without
    for fold in range(cv):
        each = found[:, fold]
        spread = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose(each.mean(axis=0), counts / cv, atol=5 * spread.max() / np.sqrt(draws))
        np.testing.assert_allclose(np.cov(each.T), covariance, atol=0.2 * spread.max() ** 2)


def test_a_hundred_billion_rows_are_dealt_too():
    folds = counted_folds(np.array([10**11, 3, 10**9]), 10, 1, 0)
    np.testing.assert_array_equal(np.bincount(folds.kind, folds.count), [10**11, 3, 10**9])
    np.testing.assert_allclose(np.bincount(folds.fold[0], folds.count), (10**11 + 10**9 + 3) / 10, rtol=5e-5)


def test_refused_folds_of_counted_rows():
    with pytest.raises(ValueError, match=r"repeats must be a whole number from 1 to 4 .*; got 5"):
        counted_folds(np.array([10, 10]), 2, 5, 0)
    with pytest.raises(ValueError, match=r"at most 50,000,000 parts .*, got 5000 folds, 2 repeats and 3 kinds of rows"):
        counted_folds(np.array([10**8, 10**8, 10**6]), 5000, 2, 0)
    with pytest.raises(ValueError, match="cv must be a whole number"):
        counted_folds(np.array([10, 10]), 1, 1, 0)
