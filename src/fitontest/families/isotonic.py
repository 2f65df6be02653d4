"""Isotonic regression: the best non-decreasing map (PAVA)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.ordering import DistinctScores
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.block_means import block_values
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.registry import register
from fitontest.maps.binned import levelled
from fitontest.maps.knots import KnotsMap
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import midpoints_between
from fitontest.partitions.pava import block_starts
from fitontest.results.checks import choose
from fitontest.results.typing import FloatArray, IntArray


@register("isotonic", aliases=("pava",))
@dataclass(eq=False, repr=False)
class Isotonic(Family):
    """Fit isotonic regression: the non-decreasing calibration map with the smallest Brier score.

    It also has the smallest log loss.

    c_hat minimises sum_i w_i (y_i - c(p_i))^2 over non-decreasing c: the mean label of each block found by
    pooling adjacent violators.

    Parameters
    ----------
    interpolation : {"linear", "step"}, default="linear"
        Between the data. "linear" connects the blocks by straight lines, as scikit-learn's IsotonicRegression
        predicts; "step" jumps at the edges of `partition_`, the midpoints between blocks. Both agree at the data,
        so the plug-in errors are the same.

    Attributes
    ----------
    map_ : KnotsMap or BinnedMap
        With ``interpolation="linear"`` and with "step".
    partition_ : Partition
        The blocks.
    n_bins_ : int
        Number of blocks.

    References
    ----------
    Zadrozny, Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD.
    https://doi.org/10.1145/775047.775151

    Examples
    --------
    >>> import fitontest as fot
    >>> isotonic = fot.families.make("isotonic").fit([0.1, 0.2, 0.4, 0.8], [0, 1, 0, 1])
    >>> isotonic.predict([0.1, 0.3, 0.6]), isotonic.n_bins_
    (array([0.  , 0.5 , 0.75]), 3)
    """

    has_partition = True
    calibrator = True

    interpolation: Literal["linear", "step"] = "linear"

    def _count_parameters(self) -> float:
        """Return a level for each block, and where it ends."""
        return 2 * self.n_bins_ - 1

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the isotonic map and its steps."""
        choose(self.interpolation, ("linear", "step"), "interpolation")
        distinct = sample.distinct
        starts = block_starts(distinct.wy, distinct.w)
        partition = Partition(midpoints_between(distinct.p, starts[1:]))
        if self.interpolation == "step":
            return Solution(levelled(partition, partition.summarise(sample)), partition)
        means = np.add.reduceat(distinct.wy, starts) / np.add.reduceat(distinct.w, starts)
        return Solution(_connected(distinct, starts, means), partition)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the isotonic maps of many sets of labels.

        At the data both interpolations have the means of the blocks.
        """
        choose(self.interpolation, ("linear", "step"), "interpolation")
        return SharedFits(self.fit_map, entries, positives, _block_means)


def _block_means(entries: Entries, positives: IntArray) -> FloatArray:
    return block_values(entries, positives, lambda wy: block_starts(wy, entries.distinct_w))


def _connected(distinct: DistinctScores, starts: IntArray, means: FloatArray) -> KnotsMap:
    """Return the map that is level over each block, from its first score to its last, and linear in between."""
    ends = np.append(starts[1:], len(distinct)) - 1
    at = np.unique(np.concatenate((starts, ends)))
    return KnotsMap(distinct.p[at], means[np.searchsorted(starts, at, side="right") - 1])
