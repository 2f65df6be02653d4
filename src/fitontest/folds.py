"""Folds: which rows are held out together.

They are drawn over rows sorted by (p, y, w), so that whatever a cross-validation chooses depends on the data and
the seed, never on the order in which the rows arrived.
"""

import numpy as np
from sklearn.model_selection import KFold

from fitontest.typing import IntArray, RandomState


def fold_ids(n: int, cv: int, random_state: RandomState) -> IntArray:
    """Return for each of n sorted rows the fold that holds it out.

    The folds are those of scikit-learn's ``KFold(min(cv, n), shuffle=True, random_state=random_state)``.
    """
    check_cv(cv)
    ids = np.empty(n, dtype=np.intp)
    splitter = KFold(min(cv, n), shuffle=True, random_state=random_state)
    for fold, (_, held_out) in enumerate(splitter.split(np.empty((n, 0)))):
        ids[held_out] = fold
    return ids


def check_cv(cv: object) -> None:
    """Raise ValueError unless `cv` is a whole number of folds, at least 2."""
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise ValueError(f"cv must be a whole number of folds, at least 2; got {cv!r}")
