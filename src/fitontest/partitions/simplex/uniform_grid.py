"""Cells of a grid: every component cut into intervals of equal width."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fitontest.partitions.partitioner import check_n_bins
from fitontest.partitions.rule import register
from fitontest.partitions.simplex.partitioner import SimplexPartition, SimplexPartitioner
from fitontest.results.typing import FloatArray, IntArray


@register("uniform_grid")
@dataclass(frozen=True)
class UniformGrid(SimplexPartitioner):
    """Make bins of the predicted probabilities of all classes by a grid of equal widths.

    Every component is cut into intervals; a cell is one interval of each, and only occupied ones count.

    Intervals are closed on the right, (0, 1/n_bins], (1/n_bins, 2/n_bins], ..., and 0 is in the first: the interval of
    p is the ceiling of n_bins p, as computed in floating point. Beyond four classes there are about as many cells as
    rows, and the error is that of single labels: ``"median_variance"`` has cells of many rows.

    Parameters
    ----------
    n_bins : int, default=10
        Intervals per component.

    References
    ----------
    `UniformBinning` of CalibrationErrors.jl, https://devmotion.github.io/CalibrationErrors.jl

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> P = np.array([[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0]])
    >>> fot.partitions.UniformGrid(2).partition(P, np.ones(3)).locate(P)
    array([0, 0, 1])
    """

    n_bins: int = 10

    def __post_init__(self) -> None:
        check_n_bins(self.n_bins)

    def partition(self, P: FloatArray, w: FloatArray) -> "Grid":
        """Return the bins that hold rows of positive weight."""
        occupied = np.unique(_keys(P[w > 0], self.n_bins))
        return Grid(self.n_bins, occupied)


@dataclass(frozen=True, eq=False)
class Grid(SimplexPartition):
    """The occupied cells of a grid.

    Attributes
    ----------
    n_bins : int
        Intervals per component.
    keys : array of shape (B,)
        The intervals of each cell as bytes, in increasing order.
    """

    n_bins: int
    keys: NDArray[np.void]

    @property
    def n_cells(self) -> int:  # type: ignore[override]
        """B."""
        return self.keys.size

    @property
    def intervals(self) -> IntArray:
        """The interval of each component, from 1, in each cell; shape (B, K)."""
        number = _number(self.n_bins)
        return self.keys.view(number).reshape(self.n_cells, -1).astype(np.intp)

    def locate(self, P: FloatArray) -> IntArray:
        """Return the cell of each row, -1 where it holds no row of those that the partition was made of."""
        keys, at = np.unique(_keys(P, self.n_bins), return_inverse=True)
        known = self._known
        return np.array([known.get(key.tobytes(), -1) for key in keys], dtype=np.intp)[at]

    @cached_property
    def _known(self) -> dict[bytes, int]:
        return {key.tobytes(): cell for cell, key in enumerate(self.keys)}


def _number(n_bins: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest kind of number that counts the intervals; its bytes are in the order of the numbers."""
    return np.min_scalar_type(n_bins).newbyteorder(">")


def _keys(P: FloatArray, n_bins: int) -> NDArray[np.void]:
    """Return the intervals of each row as bytes."""
    intervals = np.ceil(n_bins * P)
    np.clip(intervals, 1, n_bins, out=intervals)
    number = _number(n_bins)
    packed = np.ascontiguousarray(intervals, dtype=number)
    return packed.view(np.dtype((np.void, number.itemsize * P.shape[1])))[:, 0]
