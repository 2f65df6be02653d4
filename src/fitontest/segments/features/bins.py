"""Columns in bins, for trees that are grown by histograms: numbers by quantiles, categories by level.

Bin 0 holds what is missing. Of a number the bins rise with it; of a category they are its levels, and the last bin is
for all others: rare ones, and those that were not seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fitontest.maps.rules.columns import MISSING, Categories, Columns, Level, Numbers
from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.cuts import quantiles_of

MOST_BINS = 64


@dataclass(frozen=True, eq=False)
class Binned:
    """A column in bins.

    Attributes
    ----------
    name : str
    code : int array of shape (n,)
    cuts : array of shape (k,)
        Of a number: bin j >= 1 holds the values above cut j - 2, up to cut j - 1. Empty of a category.
    levels : tuple
        Of a category: bin j >= 1 holds level j - 1. Empty of a number.
    """

    name: str
    code: NDArray[np.int16]
    cuts: FloatArray
    levels: tuple[Level, ...]
    is_number: bool

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return 2 + (self.cuts.size if self.is_number else len(self.levels))

    def take(self, rows: NDArray[np.bool_] | IntArray) -> "Binned":
        """Return the bins of some of the rows."""
        return Binned(self.name, self.code[rows], self.cuts, self.levels, self.is_number)


def binned_columns(columns: Columns, w: FloatArray, most: int = MOST_BINS) -> list[Binned]:
    """Return all columns that have two values in bins.

    Parameters
    ----------
    columns : Columns
    w : array of shape (n,)
        Positive weights, for the quantiles.
    most : int
        Bins of a column.
    """
    found = (column.either(_binned_numbers, _binned_categories)(column, w, most) for column in columns)
    return [column for column in found if np.ptp(column.code) > 0]


def _binned_numbers(column: Numbers, w: FloatArray, most: int) -> Binned:
    known = ~column.missing
    cuts = cuts_of(column.values[known], w[known], most)
    return Binned(column.name, codes_of_numbers(column.values, cuts), cuts, (), is_number=True)


def _binned_categories(column: Categories, w: FloatArray, most: int) -> Binned:
    size = len(column.levels)
    weight = np.bincount(np.where(column.codes == MISSING, size, column.codes), w, size + 1)[:size]
    kept = np.sort(np.argsort(-weight, kind="stable")[: min(most - 2, int(np.count_nonzero(weight)))])
    levels = tuple(column.levels[place] for place in kept.tolist())
    return Binned(column.name, codes_of_levels(column, levels), np.empty(0), levels, is_number=False)


def cuts_of(values: FloatArray, w: FloatArray, most: int) -> FloatArray:
    """Return the cuts between values: all of them where there are few, else at quantiles.

    Parameters
    ----------
    values, w : arrays of shape (m,)
    most : int
        Bins, that of missing values too.
    """
    cuts = quantiles_of(values, w, [part / (most - 1) for part in range(1, most - 1)])
    return cuts[cuts < values.max()] if values.size else cuts


def codes_of_numbers(values: FloatArray, cuts: FloatArray) -> NDArray[np.int16]:
    """Return the bin of each number."""
    code = 1 + np.searchsorted(cuts, values, side="left")
    return np.where(np.isnan(values), 0, code).astype(np.int16)


def codes_of_levels(column: Categories, levels: Sequence[Level]) -> NDArray[np.int16]:
    """Return the bin of each category.

    Raises
    ------
    ValueError
        One of levels and column holds texts alone, and the other none.
    """
    column.check_comparable(levels)
    place = {level: code for code, level in enumerate(levels, start=1)}
    codes = np.array([*(place.get(level, len(levels) + 1) for level in column.levels), 0], dtype=np.int16)
    return codes[column.codes]
