"""Which rows train an estimator and which are held out for its families, fold by fold."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, check_cv

from fitontest.data.row_groups import coded_ids
from fitontest.results.checks import is_whole
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import FloatArray, IntArray

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


def splits_of(
    cv: Any,
    X: Any,
    y: NDArray[Any],
    w: FloatArray | None,
    params: Mapping[str, Any],
    groups: NDArray[Any] | None = None,
) -> list[Split]:
    """Return the positions of the training and of the held-out rows of each fold.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        A number of folds, 5 for None, is of stratified ones in the order of the rows.
    X, y, w
        The rows, their labels and their weights.
    params : mapping
        For the splitter.
    groups : array of shape (n,), optional
        The group of each row: a number of folds holds out whole groups, as ``StratifiedGroupKFold`` does with groups in
        the order in which they occur. A splitter has them among its `params`; of splits that are listed it is said
        where a group is on both sides.
    """
    splits: Any
    if (cv is None or is_whole(cv)) and groups is not None:
        splits = _grouped(5 if cv is None else int(cv), y, groups)
    elif cv is None or is_whole(cv) or hasattr(cv, "split"):
        splits = check_cv(cv, y, classifier=True).split(X, y, **params)
    else:
        splits = cv
    checked = [_split(i, split, y.size) for i, split in enumerate(splits)]
    if not checked:
        raise ValueError(f"cv must give at least one split, got none from {cv!r}")
    if groups is not None and splits is cv:
        _warn_of_split_groups(checked, coded_ids(groups)[1])
    for i, (_, held) in enumerate(checked):
        if w is not None and not w[held].any():
            rule = "be positive for at least one of the rows that a fold holds out"
            raise ValueError(f"sample_weight must {rule}, got zero in all {held.size} of fold {i}; use fewer folds")
    return checked


def _warn_of_split_groups(splits: Iterable[Split], code: IntArray) -> None:
    """Warn of the first fold that holds out rows of a group which it trains on too."""
    for i, (train, held) in enumerate(splits):
        both = np.intersect1d(code[train], code[held])
        if both.size:
            message = f"cv must hold out whole groups: {both.size} of them are on both sides of fold {i}"
            warn_user(f"{message}, whose held-out rows are then no new ones", CalibrationWarning)
            return


def _grouped(cv: int, y: NDArray[Any], groups: NDArray[Any]) -> Iterable[Any]:
    """Return stratified folds of whole groups, which are those of rows where each group is a single one."""
    names, code = coded_ids(groups)
    if len(names) == y.size:
        return check_cv(cv, y, classifier=True).split(y, y)  # type: ignore[no-any-return]
    if len(names) < cv:
        raise ValueError(
            f"cv must be at most the number of groups, which folds hold out whole, got cv={cv} and {len(names)} groups"
        )
    by_first_row = np.argsort(np.unique(code, return_index=True)[1])
    place = np.empty(len(names), dtype=np.intp)
    place[by_first_row] = np.arange(len(names))
    return StratifiedGroupKFold(n_splits=cv).split(y, y, groups=place[code])  # type: ignore[no-any-return]


def for_splitter(groups: NDArray[Any] | None, cv: Any) -> dict[str, Any]:
    """Return the parameters that hand groups to a splitter of scikit-learn, which must be able to sort them."""
    if groups is None or not hasattr(cv, "split"):
        return {}
    try:
        np.unique(groups)
    except TypeError:  # ids of several types
        return {"groups": coded_ids(groups)[1]}
    return {"groups": groups}


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
