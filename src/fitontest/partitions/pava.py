"""Pool adjacent violators: the blocks on which isotonic regression is constant."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from fitontest.data.score_sample import ScoreSample
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner, midpoints_between
from fitontest.partitions.rule import register
from fitontest.results.typing import FloatArray, IntArray


@register("pava")
@dataclass(frozen=True)
class Pava(Partitioner):
    """Make bins at the jumps of an isotonic regression of the labels on the scores.

    Tied scores are pooled first. Edges are midpoints between the neighbouring scores of two blocks, left-closed.

    References
    ----------
    Ayer, Brunk, Ewing, Reid, Silverman (1955), An empirical distribution function for sampling with incomplete
    information. https://doi.org/10.1214/aoms/1177728423

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import Pava
    >>> Pava().partition(ScoreSample([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.8])).edges
    array([0.15, 0.6 ])
    """

    def partition(self, sample: ScoreSample) -> Partition:
        """Return a bin for each step of the isotonic regression."""
        distinct = sample.distinct
        return Partition(midpoints_between(distinct.p, block_starts(distinct.wy, distinct.w)[1:]))


def block_starts(wy: FloatArray, w: FloatArray) -> IntArray:
    """Return the first group of each block, of groups of weight `w` whose positives weigh `wy`."""
    blocks = isotonic_regression(wy / w, weights=w).blocks
    return np.asarray(blocks[:-1], dtype=np.intp)
