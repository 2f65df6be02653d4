"""Folds for the choice of a pruning factor: the rows of each class are dealt at random, and copies of a row one by one.

Folds are weights of the rows. A whole weight counts copies, which go to different folds, as do equal rows: if they
shared a fold, what is held out would be missing from the training rows, and features of few values would seem useless.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from fitontest.checks import is_whole
from fitontest.data.splits import splits_of
from fitontest.data.weights import are_counts
from fitontest.numerics.random import deal_counts, generator
from fitontest.typing import FloatArray, IntArray, RandomState

Fold = tuple[FloatArray, FloatArray]


def tree_splits(
    cv: Any,
    X: Any,
    codes: IntArray,
    w: FloatArray,
    logits: FloatArray | None = None,
    random_state: RandomState = 0,
    *,
    whole: bool | None = None,
) -> list[Fold]:
    """Return for each fold the weights of the training and of the held-out rows, over the rows of positive weight.

    A number shuffles the rows of each class and deals them to that many folds, as ``StratifiedKFold(shuffle=True)``
    does. What is drawn is how many of equal rows go to each fold, kind after kind in an order of their own: the folds
    do not depend on the order of the rows, and a row of weight 2 is dealt as the row twice. Weights that are no whole
    numbers do not count copies; such a row is dealt with its weight. Anything else than a number is a splitter of
    scikit-learn or a list of splits.

    Examples
    --------
    A row three times and another one once, in two folds:

    >>> folds = tree_splits(2, np.array([[0.0], [1.0]]), np.array([0, 0]), np.array([3.0, 1.0]))
    >>> [(train + held).tolist() for train, held in folds], [float(held.sum()) for _, held in folds]
    ([[3.0, 1.0], [3.0, 1.0]], [2.0, 2.0])
    """
    present = np.flatnonzero(w > 0)
    if cv is not None and not is_whole(cv):
        splits = [
            [np.bincount(rows, minlength=w.size) * w for rows in split] for split in splits_of(cv, X, codes, w, {})
        ]
        return [(train[present], held[present]) for train, held in splits if train.any()]
    whole = are_counts(w) if whole is None else whole
    total = int(w.sum()) if whole else present.size
    n_folds = min(5 if cv is None else int(cv), total)
    if n_folds < 2:
        return []
    held = np.zeros((n_folds, present.size))
    rng = np.random.default_rng(generator(random_state).randint(2**31 - 1, size=4))
    dealt = 0
    for kinds in _kinds(X[present], codes[present], w[present], None if logits is None else logits[present], whole):
        # copies that weights count stand in the first of equal rows
        counts = [int(w[present[rows]].sum()) for rows in kinds] if whole else [len(rows) for rows in kinds]
        parts = np.roll(deal_counts(np.array(counts), n_folds, rng), dealt % n_folds, axis=1)
        dealt += sum(counts)
        for rows, part in zip(kinds, parts, strict=True):
            if whole:
                held[:, rows[0]] = part
            else:
                held[np.repeat(np.arange(n_folds), part), rows] = w[present[rows]]
    all_rows = held.sum(axis=0) if whole else w[present]
    return [(all_rows - one, one) for one in held]


def _kinds(X: Any, codes: IntArray, w: FloatArray, logits: FloatArray | None, whole: bool) -> Iterator[list[list[int]]]:
    """Yield for each class its kinds of rows, each a list of positions: equal rows, of equal weight if not whole."""
    seen = [b""] * codes.size if logits is None else [row.tobytes() for row in logits + 0.0]  # -0.0 is 0.0
    weight = np.zeros(w.size) if whole else w
    keys = list(zip(codes.tolist(), _row_keys(X), seen, weight.tolist(), strict=True))
    order = sorted(range(codes.size), key=keys.__getitem__)
    for _, of_class in groupby(order, key=lambda i: keys[i][0]):
        yield [list(rows) for _, rows in groupby(of_class, key=keys.__getitem__)]


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
