"""The scan: the standardised sum of residuals of every condition and of every pair of conditions on different columns.

With L the 0/1 matrix of the conditions, r = w (y - q) and v = w^2 q (1 - q), the sums of all pairs are the entries of
R = L' diag(r) L and V = L' diag(v) L, and z = R / sqrt(V) wherever V is at least 5.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.cell_tables import CellTables, Pair
from fitontest.segments.features.cuts import LEAST_VARIANCE, CutColumns, Segment
from fitontest.segments.features.rows import FeatureRows

RESIDUAL, VARIANCE = 0, 1  # the columns of the observed sums


@dataclass(frozen=True)
class Largest:
    """The segment of the largest statistic.

    Attributes
    ----------
    segment : tuple of pairs of int
        Places of columns and conditions.
    statistic : float
        In standard errors.
    segments : int
        How many had enough to be tested.
    """

    segment: Segment
    statistic: float
    segments: int


@dataclass(frozen=True, eq=False)
class Scan:
    """The sums of all segments, as the labels are.

    Attributes
    ----------
    sums : CellTables
        Of residuals and variances.
    """

    sums: CellTables

    @classmethod
    def of(cls, cut: CutColumns, rows: FeatureRows) -> "Scan":
        """Return the scan of rows against their probabilities."""
        return cls(CellTables.of(cut, np.stack((rows.residuals, rows.variances), axis=1)))

    def move(self, before: FeatureRows, after: FeatureRows, at: IntArray) -> None:
        """Change the sums for rows that have other probabilities.

        Parameters
        ----------
        before, after : FeatureRows
            These rows alone.
        at : int array of shape (m,)
            Which rows they are.
        """
        changes = np.stack((after.residuals - before.residuals, after.variances - before.variances), axis=1)
        self.sums.change(CellTables.of(self.sums.cut, changes, at))

    def largest(self) -> Largest | None:
        """Return the segment of the largest |z|; None where none has enough to be tested."""
        best, place, count = 0.0, None, 0
        for pair, sums in self.sums.conditions():
            enough = sums[..., VARIANCE] >= LEAST_VARIANCE
            count += int(enough.sum())
            z = np.where(enough, sums[..., RESIDUAL] / np.sqrt(np.where(enough, sums[..., VARIANCE], 1.0)), 0.0)
            at = np.unravel_index(np.abs(z).argmax(), z.shape)
            if enough.any() and (place is None or abs(z[at]) > abs(best)):
                best, place = float(z[at]), (pair, (int(at[0]), int(at[1])))
        if place is None:
            return None
        (first, second), (one, other) = place
        segment: Segment = ((first, one),) if first == second else ((first, one), (second, other))
        return Largest(segment, best, count)

    def simpler(self, largest: Largest) -> Largest:
        """Return one condition of a pair by itself where the other adds no more than the best of many would by chance.

        A condition is taken if its z has the sign of the pair's, and z^2 of the pair exceeds its z^2 by at most
        2 log m, with m the number of conditions that could have been joined to it: the gain in twice the log likelihood
        that choosing one of m costs. Of two such conditions it is the one of the larger |z|.

        Parameters
        ----------
        largest : Largest
            Of this scan.
        """
        if len(largest.segment) == 1:
            return largest
        singles = [self._single(*place) for place in largest.segment]
        enough = [single for single in singles if self._tells_as_much(single, largest)]
        return max(enough, key=lambda single: abs(single.statistic), default=largest)

    def _single(self, column: int, condition: int) -> Largest:
        """Return the segment of one condition, of which a pair that has enough to be tested is a part."""
        sums = self.sums.of_condition(column, condition)
        return Largest(((column, condition),), float(sums[RESIDUAL] / np.sqrt(sums[VARIANCE])), 1)

    def _tells_as_much(self, single: Largest, pair: Largest) -> bool:
        cut = self.sums.cut
        joined = cut.conditions - len(cut.columns[single.segment[0][0]].conditions)
        gain = pair.statistic**2 - single.statistic**2
        return single.statistic * pair.statistic > 0.0 and gain <= 2.0 * np.log(joined)


@dataclass(frozen=True, eq=False)
class RedrawnScan:
    """What turns sums of redrawn labels into z.

    Attributes
    ----------
    cut : CutColumns
    rows : FeatureRows
        With the probabilities that labels are drawn from.
    """

    cut: CutColumns
    rows: FeatureRows

    @cached_property
    def _expected(self) -> dict[Pair, tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The expected sums of the labels, and 1 / sqrt(V), or 0 where V is too small."""
        wq = self.rows.w * self.rows.q
        found = {}
        for pair, sums in CellTables.of(self.cut, np.stack((wq, self.rows.variances), axis=1)).conditions():
            enough = sums[..., VARIANCE] >= LEAST_VARIANCE
            scale = np.where(enough, 1.0 / np.sqrt(np.where(enough, sums[..., VARIANCE], 1.0)), 0.0)
            found[pair] = sums[..., 0].astype(np.float32), scale.astype(np.float32)
        return found

    def maxima(self, sums: CellTables) -> FloatArray:
        """Return the largest |z| of each labelling, shape (B,).

        Parameters
        ----------
        sums : CellTables
            Of the labels, times weights.
        """
        largest: FloatArray | None = None
        for pair, of_labels in sums.conditions():
            expected, scale = self._expected[pair]
            z = of_labels - expected[..., None]
            z *= scale[..., None]
            reached = np.maximum(z.max(axis=(0, 1)), -z.min(axis=(0, 1))).astype(np.float64)
            largest = reached if largest is None else np.maximum(largest, reached)
        assert largest is not None
        return largest
