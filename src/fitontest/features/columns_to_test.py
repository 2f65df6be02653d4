"""The columns that a scan can afford: where there are too many conditions, other rows choose among the columns."""

from dataclasses import replace

import numpy as np

from fitontest.features.cuts import MOST_CONDITIONS, CutColumns, cut_columns, fewer_columns
from fitontest.features.folds import dealt_rows
from fitontest.features.rows import FeatureRows
from fitontest.typing import RandomState


def columns_to_test(
    rows: FeatureRows, random_state: RandomState, most: int = MOST_CONDITIONS
) -> tuple[FeatureRows, CutColumns]:
    """Return the rows that are tested and their columns in cells, with no more than `most` conditions.

    As a rule these are all rows. Where even coarsely cut columns have too many conditions, a random half of the rows,
    with groups whole, chooses the columns in which a single condition stands out most, and the other half is tested.

    Parameters
    ----------
    rows : FeatureRows
        As `FeatureRows.canonical` returns them.
    random_state : int, RandomState or None
        Of the halves.
    most : int
        Conditions of all columns together.
    """
    cut = cut_columns(rows.columns, rows.w, rows.variances, most)
    if cut.conditions <= most:
        return rows, cut
    dealt = dealt_rows(rows, 2, random_state)
    halves = [np.flatnonzero(held_out) for held_out in dealt.held_out()]
    choosing, tested = (dealt.rows.take(half) for half in halves)
    whole = cut_columns(dealt.rows.columns, dealt.rows.w, dealt.rows.variances, most)
    chosen = fewer_columns(whole.take(halves[0]), choosing.residuals, choosing.variances, most)
    names = {column.name for column in chosen.columns}
    columns = tuple(column for column in whole.columns if column.name in names)
    return tested, replace(chosen, columns=columns).take(halves[1])
