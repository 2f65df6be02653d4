"""Entries of many rows in parts, and put together again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.ordering import Rows
from fitontest.data.parts import countable, share_out
from fitontest.numerics.random import held_out_rows, repeated_folds
from tests.strategies import SCORES, aggregated, noisy

ENTRY = st.tuples(SCORES, st.integers(0, 1), st.integers(1, 40), st.integers(1, 3), st.floats(0.2, 5.0))


@st.composite
def entries(draw):
    """Draw an aggregated sample: rows of weight one, of whole weights, or of other weights that vary."""
    drawn = draw(st.lists(ENTRY, min_size=1, max_size=12, unique_by=lambda entry: entry[:2]))
    p, y, n, copies, weight = (np.array(column, dtype=float) for column in zip(*drawn, strict=True))
    kind = draw(st.sampled_from(["counts", "whole", "other"]))
    whole = kind != "other"
    w = {"counts": n, "whole": n * copies, "other": n * weight}[kind]
    w2 = w if whole else w**2 / (1 + (n - 1) / copies)  # as few as 1, as many as n rows of equal weight
    order = np.lexsort((w, y, p))
    columns = [column[order] for column in (p + 0.0, y, w, n.astype(int))]
    return sample_of_rows(Rows(*columns, columns[2] if whole else w2[order]), whole=whole)


@given(sample=entries(), cv=st.integers(2, 8), repeats=st.integers(1, 3), seed=st.integers(0, 99))
def test_parts_add_up_to_the_entries(sample, cv, repeats, seed):
    if countable(sample.rows, whole=sample.whole).sum() < 2:
        with pytest.raises(ValueError, match="2 or more"):
            sample.in_repeated_folds(cv, repeats, seed)
        return
    parts, folds = sample.in_repeated_folds(cv, repeats, seed)
    rows = parts.rows
    assert (parts.n, parts.whole, parts.base_rate) == (sample.n, sample.whole, pytest.approx(sample.base_rate))
    assert rows.n.min() >= 1
    assert rows.w.min() > 0
    assert np.array_equal(np.lexsort((rows.w, rows.y, rows.p)), np.arange(len(rows)))
    if sample.whole:  # weights stay whole, and no row of a part has lost its own
        assert np.array_equal(rows.w, np.floor(rows.w))
        assert np.all(rows.w >= rows.n)
        assert np.array_equal(rows.w, rows.w2)
    for name in ("n", "w", "wy", "w2"):
        np.testing.assert_allclose(getattr(parts.distinct, name), getattr(sample.distinct, name), rtol=1e-12)
    sizes = [held.size for held in held_out_rows(int(countable(sample.rows, whole=sample.whole).sum()), cv, 0)]
    for each in folds:
        np.testing.assert_array_equal(np.sort(np.concatenate(each)), np.arange(len(rows)))
        assert all(np.all(np.diff(held) > 0) for held in each)
        if sample.whole:
            assert [int(rows.n[held].sum()) for held in each] == sizes
    if not parts.aggregated:  # all parts are single rows
        return
    again = parts.merged.rows
    for name in ("p", "y", "n", "w", "w2"):
        np.testing.assert_allclose(getattr(again, name), getattr(sample.merged.rows, name), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, np.arange(60) % 4, np.linspace(0, 2, 60)], ids=["unit", "whole", "other"])
def test_single_rows_are_not_cut_and_have_the_folds_of_kfold(weights):
    y, p = noisy(60, ties=1)
    sample = fot.ScoreSample(y, p, weights)
    same, repeats = sample.in_repeated_folds(5, 3, 7)
    assert same is sample
    assert sample.merged is sample
    for folds, expected in zip(repeats, repeated_folds(sample.n, 5, 3, 7), strict=True):
        for ours, theirs in zip(folds, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    same, folds = sample.in_folds(5, 7)
    assert same is sample
    np.testing.assert_array_equal(np.concatenate(folds), np.concatenate(repeats[0]))


def test_folds_depend_on_the_entries_and_the_seed_alone():
    y, p = noisy(300, ties=1)
    one, other = (aggregated(*columns).in_folds(5, 3)[0].rows.n for columns in ((y, p), (y[::-1], p[::-1])))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(aggregated(y, p).in_folds(5, 4)[0].rows.n, one)
    generators = [np.random.RandomState(3) for _ in range(2)]
    first, second = (aggregated(y, p).in_folds(5, rng)[0].rows.n for rng in generators)
    np.testing.assert_array_equal(first, second)
    sample = aggregated(y, p)
    assert not np.array_equal(sample.in_folds(5, generators[0])[0].rows.n, first)  # which goes on


def test_the_same_settings_cut_parts_no_further():
    sample = aggregated(*noisy(300, ties=1))
    parts, folds = sample.in_folds(5, 3)
    again, same = parts.in_folds(5, 3)
    assert again is parts
    assert same is folds
    further, _ = parts.in_folds(5, 4)
    assert len(further.rows) > len(parts.rows)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 10**12))
def test_shares_of_a_whole_number_add_up(counts, more):
    counts = np.array(counts)
    units = int(counts.sum())
    total = np.full(counts.size, units + more)
    shares = share_out(total, np.cumsum(counts) - counts, counts, np.full(counts.size, units))
    assert shares.sum() == units + more
    assert np.all(shares >= counts)
    np.testing.assert_allclose(shares, (units + more) * counts / units, atol=2)


def test_other_weights_vary_as_rows_of_equal_weight():
    """Ninety rows of weight 0.1 and ten of weight 9.1: (9 + 91)^2 / (0.9 + 828.1) = 12.06."""
    rows = Rows(np.array([0.3]), np.array([1.0]), np.array([100.0]), np.array([100]), np.array([829.0]))
    sample = sample_of_rows(rows, whole=False)
    assert countable(sample.rows, whole=sample.whole).tolist() == [12]
    assert sample.row_weight == pytest.approx(8.29)
    parts, folds = sample.in_folds(5, 0)
    held_out = [float(parts.rows.w[held].sum()) for held in folds]
    assert held_out == pytest.approx([25, 25, 50 / 3, 50 / 3, 50 / 3])


def test_row_weight_is_that_of_the_rows():
    y, p = noisy(400, ties=1)
    assert aggregated(y, p, 0.37).row_weight == pytest.approx(fot.ScoreSample(y, p, np.full(400, 0.37)).row_weight)
