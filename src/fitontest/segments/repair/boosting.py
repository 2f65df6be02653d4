"""Gradient boosting of several weightings of the same rows at once, on features that are binned once.

Each weighting is a run of its own, such as the training rows of a fold, whose other rows have weight 0 and are
predicted on the way. Histograms of all runs are one product of a sparse matrix of bins with the gradients and
curvatures of the runs, and those of right children are differences: what takes time in small data is the number of
calls, not of rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fitontest.numerics.links import sigmoid
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.maps.boosted import DEPTH, INNER, LEAVES, NO_SPLIT
from fitontest.segments.repair.bin_table import BinTable
from fitontest.segments.repair.split_search import Growth, SplitSearch

ROOM = 2**21  # rows times runs that are boosted together


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree as arrays; inner node k has the children 2 k + 1 and 2 k + 2, and the leaves are the nodes 7 to 14.

    Attributes
    ----------
    feature : int array of shape (7,)
        The feature that each inner node is split by, -1 where there is no split and all rows go to the left.
    right : bool array of shape (7, bins)
        Which bins go to the right.
    values : array of shape (8,)
        Of the leaves, times the learning rate.
    """

    feature: IntArray
    right: BoolArray
    values: FloatArray


@dataclass(frozen=True, eq=False)
class OwnBins:
    """The bins of one more feature, a number that differs between runs.

    Attributes
    ----------
    codes : int array of shape (n, B)
    bins : int
    """

    codes: NDArray[np.int16]
    bins: int


@dataclass(frozen=True, eq=False)
class Boosting:
    """Runs that are boosted together.

    Attributes
    ----------
    table : BinTable
    y : array of shape (n,)
    w : array of shape (n, B)
        Weights of the rows in each run.
    growth : Growth
    """

    table: BinTable
    y: FloatArray
    w: FloatArray
    growth: Growth

    def stage(self, logits: FloatArray, own: OwnBins, trees: int) -> tuple[FloatArray, list[Tree]]:
        """Return the logits after some trees more, and these trees of the first run.

        Parameters
        ----------
        logits : array of shape (n, B)
            Of the rows in each run.
        own : OwnBins
        trees : int
        """
        after = np.empty(logits.shape)
        of_first: list[Tree] = []
        together = max(1, ROOM // self.y.size)
        for start in range(0, logits.shape[1], together):
            runs = slice(start, start + together)
            block = _Runs(self, self.w[:, runs], OwnBins(own.codes[:, runs], own.bins))
            after[:, runs], grown = block.add_trees(logits[:, runs], trees)
            of_first = of_first or grown
        return after, of_first


class _Runs:
    """A few runs at the beginning of a stage."""

    def __init__(self, boosting: Boosting, w: FloatArray, own: OwnBins) -> None:
        self.table, self.y, self.growth = boosting.table, boosting.y, boosting.growth
        self.w, self.own = w, own
        self.rows, self.runs = w.shape
        self.search = SplitSearch(self.table, own.bins, self.growth)

    def add_trees(self, logits: FloatArray, trees: int) -> tuple[FloatArray, list[Tree]]:
        """Return the logits after some trees more, and these trees of the first run."""
        of_first = []
        both = np.empty((self.rows, 2, self.runs))  # gradients and curvatures
        for _ in range(trees):
            q = sigmoid(logits)
            np.multiply(self.w, self.y[:, None] - q, out=both[:, 0])
            np.multiply(self.w, q * (1.0 - q), out=both[:, 1])
            tree, leaf, values = self._grow(both)
            logits = logits + values.take(leaf)
            of_first.append(tree)
        return logits, of_first

    def _grow(self, both: FloatArray) -> tuple[Tree, IntArray, FloatArray]:
        """Return the tree of the first run, and the leaf of each row among the leaves of all runs with their values."""
        feature = np.full(INNER, NO_SPLIT, dtype=np.intp)
        right = np.zeros((INNER, self.search.most), dtype=bool)
        node = np.zeros((self.rows, self.runs), dtype=np.intp)  # within its depth
        sums = self._histograms(both, self.own.codes)
        for depth in range(DEPTH):
            nodes = 2**depth
            chosen, sides = self.search.split(sums)
            feature[nodes - 1 : 2 * nodes - 1], right[nodes - 1 : 2 * nodes - 1] = chosen[:nodes], sides[:nodes]
            node = self._descend(node, nodes, chosen, sides)
            if depth + 1 < DEPTH:
                sums = self._children(sums, both, node, nodes)
        leaf = node + LEAVES * np.arange(self.runs)
        g, h = (np.bincount(leaf.ravel(), both[:, each].ravel(), LEAVES * self.runs) for each in (0, 1))
        values = self.growth.rate * g / (h + self.growth.ridge)
        return Tree(feature, right, values[:LEAVES]), leaf, values

    def _histograms(self, both: FloatArray, own: NDArray[np.int16]) -> FloatArray:
        """Return the sums of both over all bins, those of the own feature last, shape (bins, 2, columns)."""
        columns, bins = both.shape[2], self.own.bins
        found = np.empty((int(self.table.starts[-1]) + bins, 2, columns))
        found[:-bins] = self.table.sums(both.reshape(self.rows, -1)).reshape(-1, 2, columns)
        code = (own + bins * np.arange(columns)).ravel()
        for each in (0, 1):
            found[-bins:, each] = np.bincount(code, both[:, each].ravel(), bins * columns).reshape(columns, bins).T
        return found

    def _children(self, sums: FloatArray, both: FloatArray, node: IntArray, parents: int) -> FloatArray:
        """Return the histograms of the children of all nodes: left ones are summed, right ones are differences."""
        left = node[:, :, None] == 2 * np.arange(parents)  # rows, runs, parents
        of_left = (both[:, :, :, None] * left[:, None]).reshape(self.rows, 2, -1)
        children = np.empty((*sums.shape, 2))
        children[..., 0] = self._histograms(of_left, np.repeat(self.own.codes, parents, axis=1))
        np.subtract(sums, children[..., 0], out=children[..., 1])
        return children.reshape(*sums.shape[:2], -1)

    def _descend(self, node: IntArray, nodes: int, feature: IntArray, right: BoolArray) -> IntArray:
        """Return the node of each row one depth below."""
        place = node + nodes * np.arange(self.runs)  # among the nodes of all runs
        chosen = feature.take(place)
        last = self.table.sizes.size
        code: NDArray[np.int16] = self.own.codes
        if last:
            at = np.clip(chosen, 0, last - 1) + last * np.arange(self.rows)[:, None]
            code = np.where(chosen == last, code, self.table.codes.take(at))
        return np.asarray(2 * node + right.take(place * right.shape[1] + code))
