"""Isotonic blocks against scikit-learn and a brute force."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.isotonic import IsotonicRegression

import fitontest as fot
from fitontest.partitions.partitioner import edges_between, midpoints_between
from tests.strategies import samples


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")  # of weights that may be counts
@given(data=samples())
def test_blocks_are_the_level_sets_of_the_isotonic_regression(data):
    y, p, w = data
    p = np.round(p, 9)  # scikit-learn takes scores that are closer than a machine epsilon for equal
    sample = fot.ScoreSample(y, p, w)
    partition = fot.partitions.Pava().partition(sample)
    table = partition.summarise(sample)
    assert np.all(np.diff(table.mean_y) > -1e-12)
    fitted = IsotonicRegression().fit(p[w > 0], y[w > 0], w[w > 0]).predict(p[w > 0])
    np.testing.assert_allclose(table.mean_y[partition.locate(p[w > 0])], fitted, atol=1e-12)


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
@given(data=samples())
def test_no_coarser_monotone_partition_has_as_small_an_error(data):
    """Splitting at every score and pooling violators minimises the squared error over monotone maps."""
    y, p, w = data
    sample = fot.ScoreSample(y, p, w)
    partition = fot.partitions.Pava().partition(sample)
    means = partition.summarise(sample).mean_y[partition.locate(p)]
    best = float(w @ (y - means) ** 2)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = np.sort(rng.random(p.size))[np.argsort(np.argsort(p, kind="stable"))]
        for tied in np.unique(p):  # a map gives tied scores one value
            other[p == tied] = other[p == tied].mean()
        assert best <= float(w @ (y - other) ** 2) + 1e-9


def test_edges_are_midpoints():
    assert fot.partitions.Pava().partition(fot.ScoreSample([0, 1], [0.25, 0.75])).edges.tolist() == [0.5]


def test_midpoints_of_neighbouring_floats_still_separate_them():
    low = 0.3
    p = np.array([low, np.nextafter(low, 1)])
    edges = midpoints_between(p, np.array([1]))
    assert fot.partitions.Partition(edges).locate(p).tolist() == [0, 1]
    tiny = np.array([0.0, 5e-324])
    assert fot.partitions.Partition(midpoints_between(tiny, np.array([1]))).locate(tiny).tolist() == [0, 1]


def test_edges_between_follow_the_closure():
    p = np.array([0.1, 0.2, 0.3])
    assert edges_between(p, np.array([1]), "left").tolist() == [0.2]
    assert edges_between(p, np.array([1]), "right").tolist() == [0.1]
