"""Explicit edges, the closure rule, and the sums per bin."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.partitions.partition import uniform_edges
from tests.strategies import SCORES, samples

CLOSED = pytest.mark.parametrize("closed", ["left", "right"])


def bin_by_definition(p, borders, closed):
    """Return the only bin that holds p, by comparing with every border."""
    last = len(borders) - 2
    for b in range(last + 1):
        low, high = borders[b], borders[b + 1]
        if closed == "left" and low <= p and (p < high or (b == last and p == high)):
            return b
        if closed == "right" and p <= high and (low < p or (b == 0 and p == low)):
            return b
    raise AssertionError("no bin holds p")


@CLOSED
@given(p=st.lists(SCORES, min_size=1, max_size=30), edges=st.lists(SCORES, max_size=8, unique=True))
def test_every_score_is_in_exactly_the_bin_of_the_closure_rule(closed, p, edges):
    inner = sorted(e for e in edges if (e > 0 if closed == "left" else e < 1))
    partition = fot.partitions.Partition(inner, closed)
    np.testing.assert_array_equal(partition.edges, inner)
    assert partition.n_bins == len(inner) + 1
    expected = [bin_by_definition(value, partition.borders, closed) for value in p]
    np.testing.assert_array_equal(partition.locate(p), expected)


@CLOSED
@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 15, 40, 138, 1000])
def test_the_fast_index_of_equal_width_bins_is_the_search(closed, n_bins):
    edges = uniform_edges(n_bins)
    near = np.concatenate((edges, np.nextafter(edges, 0), np.nextafter(edges, 1), [0, 1, 5e-324, np.nextafter(1, 0)]))
    p = np.concatenate((near, np.random.default_rng(0).random(2000), np.round(np.linspace(0, 1, 1001), 3)))
    partition = fot.partitions.Partition(edges, closed)
    assert partition._fences is not None
    np.testing.assert_array_equal(
        partition.locate(p), np.searchsorted(edges, p, side="right" if closed == "left" else "left")
    )


def test_a_score_on_an_edge_goes_where_closed_says():
    assert fot.partitions.EqualWidth(10).partition(None).locate([0.3, 0.5, 0.7, 1.0]).tolist() == [3, 5, 7, 9]
    assert fot.partitions.EqualWidth(10, "right").partition(None).locate([0.0, 0.3, 0.5, 0.7]).tolist() == [0, 2, 4, 6]


def test_edges_are_correctly_rounded_fractions():
    """numpy.linspace is an ulp off at some edges, and would send p = 0.3 into the bin below it."""
    assert uniform_edges(10)[2] == 0.3
    assert np.linspace(0, 1, 11)[3] != 0.3


def test_all_borders_or_inner_edges_alone():
    for closed in ("left", "right"):
        assert fot.partitions.Partition([0.0, 0.2, 1.0], closed) == fot.partitions.Partition([0.2], closed)
        assert fot.partitions.Partition([0.0, 1.0], closed) == fot.partitions.Partition([], closed)
        assert fot.partitions.Partition([0.2], closed).borders.tolist() == [0.0, 0.2, 1.0]


def test_a_single_point_can_be_the_last_or_the_first_bin():
    assert fot.partitions.Partition([0.5, 1.0]).locate([0.5, 0.99, 1.0]).tolist() == [1, 1, 2]
    assert fot.partitions.Partition([0.0, 0.5], "right").locate([0.0, 0.01, 0.5, 0.6]).tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("edges", "closed", "message"),
    [
        ([0.5, 0.2], "left", "edges must be strictly increasing, got 0.5 then 0.2"),
        ([0.2, 0.2], "left", "edges must be strictly increasing"),
        ([0.0, 0.5], "left", "got 0 at one end only"),
        ([0.5, 1.0], "right", "got 1 at one end only"),
        ([-0.1], "left", r"edges must lie in \[0, 1\]"),
        ([np.nan], "left", "edges must be finite"),
        ([0.5], "both", "closed must be one of 'left', 'right'; got 'both'"),
        (["a"], "left", "edges must hold real numbers"),
    ],
)
def test_refusals(edges, closed, message):
    with pytest.raises(ValueError, match=message):
        fot.partitions.Partition(edges, closed)


def test_a_partition_is_a_value():
    partition = fot.partitions.Partition([0.25, 0.5])
    assert partition == fot.partitions.Partition((0.25, 0.5))
    assert partition != fot.partitions.Partition([0.25, 0.5], "right")
    assert partition != fot.partitions.Partition([0.25])
    assert partition != "partition"
    assert hash(partition) == hash(fot.partitions.Partition([0.25, 0.5]))
    assert repr(fot.partitions.Partition([1e-9 / 3, 2 / 3])) == "Partition([3.33333e-10, 0.666667], closed='left')"
    assert repr(fot.partitions.Partition(np.arange(1, 20) / 20)).startswith(
        "Partition([0.05, 0.1, 0.15, ..., 0.85, 0.9, 0.95], "
    )
    assert pickle.loads(pickle.dumps(partition)) == partition
    assert eval(repr(partition), {"Partition": fot.partitions.Partition}) == partition
    with pytest.raises(AttributeError, match="cannot be changed"):
        partition.closed = "right"
    with pytest.raises(ValueError, match="read-only"):
        partition.edges[0] = 0.1


def test_the_edges_of_the_caller_are_copied():
    edges = np.array([0.25, 0.5])
    partition = fot.partitions.Partition(edges)
    edges[0] = 0.4
    assert partition.edges[0] == 0.25


def test_locate_keeps_the_shape_and_refuses_what_is_no_score():
    partition = fot.partitions.Partition([0.5])
    for made in (
        partition,
        fot.partitions.Partition([]),
        fot.partitions.Partition([0.3]),
        fot.partitions.Partition([0.5], "right"),
    ):
        assert made.locate(np.full((2, 3), 0.7)).shape == (2, 3)
        assert int(made.locate(0.7)) == made.locate([0.7])[0]
    with pytest.raises(ValueError, match=r"p must lie in \[0, 1\], got 2.0"):
        partition.locate([2.0])


@CLOSED
@given(data=samples(), edges=st.lists(SCORES, max_size=5, unique=True))
def test_the_table_is_the_sum_over_the_rows_of_each_bin(closed, data, edges):
    y, p, w = data
    inner = sorted(e for e in edges if 0 < e < 1)
    partition = fot.partitions.Partition(inner, closed)
    table = partition.summarise(fot.ScoreSample(y, p, w))
    index = partition.locate(p)
    for b in range(partition.n_bins):
        rows = (index == b) & (w > 0)
        assert table.n[b] == rows.sum()
        assert table.w[b] == pytest.approx(w[rows].sum(), rel=1e-12)
        assert table.w2[b] == pytest.approx((w[rows] ** 2).sum(), rel=1e-12)
        assert table.sum_p[b] == pytest.approx((w * p)[rows].sum(), rel=1e-12)
        assert table.sum_y[b] == pytest.approx((w * y)[rows].sum(), rel=1e-12)
        assert table.occupied[b] == rows.any()
        if rows.any():
            assert table.mean_p[b] == pytest.approx(np.average(p[rows], weights=w[rows]), rel=1e-12)
            assert table.mean_y[b] == pytest.approx(np.average(y[rows], weights=w[rows]), rel=1e-12)
        else:
            assert np.isnan([table.mean_p[b], table.mean_y[b], table.gap[b]]).all()


def test_the_table_of_more_rows_than_a_block():
    rng = np.random.default_rng(0)
    p, y = rng.random(150_000).astype(np.float32), rng.integers(0, 2, 150_000).astype(np.int8)
    table = fot.partitions.EqualWidth(5).partition(None).summarise(fot.ScoreSample(y, p))
    index = np.minimum((p.astype(float) * 5).astype(int), 4)
    np.testing.assert_array_equal(table.n, np.bincount(index))
    np.testing.assert_array_equal(table.sum_y, np.bincount(index, y))
    np.testing.assert_allclose(table.sum_p, np.bincount(index, p.astype(float)), rtol=1e-12)


@given(samples(), st.integers(1, 12), st.sampled_from(["left", "right"]), st.booleans())
def test_sums_over_sorted_groups_are_the_sums_over_rows(data, n_bins, closed, weighted):
    """Whether the sample has been sorted before changes nothing but roundings."""
    y, p, w = data
    partition = fot.partitions.EqualWidth(n_bins, closed).partition(None)
    fresh, pooled = (fot.ScoreSample(y, p, w if weighted else None) for _ in range(2))
    assert pooled.distinct is not None
    assert pooled.is_pooled
    assert not fresh.is_pooled
    one, other = partition.summarise(fresh), partition.summarise(pooled)
    np.testing.assert_array_equal(one.n, other.n)
    for name in ("w", "w2", "sum_p", "sum_y"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-300)
