"""Equal-width bins: edges at i / K, whatever the data."""

from functools import lru_cache

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.partitions.equal_bins import EqualBins
from fitontest.partitions.partition import Closed, Partition, uniform_edges
from fitontest.partitions.rule import register
from fitontest.results.typing import FloatArray, IntArray

FEW = 10_000  # bins that are kept for the next call


@register("equal_width")
class EqualWidth(EqualBins):
    """Make bins of equal width.

    The edges of `n_bins` bins in [0, 1] are i / n_bins.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins, at least 1. Some may be empty.
    closed : {"left", "right"}, default="left"
        A score exactly on an edge belongs to the bin above it ("left") or below it ("right"). Scores rounded to a
        few decimals land on edges often, and libraries disagree: this is why the rule is a parameter.

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import EqualWidth
    >>> EqualWidth(4).partition(ScoreSample([0, 1], [0.1, 0.9])).edges
    array([0.25, 0.5 , 0.75])
    """

    name = "equal_width"

    def partition(self, sample: ScoreSample) -> Partition:  # noqa: ARG002 - equal width uses no data
        """Return the bins; the data are not used."""
        return _bins(int(self.n_bins), self.closed)

    def bounds(self, candidates: IntArray, p: FloatArray, w: FloatArray) -> IntArray:  # noqa: ARG002 - as said above
        """Return where the edges lie among the scores."""
        bounds = np.full((candidates.size, int(candidates.max()) + 1), p.size, dtype=np.intp)
        bounds[:, 0] = 0
        for row, n_bins in zip(bounds, candidates, strict=True):
            row[1:n_bins] = np.searchsorted(p, uniform_edges(int(n_bins)), side=self.closed)
        return bounds


def _bins(n_bins: int, closed: Closed) -> Partition:
    """Return the bins; few of them are kept, since to check their edges takes longer than to bin 1000 rows."""
    return _few_bins(n_bins, closed) if n_bins <= FEW else Partition(uniform_edges(n_bins), closed)


@lru_cache(maxsize=8)
def _few_bins(n_bins: int, closed: Closed) -> Partition:
    return Partition(uniform_edges(n_bins), closed)
