"""Rows in an order of their own, with rows that no condition tells apart taken together.

What is drawn for rows depends on their places. Here these depend neither on the order in which rows came nor on whether
a weight of 2 is the row twice.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fitontest.data.row_groups import coded_ids
from fitontest.results.typing import IntArray
from fitontest.segments.features.cuts import CutColumns
from fitontest.segments.features.rows import FeatureRows


def ordered(rows: FeatureRows, cut: CutColumns) -> tuple[FeatureRows, CutColumns]:
    """Return rows and their cells in an order of their own.

    Parameters
    ----------
    rows : FeatureRows
    cut : CutColumns
        Of these rows.
    """
    order = np.lexsort((rows.w, rows.y, _keys(cut, len(rows)), rows.logits))
    return rows.take(order), cut.take(order)


def pooled(rows: FeatureRows, cut: CutColumns) -> tuple[FeatureRows, CutColumns]:
    """Return ordered rows with those of equal scores and cells as one, whose weight is their number.

    Its label is their mean. Rows of importances, and rows that belong together, stay apart: each has one label.

    Parameters
    ----------
    rows : FeatureRows
        As `ordered` returns them.
    cut : CutColumns
    """
    if not rows.whole or rows.groups is not None:
        return rows, cut
    first = np.concatenate(([True], rows.logits[1:] != rows.logits[:-1]))
    for column in cut.columns:
        first[1:] |= column.cell[1:] != column.cell[:-1]
    starts = np.flatnonzero(first)
    if starts.size == len(rows):
        return rows, cut
    w = np.add.reduceat(rows.w, starts)
    y = np.add.reduceat(rows.w * rows.y, starts) / w
    return FeatureRows(rows.columns.take(starts), y, rows.logits[starts], w, whole=True), cut.take(starts)


def _keys(cut: CutColumns, n: int) -> NDArray[np.uint64]:
    """Return a number of each row that is the same for the same cells, and hardly ever for others."""
    key = np.zeros(n, dtype=np.uint64)
    rng = np.random.default_rng(0)
    for column in cut.columns:
        key += rng.integers(1, 2**63, column.cells, dtype=np.uint64)[column.cell]  # modulo 2^64
    return key


def halves(rows: FeatureRows, seed: int) -> tuple[FeatureRows, FeatureRows, IntArray, IntArray]:
    """Return a random half of rows that stand in an order of their own, the others, and their places.

    Rows of one group are in one half. Of rows that were pooled each is dealt by itself, so that both halves may have
    some at one place.

    Parameters
    ----------
    rows : FeatureRows
        As `pooled` returns them.
    seed : int
    """
    rng = np.random.default_rng([seed, 2])
    if rows.whole and rows.groups is None:
        return _dealt(rows, rng)
    if rows.groups is None:
        chosen = rng.permutation(len(rows)) < len(rows) // 2
    else:
        code = coded_ids(rows.groups)[1]
        first = np.full(int(code.max()) + 1, len(rows))
        np.minimum.at(first, code, np.arange(len(rows)))
        place = np.empty(first.size, dtype=np.intp)
        place[np.argsort(first, kind="stable")] = np.arange(first.size)  # by their first rows, not by their names
        chosen = (rng.permutation(first.size) < first.size // 2)[place[code]]
    return rows.take(chosen), rows.take(~chosen), np.flatnonzero(chosen), np.flatnonzero(~chosen)


def _dealt(rows: FeatureRows, rng: np.random.Generator) -> tuple[FeatureRows, FeatureRows, IntArray, IntArray]:
    """Return halves of rows that count copies: of the copies of a row each is in one half with even chances."""
    copies, positives = rows.copies, np.rint(rows.w * rows.y).astype(np.intp)
    chosen = rng.binomial(positives, 0.5), rng.binomial(copies - positives, 0.5)
    others = positives - chosen[0], copies - positives - chosen[1]
    (one, at), (other, at_other) = (_of_counts(rows, *counts) for counts in (chosen, others))
    return one, other, at, at_other


def _of_counts(rows: FeatureRows, positives: IntArray, negatives: IntArray) -> tuple[FeatureRows, IntArray]:
    at = np.flatnonzero(positives + negatives)
    w = (positives + negatives)[at].astype(np.float64)
    return replace(rows.take(at), y=positives[at] / w, w=w), at
