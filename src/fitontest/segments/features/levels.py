"""Columns as levels: those of a category, fifths of a number, and what is missing as a level of its own."""

from dataclasses import dataclass

import numpy as np

from fitontest.maps.rules.columns import MISSING, Categories, Column, Columns, Numbers
from fitontest.maps.rules.conditions import Above, AtMost, Condition, Missing, OneOf, Rule
from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.cuts import quantiles_of

FIFTHS = (0.2, 0.4, 0.6, 0.8)
MOST_LEVELS = 100  # of a category, those of the most weight
NO_LEVEL = -1


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """A column whose rows have at most one level each.

    Attributes
    ----------
    name : str
    code : int array of shape (n,)
        The level of each row, -1 of those beyond the 100 largest levels.
    rules : tuple of Rule
        What each level is; two of them at least.
    """

    name: str
    code: IntArray
    rules: tuple[Rule, ...]


def level_columns(columns: Columns, w: FloatArray) -> list[LevelColumn]:
    """Return the levels of all columns that have two at least.

    Parameters
    ----------
    columns : Columns
    w : array of shape (n,)
        Positive weights, for the quantiles.

    Examples
    --------
    >>> from fitontest.segments.features.read_columns import read_columns
    >>> (sex,) = level_columns(read_columns({"sex": ["f", "m", None], "one": [1, 1, 1]}), np.ones(3))
    >>> [str(rule) for rule in sex.rules], sex.code
    (['sex = f', 'sex = m', 'sex is missing'], array([0, 1, 2]))
    """
    found = (_levels(column, w) for column in columns)
    return [levels for levels in found if len(levels.rules) > 1]


def _levels(column: Column, w: FloatArray) -> LevelColumn:
    code, rules = column.either(_of_numbers, _of_categories)(column, w)
    if column.missing.any():
        code = np.where(column.missing, len(rules), code)
        rules.append(Rule((Missing(column.name, column.is_number),)))
    return LevelColumn(column.name, code, tuple(rules))


def _of_numbers(column: Numbers, w: FloatArray) -> tuple[IntArray, list[Rule]]:
    known = ~column.missing
    values = column.values[known]
    cuts = quantiles_of(values, w[known], FIFTHS)
    cuts = cuts[cuts < values.max()] if values.size else cuts
    rules = []
    for place in range(cuts.size + 1 if values.size else 0):
        above: list[Condition] = [Above(column.name, float(cuts[place - 1]))] if place > 0 else []
        below: list[Condition] = [AtMost(column.name, float(cuts[place]))] if place < cuts.size else []
        rules.append(Rule((*above, *below)))
    return np.searchsorted(cuts, column.values, side="left"), rules


def _of_categories(column: Categories, w: FloatArray) -> tuple[IntArray, list[Rule]]:
    size = len(column.levels)
    weight = np.bincount(np.where(column.codes == MISSING, size, column.codes), w, size + 1)[:size]
    kept = np.sort(np.argsort(-weight, kind="stable")[: min(MOST_LEVELS, int(np.count_nonzero(weight)))])
    place = np.full(size + 1, NO_LEVEL)
    place[kept] = np.arange(kept.size)
    return place[column.codes], [Rule((OneOf(column.name, (column.levels[level],)),)) for level in kept.tolist()]
