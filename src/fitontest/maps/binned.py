"""Binned maps: one straight line per bin, c_hat(p) = offset_b + slope_b p.

Slope 1 shifts the scores of a bin by its gap (then the plug-in error is the binned ECE); slope 0 replaces them by
the bin's mean label (then it is the probability deviation error). In a bin without data the map is the
identity: slope 1, offset 0.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.maps.base import CalibrationMap, frozen_array
from fitontest.maps.expressions import Expression, line, pieces
from fitontest.maps.stored import register
from fitontest.numerics.distances import Distances
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray


@register
@dataclass(frozen=True, eq=False)
class BinnedMap(CalibrationMap):
    """A calibration map of bins, a straight line in each.

    c_hat(p) = offset[b] + slope[b] * p for p in bin b of the partition; not clipped to [0, 1].

    Parameters
    ----------
    bins : Partition
        The B bins.
    offset, slope : array-like of shape (B,)
        Bins of slope 1 may leave [0, 1] at their ends, as a shift by the gap does; lines of any other slope must not.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> from fitontest.partitions import Partition
    >>> BinnedMap(Partition([0.5]), offset=[0.1, -0.2], slope=[1.0, 1.0])([0.2, 0.8])
    array([0.3, 0.6])
    """

    kind: ClassVar[str] = "binned"

    bins: Partition
    offset: FloatArray
    slope: FloatArray

    def __post_init__(self) -> None:
        if not isinstance(self.bins, Partition):
            raise ValueError(f"bins must be a Partition, got {brief(self.bins)}")
        for name in ("offset", "slope"):
            values = frozen_array(getattr(self, name), name)
            if values.shape != (self.bins.n_bins,):
                raise ValueError(
                    f"{name} must hold one finite number per bin ({self.bins.n_bins}), got {brief(values)}"
                )
            object.__setattr__(self, name, values)
        self._check_lines()

    def _check_lines(self) -> None:
        borders = self.bins.borders
        with np.errstate(over="ignore", invalid="ignore"):  # infinite and undefined values are outside
            ends = self.offset + self.slope * np.array((borders[:-1], borders[1:]))
        bad = (self.slope != 1.0) & ~np.all((ends >= 0) & (ends <= 1), axis=0)
        if bad.any():
            b = int(np.argmax(bad))
            raise ValueError(
                f"offset must keep the lines of slopes other than 1 in [0, 1], got {self.offset[b]!s} with slope "
                f"{self.slope[b]!s} in bin {b + 1} (bins counted from 1; {int(bad.sum())} such bins)"
            )

    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the line of each score's bin at that score."""
        index = self.bins.locate_checked(p)
        return self.offset[index] + self.slope[index] * p

    def expression(self, p: Expression) -> Expression:
        """Return the line of the score's bin."""
        lines = [line(offset, slope, p) for offset, slope in zip(self.offset, self.slope, strict=True)]
        return pieces(p, self.bins.edges, lines, "<" if self.bins.closed == "left" else "<=")

    @property
    def partition(self) -> Partition:
        """The bins."""
        return self.bins

    @property
    def shifts_bins(self) -> bool:
        """Whether the map moves all scores of a bin by the same amount: every slope is 1."""
        return bool(np.all(self.slope == 1.0))

    def distances(self, sample: ScoreSample) -> Distances:
        """Return how far the calibrated probabilities lie from the scores.

        Of bins that are shifted there is one distance per bin: no row need be visited again.
        """
        if not self.shifts_bins:
            return super().distances(sample)
        table = self.bins.summarise(sample)
        occupied, w2 = table.occupied, table.w if sample.whole else table.w2
        return Distances(np.abs(self.offset[occupied]), table.w[occupied], w2[occupied])


def shifted(bins: Partition, table: BinTable) -> BinnedMap:
    """Return the slope-1 map of a table: each bin is shifted by its gap."""
    return BinnedMap(bins, np.where(table.occupied, table.gap, 0.0), np.ones(len(table)))


def levelled(bins: Partition, table: BinTable) -> BinnedMap:
    """Return the slope-0 map of a table: each bin is its mean label."""
    return BinnedMap(bins, np.where(table.occupied, table.mean_y, 0.0), np.where(table.occupied, 0.0, 1.0))


def constant(value: float) -> BinnedMap:
    """Return the map that is `value` everywhere; of a mean that rounding puts outside [0, 1], the nearer end."""
    return BinnedMap(Partition([]), np.clip([value], 0.0, 1.0), np.zeros(1))
