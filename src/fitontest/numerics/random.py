"""Folds: which rows are held out together.

They are drawn over rows sorted by (p, y, w), so that whatever a cross-validation chooses depends on the data and
the seed, never on the order in which the rows arrived.
"""

import numpy as np
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from fitontest.checks import is_whole
from fitontest.typing import IntArray, RandomState


def held_out_rows(n: int, cv: int, random_state: RandomState) -> list[IntArray]:
    """Return for each fold the positions, ascending, of the sorted rows that it holds out.

    The folds are those of scikit-learn's ``KFold(min(cv, n), shuffle=True, random_state=random_state)``.
    """
    return repeated_folds(n, cv, 1, random_state)[0]


def repeated_folds(n: int, cv: int, repeats: int, random_state: RandomState) -> list[list[IntArray]]:
    """Return the folds of several cross-validations, drawn one after the other; the first are `held_out_rows`."""
    check_cv(cv)
    if not is_whole(repeats) or repeats < 1:
        raise ValueError(f"repeats must be a whole number, at least 1; got {repeats!r}")
    cv = KFold(min(cv, n)).get_n_splits()  # which raises where there are too few rows
    rng = generator(random_state)
    return [_shuffled(n, cv, rng) for _ in range(repeats)]


def _shuffled(n: int, cv: int, rng: np.random.RandomState) -> list[IntArray]:
    """Return the folds as KFold draws them; it would also list the other rows of each, which takes most of its time."""
    order = np.arange(n)
    rng.shuffle(order)
    return [np.sort(rows) for rows in np.array_split(order, cv)]


def one_seed(random_state: RandomState) -> int:
    """Return a seed that several may use without one's draws depending on another's; a number is its own."""
    return random_state if is_whole(random_state) else int(generator(random_state).randint(2**31 - 1))


def check_seed(random_state: object) -> None:
    """Raise ValueError unless `generator` takes it; nothing is made of a number, which takes a while."""
    if not (is_whole(random_state) and 0 <= random_state < 2**32):
        generator(random_state)


def generator(random_state: object) -> np.random.RandomState:
    """Return the generator that a user's `random_state` means, as scikit-learn reads it."""
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except ValueError as error:
        rule = "a whole number from 0 to 2**32 - 1, a RandomState or None"
        raise ValueError(f"random_state must be {rule}; got {random_state!r}") from error


def numpy_generator(seed: object) -> np.random.Generator:
    """Return the numpy Generator that a whole number, a Generator or None means."""
    if not (seed is None or isinstance(seed, np.random.Generator) or (is_whole(seed) and seed >= 0)):
        raise ValueError(f"random_state must be a whole number, at least 0, a numpy Generator or None; got {seed!r}")
    return np.random.default_rng(seed)


def check_cv(cv: object) -> None:
    """Raise ValueError unless `cv` is a whole number of folds, at least 2."""
    if not is_whole(cv) or cv < 2:
        raise ValueError(f"cv must be a whole number of folds, at least 2; got {cv!r}")
