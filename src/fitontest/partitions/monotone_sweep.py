"""The monotone sweep: as many bins as the bin means stay in order (Roelofs et al.)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fitontest.checks import choose
from fitontest.data.ordering import Groups
from fitontest.data.sample import Sample
from fitontest.partitions.equal_mass import equal_mass_ends
from fitontest.partitions.partition import Closed, Partition, check_closed, uniform_edges
from fitontest.partitions.partitioner import Partitioner, check_n_bins, edges_between, register_partition
from fitontest.typing import FloatArray, IntArray

MEAN_TOLERANCE = 1e-12  # means that differ by less, relatively, are equal


@register_partition("sweep")
@dataclass(frozen=True)
class MonotoneSweep(Partitioner):
    """Take K = 1, 2, ... bins while the mean labels do not decrease; keep the last K before the first decrease.

    Parameters
    ----------
    max_bins : int, default=1000
        Perfectly ordered labels never decrease, so the sweep needs an end. It also ends at the number of distinct
        scores.
    scheme : {"equal_mass", "equal_width"}, default="equal_mass"
        The bins that are swept. Empty bins of equal width are skipped.
    closed : {"left", "right"}, default="left"

    References
    ----------
    Roelofs, Cain, Shlens, Mozer (2022), Mitigating bias in calibration error estimation, AISTATS.
    https://doi.org/10.48550/arXiv.2012.08668

    Examples
    --------
    >>> from fitontest import MonotoneSweep, Sample
    >>> MonotoneSweep().partition(Sample([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])).n_bins
    4
    """

    max_bins: int = 1000
    scheme: Literal["equal_mass", "equal_width"] = "equal_mass"
    closed: Closed = "left"

    def __post_init__(self) -> None:
        check_n_bins(self.max_bins, "max_bins")
        check_closed(self.closed)
        choose(self.scheme, ("equal_mass", "equal_width"), "scheme")

    def partition(self, sample: Sample) -> Partition:
        """Return the finest partition of the sweep whose bin means are in order."""
        groups = sample.groups
        best = np.array([len(groups)])
        n_bins = 1
        for n_bins, ends in self._candidates(groups):
            if _decreases(groups, ends):
                n_bins -= 1
                break
            best = ends
        if self.scheme == "equal_width":
            return Partition(uniform_edges(n_bins), self.closed)
        return Partition(edges_between(groups.p, best[best < len(groups)], self.closed), self.closed)

    def _candidates(self, groups: Groups) -> Iterator[tuple[int, IntArray]]:
        """Yield K and the ends of its bins, for K = 1, 2, ..., computed in doubling batches."""
        last = min(int(self.max_bins), len(groups))
        low = 1
        while low <= last:
            batch = np.arange(low, min(2 * low, last + 1))
            yield from zip(batch.tolist(), self._ends(groups, batch), strict=True)
            low = int(batch[-1]) + 1

    def _ends(self, groups: Groups, batch: IntArray) -> list[IntArray]:
        if self.scheme == "equal_mass":
            return list(equal_mass_ends(groups.w, batch))
        cuts = [np.searchsorted(groups.p, uniform_edges(int(k)), side=self.closed) for k in batch]
        return [np.append(cut, len(groups)) for cut in cuts]


def _decreases(groups: Groups, ends: IntArray) -> bool:
    """Return whether the mean label falls from one non-empty bin to the next."""
    ends = np.unique(ends[ends > 0])
    starts = np.concatenate(([0], ends[:-1]))
    means: FloatArray = np.add.reduceat(groups.wy, starts) / np.add.reduceat(groups.w, starts)
    return bool(np.any(means[1:] < means[:-1] * (1.0 - MEAN_TOLERANCE)))
