"""The sweep, against a search that fits every number of bins."""

import numpy as np
import pytest
from hypothesis import given

import fitontest as fot
from tests.strategies import samples


def sweep_by_search(sample, scheme, closed, max_bins):
    best = None
    for k in range(1, min(max_bins, len(sample.distinct)) + 1):
        partitioner = (
            fot.partitions.EqualMass(k, closed) if scheme == "equal_mass" else fot.partitions.EqualWidth(k, closed)
        )
        partition = partitioner.partition(sample)
        table = partition.summarise(sample)
        means = table.mean_y[table.occupied]
        if np.any(means[1:] < means[:-1] * (1 - 1e-12)):
            break
        best = partition
    return best


@pytest.mark.parametrize("scheme", ["equal_mass", "equal_width"])
@pytest.mark.parametrize("closed", ["left", "right"])
@given(data=samples())
def test_the_sweep_is_the_search(scheme, closed, data):
    sample = fot.ScoreSample(*data)
    partition = fot.partitions.MonotoneSweep(20, scheme, closed).partition(sample)
    assert partition == sweep_by_search(sample, scheme, closed, 20)


def test_ordered_labels_run_into_the_bound():
    p = np.linspace(0, 1, 300)
    sample = fot.ScoreSample(p > 0.4, p)
    assert fot.partitions.MonotoneSweep(25).partition(sample).n_bins == 25
    assert fot.partitions.MonotoneSweep().partition(sample).n_bins == 300  # as many as there are scores


def test_fewer_bins_than_asked_is_no_stop():
    """Heavy ties leave 2 distinct scores; the sweep reaches K = 2 and ends there, in order."""
    sample = fot.ScoreSample([0] * 9 + [1], [0.2] * 9 + [0.8])
    assert fot.partitions.MonotoneSweep().partition(sample).n_bins == 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_bins": 0}, "max_bins must be"),
        ({"scheme": "pava"}, "scheme must be"),
        ({"closed": "no"}, "closed must be"),
    ],
)
def test_refusals(params, message):
    with pytest.raises(ValueError, match=message):
        fot.partitions.MonotoneSweep(**params)
