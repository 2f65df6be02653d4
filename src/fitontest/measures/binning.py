"""What a user may mean by a partition: a name, a partitioner, explicit edges, or the bins of a fitted family."""

from sklearn.utils.validation import check_is_fitted

from fitontest.data.sample import Sample
from fitontest.families.base import Family, available_families, family_class
from fitontest.families.family_bins import bins_of
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import (
    Partitioner,
    available_partitions,
    check_n_bins,
    counts_bins,
    is_partition,
    make_partitioner,
)
from fitontest.typing import ArrayInput

DEFAULT_BINS = 10


def find_rule(partition: str | Partitioner | Family | ArrayInput, n_bins: int) -> Partitioner | Partition:
    """Return the rule that makes the partition; explicit edges and the bins of a fitted family are rules too."""
    check_n_bins(n_bins)
    rule = _find_rule(partition, n_bins)
    told = isinstance(partition, str) and isinstance(rule, Partitioner) and counts_bins(rule)
    if n_bins != DEFAULT_BINS and not told:
        raise ValueError(
            f"n_bins must be left at {DEFAULT_BINS} unless partition is the name of a rule that is told a number of "
            f"bins, such as 'equal_mass' (PavaBC has n_min and n_max instead); got n_bins={n_bins} with "
            f"partition={partition!r}"
        )
    return rule


def made(rule: Partitioner | Partition, sample: Sample) -> Partition:
    """Return what the rule makes of the sample, if that is a partition."""
    found = rule.partition(sample)
    if not isinstance(found, Partition):
        raise TypeError(f"a Partitioner must return a Partition, got {found!r} from {rule!r}")
    return found


def _find_rule(partition: object, n_bins: int) -> Partitioner | Partition:
    if isinstance(partition, str):
        return _named(partition, n_bins)
    if isinstance(partition, Partitioner):
        return partition
    if isinstance(partition, Family):
        check_is_fitted(partition, "map_")
        return bins_of(partition, "partition")
    if isinstance(partition, type):
        raise ValueError(f"partition must be an instance, got the class {partition.__name__}; call it to make one")
    try:
        return Partition(partition)
    except ValueError as error:
        raise ValueError(
            f"partition must be the name of a partition, a Partitioner, a fitted Family or a list of edges, got "
            f"{partition!r}: {error}"
        ) from error


def _named(name: str, n_bins: int) -> Partitioner:
    if not is_partition(name) and name in available_families() and family_class(name).has_partition:
        raise ValueError(
            f"partition must be one of {', '.join(map(repr, available_partitions()))}, or a family that is fitted; "
            f"got the name of a family, {name!r}: pass make_family({name!r}).fit(p, y), or "
            f"FamilyBins({name!r}) to have it fitted to these rows"
        )
    return make_partitioner(name, n_bins=n_bins)
