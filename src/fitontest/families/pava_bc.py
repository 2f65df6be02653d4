"""Isotonic blocks with bounded sizes as a family: the map behind the test-based calibration error."""

from dataclasses import dataclass, replace

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family
from fitontest.families.block_means import block_values
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.registry import register
from fitontest.maps.binned import BinnedMap, levelled
from fitontest.partitions.pava_bc import PavaBC
from fitontest.results.typing import FloatArray, IntArray


@register("pava_bc")
@dataclass(eq=False, repr=False)
class PavaBlocks(Family):
    """Fit isotonic regression whose steps have a bounded number of rows (PAVA-BC).

    Each score becomes the mean label of its block, c_hat(p) = ybar of the block of p.

    Parameters
    ----------
    n_min, n_max : float, optional
        Bounds on the weight of a block; by default W / 20 and W / 5 (see `PavaBC`).

    Attributes
    ----------
    map_ : BinnedMap
        Constant per block; mild violations of monotonicity are expected.
    partition_ : Partition
        The blocks.
    n_bins_ : int
        Number of blocks.

    Raises
    ------
    ValueError
        At ``fit``, bounds given by the user that no partition of the data can keep.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI.
    https://doi.org/10.48550/arXiv.2306.14343

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8], [0, 1, 0, 1, 1, 1]
    >>> fot.families.make("pava_bc", n_min=2, n_max=4).fit(p, y).predict([0.1, 0.7]).round(6)
    array([0.333333, 1.      ])
    """

    has_partition = True

    n_min: float | None = None
    n_max: float | None = None

    def _count_parameters(self) -> float:
        """Return a level for each block, and where it ends."""
        return 2 * self.n_bins_ - 1

    def fit_map(self, sample: ScoreSample) -> BinnedMap:
        """Return the map that takes each step to its mean label."""
        partition = PavaBC(self.n_min, self.n_max).partition(sample)
        return levelled(partition, partition.summarise(sample))

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the maps of many sets of labels, whose steps are found by arrays alone."""
        return SharedFits(self.fit_map, entries, positives, self._block_means)

    def _block_means(self, entries: Entries, positives: IntArray) -> FloatArray:
        rule, distinct = PavaBC(self.n_min, self.n_max), entries.unlabelled.distinct
        return block_values(entries, positives, lambda wy: rule.cuts(replace(distinct, wy=wy), entries.whole)[:-1])
