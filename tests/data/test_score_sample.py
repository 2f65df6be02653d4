"""The door: what it refuses, that it leaves the caller's data alone, and its sorted rows and pooled groups."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.columns import Names
from fitontest.data.counted_sample import sample_of_rows
from fitontest.numerics.search import BLOCK

NAN, INF = float("nan"), float("inf")
ODD_SCORES = [0.0, -0.0, 5e-324, 1e-310, 1e-300, 0.1, 0.5, np.nextafter(0.5, 1), np.nextafter(1, 0), 1.0]
scores = st.sampled_from(ODD_SCORES) | st.floats(0, 1)
weights = st.sampled_from([0.0, -0.0, 1e-140, 0.5, 1.0, 2.0, 1e140]) | st.floats(1e-140, 1e6)


def not_doubtful(rows):
    w = [w for _, _, w in rows if w > 0]
    return sum(w) > 0 and not (all(one == int(one) for one in w) and 10 * len(w) < sum(w) <= 2.0**53)


some_rows = st.lists(st.tuples(scores, st.integers(0, 1), weights), min_size=1, max_size=30).filter(not_doubtful)
whole_rows = st.lists(st.tuples(scores, st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=30).filter(
    lambda rows: any(w for _, _, w in rows)
)
quick = settings(deadline=None, max_examples=100)


def sample_of(rows):
    p, y, w = zip(*rows, strict=True)
    return fot.ScoreSample(y, p, w)


def as_triples(rows):
    return list(zip(rows.p.tolist(), rows.y.tolist(), rows.w.tolist(), strict=True))


def as_bytes(rows):
    return b"|".join(column.tobytes() for column in (rows.p, rows.y, rows.w))


# --- what the door makes of its arguments


def test_columns_are_kept_in_their_order():
    sample = fot.ScoreSample([1, 0, 1], [0.7, -0.0, 0.7], [2, 0, 0.5])
    for column, expected in ((sample.p, [0.7, -0.0, 0.7]), (sample.y, [1.0, 0.0, 1.0]), (sample.w, [2.0, 0.0, 0.5])):
        assert column.dtype == np.float64
        assert column.tobytes() == np.array(expected).tobytes()
    assert (sample.n, sample.total, sample.unit, sample.whole) == (2, 2.5, False, False)


@pytest.mark.parametrize("ones", [None, [1, 1, 1], [1.0, 1.0, 1.0], [True, True, True], np.ones(3, dtype=np.float32)])
def test_no_weights_are_weights_of_one(ones):
    sample = fot.ScoreSample([1, 0, 1], [0.7, 0.2, 0.7], ones)
    assert (sample.n, sample.total, sample.unit, sample.whole) == (3, 3.0, True, True)
    assert sample.w.dtype == np.float64
    assert sample.w.tolist() == sample.rows.w.tolist() == [1.0, 1.0, 1.0]
    assert sample.distinct.w.tolist() == [1.0, 2.0]
    assert [w for _, _, w in sample.blocks()] == [None]


@pytest.mark.parametrize(
    ("w", "n", "whole"),
    [([2, 2, 2], 3, True), ([0, 1, 1], 2, True), ([1, 1, 1.5], 3, False), ([0, 0, 1e-140], 1, False)],
)
def test_other_weights_are_not_unit(w, n, whole):
    sample = fot.ScoreSample([1, 0, 1], [0.7, 0.2, 0.7], w)
    assert (sample.n, sample.total, sample.unit, sample.whole) == (n, float(sum(w)), False, whole)
    assert isinstance(sample.n, int)
    assert isinstance(sample.total, float)


@pytest.mark.exhaustive
@quick
@given(some_rows)
def test_counts_total_and_base_rate(rows):
    sample = sample_of(rows)
    total = math.fsum(w for _, _, w in rows)
    assert sample.n == sum(w > 0 for _, _, w in rows)
    assert sample.unit == all(w == 1 for _, _, w in rows)
    assert sample.whole == (all(w == int(w) for _, _, w in rows) and sample.total <= 10 * sample.n)
    assert not sample.doubtful
    assert sample.total == pytest.approx(total, rel=1e-12, abs=0)
    assert sample.base_rate == pytest.approx(math.fsum(w * y for _, y, w in rows) / total, rel=1e-12, abs=0)


def test_base_rate():
    assert fot.ScoreSample([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4]).base_rate == 0.5
    assert fot.ScoreSample([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], [3, 1, 0, 0]).base_rate == 0.25


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("weight", [None, 0.25])
def test_one_class_and_one_row_are_enough(label, n, weight):
    sample = fot.ScoreSample([label] * n, [0.3] * n, None if weight is None else [weight] * n)
    w = weight or 1.0
    assert (sample.n, sample.base_rate, len(sample.rows)) == (n, float(label), n)
    assert as_triples(sample.rows) == [(0.3, float(label), w)] * n
    groups = sample.distinct
    assert [groups.p[0], groups.n[0], groups.w[0], groups.wy[0], groups.first[0]] == [0.3, n, n * w, n * w * label, 0]
    assert len(groups) == 1


def test_repr_names_the_essentials():
    assert repr(fot.ScoreSample([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4])) == "ScoreSample(n=4, share of positives 0.500)"
    weighted = fot.ScoreSample([0, 1, 1], [0.1, 0.2, 0.3], [3, 1, 0])
    assert repr(weighted) == "ScoreSample(n=2, total weight 4, share of positives 0.250)"


# --- what it refuses


@pytest.mark.parametrize(
    ("w", "rule"),
    [
        ([1, -2, -3], r"must not be negative, got -2\.0 at row 2 \(rows counted from 1; 2 such values\)"),
        ([1, 1, -5e-324], r"must not be negative, got -5e-324 at row 3"),
        (np.array([1, -1, 1], dtype=np.int8), r"must not be negative, got -1\.0 at row 2"),
        ([0, 0, 0], r"must have a positive finite sum, got 0\.0"),
        ([False, False, False], r"must have a positive finite sum, got 0\.0"),
        ([1e308, 1e308, 1e308], r"must have a positive finite sum, got inf"),
        ([1, NAN, 1], r"must be finite, got nan at row 2 \(rows counted from 1; 1 such value\)"),
        ([1, INF, 1], r"must be finite, got inf at row 2 \(rows counted from 1; 1 such value\)"),
        ([1, -INF, 1], r"must be finite, got -inf at row 2 \(rows counted from 1; 1 such value\)"),
        ([1, None, 1], r"must not have missing values .*, got 1, the first at row 2 \(rows counted from 1\)"),
        (np.ones((3, 2)), r"must be one-dimensional, got an array of shape \(3, 2\)"),
        ("balanced", r"must be a one-dimensional array or sequence, got one str"),
    ],
)
def test_bad_weights_are_refused(w, rule):
    y, p = [0, 1, 1], [0.1, 0.2, 0.3]
    with pytest.raises(ValueError, match=f"^sample_weight {rule}"):
        fot.ScoreSample(y, p, w)
    with pytest.raises(ValueError, match=f"^sample_weight {rule}"):
        fot.calibration_error(y, p, sample_weight=w)
    with pytest.raises(ValueError, match=f"^sample_weight {rule}"):
        fot.Flat(1).fit(p, y, w)


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is float64 here")
def test_long_double_weights_beyond_float64_are_refused():
    with pytest.raises(
        ValueError, match=r"^sample_weight must be finite, got inf at row 1 \(rows counted from 1; 1 such value\)$"
    ):
        fot.ScoreSample([0, 1], [0.1, 0.2], np.array([np.finfo(np.longdouble).max, 1]))


def test_weights_are_added_in_float64():
    sample = fot.ScoreSample([0, 1, 1], [0.1, 0.2, 0.3], np.array([60_000] * 3, dtype=np.float16), weights="counts")
    assert sample.total == 3 * float(np.float16(60_000))
    assert (
        fot.ScoreSample([0, 1, 1], [0.1, 0.2, 0.3], np.array([127] * 3, dtype=np.int8), weights="counts").total == 381
    )


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ((2, 3, None), "y_true and y_prob must have the same number of rows, got: y_true has 2, y_prob has 3$"),
        ((3, 2, None), "y_true and y_prob must have the same number of rows, got: y_true has 3, y_prob has 2$"),
        ((3, 3, 1), "y_true and y_prob and sample_weight must .*: y_true has 3, y_prob has 3, sample_weight has 1$"),
    ],
)
def test_lengths_that_differ_are_refused(lengths, message):
    y, p, w = (None if n is None else [1, 0, 1][:n] for n in lengths)
    with pytest.raises(ValueError, match=f"^{message}"):
        fot.ScoreSample(y, p, w)


def test_errors_use_the_callers_names():
    with pytest.raises(ValueError, match=r"^scores must lie in \[0, 1\], got 1\.5 at row 2"):
        fot.ScoreSample([0, 1], [0.5, 1.5], names=Names("labels", "scores", "counts"))
    with pytest.raises(ValueError, match=r"^counts must not be negative, got -1\.0 at row 1"):
        fot.ScoreSample([0, 1], [0.5, 0.5], [-1, 1], names=Names("labels", "scores", "counts"))
    with pytest.raises(ValueError, match=r"^labels must have at most two classes, got 3: 0, 1, 2"):
        fot.ScoreSample([0, 1, 2], [0.5, 0.6, 0.7], names=Names("labels", "scores", "counts"))
    with pytest.raises(ValueError, match=r"^y and p must have the same number of rows, got: y has 3, p has 2$"):
        fot.Flat(1).fit([0.1, 0.2], [0, 1, 1])


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 1],
        [0.0, 1.0, 1.0],
        [False, True, True],
        np.array([0, 1, 1], dtype=object),
        [-1, 1, 1],
        [1, 2, 2],
        ["no", "yes", "yes"],
        pd.Series(["no", "yes", "yes"]),
        [1, 1, 1],
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "p", [[0.1, 0.7, 0.9], [0.1, 0.1, 0.1], np.array([0.1, 0.7, 0.9], dtype=object), [10.0, 70.0, 90.0]], ids=repr
)
def test_swapped_arguments_are_told_so(labels, p):
    pos_label = labels[1] if isinstance(labels[1], str) else None
    rule = "must hold the labels of two classes, got values such as (0.1|10.0), and"
    with pytest.raises(
        ValueError, match=f"^y_true and y_prob look swapped: y_true {rule} y_prob the probabilities, got "
    ):
        fot.ScoreSample(p, labels, pos_label=pos_label)
    with pytest.raises(
        ValueError, match=f"^y_true and y_prob look swapped: y_true {rule} y_prob the probabilities, got "
    ):
        fot.calibration_error(p, labels, pos_label=pos_label)
    with pytest.raises(ValueError, match=f"^y and p look swapped: y {rule} p the probabilities, got "):
        fot.Flat(1).fit(labels, p, pos_label=pos_label)


@pytest.mark.parametrize(
    ("y", "p", "rule"),
    [
        ([0.0, NAN, 0.7], [0, 1, 1], "y_true must be finite, got nan at row 2"),
        ([0.0, NAN, 1.0], [0, 1, 1], "y_true must be finite, got nan at row 2"),
        ([0.2, INF, 0.7], [0, 1, 1], "y_true must be finite, got inf at row 2"),
        (
            np.array([0, NAN, 0.7], dtype=object),
            [0, 1, 1],
            r"y_true must not have missing values \(None, NaN or NA\), got 1",
        ),
        (pd.Series([0.1, NAN, 0.7]), [0, 1, 1], r"y_true must not have missing values \(None, NaN or NA\), got 1"),
        ([0, 1, 2], [0.2, 0.7, 0.7], "y_true must have at most two classes, got 3: 0, 1, 2"),
        ([0, 1, 2], [0.2, 0.7, 0.9], "y_true must have at most two classes, got 3: 0, 1, 2"),
        ([0, 1, 2], np.array([0.2, 0.7, 0.9], dtype=object), "y_true must have at most two classes, got 3: 0, 1, 2"),
        ([1, 2, 2], [0, 1, 1], r"y_true must be labelled .*; got the classes \[1, 2\]"),
        ([0, 1, 1], [0, NAN, 1], "y_prob must be finite, got nan at row 2"),
        ([0, 1, 1], [0, 2, 1], r"y_prob must lie in \[0, 1\], got 2 at row 2"),
        ([0, 1, 1], [-1, 1, 1], r"y_prob must lie in \[0, 1\], got -1 at row 1"),
        ([0, 1, 1], ["a", "b", "a"], r"y_prob must hold real numbers, got str values such as 'a'"),
    ],
)
def test_what_is_wrong_otherwise_is_not_called_swapped(y, p, rule):
    with pytest.raises(ValueError, match=f"^{rule}"):
        fot.ScoreSample(y, p)


@pytest.mark.parametrize("y", [[0, 1, 1], [1, 0, 0], [1, 1, 1], [0.0, 1.0, 0.0], [-1, 1, 1], [False, True, True]])
@pytest.mark.parametrize(
    "p", [[0, 1, 1], [0, 0, 0], [1.0, 1.0, 1.0], [True, False, True], [0.3, 0.6, 0.6], [0.3, 0.3, 0.3]]
)
def test_degenerate_scores_are_not_swapped_labels(y, p):
    sample = fot.ScoreSample(y, p)
    assert sample.y.tolist() == [float(label > 0) for label in y]
    assert sample.p.tolist() == [float(score) for score in p]


def test_other_labels_with_degenerate_scores_are_not_swapped():
    assert fot.ScoreSample([1, 2, 1], [0, 1, 1], pos_label=2).y.tolist() == [0, 1, 0]
    assert fot.ScoreSample([0, 0.5, 0.5], [0.1, 0.2, 0.2], pos_label=0.5).y.tolist() == [0, 1, 1]


# --- nothing changes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_callers_arrays_stay_as_they_are(dtype, weighted):
    y, p, w = np.array([1, 0, 1.0]), np.array([0.9, 0.5, 0.5], dtype=dtype), np.array([2.0, 0.0, 1.0])
    copies = [column.copy() for column in (y, p, w)]
    sample = fot.ScoreSample(y, p, w if weighted else None)
    assert len(sample.rows) == (2 if weighted else 3)
    assert len(sample.distinct) == 2
    list(sample.blocks())
    sample.take(np.array([0, 1]))
    for column, copied in zip((y, p, w), copies, strict=True):
        assert np.array_equal(column, copied)
        assert column.flags.writeable


@pytest.mark.parametrize("w", [None, [2.0, 0.0, 1.0]])
def test_the_arrays_of_a_sample_are_read_only(w):
    sample = fot.ScoreSample(np.array([1, 0, 1.0]), np.array([0.9, 0.5, 0.5]), w)
    rows, groups = sample.rows, sample.distinct
    columns = [sample.p, sample.y, sample.w, rows.p, rows.y, rows.w]
    for column in [*columns, groups.p, groups.n, groups.w, groups.wy, groups.first]:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(FrozenInstanceError):
        sample.n = 4
    assert sample.rows is rows
    assert sample.distinct is groups


# --- sorted rows


@pytest.mark.exhaustive
@quick
@given(some_rows, st.data())
def test_rows_are_a_function_of_the_multiset_of_rows(rows, data):
    shuffled = data.draw(st.permutations(rows))
    assert as_bytes(sample_of(shuffled).rows) == as_bytes(sample_of(rows).rows)


@quick
@given(some_rows, st.data())
def test_unweighted_rows_are_a_function_of_the_multiset_of_rows(rows, data):
    shuffled = data.draw(st.permutations(rows))
    first, second = (fot.ScoreSample([y for _, y, _ in r], [p for p, _, _ in r]).rows for r in (rows, shuffled))
    assert as_bytes(first) == as_bytes(second)
    assert as_triples(first) == sorted((p + 0.0, y, 1.0) for p, y, _ in rows)


@quick
@given(some_rows)
def test_rows_are_sorted_without_those_of_weight_zero(rows):
    ordered = sample_of(rows).rows
    assert as_triples(ordered) == sorted((p, y, w) for p, y, w in rows if w > 0)
    assert len(ordered) == sum(w > 0 for _, _, w in rows)
    assert not np.signbit(ordered.p).any()


def test_ties_are_ordered_by_weight():
    ordered = fot.ScoreSample([1, 1, 0, 1, 0], [0.5] * 5, [3, 1, 2, 2, 1]).rows
    assert as_triples(ordered) == [(0.5, 0, 1), (0.5, 0, 2), (0.5, 1, 1), (0.5, 1, 2), (0.5, 1, 3)]


def test_many_rows_in_any_order_give_the_same_rows():
    rng = np.random.default_rng(1)
    p, y, w = rng.integers(0, 50, 3000) / 49, rng.integers(0, 2, 3000), rng.integers(0, 5, 3000) / 3
    order = rng.permutation(3000)
    expected = as_bytes(fot.ScoreSample(y, p, w).rows)
    assert as_bytes(fot.ScoreSample(y[order], p[order], w[order]).rows) == expected


# --- pooled groups


@quick
@given(whole_rows)
def test_groups_pool_tied_scores(rows):
    pooled = {}
    for p, y, w in rows:
        if w:
            n, total, positive = pooled.get(p, (0, 0, 0))  # 0.0 and -0.0 are one key
            pooled[p] = (n + 1, total + w, positive + w * y)
    groups = sample_of(rows).distinct
    sums = zip(groups.n.tolist(), groups.w.tolist(), groups.wy.tolist(), strict=True)
    assert dict(zip(groups.p.tolist(), sums, strict=True)) == pooled
    assert len(groups) == len(pooled)
    assert np.all(np.diff(groups.p) > 0)


@quick
@given(some_rows)
def test_groups_point_at_their_first_row(rows):
    sample = sample_of(rows)
    groups, p = sample.distinct, sample.rows.p
    assert p[groups.first].tolist() == groups.p.tolist()
    assert groups.first.tolist() == np.searchsorted(p, groups.p).tolist()
    assert np.diff(groups.first, append=p.size).tolist() == groups.n.tolist()
    assert math.fsum(groups.w) == pytest.approx(sample.total, rel=1e-12, abs=0)


@quick
@given(whole_rows)
def test_a_weight_is_so_many_rows(rows):
    repeated = [(p, y, 1) for p, y, w in rows for _ in range(w)]
    weighted, repeats = sample_of(rows).distinct, sample_of(repeated).distinct
    assert weighted.p.tobytes() == repeats.p.tobytes()
    assert weighted.w.tobytes() == repeats.w.tobytes()
    assert weighted.wy.tobytes() == repeats.wy.tobytes()


# --- subsamples and blocks


@pytest.mark.exhaustive
@quick
@given(some_rows, st.data())
def test_take_gives_the_chosen_sorted_rows(rows, data):
    sample = sample_of(rows)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=sample.n, max_size=sample.n).filter(any)))
    expected = [row for row, is_in in zip(as_triples(sample.rows), chosen, strict=True) if is_in]
    for part in (sample.take(chosen), sample.take(np.flatnonzero(chosen))):
        assert as_triples(part.rows) == as_triples(part) == expected
        assert part.n == chosen.sum()
        assert part.unit == all(w == 1 for _, _, w in expected)
        assert part.total == pytest.approx(math.fsum(w for _, _, w in expected), rel=1e-12, abs=0)


def test_take_of_an_unweighted_sample_is_unweighted():
    part = fot.ScoreSample([1, 0, 1], [0.7, 0.2, 0.5]).take(np.array([True, False, True]))
    assert (part.n, part.total, part.unit) == (2, 2.0, True)
    assert as_triples(part) == [(0.2, 0.0, 1.0), (0.7, 1.0, 1.0)]


@pytest.mark.parametrize("n", [1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 17])
@pytest.mark.parametrize(
    ("label_dtype", "score_dtype", "weighted"),
    [(np.int8, np.float32, False), (bool, np.float32, True), (np.float64, np.float64, True), (bool, np.float16, False)],
)
def test_blocks_are_the_columns_in_pieces(n, label_dtype, score_dtype, weighted):
    rng = np.random.default_rng(n)
    y, p = rng.integers(0, 2, n).astype(label_dtype), rng.random(n).astype(score_dtype)
    w = rng.random(n) + 0.5 if weighted else None
    sample = fot.ScoreSample(y, p, w)
    blocks = list(sample.blocks())
    assert len(blocks) == -(-n // BLOCK)
    assert all(len(block_p) <= BLOCK for block_p, _, _ in blocks)
    assert {(block_p.dtype, block_y.dtype) for block_p, block_y, _ in blocks} == {(np.dtype(float), np.dtype(float))}
    assert np.concatenate([block_p for block_p, _, _ in blocks]).tobytes() == p.astype(float).tobytes()
    assert np.concatenate([block_y for _, block_y, _ in blocks]).tobytes() == y.astype(float).tobytes()
    if weighted:
        assert np.concatenate([block_w for _, _, block_w in blocks]).tobytes() == w.tobytes()
    else:
        assert {block_w for _, _, block_w in blocks} == {None}
    assert sample.p.tobytes() == p.astype(float).tobytes()
    assert sample.y.tobytes() == y.astype(float).tobytes()


def test_blocks_of_strided_columns():
    wide = np.random.default_rng(0).random((BLOCK + 3, 2))
    sample = fot.ScoreSample(wide[:, 0] < 0.5, wide[:, 1], wide[::-1, 0])
    p, y, w = (np.concatenate(pieces) for pieces in zip(*sample.blocks(), strict=True))
    assert np.array_equal(p, wide[:, 1])
    assert np.array_equal(y, wide[:, 0] < 0.5)
    assert np.array_equal(w, wide[::-1, 0])


def test_entries_may_stand_for_many_rows():
    """Entries with the rows and the squared weights behind them are an ordinary sample: cells of a larger one."""
    from fitontest.data.ordering import Rows

    p, y, n = np.array([0.2, 0.2, 0.7]), np.array([0.0, 1.0, 1.0]), np.array([30, 10, 60])
    w, w2 = 0.5 * n, 0.25 * n
    cells = sample_of_rows(Rows(p, y, w, n, w2), whole=False)
    rows = fot.ScoreSample(np.repeat(y, n), np.repeat(p, n), np.full(100, 0.5))
    assert (cells.n, cells.total, cells.base_rate) == (rows.n, rows.total, rows.base_rate) == (100, 50.0, 0.7)
    assert not cells.whole
    assert not cells.unit
    for name in ("p", "n", "w", "wy", "w2"):
        np.testing.assert_allclose(getattr(cells.distinct, name), getattr(rows.distinct, name), rtol=1e-14)
    for partition in (fot.partitions.Partition([0.5]), fot.partitions.EqualMass(2).partition(cells)):
        cut, as_rows = partition.summarise(cells), partition.summarise(rows)
        for name in ("n", "w", "w2", "sum_p", "sum_y"):
            np.testing.assert_allclose(getattr(cut, name), getattr(as_rows, name), rtol=1e-14)
    part = cells.take(np.array([True, False, True]))
    assert (part.n, part.total, part.whole) == (90, 45.0, False)
    np.testing.assert_array_equal(part.rows.w2, w2[[0, 2]])
    whole = sample_of_rows(Rows(p, y, n.astype(float), n, n.astype(float)), whole=True)
    assert (whole.whole, whole.n) == (True, 100)


@pytest.mark.parametrize("weights", [None, np.arange(60) % 4, np.linspace(0, 2, 60)], ids=["unit", "whole", "other"])
def test_squared_weights_of_rows_and_groups(weights):
    rng = np.random.default_rng(0)
    p, y = np.round(rng.random(60), 1), rng.integers(0, 2, 60)
    sample = fot.ScoreSample(y, p, weights)
    w = np.ones(60) if weights is None else np.asarray(weights, float)
    square = w if sample.whole else w**2
    np.testing.assert_allclose(sample.w2, square)
    np.testing.assert_allclose(sample.rows.w2.sum(), square.sum())
    assert sample.rows.single
    assert sample.rows.n.sum() == np.count_nonzero(w)
    for score, total in zip(sample.distinct.p, sample.distinct.w2, strict=True):
        assert total == pytest.approx(square[p == score].sum())
