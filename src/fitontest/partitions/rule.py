"""A rule that makes a partition of predictions, of [0, 1] or of the simplex, and the registry of such rules."""

from abc import ABC
from typing import ClassVar, Literal

from fitontest.results.registry import Registry, Shelf


class PartitionRule(ABC):
    """Base of all binning rules, which can be registered under a name.

    `fot.partitions.Partitioner` and `fot.partitions.SimplexPartitioner` share it.

    Attributes
    ----------
    classes : {"two", "any"}
        Of the class: whether the rule cuts [0, 1], for scores of two classes, or the simplex.
    explicit : bool
        Of the class: whether it is a partition already, whatever the sample.
    ascends : bool
        Of the class: whether the scores ascend from bin to bin, as those of bins of [0, 1] do.
    """

    classes: ClassVar[Literal["two", "any"]]
    explicit: ClassVar[bool] = False
    ascends: ClassVar[bool] = True


_INTERVAL_MODULES = {  # names, and the files in which they are registered
    "equal_mass": "fitontest.partitions.equal_bins",
    "equal_width": "fitontest.partitions.equal_bins",
    "pava": "fitontest.partitions.pava",
    "pava_bc": "fitontest.partitions.pava_bc",
    "sweep": "fitontest.partitions.monotone_sweep",
}
_SIMPLEX_MODULES = {
    "median_variance": "fitontest.partitions.simplex.median_variance",
    "uniform_grid": "fitontest.partitions.simplex.uniform_grid",
}
registry: Registry[type[PartitionRule], PartitionRule] = Registry(
    "partition",
    PartitionRule,
    Shelf(_INTERVAL_MODULES, "fitontest.partitions", "two", lambda cls: cls.classes == "two"),
    Shelf(_SIMPLEX_MODULES, classes="any", holds=lambda cls: cls.classes == "any"),
)
register = registry.register
unregister = registry.unregister
names = registry.names
make = registry.make
