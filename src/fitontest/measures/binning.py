"""Samples cut into bins: what a user may mean by a partition, and what the loss of a bin is computed from.

A partition is given by a name, a partitioner, explicit edges, or the bins of a fitted family. Sums are exact, or taken
over the sorted groups of tied scores, so nothing depends on the order in which the rows arrived, not even a rounding.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fitontest.data.ordering import DistinctScores, Rows
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, family_class
from fitontest.families.family_bins import bins_of
from fitontest.families.registry import names as family_names
from fitontest.measures.measure import Measure
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.cell_partition import CellPartition
from fitontest.partitions.exact_sums import exact_table
from fitontest.partitions.partition import Partition, bin_sums, checked_partition
from fitontest.partitions.partitioner import Partitioner, check_n_bins, counts_bins, make_partitioner
from fitontest.partitions.rule import registry as partitions
from fitontest.partitions.simplex.partitioner import SimplexPartitioner, find_simplex_partition
from fitontest.partitions.simplex.uniform_grid import UniformGrid
from fitontest.results.typing import ArrayInput, FloatArray, IntArray

DEFAULT_BINS = 10
EQUAL_WIDTH = "equal_width"  # the partition by default, of [0, 1]
MEDIAN_VARIANCE = "median_variance"  # that of the simplex

AnyPartition: TypeAlias = str | Partitioner | Family | CellPartition | ArrayInput
Binning: TypeAlias = Partition | CellPartition


class OverBins(Measure):
    """A measure over bins, which a rule makes of the scores, or which are given.

    Attributes
    ----------
    rule : Partitioner, Partition or CellPartition
        What `find_rule` found; a subclass is a dataclass that has it.
    """

    rule: Partitioner | Binning

    @property
    def held_fixed(self) -> str:
        """The bins, where they are given or come from a fitted calibration map; otherwise they are made anew."""
        return "bins" if getattr(self.rule, "explicit", False) else ""  # anything with the method is a rule of cells

    def bind(self, sample: Any) -> Any:
        """Return the data with the bin of each row, where the bins are given row by row."""
        return getattr(self.rule, "bind", super().bind)(sample)


def find_rule(partition: AnyPartition, n_bins: int) -> Partitioner | Binning:
    """Return the rule that makes the partition; explicit edges and the bins of a fitted family are rules too."""
    check_n_bins(n_bins)
    rule = _find_rule(partition, n_bins)
    counted = isinstance(partition, str) and counts_bins(rule)  # type: ignore[arg-type]
    if n_bins != DEFAULT_BINS and not counted:
        raise ValueError(
            f"n_bins must be left at {DEFAULT_BINS} unless partition is the name of a rule with a number of "
            f"bins, such as 'equal_mass' (PavaBC has n_min and n_max instead); got n_bins={n_bins} with "
            f"partition={partition!r}"
        )
    return rule


def find_cells(partition: Any, n_bins: int) -> SimplexPartitioner:
    """Return the rule that makes the cells of the simplex; a number of bins is that of each axis of a grid."""
    if isinstance(partition, str) and partition == "uniform_grid":
        return UniformGrid(n_bins)
    if n_bins != DEFAULT_BINS:
        raise ValueError(
            f"n_bins must be left at {DEFAULT_BINS} for the probabilities of all classes unless "
            f"partition='uniform_grid', got {n_bins!r}"
        )
    return find_simplex_partition(partition)


def make_partition(rule: Partitioner | Binning, sample: ScoreSample) -> Binning:
    """Return what the rule makes of the sample, if that is a partition."""
    if rule.explicit:
        return rule  # type: ignore[return-value]
    return checked_partition(rule.partition(sample), rule)  # type: ignore[union-attr]


def _find_rule(partition: object, n_bins: int) -> Partitioner | Binning:
    if isinstance(partition, str):
        return _named(partition, n_bins)
    if isinstance(partition, Partitioner | CellPartition):
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
            f"partition must be the name of a partition, a Partitioner, a fitted Family, a CellPartition or a list of "
            f"edges, got {partition!r}: {error}"
        ) from error


def _named(name: str, n_bins: int) -> Partitioner:
    if name not in partitions and name in family_names("two") and family_class(name).has_partition:
        known = ", ".join(map(repr, partitions.names("two")))
        raise ValueError(
            f"partition must be one of {known}, or a family that is fitted; got the name of a family, {name!r}: pass "
            f"fot.families.make({name!r}).fit(p, y), or fot.families.FamilyBins({name!r}) to have it fitted to these "
            "rows"
        )
    return make_partitioner(name, n_bins=n_bins)


@dataclass(frozen=True, eq=False)
class BinnedSample:
    """A sample cut at the edges of a partition, or by its cells.

    The rows are sorted when their order is first asked for; the sums of bins of [0, 1] do not ask for it.

    Attributes
    ----------
    sample : ScoreSample
    partition : Partition or CellPartition
    rows, distinct : Rows and DistinctScores
        The sorted rows, and the groups of tied scores; of cells both are sorted by the cell first.
    starts : int array of shape (B + 1,)
        Bin b holds the groups starts[b] to starts[b + 1] - 1.
    table : BinTable
        Sums per bin.
    """

    sample: ScoreSample
    partition: Binning

    @cached_property
    def _cut(self) -> tuple[Rows, DistinctScores, IntArray, BinTable]:
        return self.partition.cut(self.sample)

    @property
    def rows(self) -> Rows:
        """The sorted rows."""
        return self._cut[0]

    @property
    def distinct(self) -> DistinctScores:
        """The groups of tied scores."""
        return self._cut[1]

    @property
    def starts(self) -> IntArray:
        """Where each bin starts among these groups, and where the last one ends."""
        return self._cut[2]

    @cached_property
    def table(self) -> BinTable:
        """Sums per bin."""
        partition: Any = self.partition
        exact = exact_table(partition, self.sample) if self.ascends else None
        return self._cut[3] if exact is None else exact

    @property
    def ascends(self) -> bool:
        """Whether the scores ascend from bin to bin, as those of bins of [0, 1] do."""
        return self.partition.ascends

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of a value per group over each bin, 0 where a bin is empty."""
        return bin_sums(values, self.starts)

    def spread(self, per_bin: FloatArray) -> FloatArray:
        """Return the value of each group's bin."""
        return np.repeat(per_bin, np.diff(self.starts))
