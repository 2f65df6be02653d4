"""Groups of rows: numbered by their rows alone, held out as a whole, and today's folds where each is one row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.row_groups import ranks_of_groups
from fitontest.numerics.random import folds_of_groups, repeated_folds

RNG = np.random.default_rng(5)


def test_the_folds_are_those_of_the_reference():
    folds = folds_of_groups(np.array([0, 0, 1, 1, 2, 2, 3, 4]), 2, 1, 0)[0]
    assert [rows.tolist() for rows in folds] == [[0, 1, 2, 3, 4, 5], [6, 7]]


def test_one_group_cannot_be_held_out():
    with pytest.raises(ValueError, match="groups must be at least 2 for cross-validation"):
        fot.read([0, 1, 1], [0.2, 0.5, 0.7], groups=[1, 1, 1]).in_folds(2, 0)


@pytest.mark.parametrize("reduction", [None, "canonical"])
def test_groups_of_one_row_have_the_folds_of_rows(reduction):
    p = RNG.random(60)
    p, y = (p if reduction is None else np.column_stack((1 - p, p))), RNG.integers(0, 2, 60)
    plain, grouped = fot.read(y, p, reduction=reduction), fot.read(y, p, reduction=reduction, groups=np.arange(60))
    assert grouped.groups is None
    assert grouped.named_groups.are_single
    for one, other in zip(plain.in_folds(5, 3)[1], grouped.in_folds(5, 3)[1], strict=True):
        assert one.tolist() == other.tolist()
    code = grouped.named_groups.code
    assert [sorted(fold.tolist()) for fold in folds_of_groups(np.arange(60), 5, 1, 3)[0]] == [
        fold.tolist() for fold in repeated_folds(60, 5, 1, 3)[0]
    ]
    if reduction is None:
        assert code.tolist() == list(range(60))


def brute_rank(code, key):
    """Groups by first key, number of rows, second key..., as written."""
    rows = {k: sorted(key[code == k].tolist()) for k in range(code.max() + 1)}
    return {k: (rows[k][0], len(rows[k]), rows[k][1:]) for k in rows}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), min_size=1, max_size=40))
def test_groups_are_numbered_by_their_rows(pairs):
    names, code = np.unique([group for group, _ in pairs], return_inverse=True)
    key = np.array([place for _, place in pairs])
    rank, brute = ranks_of_groups(code, key), brute_rank(code, key)
    assert sorted(rank.tolist()) == list(range(names.size))
    order = np.argsort(rank)
    assert [brute[k] for k in order] == sorted(brute.values())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_neither_names_nor_the_order_of_rows_matter(seed):
    rng = np.random.default_rng(seed)
    n = 40
    p, y, group, w = rng.integers(0, 4, n) / 4, rng.integers(0, 2, n), rng.integers(0, 7, n), rng.integers(1, 3, n)
    order = rng.permutation(n)
    names = np.array(["g", "a", "z", "c", "x", "b", "q"])[rng.permutation(7)]
    first = fot.read(y, p, sample_weight=w, groups=group)
    second = fot.read(y[order], p[order], sample_weight=w[order], groups=names[group][order])
    assert first.groups.code.tolist() == second.groups.code.tolist()
    assert first.groups.rows.tolist() == second.groups.rows.tolist()
    assert first.groups.weights.tolist() == second.groups.weights.tolist()


def test_folds_hold_out_whole_groups():
    p, y, group = RNG.random(90), RNG.integers(0, 2, 90), RNG.integers(0, 11, 90)
    for reduction, scores in ((None, p), ("canonical", np.column_stack((1 - p, p)))):
        sample = fot.read(y, scores, groups=group, reduction=reduction)
        rows, folds = sample.present.in_folds(4, 1)
        held = [set(rows.facts["group"][fold].tolist()) for fold in folds]
        assert sum(map(len, held)) == len(set(group.tolist()))
        assert sum(fold.size for fold in folds) == 90


def test_ids_are_anything_that_can_be_hashed():
    ids = np.empty(4, dtype=object)
    ids[:] = [("a", 1), "b", ("a", 1), 3]
    groups = fot.read([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], groups=ids).groups
    assert groups.rows.tolist() == [2, 1, 1]
    assert groups.ids.tolist() == [("a", 1), "b", 3]
    assert groups.effective == pytest.approx(16 / 6)


def test_whole_weights_are_rows_of_one_group():
    groups = fot.read([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=[2, 1, 1], groups=[0, 1, 2]).groups
    assert groups.rows.tolist() == [2, 1, 1]
    assert groups.several == 1
