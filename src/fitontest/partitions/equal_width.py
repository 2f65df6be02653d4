"""Equal-width bins: edges at i / K, whatever the data."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.partitions.partition import Closed, Partition, check_closed, uniform_edges
from fitontest.partitions.partitioner import Partitioner, check_n_bins
from fitontest.partitions.rule import register


@register("equal_width")
@dataclass(frozen=True)
class EqualWidth(Partitioner):
    """Partition [0, 1] into `n_bins` bins of equal width, edges i / n_bins.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins, at least 1. Some may be empty.
    closed : {"left", "right"}, default="left"
        A score exactly on an edge belongs to the bin above it ("left") or below it ("right"). Scores rounded to a
        few decimals land on edges often, and libraries disagree: this is why the rule is a parameter.

    Examples
    --------
    >>> from fitontest import ScoreSample
    >>> from fitontest.partitions import EqualWidth
    >>> EqualWidth(4).partition(ScoreSample([0, 1], [0.1, 0.9])).edges
    array([0.25, 0.5 , 0.75])
    """

    n_bins: int = 10
    closed: Closed = "left"

    def __post_init__(self) -> None:
        check_n_bins(self.n_bins)
        check_closed(self.closed)

    def partition(self, sample: ScoreSample) -> Partition:  # noqa: ARG002 - equal width uses no data
        """Return the partition; the sample is not used."""
        return Partition(uniform_edges(int(self.n_bins)), self.closed)
