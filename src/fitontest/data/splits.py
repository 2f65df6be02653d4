"""Which rows train an estimator and which are held out for its families, fold by fold."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from fitontest.checks import is_whole
from fitontest.typing import FloatArray, IntArray

Split = tuple[IntArray, IntArray]


def check_splitting(cv: object) -> None:
    """Raise ValueError unless `cv` is a number of folds, a splitter, or an iterable of splits."""
    if isinstance(cv, str) and cv == "prefit":
        raise ValueError(
            "cv must not be 'prefit'; wrap the fitted classifier instead, "
            "estimator=sklearn.frozen.FrozenEstimator(classifier)"
        )
    number = is_whole(cv) and cv >= 2
    splits = (hasattr(cv, "split") or isinstance(cv, Iterable)) and not isinstance(cv, str | type)
    if not (cv is None or number or splits):
        rule = "a whole number of folds, at least 2, a splitter, or an iterable of splits"
        raise ValueError(f"cv must be {rule}; got {cv!r}")


def splits_of(cv: Any, X: Any, y: NDArray[Any], w: FloatArray | None, params: Mapping[str, Any]) -> list[Split]:
    """Return the positions of the training and of the held-out rows of each fold."""
    splitter = cv is None or is_whole(cv) or hasattr(cv, "split")
    splits = check_cv(cv, y, classifier=True).split(X, y, **params) if splitter else cv
    checked = [_split(i, split, y.size) for i, split in enumerate(splits)]
    if not checked:
        raise ValueError(f"cv must give at least one split, got none from {cv!r}")
    for i, (_, held) in enumerate(checked):
        if w is not None and not w[held].any():
            rule = "be positive for at least one of the rows that a fold holds out"
            raise ValueError(f"sample_weight must {rule}, got zero in all {held.size} of fold {i}; use fewer folds")
    return checked


def _split(i: int, split: Any, n: int) -> Split:
    try:
        train, held = split
    except (TypeError, ValueError) as error:
        rule = "a pair, the training rows and the held-out rows"
        raise ValueError(f"cv must give for each fold {rule}; got {split!r} for fold {i}") from error
    return _positions(train, n, f"training rows of fold {i}"), _positions(held, n, f"held-out rows of fold {i}")


def _positions(chosen: Any, n: int, which: str) -> IntArray:
    rows = np.asarray(chosen)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu" or not (rows.min() >= -n and rows.max() < n):
        raise ValueError(f"cv must give positions of at least one of the {n} rows, got {chosen!r} as the {which}")
    return rows.astype(np.intp) % n  # -1 is the last row
