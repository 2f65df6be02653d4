"""The monotone sweep: as many bins as the bin means stay in order (Roelofs et al.)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.partitions.equal_bins import EqualBins, EqualMass, EqualWidth
from fitontest.partitions.partition import Closed, Partition, check_closed
from fitontest.partitions.partitioner import Partitioner, check_n_bins
from fitontest.partitions.rule import register
from fitontest.results.checks import choose
from fitontest.results.typing import BoolArray, FloatArray, IntArray

MEAN_TOLERANCE = 1e-12  # means that differ by less, relatively, are equal


@register("sweep")
@dataclass(frozen=True)
class MonotoneSweep(Partitioner):
    """Use as many bins as keep the mean labels rising with the score.

    One bin, two bins and so on are tried while the mean labels do not decrease; the last number before a decrease is
    kept.

    Parameters
    ----------
    max_bins : int, default=1000
        Perfectly ordered labels never decrease, so the sweep needs an end. It also ends at the number of distinct
        scores.
    scheme : {"equal_mass", "equal_width"}, default="equal_mass"
        The bins that are swept. Empty bins of equal width are skipped.
    closed : {"left", "right"}, default="left"
        Which end belongs to a bin, see `EqualWidth`.

    References
    ----------
    Roelofs, Cain, Shlens, Mozer (2022), Mitigating bias in calibration error estimation, AISTATS.
    https://doi.org/10.48550/arXiv.2012.08668

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import MonotoneSweep
    >>> MonotoneSweep().partition(ScoreSample([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])).n_bins
    4
    """

    max_bins: int = 1000
    scheme: Literal["equal_mass", "equal_width"] = "equal_mass"
    closed: Closed = "left"

    def __post_init__(self) -> None:
        check_n_bins(self.max_bins, "max_bins")
        check_closed(self.closed)
        choose(self.scheme, ("equal_mass", "equal_width"), "scheme")

    def partition(self, sample: ScoreSample) -> Partition:
        """Return the finest bins whose mean labels rise with the score."""
        distinct = sample.distinct
        n_bins = self.counts(distinct.p, distinct.w, distinct.wy[:, None], whole=sample.whole)[0]
        return self.bins(int(n_bins)).partition(sample)

    def bins(self, n_bins: int) -> EqualBins:
        """Return the rule that makes this number of bins.

        Parameters
        ----------
        n_bins : int
            At least 1.
        """
        return (EqualWidth if self.scheme == "equal_width" else EqualMass)(n_bins, self.closed)

    def counts(self, p: FloatArray, w: FloatArray, wy: FloatArray, *, whole: bool) -> IntArray:
        """Return the number of bins for each of several sets of labels, shape (B,).

        Parameters
        ----------
        p, w : arrays of shape (G,)
            Distinct scores and their weights.
        wy : array of shape (G, B)
            Weight of the positives at each score.
        whole : bool
            Whether the weights are whole numbers.
        """
        weights, positives = PrefixSums.of(w, exact=whole), PrefixSums.of(wy, exact=whole)
        counts = np.ones(wy.shape[1], dtype=np.intp)
        in_order = np.arange(counts.size)
        for n_bins, bounds in self._candidates(p, w):
            bounds = np.unique(bounds)
            sums = positives.between(bounds[:-1], bounds[1:])[:, in_order]
            in_order = in_order[~_decrease(sums / weights.between(bounds[:-1], bounds[1:])[:, None])]
            counts[in_order] = n_bins
            if in_order.size == 0:
                break
        return counts

    def _candidates(self, p: FloatArray, w: FloatArray) -> Iterator[tuple[int, IntArray]]:
        """Yield K and the bounds of its bins, for K = 1, 2, ..., computed in doubling batches."""
        last = min(int(self.max_bins), p.size)
        low = 1
        while low <= last:
            batch = np.arange(low, min(2 * low, last + 1))
            yield from zip(batch.tolist(), self.bins(1).bounds(batch, p, w), strict=True)
            low = int(batch[-1]) + 1


def _decrease(means: FloatArray) -> BoolArray:
    """Return for each column whether the mean label falls from one non-empty bin to the next."""
    return np.asarray(np.any(means[1:] < means[:-1] * (1.0 - MEAN_TOLERANCE), axis=0))
