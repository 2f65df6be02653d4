"""What stands in each bin of a partition: the sums from which every binned error follows."""

from dataclasses import dataclass

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class BinTable:
    """Sums per bin, from the lowest bin to the highest.

    Attributes
    ----------
    n : int array of shape (B,)
        Rows of positive weight.
    w, w2 : float arrays of shape (B,)
        Sum of the weights and of their squares.
    sum_p, sum_y : float arrays of shape (B,)
        Weighted sums of the scores and of the labels.

    Examples
    --------
    >>> import fitontest as fot
    >>> table = fot.partitions.Partition([0.5]).summarise(fot.ScoreSample([0, 1, 1], [0.2, 0.4, 0.9]))
    >>> table.n, table.mean_p, table.mean_y
    (array([2, 1]), array([0.3, 0.9]), array([0.5, 1. ]))
    """

    n: IntArray
    w: FloatArray
    w2: FloatArray
    sum_p: FloatArray
    sum_y: FloatArray

    def __post_init__(self) -> None:
        for column in (self.n, self.w, self.w2, self.sum_p, self.sum_y):
            column.flags.writeable = False

    def __len__(self) -> int:
        return self.n.size

    @property
    def occupied(self) -> BoolArray:
        """Bins that hold at least one row."""
        return self.n > 0

    @property
    def mean_p(self) -> FloatArray:
        """Mean score per bin, NaN where the bin is empty."""
        return self.per_weight(self.sum_p)

    @property
    def mean_y(self) -> FloatArray:
        """Mean label per bin, NaN where the bin is empty."""
        return self.per_weight(self.sum_y)

    @property
    def gap(self) -> FloatArray:
        """Mean label less mean score per bin, NaN where the bin is empty."""
        return self.per_weight(self.sum_y - self.sum_p)

    def per_weight(self, total: FloatArray) -> FloatArray:
        """Return sums per bin over the weight of the bin, NaN where it is empty.

        Parameters
        ----------
        total : array of shape (B,)
            Weighted sums of the bins, such as `sum_y`.
        """
        out: FloatArray = np.full(len(self), np.nan)
        return np.divide(total, self.w, out=out, where=self.occupied)
