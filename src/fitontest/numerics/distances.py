"""Distances between scores and a map, with their weights: what every plug-in error is a norm of."""

from dataclasses import dataclass

import numpy as np

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


def absolute_difference(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return |p - q|, the distance between scores."""
    return np.asarray(np.abs(p - q))
