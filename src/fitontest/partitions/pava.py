"""Pool adjacent violators: the blocks on which isotonic regression is constant."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from fitontest.data.ordering import Groups
from fitontest.data.sample import Sample
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner, midpoints_between, register_partition
from fitontest.typing import IntArray


@register_partition("pava")
@dataclass(frozen=True)
class Pava(Partitioner):
    """Partition at the jumps of the isotonic regression of the labels on the scores.

    Tied scores are pooled first. Edges are midpoints between the neighbouring scores of two blocks, left-closed.

    References
    ----------
    Ayer, Brunk, Ewing, Reid, Silverman (1955), An empirical distribution function for sampling with incomplete
    information. https://doi.org/10.1214/aoms/1177728423

    Examples
    --------
    >>> from fitontest import Pava, Sample
    >>> Pava().partition(Sample([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.8])).edges
    array([0.15, 0.6 ])
    """

    def partition(self, sample: Sample) -> Partition:
        """Return the partition into the blocks of the sample."""
        return Partition(midpoints_between(sample.groups.p, block_starts(sample.groups)[1:]))


def block_starts(groups: Groups) -> IntArray:
    """Return the first group of each block of the isotonic regression."""
    blocks = isotonic_regression(groups.wy / groups.w, weights=groups.w).blocks
    return np.asarray(blocks[:-1], dtype=np.intp)
