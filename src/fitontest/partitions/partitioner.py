"""A partitioner: the rule that makes a partition of [0, 1] from a sample.

Partitioners are small frozen values with hyper-parameters. A new one is a class with a ``partition`` method and
the decorator ``fot.partitions.register``.
"""

from abc import abstractmethod
from functools import cache
from inspect import signature
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.partitions.partition import Closed, Partition
from fitontest.partitions.rule import PartitionRule, registry
from fitontest.results.checks import is_whole
from fitontest.results.typing import FloatArray, IntArray


class Partitioner(PartitionRule):
    """A rule that makes bins of the scores, such as bins of equal width.

    Its hyper-parameters, and ``partition(sample)``, which returns a `Partition`.

    Best written as a frozen dataclass. A rule with a parameter ``n_bins`` can have it chosen by cross-validation,
    one with a parameter ``closed`` gets that of the family which uses it by name.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import fitontest as fot
    >>> @dataclass(frozen=True)
    ... class Quadratic(fot.partitions.Partitioner):
    ...     "Bins that grow narrower towards 0, for rare events."
    ...     n_bins: int = 10
    ...     def partition(self, sample):
    ...         return fot.partitions.Partition([(i / self.n_bins) ** 2 for i in range(1, self.n_bins)])
    >>> fot.families.make("slope1", n_bins=2, scheme=Quadratic()).fit([0.1, 0.2, 0.7], [0, 1, 1]).partition_.edges
    array([0.25])
    """

    classes: ClassVar[Literal["two"]] = "two"

    @abstractmethod
    def partition(self, sample: ScoreSample) -> Partition:
        """Return the bins that the rule makes of the data.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores, labels and weights.
        """


Partitioner.register(Partition)  # explicit edges: the same partition for every sample

Rule = TypeVar("Rule", bound=Partitioner)


def make_partitioner(name: str, argument: str = "partition", **params: Any) -> Partitioner:
    """Return the partitioner called `name` with those of the given hyper-parameters that it has."""
    rule: Any = registry.find(name, argument, "two")
    known = _parameters(rule)
    return rule(**{key: value for key, value in params.items() if key in known})  # type: ignore[no-any-return]


def counts_bins(partitioner: Partitioner) -> bool:
    """Return whether the partitioner has the number of bins as a parameter."""
    return "n_bins" in _parameters(type(partitioner))


def with_bins(partitioner: Rule, n_bins: int) -> Rule:
    """Return the same rule with another number of bins."""
    if not counts_bins(partitioner):
        raise ValueError(f"n_bins must be 'cv', its default, for {partitioner!r}, which has no number of bins")
    params = {name: getattr(partitioner, name) for name in _parameters(type(partitioner))}
    return type(partitioner)(**{**params, "n_bins": n_bins})


@cache
def _parameters(made: type[Partitioner]) -> tuple[str, ...]:
    """Return the names of the hyper-parameters; reading a signature takes longer than binning 10,000 rows."""
    return tuple(signature(made).parameters)


def check_n_bins(n_bins: object, argument: str = "n_bins") -> None:
    """Raise ValueError unless `n_bins` is a whole number, at least 1."""
    if not is_whole(n_bins) or n_bins < 1:
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
