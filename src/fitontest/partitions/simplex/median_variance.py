"""Cells by repeated halving: the widest cell is split at the median of its widest component."""

from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from fitontest.data.weights import Weights, are_counts
from fitontest.numerics.row_order import order_of_rows
from fitontest.partitions.rule import register
from fitontest.partitions.simplex.partitioner import SimplexPartition, SimplexPartitioner
from fitontest.results.checks import is_whole
from fitontest.results.typing import FloatArray, IntArray

ROUNDING = 1e-12  # relative: variances that are closer are one, as those of both components of two classes are


@register("median_variance")
@dataclass(frozen=True, repr=False)
class MedianVariance(SimplexPartitioner):
    """Split the predicted probabilities of all classes into bins, again and again at the median of a class.

    The cell in which a component varies most is split at the median of that component, while both halves are large.

    Start with one cell. Repeat: of the cells that may still be split take the one in which the predictions of some
    component have the largest variance (divisor n - 1; of components that vary alike the first), and split it there at
    the upper median m of that component, into the rows below m and the others, so that ties stay together. If either
    part has fewer than `min_size` rows the cell stays whole. Stop at `max_bins` cells.

    Parameters
    ----------
    min_size : int, default=10
        Rows of a cell, at least. Whole weights count rows.
    max_bins : int, optional
        Cells, at most; by default any number.

    References
    ----------
    `MedianVarianceBinning` of CalibrationErrors.jl, https://devmotion.github.io/CalibrationErrors.jl

    Vaicenavicius, Widmann, Andersson, Lindsten, Roll, Schön (2019), Evaluating model calibration in classification,
    AISTATS. https://doi.org/10.48550/arXiv.1902.06977

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> P = np.array([[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9], [0.8, 0.1, 0.1]])
    >>> fot.partitions.MedianVariance(2).partition(P, np.ones(5)).locate(P)
    array([1, 1, 0, 1, 0])
    """

    min_size: int = 10
    max_bins: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("min_size", self.min_size), ("max_bins", self.max_bins)):
            if not (is_whole(value) and value >= 1) and not (name == "max_bins" and value is None):
                raise ValueError(f"{name} must be a whole number, at least 1; got {value!r}")

    def __repr__(self) -> str:
        most = "" if self.max_bins is None else f", {self.max_bins}"
        return f"MedianVariance({self.min_size}{most})"

    def partition(self, P: FloatArray, w: FloatArray) -> "Halved":
        """Return the bins, in the order in which they become final.

        Raises
        ------
        ValueError
            Fewer rows than `min_size`.
        """
        return self.partition_weighted(P, Weights(w, are_counts(w)))

    def partition_weighted(self, P: FloatArray, weights: Weights) -> "Halved":
        """Return the bins of rows whose weights may be counts or importances.

        Parameters
        ----------
        P : array of shape (n, K)
            Rows on the simplex.
        weights : Weights
            Of the rows, with their meaning.

        Raises
        ------
        ValueError
            Fewer rows than `min_size`.
        """
        w = weights.w
        order = order_of_rows(P, w)  # not even a rounding tells in which order the rows came
        order = order[w[order] > 0]
        p, chosen = P[order], w[order]
        counts = chosen if weights.counts else np.ones(order.size)
        if counts.sum() < self.min_size:
            raise ValueError(
                f"min_size must be at most the number of rows, {counts.sum():g}; got min_size={self.min_size}"
            )
        return _halve(p, chosen, counts, self.min_size, self.max_bins)


@dataclass(frozen=True, eq=False)
class Halved(SimplexPartition):
    """Cells that a tree of cuts makes: a row goes to the first branch where its component is below the cut.

    Attributes
    ----------
    component, first, second : int arrays of shape (m,)
        Of each cut; branches are the numbers of further cuts, or -1 - b for cell b. The first cut is the first entry.
    below : array of shape (m,)
        The cuts.
    n_cells : int
    """

    component: IntArray
    below: FloatArray
    first: IntArray
    second: IntArray
    n_cells: int

    def locate(self, P: FloatArray) -> IntArray:
        """Return the cell of each row; every row has one."""
        cells = np.zeros(P.shape[0], dtype=np.intp)
        waiting = [(0, np.arange(P.shape[0]))] if self.component.size else []
        while waiting:
            cut, rows = waiting.pop()
            lower = P[rows, self.component[cut]] < self.below[cut]
            for branch, part in ((self.first[cut], rows[lower]), (self.second[cut], rows[~lower])):
                if branch < 0:
                    cells[part] = -1 - branch
                elif part.size:
                    waiting.append((int(branch), part))
        return cells


@dataclass
class _Tree:
    """The cuts made so far; a branch that is not known yet is None."""

    component: list[int] = field(default_factory=list)
    below: list[float] = field(default_factory=list)
    branches: list[list[int | None]] = field(default_factory=list)
    cells: int = 0

    def close(self, place: tuple[int, int] | None) -> None:
        """Make the branch at a place the next cell."""
        if place is not None:
            self.branches[place[0]][place[1]] = -1 - self.cells
        self.cells += 1

    def cut(self, place: tuple[int, int] | None, component: int, below: float) -> int:
        """Make the branch at a place a cut, and return its number."""
        number = len(self.component)
        if place is not None:
            self.branches[place[0]][place[1]] = number
        self.component.append(component)
        self.below.append(below)
        self.branches.append([None, None])
        return number

    def finished(self) -> Halved:
        """Return the partition."""
        branches = np.array(self.branches, dtype=np.intp).reshape(-1, 2)
        component = np.array(self.component, dtype=np.intp)
        return Halved(component, np.array(self.below), branches[:, 0], branches[:, 1], self.cells)


def _halve(p: FloatArray, w: FloatArray, counts: FloatArray, min_size: int, max_bins: int | None) -> Halved:
    """Return the partition of rows of positive weight."""
    tree = _Tree()
    queue: list[tuple[float, int, int, IntArray, tuple[int, int] | None]] = []
    entered, cells = 0, 1

    def enter(rows: IntArray, place: tuple[int, int] | None) -> None:
        nonlocal entered
        if counts[rows].sum() < 2 * min_size:
            tree.close(place)
            return
        variance, component = _widest(p[rows], w[rows], float(counts[rows].sum()))
        heappush(queue, (-variance, entered, component, rows, place))
        entered += 1

    enter(np.arange(p.shape[0]), None)
    while queue and (max_bins is None or cells < max_bins):
        _, _, component, rows, place = heappop(queue)
        values = p[rows, component]
        median = _upper_median(values, w[rows])
        lower = values < median
        parts = rows[lower], rows[~lower]
        if min(counts[part].sum() for part in parts) < min_size:
            tree.close(place)
            continue
        number = tree.cut(place, component, median)
        cells += 1
        for side, part in enumerate(parts):
            enter(part, (number, side))
    while queue:
        tree.close(heappop(queue)[-1])
    return tree.finished()


def _widest(p: FloatArray, w: FloatArray, rows: float) -> tuple[float, int]:
    """Return the largest variance of a component, with the divisor of a sample, and the first component that has it."""
    total = w.sum()
    residual = p - w @ p / total
    variances = (w @ (residual * residual)) / total * (rows / max(rows - 1.0, 1.0))
    largest = float(variances.max())
    return largest, int(np.argmax(variances >= largest * (1.0 - ROUNDING)))


def _upper_median(values: FloatArray, w: FloatArray) -> float:
    """Return the smallest value at or below which there is more than half of the weight."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(w[order])
    return float(values[order[np.argmax(below > (1.0 + ROUNDING) * below[-1] / 2.0)]])
