"""The bins of a family as a partitioner: whatever the sample, the family is fitted to it."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, family_class, read_family
from fitontest.families.registry import names as family_names
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner


@dataclass(frozen=True)
class FamilyBins(Partitioner):
    """Partition into the bins that a family of calibration maps makes of the data.

    A fitted family lends `gce` and `tce` the bins it has; this rule fits a clone to the very rows, and again to every
    redrawing of the labels under `null_draws`.

    Parameters
    ----------
    family : str or Family
        A family with bins, by name or as an estimator; cloned.

    Raises
    ------
    ValueError
        When it partitions, if the family makes no bins.

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9]
    >>> fot.gce(y, p, partition=fot.families.FamilyBins("isotonic")).n_bins
    3
    """

    family: str | Family

    def partition(self, sample: ScoreSample) -> Partition:
        """Return the bins of the calibration map fitted to the data."""
        return bins_of(read_family(self.family).fit_sample(sample), "family")


def bins_of(fitted: Family, argument: str) -> Partition:
    """Return the bins of a fitted family, or refuse one that makes none."""
    partition = getattr(fitted, "partition_", None)
    if not isinstance(partition, Partition):
        have = ", ".join(name for name in family_names("two") if family_class(name).has_partition)
        raise ValueError(f"{argument} must be a family that has bins ({have}), got {fitted!r}, whose map has none")
    return partition
