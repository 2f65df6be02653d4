"""The bias of a bin, |ybar - pbar|: the loss behind ECE, ACE and MCE."""

from dataclasses import dataclass

import numpy as np

from fitontest.measures.binning import BinnedSample
from fitontest.measures.losses.base import BinLoss, register
from fitontest.results.typing import FloatArray


@register("bias")
@dataclass(frozen=True)
class Bias(BinLoss):
    """The gap of a bin between mean label and mean score.

    That is |ybar - pbar|.

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.gce([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], loss=fot.bin_losses.Bias(), n_bins=2)), 12)
    0.3
    """

    is_gap = True

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the gaps of the means."""
        return np.abs(binned.table.gap)
