"""Distances between scores and a map, with their weights: what every plug-in error is a norm of."""

from dataclasses import dataclass

import numpy as np

from fitontest.data.sample import Sample
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import BinnedMap
from fitontest.partitions.bin_table import BinTable
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances g >= 0 with their weights w and the sums w2 of squared row weights behind them.

    Whole weights count rows, and a row of weight 2 is two rows of squared weight 1: there w2 is w.

    One entry per row; or, where all rows of a bin are equally far from the map, one per bin.
    """

    g: FloatArray
    w: FloatArray
    w2: FloatArray


def row_distances(fitted: CalibrationMap, sample: Sample) -> Distances:
    """Return |c_hat(p_i) - p_i| of every row."""
    g = np.abs(fitted.evaluate(sample.p) - sample.p)
    return Distances(g, sample.w, sample.w if sample.whole else sample.w * sample.w)


def bin_distances(fitted: BinnedMap, table: BinTable, sample: Sample) -> Distances:
    """Return |offset_b| of every non-empty bin of a slope-1 map: no row need be visited again."""
    occupied = table.occupied
    squares = table.w if sample.whole else table.w2
    return Distances(np.abs(fitted.offset[occupied]), table.w[occupied], squares[occupied])
