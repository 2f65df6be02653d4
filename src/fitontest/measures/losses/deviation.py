"""The deviation of a bin, the mean of |p - ybar|: the loss behind the probability deviation error (PDE)."""

from dataclasses import dataclass

import numpy as np

from fitontest.measures.binning import BinnedSample
from fitontest.measures.losses.base import BinLoss, mean_over_bins, register
from fitontest.results.typing import FloatArray


@register("deviation")
@dataclass(frozen=True)
class Deviation(BinLoss):
    """How far the scores of a bin are from its mean label, on average.

    The weighted mean of |p - ybar| over the scores p of a bin, ybar being the mean of its labels.

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.gce([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], loss=fot.bin_losses.Deviation(), n_bins=2)), 12)
    0.3
    """

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the mean distances between predictions and the mean label of their bin."""
        return mean_over_bins(binned, np.abs(binned.distinct.p - binned.spread(binned.table.mean_y)))
