"""Rows that belong together: visits of a patient, rows of a user, a hospital, a site or a prompt.

The labels of one group are alike beyond what their scores say. Folds hold out whole groups, labels are redrawn
together, and sums over groups, not rows, tell how much a statistic varies. Nothing depends on what groups are called
nor on the order in which rows arrived: groups are numbered by their rows alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.results.typing import FloatArray, IntArray

GROUP = "group"  # the fact that says which group a row belongs to
FEW = 20  # groups, below which it is said that they are few
SMALL_EFFECT = 1.05  # the largest design effect that groups may have, up to which it is small


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Which rows belong together.

    Groups are numbered by their rows in the order of (p, y, w): by the first one, ties by their number of rows, then by
    the second row, and so on. Groups of the same rows cannot be told apart, whatever their number.

    Attributes
    ----------
    code : int array of shape (m,)
        The number of the group of each row of ``sample.present``, 0 to K - 1.
    rows : int array of shape (K,)
        Rows of each group; those that whole weights count are rows of one group.
    weights : float array of shape (K,)
        Sum of the weights of each group.
    ids : array of shape (K,)
        What each group is called.

    Examples
    --------
    >>> import fitontest as fot
    >>> groups = fot.read([0, 1, 1, 0], [0.2, 0.9, 0.7, 0.3], groups=["b", "a", "a", "c"]).groups
    >>> groups.ids.tolist(), groups.code.tolist(), groups.rows.tolist()
    (['b', 'c', 'a'], [0, 1, 2, 2], [1, 1, 2])
    """

    code: IntArray
    rows: IntArray
    weights: FloatArray
    ids: NDArray[Any]

    @classmethod
    def of(cls, ids: NDArray[Any], key: IntArray, rows: IntArray, w: FloatArray) -> "RowGroups":
        """Return the groups of rows that stand in an order of their own.

        Parameters
        ----------
        ids : array of shape (m,)
            The group of each row.
        key : int array of shape (m,)
            The place of each row in the order of (p, y, w); the same for equal rows.
        rows, w : arrays of shape (m,)
            How many rows it stands for, and its weight.
        """
        names, code = coded_ids(ids)
        rank = ranks_of_groups(code, key)
        size = len(names)
        by_rank = np.empty(size, dtype=np.intp)
        by_rank[rank] = np.arange(size)
        code = rank[code]
        counts = np.bincount(code, rows, size).astype(np.intp)
        return cls(code, counts, np.asarray(np.bincount(code, w, size), dtype=np.float64), names[by_rank])

    def __len__(self) -> int:
        return self.rows.size

    @property
    def sizes(self) -> "GroupSizes":
        """How many groups there are, and of how many rows."""
        least, most = (int(end) for end in (self.rows.min(), self.rows.max()))
        several = self.several
        return GroupSizes(
            *(len(self), int(self.rows.sum()), self.effective, several, least, float(np.median(self.rows)), most),
            learnt_from=self.learnt_from,
        )

    @property
    def are_single(self) -> bool:
        """Whether every group is one row, so that nothing belongs together."""
        return bool(np.all(self.rows == 1))

    @property
    def several(self) -> int:
        """How many groups have at least two rows."""
        return int(np.count_nonzero(self.rows > 1))

    @property
    def effective(self) -> float:
        """How many groups of equal weight tell as much: (sum w_k)^2 / sum w_k^2 over the groups."""
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))

    @property
    def of_columns(self) -> list[IntArray]:
        """Of groups that are combinations, tuples of ids, the code of each part, shape (K,); else none."""
        ids = self.ids.tolist() if self.ids.dtype == object else []
        if not all(isinstance(each, tuple) for each in ids) or len({len(each) for each in ids}) != 1:
            return []
        codes: list[dict[Any, int]] = [{} for _ in ids[0]]
        parts = zip(codes, zip(*ids, strict=True), strict=True)
        return [np.array([code.setdefault(one, len(code)) for one in part], dtype=np.intp) for code, part in parts]

    @property
    def learnt_from(self) -> float:
        """From how many groups dependence is learnt: the effective ones, or those of several rows where few are.

        Single rows tell nothing of it. Few groups among them do not matter where all rows would tell nearly as much
        even if all labels of a group agreed.
        """
        squares = self.weights**2
        largest_effect = float(squares.sum() / (squares / self.rows).sum())
        few = self.several < FEW and largest_effect > SMALL_EFFECT
        return min(float(self.several), self.effective) if few else self.effective

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of a number of each row over the rows of each group, shape (K,)."""
        return np.asarray(np.bincount(self.code, values, len(self)), dtype=np.float64)


@dataclass(frozen=True)
class GroupSizes:
    """How many groups there are, and of how many rows.

    Attributes
    ----------
    groups, rows : int
        Groups, and the rows in them.
    effective : float
        How many groups of equal weight tell as much.
    several : int
        Groups of at least two rows.
    least, median, most : int, float, int
        Rows of a group.
    columns : tuple of str
        What the columns are called whose combinations of values the groups are; none of other groups.
    learnt_from : float or None
        From how many groups dependence is learnt, as of `RowGroups`; None: from the effective ones.
    """

    groups: int
    rows: int
    effective: float
    several: int
    least: int
    median: float
    most: int
    columns: tuple[str, ...] = ()
    learnt_from: float | None = None

    @property
    def are_single(self) -> bool:
        """Whether every group is one row, so that nothing belongs together."""
        return self.most == 1

    @property
    def noted(self) -> list[str]:
        """What combinations of columns take for granted."""
        if not self.columns:
            return []
        some = "only one" if len(self.columns) == 2 else "only some"
        each = f"{', '.join(self.columns[:-1])} and {self.columns[-1]}"
        return [f"rows that share {some} of {each} count as independent"]


def combined_ids(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the ids of rows that share the values of all columns: of one column these, of several tuples.

    Parameters
    ----------
    columns : sequence of arrays of shape (m,)
    """
    if len(columns) == 1:
        return columns[0]
    ids = np.empty(columns[0].size, dtype=object)
    ids[:] = list(zip(*(column.tolist() for column in columns), strict=True))
    return ids


def coded_ids(ids: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct ids, and the place of each row's id among them; ids are any that can be hashed."""
    if ids.dtype.kind in "biufmM":
        names, code = np.unique(ids, return_inverse=True)
        return names, code
    places: dict[Any, int] = {}
    code = np.array([places.setdefault(each, len(places)) for each in ids.tolist()], dtype=np.intp)
    names = np.empty(len(places), dtype=object)
    names[:] = list(places)
    return names, code


def ranks_of_groups(code: IntArray, key: IntArray) -> IntArray:
    """Return the number of each group: its place by the first key of its rows, then their number, the second key...

    Parameters
    ----------
    code : int array of shape (m,)
        The group of each row, any numbers from 0 to K - 1 that all occur.
    key : int array of shape (m,)
        The place of each row in an order of their own.
    """
    order = np.lexsort((key, code))
    ordered = key[order]
    start = np.flatnonzero(np.diff(code[order], prepend=-1))
    size = np.diff(start, append=code.size)
    rank = _dense(size, ordered[start])
    depth = 1
    while True:
        tied = np.flatnonzero((np.bincount(rank, minlength=rank.size)[rank] > 1) & (size > depth))
        if not tied.size:
            break
        refined = np.zeros(rank.size, dtype=np.intp)
        refined[tied] = 1 + ordered[start[tied] + depth]
        rank = _dense(refined, rank)
        depth += 1
    number = np.empty(rank.size, dtype=np.intp)
    number[np.argsort(rank, kind="stable")] = np.arange(rank.size)
    return number


def _dense(second: IntArray, first: IntArray) -> IntArray:
    """Return the place of each pair in the order of (first, second), counting as many below as stand below it."""
    order = np.lexsort((second, first))
    new = np.concatenate(([True], (np.diff(first[order]) != 0) | (np.diff(second[order]) != 0)))
    places = np.flatnonzero(new)
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.repeat(places, np.diff(places, append=order.size))
    return rank


def places_of_rows(*columns: FloatArray) -> IntArray:
    """Return the place of each row among rows that stand in the order of these columns, the same for equal rows."""
    new = np.zeros(columns[0].size, dtype=bool)
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.cumsum(new)
