"""Entries that stand for many rows, cut into parts or put together: what a fold of them holds out.

The rows behind an entry are alike, so a part of them has its share of the weight. Whole weights stay whole.
"""

import numpy as np

from fitontest.data.ordering import Rows
from fitontest.numerics.random import CountedFolds
from fitontest.results.typing import FloatArray, IntArray


def countable(rows: Rows, *, whole: bool) -> IntArray:
    """Return how many rows of equal weight each entry counts as: what is dealt to folds, and labelled anew.

    Whole weights are copies of rows, which stay together: they count their rows. Rows of other weights vary as
    (sum w)^2 / sum w^2 rows of equal weight do.
    """
    if whole or rows.single:
        return rows.n
    squares = rows.w**2
    counts = np.divide(squares, rows.w2, out=rows.n.astype(np.float64), where=rows.w2 > 0)  # tiny squares are 0
    return np.clip(np.rint(counts), 1, rows.n).astype(np.int64)


def cut(rows: Rows, units: IntArray, folds: CountedFolds, *, whole: bool) -> tuple[Rows, IntArray, IntArray]:
    """Return the parts as entries sorted by (p, y, w), the fold of each in every repeat, and which entry it is of.

    Parameters
    ----------
    rows : Rows
    units : int array of shape (m,)
        How many rows of equal weight each entry counts as.
    folds : CountedFolds
        Of these.
    whole : bool
        Whether weights count rows.
    """
    kind, of = folds.kind, units[folds.kind]
    first = np.flatnonzero(np.diff(kind, prepend=-1))
    before = np.cumsum(folds.count) - folds.count
    before -= np.repeat(before[first], np.diff(first, append=kind.size))
    n = share_out(rows.n[kind], before, folds.count, of)
    if whole:
        w = share_out(rows.w[kind].astype(np.int64), before, folds.count, of).astype(np.float64)
        w2 = w
    else:
        w, w2 = (column[kind] * (folds.count / of) for column in (rows.w, rows.w2))
    p, y = rows.p[kind], rows.y[kind]
    order = np.lexsort((w, y, p))
    w = w[order]
    return Rows(p[order], y[order], w, n[order], w if whole else w2[order]), folds.fold[:, order], kind[order]


def share_out(total: IntArray, before: IntArray, count: IntArray, units: IntArray) -> IntArray:
    """Return the share of a whole number that units `before` to `before + count` of all `units` have, rounded.

    Shares of consecutive units add up to their total. Where the total is at least the units, no share is smaller than
    its count.
    """
    each, rest = np.divmod(total, units)
    ends = (np.floor(rest * (at / units)).astype(np.int64) for at in (before + count, before))
    return np.asarray(each * count + next(ends) - next(ends))


def merged(rows: Rows, *, whole: bool) -> Rows:
    """Return the rows with entries of one score and label as one."""
    new = (np.diff(rows.p, prepend=-1.0) > 0) | (np.diff(rows.y, prepend=-1.0) != 0)
    if new.all():
        return rows
    first = np.flatnonzero(new)
    w, n, w2 = (np.add.reduceat(column, first) for column in (rows.w, rows.n, rows.w2))
    return Rows(rows.p[first], rows.y[first], w, n, w if whole else w2)


def order_of_scores(rows: Rows, p: FloatArray) -> IntArray:
    """Return the positions of the rows sorted by other scores, then by label and weight."""
    return np.lexsort((rows.w, rows.y, p))
