"""Folds for the choice of a pruning factor: equal rows share a fold, and the folds have the classes in equal shares."""

from typing import Any

import numpy as np

from fitontest.checks import is_whole
from fitontest.data.splits import Split, splits_of
from fitontest.typing import FloatArray, IntArray


def tree_splits(cv: Any, X: Any, codes: IntArray, w: FloatArray, logits: FloatArray | None) -> list[Split]:
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
    parts = [codes[rows, None].astype(np.float64), *([] if logits is None else [logits[rows] + 0.0])]
    keys = [a + b for a, b in zip(_bytes_of_rows(np.hstack(parts)), _bytes_of_rows(X[rows]), strict=True)]
    by_class = sorted(set(zip(codes[rows].tolist(), keys, strict=True)))
    place_of = {key: i for i, (_, key) in enumerate(by_class)}  # the key holds the class too
    n_folds = min(5 if cv is None else int(cv), len(place_of))
    if n_folds < 2:
        return []
    fold = np.array([place_of[key] for key in keys]) % n_folds
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(n_folds)]


def _bytes_of_rows(X: Any) -> list[bytes]:
    """Return bytes that are the same for equal rows of a matrix, dense or sparse."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        return [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in ends]
    rows = np.ascontiguousarray(X) + 0.0  # -0.0 is 0.0
    return [row.tobytes() for row in rows]
