"""The best split of nodes by histograms of gradients and curvatures.

A split of a node with the sums G and H into G1, H1 and G2, H2 gains G1^2 / (H1 + ridge) + G2^2 / (H2 + ridge) -
G^2 / (H + ridge). Bins of numbers are divided as they stand; those of a category in the order of G / H, which is best
for this gain without a ridge.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.maps.boosted import NO_SPLIT
from fitontest.segments.repair.bin_table import BinTable

EMPTY = 1e-10  # share of the curvature of a node, up to which a bin has no rows: differences of sums leave as much


@dataclass(frozen=True, eq=False)
class Growth:
    """How trees are grown.

    Attributes
    ----------
    rate : float
        Learning rate.
    least : float
        Sum of the curvatures of a leaf.
    ridge : float
        Added to the curvature of a leaf.
    """

    rate: float
    least: float
    ridge: float


class SplitSearch:
    """The search for the splits of columns of histograms.

    Parameters
    ----------
    table : BinTable
    own_bins : int
        Bins of one more feature, a number, which stand behind those of the table.
    growth : Growth
    """

    def __init__(self, table: BinTable, own_bins: int, growth: Growth) -> None:
        self.sizes = np.append(table.sizes, own_bins)
        self.starts = np.append(table.starts, table.starts[-1] + own_bins)
        self.categories, self.growth = table.categories, growth
        self.most = int(self.sizes.max())

    def split(self, sums: FloatArray) -> tuple[IntArray, BoolArray]:
        """Return the feature of each split, -1 for none, and which of its bins go to the right, shape (columns, bins).

        A bin without rows goes where most rows of the node go.

        Parameters
        ----------
        sums : array of shape (all bins, 2, columns)
            Of gradients and of curvatures.
        """
        left, order = self._cumulated(sums)
        whole = left[self.starts[1] - 1]  # the sums over all bins of the first feature
        gain = self._gains(left, whole)
        best = gain.argmax(axis=0)
        columns = np.arange(best.size)
        feature = np.searchsorted(self.starts, best, side="right") - 1
        sides = self._sides(feature, best - self.starts[feature], order)
        heavier = 2.0 * left[best, 1, columns] < whole[1]  # whether most rows are on the right
        sides = np.where(self._empty(feature, sums[:, 1], whole[1]), heavier[:, None], sides)
        none = gain[best, columns] <= 0.0
        sides[none] = False
        return np.where(none, NO_SPLIT, feature), sides

    def _cumulated(self, sums: FloatArray) -> tuple[FloatArray, dict[int, IntArray]]:
        """Return the sums of all bins of a feature up to each, and the order of the bins of each category."""
        total = np.cumsum(sums, axis=0)
        before = np.concatenate((np.zeros((1, *sums.shape[1:])), total[self.starts[1:-1] - 1]))
        total -= np.repeat(before, self.sizes, axis=0)
        order = {}
        for feature in self.categories.tolist():
            here = slice(self.starts[feature], self.starts[feature + 1])
            g, h = sums[here, 0], sums[here, 1]
            empty = h <= EMPTY * np.maximum(h.sum(axis=0), 0.0)
            order[feature] = np.argsort(np.where(empty, np.inf, g / np.where(empty, 1.0, h)), axis=0, kind="stable")
            total[here] = np.cumsum(np.take_along_axis(sums[here], order[feature][:, None], axis=0), axis=0)
        return total, order

    def _gains(self, left: FloatArray, whole: FloatArray) -> FloatArray:
        """Return what the split behind each bin gains, 0 where a side has too little curvature."""
        ridge, least = self.growth.ridge, self.growth.least
        h1 = left[:, 1]
        h2 = whole[1] - h1
        gain = left[:, 0] ** 2
        gain /= h1 + ridge
        of_right = whole[0] - left[:, 0]
        of_right *= of_right
        of_right /= np.maximum(h2, 0.0) + ridge
        gain += of_right
        gain -= whole[0] ** 2 / (whole[1] + ridge)
        gain[np.minimum(h1, h2) < least] = 0.0
        return gain

    def _sides(self, feature: IntArray, place: IntArray, order: dict[int, IntArray]) -> BoolArray:
        """Return which bins of its feature stand behind the split of each column."""
        sides = np.arange(self.most) > place[:, None]
        for each, ranks in order.items():
            for column in np.flatnonzero(feature == each).tolist():
                sides[column] = False
                sides[column, ranks[place[column] + 1 :, column]] = True
        return sides

    def _empty(self, feature: IntArray, h: FloatArray, whole: FloatArray) -> BoolArray:
        """Return which bins of each column's feature have no rows: of numbers that of missing values alone may."""
        at = np.minimum(self.starts[feature][:, None] + np.arange(self.most), h.shape[0] - 1)
        empty = h[at, np.arange(feature.size)[:, None]] <= EMPTY * np.maximum(whole, 0.0)[:, None]
        empty[:, 1:] &= np.isin(feature, self.categories)[:, None]
        return np.asarray(empty)
