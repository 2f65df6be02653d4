"""Rows with features: an order of their own, copies, groups, and the folds that hold them out."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from fitontest.segments.features.folds import dealt_rows
from fitontest.segments.features.read_columns import read_columns
from fitontest.segments.features.rows import FeatureRows
from tests.segments.features.problems import rows_of


def same(one, other):
    for name in ("y", "logits", "w"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for mine, theirs in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(*(each.values if each.is_number else each.codes for each in (mine, theirs)))
    assert (one.groups is None) == (other.groups is None)
    if one.groups is not None:
        np.testing.assert_array_equal(one.groups, other.groups)


def few_values(n=400, seed=0, **kwargs):
    """Return rows of which many are equal."""
    rng = np.random.default_rng(seed)
    X = {"a": rng.integers(0, 4, n), "b": rng.choice(list("xyz"), n)}
    y = (rng.random(n) < 0.3) * 1.0
    return FeatureRows(read_columns(X), y, rng.integers(0, 3, n) / 2, rng.integers(1, 4, n) * 1.0, True, **kwargs)


@pytest.mark.parametrize("groups", [None, "single", "several"])
def test_canonical_rows_depend_neither_on_the_order_nor_on_copies_nor_on_names_of_groups(groups):
    ids = None if groups is None else np.arange(400) // (1 if groups == "single" else 5)
    rows = few_values(groups=ids)
    order = np.random.default_rng(1).permutation(400)
    same(rows.canonical(), rows.take(order).canonical())
    twice = rows.take(np.random.default_rng(2).permutation(np.repeat(np.arange(400), rows.w.astype(int))))
    same(rows.canonical(), replace(twice, w=np.ones(len(twice))).canonical())
    if ids is not None:
        called = np.array([f"patient {7 * each % 401}" for each in ids], dtype=object)
        same(rows.canonical(), replace(rows, groups=called).canonical())
    assert rows.canonical().w.sum() == rows.w.sum()


def test_importances_are_in_units_of_one_row():
    w = np.random.default_rng(0).gamma(1.0, size=200)
    rows = rows_of(200, w=w, whole=False)
    found = rows.canonical()
    assert found.w.sum() == pytest.approx(w.sum() ** 2 / (w @ w))
    np.testing.assert_allclose(found.w, replace(rows, w=1000 * w).canonical().w, rtol=1e-12)


def test_a_missing_number_is_no_other_number():
    columns = read_columns({"a": [0.0, np.nan, 0.0, np.nan]})
    rows = FeatureRows(columns, np.zeros(4), np.zeros(4), np.ones(4), True).canonical()
    assert rows.w.tolist() == [2.0, 2.0]
    assert rows.blocks.tolist() == [0, 1]


@pytest.mark.parametrize("scale", [1e-20, 1e-300, 1.0, 1e307])
def test_features_are_told_apart_whatever_their_scale(scale):
    rng = np.random.default_rng(0)
    X = {"tiny": scale * rng.integers(-4, 5, 300), "other": rng.integers(0, 3, 300) + 0.5}
    columns = read_columns(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = FeatureRows(columns, np.zeros(300), np.zeros(300), np.ones(300), True).canonical()
    values, counts = np.unique(np.stack(list(X.values()), axis=1), axis=0, return_counts=True)
    found = np.stack([column.values for column in rows.columns], axis=1)
    order = np.lexsort(found.T[::-1])
    np.testing.assert_array_equal(found[order], values)
    np.testing.assert_array_equal(rows.w[order], counts)
    assert rows.blocks.tolist() == list(range(len(values)))


@pytest.mark.parametrize("cv", [2, 5])
def test_each_row_lies_in_one_fold_and_classes_are_spread(cv):
    dealt = dealt_rows(rows_of(500).canonical(), cv, 0)
    sizes = np.bincount(dealt.fold)
    assert dealt.folds == cv
    assert sizes.sum() == 500
    assert np.ptp(sizes) <= 2
    assert np.ptp(np.bincount(dealt.fold, dealt.rows.y)) <= 1
    masks = dealt.held_out()
    np.testing.assert_array_equal(np.sum(masks, axis=0), 1)
    other = dealt_rows(rows_of(500).canonical(), cv, 1)
    assert not np.array_equal(dealt.fold, other.fold)


def test_copies_share_a_fold_where_their_labels_agree_and_other_equal_rows_are_dealt():
    rows = few_values().canonical()
    dealt = dealt_rows(rows, 5, 0)
    assert dealt.rows.w.sum() == rows.w.sum()
    np.testing.assert_allclose(np.bincount(dealt.fold, dealt.rows.w), rows.w.sum() / 5, atol=20)
    np.testing.assert_allclose(np.bincount(dealt.fold, dealt.rows.w * dealt.rows.y), (rows.w @ rows.y) / 5, atol=10)
    alone = rows_of(300, w=np.random.default_rng(0).integers(1, 9, 300)).canonical()
    dealt = dealt_rows(alone, 5, 0)  # all rows differ: no copy leaves its fold
    assert len(dealt.rows) == 300
    np.testing.assert_array_equal(dealt.rows.w, alone.w)


def test_groups_share_a_fold():
    rows = rows_of(300, groups=np.arange(300) % 30).canonical()
    dealt = dealt_rows(rows, 5, 0)
    for group in range(30):
        assert np.unique(dealt.fold[dealt.rows.groups == group]).size == 1
    single = rows_of(300, groups=np.arange(300)).canonical()
    plain = rows_of(300).canonical()
    np.testing.assert_array_equal(dealt_rows(single, 5, 0).fold, dealt_rows(plain, 5, 0).fold)
    with pytest.raises(ValueError, match="groups must be at least 2"):
        dealt_rows(rows_of(20, groups=np.zeros(20, dtype=int)).canonical(), 5, 0)


def test_of_few_rows_there_are_fewer_folds():
    rows = rows_of(50).take([0, 1, 2]).canonical()
    assert dealt_rows(rows, 5, 0).folds == 3
    one = dealt_rows(rows.take([0]), 5, 0)
    assert one.folds == 1
    assert one.held_out() == []
