"""Folds for the choice of a pruning factor: the rows of each class are dealt at random, and copies of a row one by one.

Folds are weights of the rows. A whole weight counts copies, which go to different folds, as do equal rows: if they
shared a fold, what is held out would be missing from the training rows, and features of few values would seem useless.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from fitontest.data.row_groups import RowGroups
from fitontest.data.splits import for_splitter, splits_of
from fitontest.numerics.random import deal_counts, folds_of_groups, generator
from fitontest.results.checks import is_whole
from fitontest.results.typing import FloatArray, RandomState
from fitontest.segments.repair.trees.rows import TreeRows

Fold = tuple[FloatArray, FloatArray]


def tree_splits(cv: Any, rows: TreeRows, random_state: RandomState = 0) -> list[Fold]:
    """Return for each fold the weights of the training and of the held-out rows, over the rows of positive weight.

    A number shuffles the rows of each class and deals them to that many folds, as ``StratifiedKFold(shuffle=True)``
    does. What is drawn is how many of equal rows go to each fold, kind after kind in an order of their own: the folds
    do not depend on the order of the rows, and a row of weight 2 is dealt as the row twice. Weights that are no whole
    numbers do not count copies; such a row is dealt with its weight. Anything else than a number is a splitter of
    scikit-learn or a list of splits.

    Rows that belong together share a fold: groups are dealt as rows are, but not by class, in an order of their own
    rows, so that the folds depend neither on the order of the rows nor on what groups are called.

    Examples
    --------
    A row three times and another one once, in two folds:

    >>> rows = TreeRows(np.array([[0.0], [1.0]]), np.array([0, 0]), np.array([3.0, 1.0]), None, 1, whole=True)
    >>> folds = tree_splits(2, rows)
    >>> [(train + held_out).tolist() for train, held_out in folds], [float(held_out.sum()) for _, held_out in folds]
    ([[3.0, 1.0], [3.0, 1.0]], [2.0, 2.0])
    """
    present = np.flatnonzero(rows.w > 0)
    if cv is not None and not is_whole(cv):
        splits = splits_of(cv, rows.X, rows.codes, rows.w, for_splitter(rows.groups, cv), rows.groups)
        weights = [[np.bincount(part, minlength=rows.w.size) * rows.w for part in split] for split in splits]
        return [(train[present], held_out[present]) for train, held_out in weights if train.any()]
    rows = rows.take(present)
    w, whole = rows.w, rows.whole
    groups = _groups_of(rows)
    if groups is not None:
        folds = folds_of_groups(groups.code, 5 if cv is None else int(cv), 1, random_state)[0]
        held = [np.bincount(fold, minlength=w.size) * w for fold in folds]
        return [(w - fold, fold) for fold in held]
    n_folds = min(5 if cv is None else int(cv), int(w.sum()) if whole else w.size)
    if n_folds < 2:
        return []
    held_out = np.zeros((n_folds, w.size))
    rng = np.random.default_rng(generator(random_state).randint(2**31 - 1, size=4))
    dealt = 0
    for kinds in _kinds(rows):
        # copies that weights count stand in the first of equal rows
        counts = [int(w[kind].sum()) for kind in kinds] if whole else [len(kind) for kind in kinds]
        parts = np.roll(deal_counts(np.array(counts), n_folds, rng), dealt % n_folds, axis=1)
        dealt += sum(counts)
        for kind, part in zip(kinds, parts, strict=True):
            if whole:
                held_out[:, kind[0]] = part
            else:
                held_out[np.repeat(np.arange(n_folds), part), kind] = w[kind]
    all_rows = held_out.sum(axis=0) if whole else w
    return [(all_rows - fold, fold) for fold in held_out]


def _groups_of(rows: TreeRows) -> RowGroups | None:
    """Return the groups of the rows, numbered by their rows; None where there are none, or each is a single row."""
    if rows.groups is None:
        return None
    place = {key: at for at, key in enumerate(sorted(set(_keys(rows, rows.w))))}
    key = np.array([place[each] for each in _keys(rows, rows.w)], dtype=np.intp)
    behind = np.rint(rows.w).astype(np.intp) if rows.whole else np.ones(rows.w.size, dtype=np.intp)
    groups = RowGroups.of(rows.groups, key, behind, rows.w)
    return None if groups.are_single else groups


def _keys(rows: TreeRows, weight: FloatArray) -> list[tuple[Any, ...]]:
    """Return for each row what it is: the same for equal rows."""
    size = rows.codes.size
    seen = [b""] * size if rows.logits is None else [row.tobytes() for row in rows.logits + 0.0]  # -0.0 is 0.0
    return list(zip(rows.codes.tolist(), _row_keys(rows.X), seen, weight.tolist(), strict=True))


def _kinds(rows: TreeRows) -> Iterator[list[list[int]]]:
    """Yield for each class its kinds of rows, each a list of positions: equal rows, of equal weight if not whole."""
    keys = _keys(rows, np.zeros(rows.w.size) if rows.whole else rows.w)
    order = sorted(range(rows.w.size), key=keys.__getitem__)
    for _, of_class in groupby(order, key=lambda i: keys[i][0]):
        yield [list(kind) for _, kind in groupby(of_class, key=keys.__getitem__)]


def _row_keys(X: Any) -> list[bytes]:
    """Return for each row of a matrix, dense or sparse, what stands where in it: the same for equal rows."""
    if hasattr(X, "tocsr"):
        matrix = X.tocsr(copy=True)
        matrix.eliminate_zeros()
        matrix.sort_indices()
        ends = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
        parts = ((matrix.indices[a:b], matrix.data[a:b]) for a, b in ends)
    else:
        parts = ((places, row[places]) for row in X for places in [np.flatnonzero(row)])
    return [places.astype(np.int64).tobytes() + values.tobytes() for places, values in parts]
