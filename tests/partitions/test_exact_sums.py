"""Sums per bin without sorting: those of exact arithmetic, in any order of the rows, for scores of any size."""

from fractions import Fraction

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.binning import BinnedSample
from fitontest.partitions.exact_sums import exact_table
from fitontest.partitions.partition import Partition, uniform_edges

N = 3000
SMALLEST = 5e-324
SCORES = {
    "uniform": lambda rng: rng.random(N),
    "of all sizes": lambda rng: 10.0 ** -rng.integers(0, 320, N),
    "on edges": lambda rng: rng.integers(0, 11, N) / 10,
    "float32": lambda rng: rng.random(N, dtype=np.float32),
    "certain": lambda rng: rng.integers(0, 2, N),
    "the smallest": lambda rng: SMALLEST * rng.integers(0, 9, N),
}
COLUMNS = ("n", "w", "w2", "sum_p", "sum_y")


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scores", SCORES)
def test_they_are_those_of_fractions_in_any_order(scores, weighted, closed):
    rng = np.random.default_rng(0)
    p, y, w = SCORES[scores](rng), rng.integers(0, 2, N), rng.integers(0, 4, N) if weighted else None
    partition = Partition(uniform_edges(10), closed)
    order = rng.permutation(N)
    sample = fot.ScoreSample(y, p, w)
    table = exact_table(partition, sample)
    assert not sample.is_pooled
    other = fot.ScoreSample(y[order], p[order], None if w is None else w[order])
    again, sorted_first = exact_table(partition, other), fot.ScoreSample(y, p, w)
    assert sorted_first.distinct.p.size
    pooled = exact_table(partition, sorted_first)
    by_order = partition.cut(sample)[3]
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(table, column), getattr(again, column))
        np.testing.assert_array_equal(getattr(table, column), getattr(pooled, column))
        if column != "sum_p":
            np.testing.assert_array_equal(getattr(table, column), getattr(by_order, column))
    weights = np.ones(N, dtype=int) if w is None else w
    bins = partition.locate(p)
    for b in range(10):
        terms = [Fraction(float(p[i])) * int(weights[i]) for i in np.flatnonzero(bins == b)]
        assert table.sum_p[b] == pytest.approx(float(sum(terms, Fraction(0))), rel=4e-16, abs=0)


def test_the_bias_of_bins_needs_no_order():
    rng = np.random.default_rng(1)
    sample = fot.ScoreSample(rng.integers(0, 2, N), rng.random(N))
    for partition in ("equal_width", np.array([0.3, 0.5])):
        fot.measures.Binned(partition=partition).estimate(sample)
    assert not sample.is_pooled
    fot.measures.Binned("deviation").estimate(sample)
    assert sample.is_pooled


def test_importances_and_huge_counts_are_summed_in_order():
    y, p, partition = [0, 1, 1], [0.1, 0.6, 0.7], Partition([0.5])
    for sample in (
        fot.ScoreSample(y, p, [0.5, 0.1, 0.7]),
        fot.ScoreSample(y, p, [1.0, 2.0, 2.0**50], weights="counts"),
    ):
        assert exact_table(partition, sample) is None
        table = BinnedSample(sample, partition).table
        np.testing.assert_array_equal(table.sum_p, partition.cut(sample)[3].sum_p)
