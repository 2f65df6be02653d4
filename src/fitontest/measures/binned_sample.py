"""A sample cut into the bins of a partition: what the loss of a bin is computed from.

Everything is summed over the sorted groups of tied scores, so nothing depends on the order in which the rows arrived,
not even a rounding.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.ordering import Groups
from fitontest.data.sample import Sample
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition, bin_sums
from fitontest.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class BinnedSample:
    """Sorted groups of tied scores with the bins they fall into.

    Attributes
    ----------
    sample : Sample
    partition : Partition
    starts : int array of shape (B + 1,)
        Bin b holds the groups starts[b] to starts[b + 1] - 1.
    table : BinTable
        Sums per bin.
    """

    sample: Sample
    partition: Partition
    starts: IntArray
    table: BinTable

    @property
    def groups(self) -> Groups:
        """Return the groups of tied scores, in increasing order."""
        return self.sample.groups

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of a value per group over each bin, 0 where a bin is empty."""
        return bin_sums(values, self.starts)

    def spread(self, per_bin: FloatArray) -> FloatArray:
        """Return the value of each group's bin."""
        return np.repeat(per_bin, np.diff(self.starts))


def binned_sample(sample: Sample, partition: Partition) -> BinnedSample:
    """Return the sample cut at the edges of the partition."""
    return BinnedSample(sample, partition, *partition.cut(sample))
