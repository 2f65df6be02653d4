"""A partitioner: the rule that makes a partition from a sample, and the registry of such rules.

Partitioners are small frozen values with hyper-parameters. A new one is a class with a ``partition`` method and
the decorator ``register_partition``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from fitontest.partitions.partition import Closed, Partition
from fitontest.registry import Registry
from fitontest.sample import Sample
from fitontest.typing import FloatArray, IntArray


class Partitioner(ABC):
    """Hyper-parameters of a binning rule."""

    @abstractmethod
    def partition(self, sample: Sample) -> Partition:
        """Return the partition that the rule makes of the sample."""


Partitioner.register(Partition)  # explicit edges: the same partition for every sample

_REGISTRY: Registry[Partitioner] = Registry(
    "partition",
    Partitioner,  # type: ignore[type-abstract]
    group="fitontest.partitions",
)


def register_partition(name: str, *, aliases: tuple[str, ...] = ()) -> Callable[[type[Partitioner]], type[Partitioner]]:
    """Return a class decorator that makes a `Partitioner` available under `name`.

    Examples
    --------
    >>> import fitontest as fot
    >>> @fot.register_partition("halves")
    ... class Halves(fot.Partitioner):
    ...     def partition(self, sample):
    ...         return fot.Partition([0.5])
    >>> "halves" in fot.available_partitions()
    True
    >>> fot.unregister_partition("halves")
    """
    return _REGISTRY.register(name, aliases=aliases)


def available_partitions() -> list[str]:
    """Return the names of the registered partitioners.

    Examples
    --------
    >>> import fitontest as fot
    >>> set(fot.available_partitions()) >= {"equal_width", "equal_mass", "sweep", "pava", "pava_bc"}
    True
    """
    return _REGISTRY.names()


def make_partitioner(name: str, **params: Any) -> Partitioner:
    """Return the partitioner called `name` with the given hyper-parameters."""
    return _REGISTRY.find(name, "partition")(**params)


def unregister_partition(name: str) -> None:
    """Take a partitioner out of the registry again, as a test of a plug-in must.

    Examples
    --------
    >>> import fitontest as fot
    >>> _ = fot.register_partition("passing")(type("Passing", (fot.EqualWidth,), {}))
    >>> fot.unregister_partition("passing")
    >>> "passing" in fot.available_partitions()
    False
    """
    _REGISTRY.unregister(name)


def check_n_bins(n_bins: object, argument: str = "n_bins") -> None:
    """Raise ValueError unless `n_bins` is a whole number, at least 1."""
    if isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 1:
        raise ValueError(f"{argument} must be a whole number, at least 1; got {n_bins!r}")


def edges_between(p: FloatArray, cuts: IntArray, closed: Closed) -> FloatArray:
    """Return edges that cut the sorted distinct scores `p` just before each position in `cuts`.

    The edge is a score of the data: for left-closed bins the first of the next bin, for right-closed bins the
    last of this one. Either way the same rows fall into the same bins.
    """
    return p[cuts] if closed == "left" else p[cuts - 1]


def midpoints_between(p: FloatArray, cuts: IntArray) -> FloatArray:
    """Return left-closed edges half-way between the scores on both sides of each cut.

    The midpoint of neighbouring floats can equal the lower one, which would then change bins; the upper one is
    taken instead.
    """
    below, above = p[cuts - 1], p[cuts]
    middle = below + (above - below) / 2
    return np.where(middle > below, middle, above)
