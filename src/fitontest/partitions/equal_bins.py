"""What equal-mass and equal-width bins have in common: their settings, and the bins of several numbers at once."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from fitontest.partitions.partition import Closed, check_closed
from fitontest.partitions.partitioner import Partitioner, check_n_bins
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True)
class EqualBins(Partitioner):
    """Base of the rules that divide scores evenly, without a look at the labels.

    Attributes
    ----------
    name : {"equal_mass", "equal_width"}
        What the rule is registered as.
    """

    name: ClassVar[Literal["equal_mass", "equal_width"]]

    n_bins: int = 10
    closed: Closed = "left"

    def __post_init__(self) -> None:
        check_n_bins(self.n_bins)
        check_closed(self.closed)

    @abstractmethod
    def bounds(self, candidates: IntArray, p: FloatArray, w: FloatArray) -> IntArray:
        """Return where the bins of each candidate begin and end among distinct scores, as bins of its own number.

        Parameters
        ----------
        candidates : int array of shape (C,)
            Numbers of bins.
        p : array of shape (G,)
            Distinct scores, in increasing order.
        w : array of shape (G,)
            Their weights; a score without weight makes no bin, but lies in one.

        Returns
        -------
        bounds : int array of shape (C, B + 1)
            From 0 to G; bins that a candidate does not have are empty ones at the end.
        """
