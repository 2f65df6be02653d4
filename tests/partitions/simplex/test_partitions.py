"""Cells of the simplex: the two rules against naive ones, cells given row by row, and rules of one's own."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.partitions.simplex.cell_table import CellSums, cells_of
from fitontest.partitions.simplex.partitioner import find_simplex_partition


def same_cells(a, b):
    """Tell whether two arrays of ids put the same rows together."""
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def naive_halving(p, min_size, max_bins):
    """Return lists of rows by the rule in words, with loops over everything."""
    open_, closed = [list(range(len(p)))], []
    while open_ and (max_bins is None or len(open_) + len(closed) < max_bins):
        splittable = [rows for rows in open_ if len(rows) >= 2 * min_size]
        if not splittable:
            break

        def widest(rows):
            return max(np.var([p[i][k] for i in rows], ddof=1) for k in range(len(p[0])))

        rows = max(splittable, key=widest)
        variances = [np.var([p[i][k] for i in rows], ddof=1) for k in range(len(p[0]))]
        k = next(k for k, v in enumerate(variances) if v >= max(variances) * (1 - 1e-12))
        median = sorted(p[i][k] for i in rows)[len(rows) // 2]
        parts = [[i for i in rows if p[i][k] < median], [i for i in rows if p[i][k] >= median]]
        open_.remove(rows)
        if min(map(len, parts)) < min_size:
            closed.append(rows)
        else:
            open_ += parts
    return open_ + closed


@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 8), st.sampled_from([None, 1, 3, 6]), st.booleans())
def test_halving_against_loops(seed, n_classes, min_size, max_bins, tied):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(n_classes), 60)
    if tied:
        P = np.floor(P * 4) / 4
        P[:, 0] += 1 - P.sum(axis=1)
    ids = fot.partitions.MedianVariance(min_size, max_bins).partition(P, np.ones(60)).locate(P)
    cells = naive_halving(P.tolist(), min_size, max_bins)
    expected = np.empty(60, dtype=int)
    for number, rows in enumerate(cells):
        expected[rows] = number
    if max_bins is None or not tied:  # cells that vary alike may be cut in either order
        assert same_cells(ids, expected)
    assert np.bincount(ids).min() >= min_size
    assert len(set(ids)) == len(cells)


def test_halving_counts_whole_weights():
    rng = np.random.default_rng(0)
    P, w = rng.dirichlet([1, 1, 1], 80), rng.integers(0, 4, 80)
    weighted = fot.partitions.MedianVariance(12).partition(P, w.astype(float))
    repeated = fot.partitions.MedianVariance(12).partition(np.repeat(P, w, axis=0), np.ones(w.sum()))
    np.testing.assert_array_equal(weighted.locate(P), repeated.locate(P))
    assert weighted.n_cells > 4
    scaled = fot.partitions.MedianVariance(5).partition(P, np.full(80, 0.3))  # no counts: each is one row
    np.testing.assert_array_equal(
        scaled.locate(P), fot.partitions.MedianVariance(5).partition(P, np.ones(80)).locate(P)
    )


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(1)
    P, order = rng.dirichlet([1, 1, 1], 200), rng.permutation(200)
    for rule in (fot.partitions.MedianVariance(7, 12), fot.partitions.UniformGrid(4)):
        ids = rule.partition(P, np.ones(200)).locate(P)
        again = rule.partition(P[order], np.ones(200))
        np.testing.assert_array_equal(again.locate(P), ids)


def test_the_grid_against_loops():
    rng = np.random.default_rng(2)
    P = rng.dirichlet([0.3] * 4, 300)
    P[:4] = np.eye(4)
    ids = fot.partitions.UniformGrid(5).partition(P, np.ones(300)).locate(P)
    keys = [tuple(max(1, int(np.ceil(5 * value))) for value in row) for row in P]
    assert same_cells(ids.tolist(), keys)


def test_the_grid_knows_occupied_cells_only():
    P = np.random.default_rng(3).dirichlet(np.ones(60), 50)  # 300 intervals of 60 classes: 300^60 cells
    grid = fot.partitions.UniformGrid(300).partition(P, np.ones(50))
    assert grid.n_cells <= 50
    assert grid.intervals.shape == (grid.n_cells, 60)
    assert grid.locate(np.eye(60)[:3]).tolist() == [-1, -1, -1]
    assert (
        fot.partitions.UniformGrid(3).partition(np.eye(3), np.array([1.0, 0.0, 1.0])).n_cells == 2
    )  # of rows of weight 0 none


def test_every_prediction_lies_in_a_halved_cell():
    rng = np.random.default_rng(4)
    partition = fot.partitions.MedianVariance(5).partition(rng.dirichlet([1, 1, 1], 100), np.ones(100))
    cells = partition.locate(np.vstack([np.eye(3), rng.dirichlet([1, 1, 1], 500)]))
    assert set(cells) == set(range(partition.n_cells))


def test_the_table_of_cells():
    P = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    data = fot.read([0, 1, 1, 2], P, sample_weight=[1, 2, 1, 0], reduction="canonical")
    rule = find_simplex_partition([7, 3, 7, 5])
    partition, ids = cells_of(rule, data)
    assert partition.n_cells == 3
    table = CellSums.of(data, ids).table(data.codes)
    assert table.number.tolist() == [0, 2]  # the third row of weight 0 is alone in its cell
    assert table.n.tolist() == [2, 2]  # a whole weight of two is two rows, as in the bins of two classes
    assert table.w.tolist() == [2, 2]
    np.testing.assert_allclose(table.mean_p, [[0.2, 0.5, 0.3], [0.5, 0.35, 0.15]])
    np.testing.assert_allclose(table.mean_y, [[0, 1, 0], [0.5, 0.5, 0]])


class Halves:
    """No subclass: anything with the method will do."""

    n_cells = 2

    def partition(self, P, w):
        return self

    def locate(self, P):
        return (P[:, 0] > 0.5).astype(int)


def test_a_rule_of_ones_own():
    P = np.random.default_rng(5).dirichlet([1, 1, 1], 40)
    y = np.arange(40) % 3
    given = fot.gce(y, P, reduction="canonical", partition=Halves())
    by_row = fot.gce(y, P, reduction="canonical", partition=(P[:, 0] > 0.5).astype(int))
    assert float(given) == float(by_row)
    assert given.n_bins == 2


class Wrong(Halves):
    def __init__(self, ids):
        self.ids = ids

    def locate(self, P):
        return np.array(self.ids)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0, 1], "locate must return a cell, a whole number below 2, for each of the 3 rows"),
        ([0, 1, 2], "locate must return a cell, a whole number below 2"),
        ([0.0, 1.0, 0.0], "locate must return a cell, a whole number below 2"),
        ([0, 1, -1], "partition must have a cell for each row .* 1 rows without one, the first of them row 3"),
    ],
)
def test_what_a_rule_must_return(ids, message):
    with pytest.raises(ValueError, match=message):
        fot.gce([0, 1, 2], np.eye(3), reduction="canonical", partition=Wrong(ids))


@pytest.mark.parametrize(
    ("partition", "message"),
    [
        ("halves", "partition must be one of 'median_variance', 'uniform_grid'; got 'halves'"),
        (fot.partitions.UniformGrid, "partition must be an instance, got the class UniformGrid"),
        ([0.5, 0.2], "or a whole number for each row, got"),
        ([0, 1], "partition must name a cell for each of the 3 rows, got 2"),
        ([0, 1, 0, 1], "partition must name a cell for each of the 3 rows, got 4"),
    ],
)
def test_refused_partitions(partition, message):
    with pytest.raises(ValueError, match=message):
        fot.gce([0, 1, 2], np.eye(3), reduction="canonical", partition=partition)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_size": 0}, "min_size must be a whole number, at least 1; got 0"),
        ({"min_size": -1}, "min_size must be a whole number"),
        ({"max_bins": 0}, "max_bins must be a whole number, at least 1; got 0"),
        ({"max_bins": -1}, "max_bins must be a whole number"),
    ],
)
def test_refused_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        fot.partitions.MedianVariance(**settings)


def test_refused_numbers_of_rows_and_bins():
    with pytest.raises(ValueError, match="min_size must be at most the number of rows, 3; got min_size=4"):
        fot.partitions.MedianVariance(4).partition(np.eye(3), np.ones(3))
    for n_bins in (0, -1, 2.5):
        with pytest.raises(ValueError, match="n_bins must be a whole number, at least 1"):
            fot.partitions.UniformGrid(n_bins)


def test_registered_names():
    assert fot.partitions.names("any") == ["median_variance", "uniform_grid"]
    with pytest.raises(ValueError, match="already"):
        fot.partitions.register("uniform_grid")
    assert find_simplex_partition("uniform_grid", n_bins=3) == fot.partitions.UniformGrid(3)
    with pytest.raises(ValueError, match="settings of uniform_grid must be among n_bins; got 'min_size'"):
        find_simplex_partition("uniform_grid", min_size=3)
    assert [repr(rule) for rule in (fot.partitions.MedianVariance(3), fot.partitions.MedianVariance(3, 4))] == [
        "MedianVariance(3)",
        "MedianVariance(3, 4)",
    ]
    assert all(
        a != b for a, b in itertools.pairwise([fot.partitions.MedianVariance(3), fot.partitions.MedianVariance(3, 4)])
    )
