"""Scaling-binning: Platt scaling, made to take as many values as there are bins."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.block_means import block_means
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.platt import Platt
from fitontest.families.registry import register
from fitontest.maps.binned import BinnedMap
from fitontest.partitions.equal_bins import equal_mass_ends
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import check_n_bins, midpoints_between
from fitontest.results.typing import FloatArray, IntArray


@register("scaling_binning")
@dataclass(eq=False, repr=False)
class ScalingBinning(Family):
    """Fit Platt scaling, then average its values in bins of equal mass (the scaling-binning calibrator).

    That is c_hat(p) = sum_{i in b} w_i g(p_i) / sum_{i in b} w_i, p in b, with g Platt's curve.

    g is `Platt` scaling of the logit, and the bins hold equal shares of its values g(p_i). A bin has the mean of these
    values, not of its labels. So the map varies from sample to sample hardly more than Platt's, but takes few values,
    and how far these are from calibrated can be measured: a curve's error can only be bounded from below by bins.

    Parameters
    ----------
    n_bins : int, default=10
        Largest number of bins; fewer are made where scores are tied.

    Attributes
    ----------
    map_ : BinnedMap
        Constant in each bin; decreasing where Platt's curve is.
    partition_ : Partition
        Its edges are half-way between the scores on both sides.
    n_bins_ : int
        Bins really made.
    scaling_ : LogisticMap
        Platt's curve g. (A constant BinnedMap when there is one class or one distinct score.)

    Raises
    ------
    ValueError
        At ``fit``, an `n_bins` that is no whole number or below 1.

    Warns
    -----
    SeparableDataWarning
        A threshold separates the labels; see `Platt`.

    Notes
    -----
    Deviations from the paper: curve, bins and their means come from all rows, as in the authors' package
    uncertainty-calibration, while the paper's guarantee is for a sample that is split in three. From the package: g is
    the optimum of the likelihood to 1e-10, edges are midpoints of scores and not of values of g, and equal scores are
    never split over bins; the values at the rows of the fit are the same.

    References
    ----------
    Kumar, Liang, Ma (2019), Verified uncertainty calibration, NeurIPS. https://doi.org/10.48550/arXiv.1909.10155

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.1, 0.3, 0.4, 0.6, 0.7, 0.9], [0, 1, 0, 1, 0, 1]
    >>> scaling_binning = fot.families.make("scaling_binning", n_bins=2).fit(p, y)
    >>> scaling_binning.predict([0.1, 0.4, 0.9]).round(3), scaling_binning.scaling_([0.1, 0.4, 0.9]).round(3)
    (array([0.317, 0.317, 0.683]), array([0.171, 0.428, 0.829]))
    """

    has_partition = True
    evaluator = False

    n_bins: int = 10

    n_parameters_ = 2  # slope and intercept: with the scores they determine the values of the bins

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the binned map, its bins and Platt's curve."""
        check_n_bins(self.n_bins)
        distinct, scaling = sample.distinct, Platt().fit_map(sample)
        values = scaling.evaluate(distinct.p)
        starts = self._starts(distinct.w, falling=_falls(values))
        partition = Partition(midpoints_between(distinct.p, starts[1:]))
        levels = _bin_values(values, distinct.w, starts)[starts]
        attributes: dict[str, Any] = {"scaling_": scaling}
        return Solution(BinnedMap(partition, levels, np.zeros(levels.size)), partition, attributes)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the maps of many sets of labels, whose bins are the same wherever Platt's curve rises."""
        check_n_bins(self.n_bins)
        return SharedFits(self.fit_map, entries, positives, self._values_of_bins)

    def _values_of_bins(self, entries: Entries, positives: IntArray) -> FloatArray:
        values = Platt().fit_many(entries, positives).at()
        falling = _falls(values)
        for falls in np.unique(falling):
            starts = self._starts(entries.distinct_w, falling=falls)
            values[:, falling == falls] = _bin_values(values[:, falling == falls], entries.distinct_w, starts)
        return values

    def _starts(self, w: FloatArray, *, falling: bool) -> IntArray:
        """Return the first group of each bin; bins are made from the lowest value of the curve on."""
        n_bins = np.array([self.n_bins])
        if not falling:
            ends = equal_mass_ends(w, n_bins)[0]
            return np.append(0, ends[ends < w.size])
        ends = w.size - equal_mass_ends(w[::-1], n_bins)[0]
        return np.append(0, ends[ends > 0][::-1])


def _falls(values: FloatArray) -> Any:
    """Return whether the curve, or each of several, is decreasing."""
    return values[-1] < values[0]


def _bin_values(values: FloatArray, w: FloatArray, starts: IntArray) -> FloatArray:
    """Return at each group the mean value of its bin, which rounding puts beyond none of its values."""
    means = block_means((values.T * w).T, w, starts)
    return np.clip(means, values.min(axis=0), values.max(axis=0))
