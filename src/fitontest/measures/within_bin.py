"""How well a partition estimates the probabilities of its bins: the criterion that PAVA's blocks minimise.

The labels of a bin vary around their mean with variance var_b = ybar_b (1 - ybar_b). Summed with the weights of the
bins this is the squared error of the step function of bin means; the plain mean over bins says how precise a single
bin is, whatever its size.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.sample import Sample
from fitontest.families.base import Family
from fitontest.measures.binned_sample import binned_sample
from fitontest.measures.binning import DEFAULT_BINS, find_rule, made
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner
from fitontest.typing import ArrayInput, FloatArray, Label


@dataclass(frozen=True, eq=False)
class WithinBinError:
    """The estimation errors of a partition.

    Attributes
    ----------
    total : float
        sum_b W_b / W var_b, in [0, 0.25].
    averaged : float
        Mean of var_b over the occupied bins, in [0, 0.25].
    per_bin : array of shape (B,)
        var_b, NaN where a bin is empty.
    partition : Partition
    monotone : bool
        Whether the bin means never fall.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.within_bin_error([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.8], partition="pava")
    WithinBinError(total=0.125, averaged=0.0833333, n_bins=3, monotone=True)
    """

    total: float
    averaged: float
    per_bin: FloatArray
    partition: Partition
    monotone: bool

    def __repr__(self) -> str:
        bins = f"n_bins={self.partition.n_bins}, monotone={self.monotone}"
        return f"WithinBinError(total={self.total:.6g}, averaged={self.averaged:.6g}, {bins})"


def within_bin_error(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    partition: str | Partitioner | Family | ArrayInput = "pava_bc",
    n_bins: int = DEFAULT_BINS,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> WithinBinError:
    """Return the total and the averaged within-bin error of a partition: how precise its bin means are.

    With var_b = ybar_b (1 - ybar_b), the variance of the labels in bin b of weight W_b, the total error is
    sum_b W_b / W var_b and the averaged error the mean of var_b over the bins that hold rows.

    Among all partitions with bin means that never fall, PAVA's has the smallest total error. Its bins can be tiny or
    huge; bins of equal mass have smaller averaged errors, and PAVA-BC lies between.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels of two classes and predicted probabilities of the positive class, in [0, 1].
    partition : str, Partitioner, Family or array-like, default="pava_bc"
        See `gce`.
    n_bins : int, default=10
        Bins asked for, where `partition` is the name of a rule that is told a number.
    sample_weight : array-like of shape (n,), optional
        Weight 2 counts a row twice, weight 0 not at all.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    WithinBinError

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

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
    ...     error = fot.within_bin_error(y, p, partition=partition)
    ...     print(f"{partition:10} {error.total:.4f} {error.averaged:.4f}")
    pava       0.1606 0.1594
    pava_bc    0.1614 0.1546
    equal_mass 0.1650 0.1649
    """
    sample = Sample(y_true, y_prob, sample_weight, pos_label=pos_label)
    binned = binned_sample(sample, made(find_rule(partition, n_bins), sample))
    kept, mean = binned.table.occupied, binned.table.mean_y
    variance = mean * (1.0 - mean)
    return WithinBinError(
        total=float(binned.table.w[kept] @ variance[kept] / binned.table.w[kept].sum()),
        averaged=float(variance[kept].mean()),
        per_bin=variance,
        partition=binned.partition,
        monotone=bool(np.all(np.diff(mean[kept]) >= 0)),
    )
