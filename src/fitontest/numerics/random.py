"""Folds: which rows are held out together.

They are drawn over rows sorted by (p, y, w), so that whatever a cross-validation chooses depends on the data and
the seed, never on the order in which the rows arrived.

Of rows that are known by their counts alone the counts are drawn. KFold gives the first fold the rows at N_1 positions
of a uniform permutation, and rows of one kind are exchangeable: their numbers in that fold are multivariate
hypergeometric, those in the second fold the same among the other rows, and so on.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from fitontest.results.checks import is_whole
from fitontest.results.typing import IntArray, RandomState

MOST_DRAWN = 10**9  # rows among which numpy draws without replacement; beyond, each count is binomial
MOST_PARTS = 5 * 10**7  # of all kinds of rows, one for each combination of folds
MOST_REPEATS = 4  # of the folds of counted rows


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


def folds_of_groups(code: IntArray, cv: int, repeats: int, random_state: RandomState) -> list[list[IntArray]]:
    """Return the folds of several cross-validations that hold out whole groups of rows.

    The groups are dealt as `repeated_folds` deals rows, so that of groups of one row each the folds are the same.

    Parameters
    ----------
    code : int array of shape (m,)
        The group of each row, from 0 to K - 1.
    cv : int
        Number of folds, at most K.
    repeats : int
        How often folds are drawn, at least 1.
    random_state : int, RandomState or None

    Raises
    ------
    ValueError
        There is one group alone, of which nothing could be held out.

    Examples
    --------
    >>> import numpy as np
    >>> folds = folds_of_groups(np.array([0, 0, 1, 1, 2, 2, 3, 4]), 2, 1, random_state=0)
    >>> [rows.tolist() for rows in folds[0]]
    [[0, 1, 2, 3, 4, 5], [6, 7]]
    """
    check_cv(cv)
    n_groups = int(code.max()) + 1
    if n_groups < 2:
        raise ValueError(
            f"groups must be at least 2 for cross-validation, which holds out whole groups; the {code.size:,} "
            "rows to be fitted belong to one"
        )
    folds = []
    for held_out in repeated_folds(n_groups, cv, repeats, random_state):
        fold = np.empty(n_groups, dtype=np.intp)
        for i, groups in enumerate(held_out):
            fold[groups] = i
        folds.append([np.flatnonzero(fold[code] == i) for i in range(len(held_out))])
    return folds


@dataclass(frozen=True, eq=False)
class CountedFolds:
    """Counted rows in folds: parts of their kinds, none of them empty, kind after kind.

    Attributes
    ----------
    kind : int array of shape (k,)
        The kind of rows that a part is of, which never falls.
    count : int array of shape (k,)
        Rows in each part.
    fold : int array of shape (repeats, k)
        The fold of each part in every repeat.
    """

    kind: IntArray
    count: IntArray
    fold: IntArray


def counted_folds(counts: IntArray, cv: int, repeats: int, random_state: RandomState) -> CountedFolds:
    """Return the folds of several cross-validations over rows of which `counts` are of each kind.

    The law of the counts and the sizes of the folds are those of `repeated_folds` over all rows, one by one. Of 1e9
    rows or more the counts of a fold are binomial, and its size varies by 1e-5 of itself.

    Examples
    --------
    >>> import numpy as np
    >>> folds = counted_folds(np.array([5, 1, 4]), 2, 1, random_state=0)
    >>> np.bincount(folds.kind, folds.count), np.bincount(folds.fold[0], folds.count)
    (array([5., 1., 4.]), array([5., 5.]))
    """
    check_cv(cv)
    if not is_whole(repeats) or not 1 <= repeats <= MOST_REPEATS:
        rule = f"a whole number from 1 to {MOST_REPEATS} where rows were counted as cells"
        raise ValueError(f"repeats must be {rule}, since each is split cv ** repeats times; got {repeats!r}")
    cv = KFold(min(cv, int(counts.sum()))).get_n_splits()  # which raises where there are too few rows
    rng = np.random.default_rng(generator(random_state).randint(2**31 - 1, size=4))
    kind, count = np.flatnonzero(counts), counts[counts > 0]
    folds = np.empty((0, kind.size), dtype=np.intp)
    for _ in range(repeats):
        if count.size * cv > MOST_PARTS:
            value = f"{cv} folds, {repeats} repeats and {np.count_nonzero(counts):,} kinds of rows"
            raise ValueError(f"cv and repeats must make at most {MOST_PARTS:,} parts of the counted rows, got {value}")
        parts = deal_counts(count, cv, rng)
        at, fold = np.nonzero(parts)
        kind, count, folds = kind[at], parts[at, fold], np.concatenate((folds[:, at], fold[None]))
    return CountedFolds(kind, count, folds)


def deal_counts(counts: IntArray, cv: int, rng: np.random.Generator) -> IntArray:
    """Return how many rows of each kind every fold holds out, shape (kinds, cv), for rows dealt at random."""
    parts = np.empty((counts.size, cv), dtype=np.int64)
    left = counts.astype(np.int64)
    for fold in range(cv - 1):
        folds_left, rows_left = cv - fold, int(left.sum())
        if rows_left < MOST_DRAWN:  # the first folds have one row more where they cannot have equally many
            drawn = rng.multivariate_hypergeometric(left, -(-rows_left // folds_left), method="marginals")
        else:
            drawn = rng.binomial(left, 1.0 / folds_left)
        parts[:, fold] = drawn
        left -= drawn
    parts[:, -1] = left
    return parts


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
