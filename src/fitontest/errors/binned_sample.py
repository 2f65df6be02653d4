"""A sample cut into the bins of a partition: what the loss of a bin is computed from.

Everything is summed over the sorted groups of tied scores, so nothing depends on the order in which the rows arrived,
not even a rounding.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from fitontest.ordering import Groups
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition
from fitontest.sample import Sample
from fitontest.typing import FloatArray, IntArray

Column = TypeVar("Column", FloatArray, IntArray)


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
    groups, rows = sample.groups, sample.rows
    starts = bin_starts(groups.p, partition)
    w = bin_sums(groups.w, starts)
    n = w.astype(np.intp) if sample.unit else bin_sums(groups.n, starts)
    squares = w if sample.unit else bin_sums(rows.w**2, np.append(groups.first, len(rows))[starts])
    table = BinTable(n, w, squares, bin_sums(groups.w * groups.p, starts), bin_sums(groups.wy, starts))
    return BinnedSample(sample, partition, starts, table)


def bin_starts(p: FloatArray, partition: Partition) -> IntArray:
    """Return where each bin starts among increasing scores, and where the last one ends."""
    inner = np.searchsorted(p, partition.edges, side="left" if partition.closed == "left" else "right")
    return np.concatenate(([0], inner, [p.size]))


def bin_sums(values: Column, starts: IntArray) -> Column:
    """Return the sums of values[starts[b]:starts[b + 1]], 0 where there are none."""
    out = np.zeros(starts.size - 1, dtype=values.dtype)
    occupied = starts[1:] > starts[:-1]
    out[occupied] = np.add.reduceat(values, starts[:-1][occupied])
    return out
