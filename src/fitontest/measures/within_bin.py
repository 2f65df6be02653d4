"""How well a partition estimates the probabilities of its bins: the criterion that PAVA's blocks minimise.

The labels of a bin vary around their mean with variance var_b = ybar_b (1 - ybar_b). Summed with the weights of the
bins this is the squared error of the step function of bin means; the plain mean over bins says how precise a single
bin is, whatever its size.
"""

from dataclasses import dataclass, field

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.binned import Bins
from fitontest.measures.binning import (
    DEFAULT_BINS,
    AnyPartition,
    BinnedSample,
    OverBins,
    find_rule,
    make_partition,
)
from fitontest.measures.estimate import Estimate
from fitontest.measures.losses.base import BinLoss
from fitontest.measures.measure import register
from fitontest.measures.words import Words
from fitontest.numerics.norms import l1
from fitontest.partitions.cell_partition import CellPartition
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner
from fitontest.results.typing import FloatArray


@dataclass(frozen=True)
class Variance(BinLoss):
    """The variance of a label in a bin, ybar (1 - ybar)."""

    name = "variance"

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the variances."""
        mean = binned.table.mean_y
        return mean * (1.0 - mean)


@register("within_bin")
@dataclass(frozen=True, eq=False)
class WithinBin(OverBins):
    """How much the labels vary within the bins, from 0 to 0.25: small where bins separate the classes.

    With var_b = ybar_b (1 - ybar_b), the variance of the labels in bin b of weight W_b, the value, ``.total``, is
    sum_b W_b / W var_b, and ``.averaged`` the mean of var_b over the bins that hold rows. ``.per_bin``, ``.partition``
    and ``.monotone`` (whether the bin means never fall) are beside them.

    Among all partitions with bin means that never fall, PAVA's has the smallest total error. Its bins can be tiny or
    huge; bins of equal mass have smaller averaged errors, and PAVA-BC lies between.

    Parameters
    ----------
    partition, n_bins
        See `gce`.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI, equations 8 and 9
    and Table 1. https://doi.org/10.48550/arXiv.2306.14343

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p
    >>> for partition in ("pava", "pava_bc", "equal_mass"):
    ...     error = fot.measure(y, p, "within_bin", partition=partition, interval=None)
    ...     print(f"{partition:10} {error.total:.4f} {error.averaged:.4f}")
    pava       0.1606 0.1594
    pava_bc    0.1614 0.1546
    equal_mass 0.1650 0.1649
    """

    words = Words(title="within-bin error")

    partition: AnyPartition = "pava_bc"
    n_bins: int = DEFAULT_BINS

    rule: Partitioner | Partition | CellPartition = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", find_rule(self.partition, self.n_bins))

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the weighted mean of the variances, with the bins."""
        bins = VaryingBins.of(BinnedSample(sample, make_partition(self.rule, sample)), Variance())
        return Estimate.of(self, sample, bins.total, bins)


@dataclass(frozen=True, kw_only=True, eq=False)
class VaryingBins(Bins):
    """The bins with the variance of a label in each.

    Attributes
    ----------
    per_bin : array of shape (B,)
        var_b, NaN where a bin is empty.
    total : float
        sum_b W_b / W var_b, in [0, 0.25]: the value of the estimate.
    averaged : float
        Mean of var_b over the occupied bins, in [0, 0.25].
    monotone : bool
        Whether the bin means never fall.
    """

    @property
    def per_bin(self) -> FloatArray:
        """The variances."""
        return self.losses

    @property
    def total(self) -> float:
        """The weighted mean of the variances."""
        return self.norm_of_losses(l1)

    @property
    def averaged(self) -> float:
        """The plain mean of the variances of the occupied bins."""
        return float(self.losses[self.table.occupied].mean())

    @property
    def monotone(self) -> bool:
        """Whether the bin means never fall."""
        return bool(np.all(np.diff(self.table.mean_y[self.table.occupied]) >= 0))
