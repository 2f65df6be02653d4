"""Columns cut into cells: the conditions of a scan, each of which is a set of the cells of a column.

Numbers are cut at quantiles; a category has a cell for each of its levels, and what is missing has one of its own.
Only conditions are kept whose rows can be tested at all: of too little variance nothing can be said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fitontest.maps.rules.columns import MISSING, Categories, Column, Columns, Numbers
from fitontest.maps.rules.conditions import Above, AtMost, Condition, Missing, OneOf, Rule
from fitontest.results.typing import BoolArray, FloatArray, IntArray

Segment: TypeAlias = tuple[tuple[int, int], ...]  # columns and conditions by their places
MOST_CONDITIONS = 400
MOST_SMALL = 2**15  # cells whose numbers take two bytes
LEAST_VARIANCE = 5.0  # sum of w^2 q (1 - q), below which a segment has too little to test


@dataclass(frozen=True)
class Fineness:
    """How finely columns are cut.

    Attributes
    ----------
    quantiles : tuple of float
        At which numbers are cut.
    levels : int or None
        Levels of a category that have a condition, those of the most rows; None: all.
    """

    quantiles: tuple[float, ...]
    levels: int | None = None

    def __str__(self) -> str:
        cuts = ", ".join(f"{quantile:g}" for quantile in self.quantiles)
        return f"numbers at the quantiles {cuts} alone, and categories by their {self.levels} largest levels"


FINENESS = (  # the finest first: coarser ones where there would be more than 400 conditions
    Fineness((0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)),
    Fineness((0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95), 20),
    Fineness((0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95), 12),
    Fineness((0.1, 0.5, 0.9), 6),
)


@dataclass(frozen=True, eq=False)
class CutColumn:
    """A column as cells, and the conditions that are made of them.

    Attributes
    ----------
    name : str
    cell : int array of shape (n,)
        From 0 to cells - 1.
    cells : int
    conditions : tuple of Condition
        Each met by some rows, and not by all.
    holds : bool array of shape (conditions, cells)
        Which cells meet each condition.
    """

    name: str
    cell: NDArray[np.int16 | np.int32]
    cells: int
    conditions: tuple[Condition, ...]
    holds: BoolArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of values over the rows that meet each condition, shape (conditions,).

        Parameters
        ----------
        values : array of shape (n,)
        """
        return np.asarray(self.holds @ np.bincount(self.cell, values, self.cells))

    def only(self, kept: BoolArray) -> "CutColumn":
        """Return the column with some of its conditions."""
        conditions = tuple(one for one, keep in zip(self.conditions, kept.tolist(), strict=True) if keep)
        return replace(self, conditions=conditions, holds=self.holds[kept])


@dataclass(frozen=True, eq=False)
class CutColumns:
    """The cut columns of a scan.

    Attributes
    ----------
    columns : tuple of CutColumn
        Those with at least one condition.
    dropped : tuple of str
        Columns without one: they are constant, say what another column says, or split off too little.
    notes : tuple of str
        What was left out so that there are no more than 400 conditions.
    """

    columns: tuple[CutColumn, ...]
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def meets(self, segment: Segment) -> BoolArray:
        """Return which rows meet the conditions of a segment, shape (n,).

        Parameters
        ----------
        segment : tuple of pairs of int
            Places of columns, and of conditions in these.
        """
        met = [self.columns[column].holds[condition][self.columns[column].cell] for column, condition in segment]
        return np.asarray(np.logical_and.reduce(met))

    def rule(self, segment: Segment) -> Rule:
        """Return the conditions of a segment.

        Parameters
        ----------
        segment : tuple of pairs of int
        """
        return Rule(tuple(self.columns[column].conditions[condition] for column, condition in segment))

    @property
    def conditions(self) -> int:
        """How many conditions there are."""
        return sum(len(column.conditions) for column in self.columns)

    def only(self, places: Sequence[int], note: str) -> "CutColumns":
        """Return some of the columns.

        Parameters
        ----------
        places : sequence of int
        note : str
            What is said of the others.
        """
        return replace(self, columns=tuple(self.columns[place] for place in places), notes=(*self.notes, note))

    def take(self, rows: IntArray) -> "CutColumns":
        """Return the cells of some rows, with the same conditions."""
        return replace(self, columns=tuple(replace(column, cell=column.cell[rows]) for column in self.columns))

    def testable(self, v: FloatArray) -> "CutColumns":
        """Return the columns with those conditions alone whose rows have a variance of at least 5.

        Parameters
        ----------
        v : array of shape (n,)
            What each row adds to the variance.
        """
        columns = [column.only(column.sums(v) >= LEAST_VARIANCE) for column in self.columns]
        return replace(self, columns=tuple(column for column in columns if column.conditions))


def cut_columns(columns: Columns, w: FloatArray, v: FloatArray, most: int = MOST_CONDITIONS) -> CutColumns:
    """Return the cells and conditions of all columns.

    Conditions whose rows have a variance below 5, and those that are met by the rows of one before, are left out. Where
    there are still more than `most`, columns are cut less finely; `fewer_columns` leaves some out.

    Parameters
    ----------
    columns : Columns
    w : array of shape (n,)
        Weights of the rows, for the quantiles.
    v : array of shape (n,)
        What each row adds to the variance of a sum: w^2 q (1 - q).
    most : int
        Conditions of all columns together.
    """
    for fineness in FINENESS:
        # of a category one condition more than there may be is enough to be too many
        levels = most + 1 if fineness.levels is None else fineness.levels
        cut = _without_repeats([_cut(column, w, v, replace(fineness, levels=levels)) for column in columns])
        if sum(len(column.conditions) for column in cut) <= most:
            break
    notes = () if fineness is FINENESS[0] else (f"More than {most} conditions: {fineness}.",)
    kept = tuple(column for column in cut if column.conditions)
    return CutColumns(kept, tuple(column.name for column in cut if not column.conditions), notes)


def fewer_columns(
    cut: CutColumns, residuals: FloatArray, v: FloatArray, most: int = MOST_CONDITIONS
) -> tuple[int, ...]:
    """Return the places of the columns of the largest |z| of one condition, while they have `most` conditions together.

    Parameters
    ----------
    cut : CutColumns
    residuals, v : arrays of shape (n,)
        w (y - q) and w^2 q (1 - q) of rows that must not be tested afterwards.
    most : int
    """
    z = []
    for column in cut.columns:
        spread = np.sqrt(np.maximum(column.sums(v), LEAST_VARIANCE))
        z.append(float(np.max(np.abs(column.sums(residuals)) / spread)))
    kept, left = [], most
    for place in np.argsort(z, kind="stable")[::-1].tolist():
        if len(cut.columns[place].conditions) <= left:
            kept.append(place)
            left -= len(cut.columns[place].conditions)
    return tuple(sorted(kept))


def _cut(column: Column, w: FloatArray, v: FloatArray, fineness: Fineness) -> CutColumn:
    codes, conditions = column.either(_cut_numbers, _cut_categories)(column, w, v, fineness)
    if column.missing.any():
        conditions = [*conditions, Missing(column.name, column.is_number)]
    cell, first = _numbered(codes)
    one_row_each = Columns((column.take(first),), first.size)
    shape = len(conditions), first.size
    holds = np.array([condition.meets(one_row_each) for condition in conditions], dtype=bool).reshape(shape)
    cut = CutColumn(column.name, cell, first.size, tuple(conditions), holds)
    proper = holds.any(axis=1) & ~holds.all(axis=1)
    return cut.only(proper & (cut.sums(v) >= LEAST_VARIANCE))


def _numbered(codes: IntArray) -> tuple[NDArray[np.int16 | np.int32], IntArray]:
    """Return codes from -1 up without gaps, and a row of each."""
    place = codes - MISSING
    row = np.full(int(place.max()) + 1, MISSING)
    row[place] = np.arange(place.size)
    occurs = row != MISSING
    first = row[occurs]
    small = np.int16 if first.size <= MOST_SMALL else np.int32
    return (np.cumsum(occurs) - 1)[place].astype(small), first


def _cut_numbers(
    column: Numbers,
    w: FloatArray,
    v: FloatArray,  # noqa: ARG001 - quantiles are of weights
    fineness: Fineness,
) -> tuple[IntArray, list[Condition]]:
    known = ~column.missing
    cuts = quantiles_of(column.values[known], w[known], fineness.quantiles)
    if cuts.size:
        cuts = cuts[cuts < column.values[known].max()]
    codes = np.where(known, np.searchsorted(cuts, column.values, side="left"), MISSING)
    conditions: list[Condition] = []
    for cut in cuts.tolist():
        conditions += [AtMost(column.name, cut), Above(column.name, cut)]
    return codes, conditions


def _cut_categories(
    column: Categories, w: FloatArray, v: FloatArray, fineness: Fineness
) -> tuple[IntArray, list[Condition]]:
    """Return a cell for each level with a condition, and one for all others."""
    size = len(column.levels)
    place = np.where(column.codes == MISSING, size, column.codes)
    weight, variance = np.bincount(place, w, size + 1)[:size], np.bincount(place, v, size + 1)[:size]
    kept = np.flatnonzero(variance >= LEAST_VARIANCE)
    kept = np.sort(kept[np.argsort(-weight[kept], kind="stable")][: fineness.levels])
    code = np.full(size + 1, size)
    code[kept], code[size] = kept, MISSING
    return code[place], [OneOf(column.name, (column.levels[level],)) for level in kept.tolist()]


def quantiles_of(values: FloatArray, w: FloatArray, quantiles: Sequence[float]) -> FloatArray:
    """Return the distinct quantiles of weighted values: the least values up to which so much of the weight is reached.

    Parameters
    ----------
    values, w : arrays of shape (m,)
    quantiles : sequence of float
        Increasing.

    Examples
    --------
    >>> quantiles_of(np.array([3.0, 1.0, 2.0, 4.0]), np.ones(4), (0.25, 0.5, 0.75))
    array([1., 2., 3.])
    """
    if values.size == 0:
        return np.empty(0)
    if np.all(w == w[0]):
        ordered, reached = np.sort(values), np.arange(1, values.size + 1) * w[0]
    else:
        order = np.argsort(values, kind="stable")
        ordered, reached = values[order], np.cumsum(w[order])
    places = np.searchsorted(reached, np.array(quantiles) * reached[-1])
    return np.unique(ordered[np.minimum(places, values.size - 1)])


def _without_repeats(columns: list[CutColumn]) -> list[CutColumn]:
    """Return the columns without conditions whose rows are those of a condition before.

    Rows are known by sums of numbers drawn for each of them, which are whole and exact.
    """
    if not columns:
        return columns
    rng, seen = np.random.default_rng(0), set()
    keys = rng.integers(1, 2**26, (2, columns[0].cell.size)).astype(np.float64)
    found = []
    for column in columns:
        sums = np.stack([column.sums(key) for key in keys], axis=1)
        new = np.zeros(len(column.conditions), dtype=bool)
        for place, pair in enumerate(map(tuple, sums.tolist())):
            new[place] = pair not in seen
            seen.add(pair)
        found.append(column.only(new))
    return found
