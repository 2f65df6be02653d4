"""Equal weight per bin, ties whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.partitions.equal_bins import equal_mass_ends
from tests.strategies import WHOLE_WEIGHTS, samples


def ends_by_the_rule(w, n_bins):
    """Return the bin ends by the rule as it is written, one group at a time."""
    slack = 1e-12 * sum(w)
    ends, i, left = [], 0, sum(w)
    for still in range(n_bins, 0, -1):
        if i == len(w):
            break
        goal, taken, start = left / still, 0.0, i
        while i < len(w) and (still == 1 or taken < goal - slack):
            taken += w[i]
            i += 1
        without = taken - w[i - 1]
        if still > 1 and w[i - 1] > goal + slack and i - 1 > start and goal - without <= taken - goal + slack:
            taken, i = without, i - 1
        left -= taken
        ends.append(i)
    return ends


@given(w=st.lists(st.integers(1, 40), min_size=1, max_size=30), n_bins=st.integers(1, 35))
def test_the_vectorised_rule_is_the_written_rule(w, n_bins):
    ends = equal_mass_ends(np.array(w, float), np.array([n_bins]))[0]
    used = ends_by_the_rule(w, n_bins)
    assert ends[: len(used)].tolist() == used
    assert set(ends[len(used) :]) <= {len(w)}


def test_of_single_rows_it_is_the_written_rule_too():
    """Their ends have a formula; groups of equal weights have none, and are the same."""
    for n in (1, 2, 3, 7, 30, 61):
        n_bins = np.arange(1, n + 5)
        found = equal_mass_ends(np.ones(n), n_bins)
        np.testing.assert_array_equal(found, equal_mass_ends(np.full(n, 3.0), n_bins))
        for row, k in zip(found, n_bins, strict=True):
            used = ends_by_the_rule([1.0] * n, k)
            assert row.tolist() == used + [n] * (n - len(used)), (n, k)


@given(
    w=st.lists(st.integers(1, 40), min_size=1, max_size=30), n_bins=st.lists(st.integers(1, 35), min_size=1, max_size=5)
)
def test_several_counts_at_once_are_each_alone(w, n_bins):
    weights = np.array(w, float)
    together = equal_mass_ends(weights, np.array(n_bins))
    for row, k in zip(together, n_bins, strict=True):
        alone = equal_mass_ends(weights, np.array([k]))[0]
        assert row[: alone.size].tolist() == alone.tolist()


@given(n=st.integers(1, 60), n_bins=st.integers(1, 70), seed=st.integers(0, 5))
def test_without_ties_the_sizes_are_those_of_array_split(n, n_bins, seed):
    p = np.random.default_rng(seed).permutation(n) / n
    sample = fot.ScoreSample(np.arange(n) % 2, p)
    expected = [len(part) for part in np.array_split(np.arange(n), n_bins) if len(part)]
    assert fot.partitions.EqualMass(n_bins).partition(sample).summarise(sample).n.tolist() == expected


@given(data=samples(), n_bins=st.integers(1, 12))
def test_ties_stay_together_no_bin_is_empty_and_both_closures_agree(data, n_bins):
    sample = fot.ScoreSample(*data)
    left, right = (fot.partitions.EqualMass(n_bins, closed).partition(sample) for closed in ("left", "right"))
    assert left.n_bins <= min(n_bins, len(sample.distinct))
    table = left.summarise(sample)
    assert table.n.min() >= 1
    np.testing.assert_array_equal(table.n, right.summarise(sample).n)
    # the edges are scores of the data: the first of the next bin, or the last of this one
    bins = left.locate(sample.distinct.p)
    starts = np.flatnonzero(np.diff(bins))
    np.testing.assert_array_equal(left.edges, sample.distinct.p[starts + 1])
    np.testing.assert_array_equal(right.edges, sample.distinct.p[starts])


@given(data=samples(weights=WHOLE_WEIGHTS), n_bins=st.integers(1, 12))
def test_weight_is_repetition_exactly(data, n_bins):
    y, p, w = data
    repeated = fot.ScoreSample(np.repeat(y, w.astype(int)), np.repeat(p, w.astype(int)))
    assert fot.partitions.EqualMass(n_bins).partition(fot.ScoreSample(y, p, w)) == fot.partitions.EqualMass(
        n_bins
    ).partition(repeated)


@given(data=samples(), n_bins=st.integers(1, 12), factor=st.sampled_from([1e-6, 0.1, 3.7, 1e8]))
def test_scaling_the_weights_moves_no_edge(data, n_bins, factor):
    y, p, w = data
    cut = fot.partitions.EqualMass(n_bins).partition
    plain, scaled = (fot.ScoreSample(y, p, scale * w, weights="importances") for scale in (1.0, factor))
    assert cut(plain) == cut(scaled)


def test_a_heavy_tie_at_one():
    """308 of 500 scores are exactly 1: the last bin is that single point, the others share the rest."""
    p = np.concatenate((np.random.default_rng(0).random(192), np.ones(308)))
    sample = fot.ScoreSample(np.arange(500) % 2, p)
    partition = fot.partitions.EqualMass(10).partition(sample)
    assert partition.summarise(sample).n.tolist() == [50, 50, 50, 42, 308]
    assert partition.edges[-1] == 1.0


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, True, "ten", None])
def test_n_bins_must_be_a_whole_number(n_bins):
    for partitioner in (fot.partitions.EqualMass, fot.partitions.EqualWidth):
        with pytest.raises(ValueError, match="n_bins must be a whole number, at least 1; got"):
            partitioner(n_bins)
    with pytest.raises(ValueError, match="closed must be"):
        fot.partitions.EqualMass(3, "middle")
