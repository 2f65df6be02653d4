"""How far the rows nearest to a place reach, where rows are counted by the weights of the scores they stand at.

Copies of a row are rows: a weight of 2 that counts is two of the nearest. Other weights are importances, and their
scale means nothing: they are counted on the scale of their effective number of rows, (sum w)^2 / sum w^2, so that equal
importances count as rows do.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.results.typing import FloatArray, IntArray

ROUNDING = 1e-12  # of the rows: sums of importances that reach a number but for this reach it


@dataclass(frozen=True, eq=False)
class ScoresOfRows:
    """Distinct scores and how many rows stand at each.

    Attributes
    ----------
    p : array of shape (G,)
        Strictly increasing.
    w : array of shape (G,)
        Rows at each score; they add up to `n`.
    n : float
        Number of rows: those that whole weights count, or the effective number of other weights.
    whole : bool
        Whether weights count rows.

    Examples
    --------
    >>> from fitontest.data.score_sample import ScoreSample
    >>> rows = ScoresOfRows.of(ScoreSample([0, 1, 1], [0.2, 0.2, 0.7], [0.5, 0.5, 1.0]))
    >>> rows.p, rows.w.round(3), round(rows.n, 3)
    (array([0.2, 0.7]), array([1.333, 1.333]), 2.667)
    """

    p: FloatArray
    w: FloatArray
    n: float
    whole: bool

    @classmethod
    def of(cls, sample: ScoreSample) -> Self:
        """Return the scores of a sample's rows."""
        distinct = sample.distinct
        if sample.whole:
            return cls(distinct.p, distinct.w, float(distinct.w.sum()), whole=True)
        share = distinct.w / distinct.w.sum()
        each = distinct.w2 / distinct.w  # of a single row its weight
        rows = float(1.0 / (share @ (each / distinct.w.sum())))
        return cls(distinct.p, share * rows, rows, whole=False)

    @cached_property
    def below(self) -> FloatArray:
        """Rows of lower scores, shape (G + 1,); the last number is that of all rows."""
        return PrefixSums.of(self.w, exact=self.whole).rounded()

    def least(self, rows: float) -> float:
        """Return the sum of `w` that counts as so many rows: rounding may leave it a little below them."""
        return rows if self.whole else rows - ROUNDING * self.n

    def radii(self, rows: float, places: FloatArray) -> FloatArray:
        """Return the smallest distance from each place within which there are so many rows.

        It is the rows-th smallest of the distances |p_i - x| of all rows i.

        Parameters
        ----------
        rows : float
            At most `n`.
        places : array of shape (V,)
            Any numbers x.

        Examples
        --------
        >>> rows = ScoresOfRows(np.array([0.0, 0.5, 1.0]), np.array([2.0, 1.0, 1.0]), 4.0, whole=True)
        >>> rows.radii(2, np.array([0.0, 0.5, 0.875]))
        array([0.   , 0.5  , 0.375])
        """
        reach = np.searchsorted(self.below, self.below[:-1] + self.least(rows)) - 1
        last = np.asarray(reach[reach < self.p.size])  # of the shortest run from each score that holds enough rows
        first, end = np.zeros(places.size, dtype=np.intp), np.full(places.size, max(last.size - 1, 0))
        while np.any(first < end):  # the first run whose upper end is as far as its lower one: the next are farther
            middle = (first + end) // 2
            upper = self.p[last[middle]] - places >= places - self.p[middle]
            first, end = np.where(upper, first, np.minimum(middle + 1, end)), np.where(upper, middle, end)
        return np.minimum(self._distance(last, first, places), self._distance(last, np.maximum(first - 1, 0), places))

    def _distance(self, last: IntArray, run: IntArray, places: FloatArray) -> FloatArray:
        """Return the distance from each place to the farther end of its run."""
        return np.maximum(places - self.p[run], self.p[last[run]] - places)

    def score_of_rows(self) -> tuple[IntArray, int]:
        """Return up to which row, counted from 1, rows stand at each score, and the number of rows, a whole one.

        Of importances the rows are those of equal weight that stand at the middles of as many equal shares.
        """
        if self.whole:
            ends = np.asarray(self.below[1:], dtype=np.int64)
            return ends, int(ends[-1])
        number = max(int(np.floor(self.n + 0.5 - 1e-7)), 1)
        share = self.below[1:] / self.below[-1] * (1.0 + ROUNDING)
        ends = np.floor(share * number + 0.5).astype(np.int64)
        ends[-1] = number
        return np.minimum(ends, number), number
