"""Folds of rows with features: which rows are held out together.

Rows of one group share a fold, and so do rows of the same features and score whose labels are the same, since they may
be copies. Where such rows have both labels they are none, and are dealt one by one: of features of few values nothing
could be learnt otherwise.
"""

from dataclasses import dataclass, replace

import numpy as np

from fitontest.numerics.random import check_cv, folds_of_groups, generator
from fitontest.results.typing import BoolArray, IntArray, RandomState
from fitontest.segments.features.rows import FeatureRows


@dataclass(frozen=True, eq=False)
class DealtRows:
    """Rows of which each lies in one fold; a row that stands for several may have parts in several folds.

    Attributes
    ----------
    rows : FeatureRows
    fold : int array of shape (n,)
    folds : int
        How many there are; of one alone nothing can be held out.
    """

    rows: FeatureRows
    fold: IntArray
    folds: int

    def held_out(self) -> list[BoolArray]:
        """Return for each fold which rows it holds out; none where there is one fold alone."""
        return [np.asarray(self.fold == fold) for fold in range(self.folds)] if self.folds > 1 else []


def dealt_rows(rows: FeatureRows, cv: int, random_state: RandomState) -> DealtRows:
    """Return the rows in folds, which are dealt class by class, or group by group.

    Parameters
    ----------
    rows : FeatureRows
        As `FeatureRows.canonical` returns them.
    cv : int
        Number of folds, at least 2; there are fewer where there are not as many rows or groups.
    random_state : int, RandomState or None

    Raises
    ------
    ValueError
        All rows are of one group.
    """
    check_cv(cv)
    code = rows.group_codes
    if code is not None:
        return _by_group(rows, code, cv, random_state)
    rng = np.random.default_rng(generator(random_state).randint(2**31 - 1, size=4))
    positives = np.bincount(rows.blocks, rows.y)
    alike = (positives == 0.0) | (positives == np.bincount(rows.blocks))
    row, unit, total = _units(rows, alike[rows.blocks])
    fold = np.empty(total, dtype=np.intp)
    first = 0
    for label in (0.0, 1.0):
        of_label = np.unique(unit[rows.y[row] == label])
        fold[rng.permutation(of_label)] = (first + np.arange(of_label.size)) % cv
        first += of_label.size
    return _parts(rows, row, fold[unit], cv)


def _by_group(rows: FeatureRows, code: IntArray, cv: int, random_state: RandomState) -> DealtRows:
    held_out = folds_of_groups(code, min(cv, max(int(code.max()) + 1, 2)), 1, random_state)[0]
    fold = np.empty(len(rows), dtype=np.intp)
    for place, at in enumerate(held_out):
        fold[at] = place
    return DealtRows(rows, fold, len(held_out))


def _units(rows: FeatureRows, together: BoolArray) -> tuple[IntArray, IntArray, int]:
    """Return what is dealt: rows, those that stay together once and others copy by copy; their unit; and how many.

    Rows of a block whose labels are the same are one unit, and so is each copy of any other row.
    """
    whole, alone = np.flatnonzero(together), np.flatnonzero(~together)
    _, of_block = np.unique(rows.blocks[whole], return_inverse=True)
    blocks = int(of_block.max(initial=-1)) + 1
    copies = np.repeat(alone, rows.copies[alone])
    unit = np.concatenate((of_block, blocks + np.arange(copies.size)))
    return np.concatenate((whole, copies)), unit, blocks + copies.size


def _parts(rows: FeatureRows, row: IntArray, fold: IntArray, cv: int) -> DealtRows:
    """Return a part of each row for each fold that has copies of it."""
    place, copies = np.unique(row * cv + fold, return_counts=True)
    row, fold = place // cv, place % cv
    split = np.bincount(row, minlength=len(rows))[row] > 1
    w = np.where(split, copies.astype(np.float64), rows.w[row])
    _, fold = np.unique(fold, return_inverse=True)  # of few rows some folds are empty
    return DealtRows(replace(rows.take(row), w=w), fold, int(fold.max()) + 1)
