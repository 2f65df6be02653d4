"""What a user may mean by a partition: a name, a partitioner, explicit edges, or the bins of a fitted family."""

from collections.abc import Callable

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from fitontest.families.base import Family, available_families, family_class
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import (
    Partitioner,
    available_partitions,
    check_n_bins,
    counts_bins,
    make_partitioner,
)
from fitontest.sample import Sample
from fitontest.typing import ArrayInput

DEFAULT_BINS = 10

#: Makes the partition of a sample anew, where the user's partition can be made anew.
Refit = Callable[[Sample], Partition]


def find_partition(partition: str | Partitioner | Family | ArrayInput, n_bins: int, sample: Sample) -> Partition:
    """Return the partition of the sample that the user asks for."""
    check_n_bins(n_bins)
    rule = _find_rule(partition, n_bins)
    if n_bins != DEFAULT_BINS and not (
        isinstance(partition, str) and isinstance(rule, Partitioner) and counts_bins(rule)
    ):
        raise ValueError(
            f"n_bins must be left at {DEFAULT_BINS} unless partition is the name of a rule that is told a number of "
            f"bins, got n_bins={n_bins} with partition={partition!r}"
        )
    return made(rule, sample)


def made(rule: Partitioner | Partition, sample: Sample) -> Partition:
    """Return what the rule makes of the sample, if that is a partition."""
    found = rule.partition(sample)
    if not isinstance(found, Partition):
        raise TypeError(f"a Partitioner must return a Partition, got {found!r} from {rule!r}")
    return found


def find_refit(partition: str | Partitioner | Family | ArrayInput, n_bins: int, sample: Sample) -> Refit | None:
    """Return how to make the partition anew from other labels; None if it does not depend on this sample's labels.

    Explicit edges do not. A family's bins do if a fit to this very sample gives them; else the family was fitted to
    other data, and its bins are given.
    """
    if isinstance(partition, Family):
        if clone(partition).fit_sample(sample).partition_ != partition.partition_:
            return None
        return lambda drawn: clone(partition).fit_sample(drawn).partition_
    rule = _find_rule(partition, n_bins)
    return None if isinstance(rule, Partition) else lambda drawn: made(rule, drawn)


def _find_rule(partition: object, n_bins: int) -> Partitioner | Partition:
    if isinstance(partition, str):
        return _named(partition, n_bins)
    if isinstance(partition, Partitioner):
        return partition
    if isinstance(partition, Family):
        return _of_family(partition)
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
    if name not in available_partitions() and name in available_families():
        raise ValueError(
            f"partition must be one of {', '.join(map(repr, available_partitions()))}, or a family that is fitted; "
            f"got the name of a family, {name!r}: pass make_family({name!r}).fit(p, y)"
        )
    return make_partitioner(name, n_bins=n_bins)


def _of_family(family: Family) -> Partition:
    check_is_fitted(family, "map_")
    partition = getattr(family, "partition_", None)
    if not isinstance(partition, Partition):
        have = ", ".join(name for name in available_families() if family_class(name).has_partition)
        raise ValueError(f"partition must be a family that has bins ({have}), got {family!r}, whose map has none")
    return partition
