"""Folds for the choice of a pruning factor: equal rows share a fold, and the folds have the classes in equal shares."""

from typing import Any

import numpy as np

from fitontest.checks import is_whole
from fitontest.data.splits import Split, splits_of
from fitontest.typing import FloatArray, IntArray


def tree_splits(cv: Any, X: Any, codes: IntArray, w: FloatArray) -> list[Split]:
    """Return the training and the held-out rows of each fold, as positions among the rows of positive weight.

    A number deals the distinct rows, class by class, to that many folds, in an order that does not depend on the order
    of the rows: so a row of weight 2 counts as the row twice. Anything else is a splitter of scikit-learn or a list of
    splits.
    """
    if cv is not None and not is_whole(cv):
        place = np.where(w > 0, np.cumsum(w > 0) - 1, -1)
        splits = [(place[train], place[held]) for train, held in splits_of(cv, X, codes, w, {})]
        present = [(train[train >= 0], held[held >= 0]) for train, held in splits]
        return [(train, held) for train, held in present if train.size]
    rows = np.flatnonzero(w > 0)
    keys = list(zip(codes[rows].tolist(), _row_keys(X[rows]), strict=True))
    place_of = {key: i for i, key in enumerate(sorted(set(keys)))}
    n_folds = min(5 if cv is None else int(cv), len(place_of))
    if n_folds < 2:
        return []
    fold = np.array([place_of[key] for key in keys]) % n_folds
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(n_folds)]


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
