"""The chi-square of a bin per row: the squared gap of the means, over the variance of a label of that mean score."""

from dataclasses import dataclass

import numpy as np

from fitontest.measures.binning import BinnedSample
from fitontest.measures.losses.base import BinLoss, register
from fitontest.results.exceptions import NoValueError
from fitontest.results.typing import FloatArray


@register("chi_square")
@dataclass(frozen=True)
class ChiSquare(BinLoss):
    """The squared gap of a bin between mean label and mean score, over the variance of a label of that score.

    (ybar - pbar)^2 / (pbar (1 - pbar)); times the rows of the bin it is its part of the Hosmer-Lemeshow statistic,
    (O - E)^2 / E + (O - E)^2 / (N - E) with N rows, O positives and E = N pbar.

    Raises
    ------
    NoValueError
        All scores of a bin are 0 or all are 1, and a label is another.

    Examples
    --------
    >>> import fitontest as fot
    >>> round(float(fot.gce([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], loss="chi_square", n_bins=2)), 4)
    0.6471
    """

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the squared gaps in variances."""
        table = binned.table
        gap, variance = table.gap, table.mean_p * (1.0 - table.mean_p)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            loss = np.where(gap == 0.0, 0.0, gap**2 / variance)
        if np.isinf(loss).any():
            bad = int(np.flatnonzero(np.isinf(loss))[0])
            raise NoValueError(
                f"y_prob must not be certain in all rows of a bin of other labels, whose chi-square is infinite, got a "
                f"mean score of {table.mean_p[bad]:g} beside a share of {table.mean_y[bad]:.3g} positives in bin {bad}"
            )
        return np.asarray(np.where(table.occupied, loss, np.nan))
