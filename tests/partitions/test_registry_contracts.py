"""What every registered partitioner promises: a new one is tested by existing."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given

import fitontest as fot
from fitontest.partitions.partitioner import make_partitioner
from tests.strategies import samples

every_partitioner = pytest.mark.parametrize("name", fot.partitions.names("two"))


def partition_of(name, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.results.BlockSizeWarning)
        return make_partitioner(name).partition(fot.ScoreSample(*data))


@every_partitioner
@given(data=samples())
def test_a_partition_covers_the_unit_interval(name, data):
    partition = partition_of(name, *data)
    index = partition.locate(np.linspace(0, 1, 501))
    assert index[0] == 0
    assert np.all(np.diff(index) >= 0)
    assert index[-1] == partition.n_bins - 1
    assert np.all(np.diff(partition.edges) > 0)


@every_partitioner
@given(data=samples())
def test_row_order_does_not_matter(name, data):
    order = np.random.default_rng(0).permutation(data[0].size)
    assert partition_of(name, *data) == partition_of(name, *(column[order] for column in data))


@every_partitioner
@given(data=samples())
def test_rows_of_weight_zero_are_absent(name, data):
    kept = data[2] > 0
    assert partition_of(name, *data) == partition_of(name, *(column[kept] for column in data))


@every_partitioner
def test_it_is_a_value(name):
    partitioner = make_partitioner(name)
    assert partitioner == make_partitioner(name)
    assert hash(partitioner) == hash(make_partitioner(name))
    assert pickle.loads(pickle.dumps(partitioner)) == partitioner
    assert (
        eval(repr(partitioner), {name: getattr(fot.partitions, name) for name in fot.partitions.__all__}) == partitioner
    )


@every_partitioner
@given(data=samples())
def test_theorem_2_for_every_partition(name, data):
    """The plug-in error of the slope-1 map is the binned ECE; that of the flat map the deviation error PDE_1."""
    y, p, w = data
    sample = fot.ScoreSample(y, p, w)
    partition = partition_of(name, *data)
    index, table = partition.locate(p), partition.summarise(sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.results.BlockSizeWarning)
        slope1 = fot.Slope1(scheme=partition).fit_sample(sample)
        flat = fot.Flat(scheme=partition).fit_sample(sample)
    by_bin = [abs(np.sum((w * (y - p))[index == b])) for b in range(partition.n_bins)]
    ece = np.sum(by_bin) / w.sum()
    assert np.average(np.abs(slope1.predict(p) - p), weights=w) == pytest.approx(ece, abs=1e-12)
    assert float(fot.measures.PlugIn(slope1).estimate(fot.ScoreSample(y, p, w))) == pytest.approx(ece, abs=1e-12)
    pde = np.average(np.abs(p - table.mean_y[index])[w > 0], weights=w[w > 0])
    assert np.average(np.abs(flat.predict(p) - p), weights=w) == pytest.approx(pde, abs=1e-12)
    assert float(fot.measures.PlugIn(flat).estimate(fot.ScoreSample(y, p, w))) == pytest.approx(pde, abs=1e-12)


def test_registering():
    @fot.partitions.register("one_bin")
    class OneBin(fot.partitions.Partitioner):
        def partition(self, sample):
            return fot.partitions.Partition([])

    try:
        assert "one_bin" in fot.partitions.names("two")
        assert isinstance(make_partitioner("one_bin"), OneBin)
        with pytest.raises(ValueError, match="there is a partition called 'one_bin' already"):
            fot.partitions.register("one_bin")
    finally:
        fot.partitions.unregister("one_bin")
    with pytest.raises(ValueError, match=r"partition must be one of .*'equal_mass'.*; got 'one_bin'"):
        make_partitioner("one_bin")
    with pytest.raises(TypeError, match="must be a subclass of PartitionRule"):
        fot.partitions.register("wrong")(int)
