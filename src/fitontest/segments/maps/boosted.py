"""Boosted trees on features and on the logit that they correct, as a map: arrays of splits and leaves."""

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from fitontest.maps.expressions import Expression
from fitontest.maps.rules.columns import Columns, Level, Numbers
from fitontest.maps.stored import register
from fitontest.numerics.links import sigmoid
from fitontest.results.checks import as_list, brief, is_real, is_whole
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.features.bins import codes_of_levels
from fitontest.segments.maps.base import FeatureMap
from fitontest.segments.maps.reach import cut_logits, read_reach

DEPTH = 3
INNER = 2**DEPTH - 1
LEAVES = 2**DEPTH
NO_SPLIT = -1


@register
@dataclass(frozen=True, eq=False)
class BoostedMap(FeatureMap):
    """The logit of the score, corrected by boosted trees on the features and on that logit.

    In each stage every tree adds the value of the leaf that a row is in; splits on the logit see it as it was when the
    stage began. Inner node k of a tree has the children 2 k + 1 and 2 k + 2, and the leaves are the nodes 7 to 14.

    Parameters
    ----------
    columns : sequence of str
        The features.
    levels : sequence of sequences
        Of each feature that is a category its levels, of a number none.
    trees_per_stage : int
    feature : int array-like of shape (T, 7)
        What each inner node is split by: the place of a feature, their number for the logit, -1 where there is no split
        and all rows go to the left.
    threshold : array-like of shape (T, 7)
        Numbers up to it go to the left; of a category the place of a set.
    missing_right : int array-like of shape (T, 7)
        1 where a missing number goes to the right.
    sets : sequence of sequences of int
        Which levels go to the left: 1 for the first one, 0 for a missing value, and one more than there are levels for
        any that is not listed.
    values : array-like of shape (T, 8)
        Of the leaves, in logits.
    reach : float, optional
        Logits are cut at this size on both sides first, as those of scores of exactly 0 or 1 must be; by default none.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    There is no formula for SQL and data frames: it would have a comparison for each of hundreds of splits, and each
    stage would have to be computed before the next.

    Examples
    --------
    >>> split = {"feature": [[0, *[-1] * 6]], "threshold": [[50.0, *[0.0] * 6]], "missing_right": [[0] * 7]}
    >>> c_hat = BoostedMap(["age"], [[]], 1, **split, sets=[], values=[[0.0] * 4 + [1.0] * 4])
    >>> c_hat({"age": [20, 60, None]}, [0.5, 0.5, 0.5]).round(3)
    array([0.5  , 0.731, 0.5  ])
    """

    kind: ClassVar[str] = "boosted"
    optional: ClassVar[tuple[str, ...]] = ("reach",)
    columns: tuple[str, ...]
    levels: tuple[tuple[Level, ...], ...]
    trees_per_stage: int
    feature: IntArray
    threshold: FloatArray
    missing_right: IntArray
    sets: tuple[tuple[int, ...], ...]
    values: FloatArray
    reach: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "columns", tuple(as_list(self.columns, "columns", empty=True)))
        put(self, "levels", _lists(self.levels, "levels"))
        put(self, "sets", _lists(self.sets, "sets"))
        put(self, "feature", _whole_table(self.feature, "feature", INNER))
        put(self, "threshold", _table(self.threshold, "threshold", INNER))
        put(self, "missing_right", _whole_table(self.missing_right, "missing_right", INNER))
        put(self, "values", _table(self.values, "values", LEAVES))
        put(self, "reach", read_reach(self.reach))
        self._check()

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that some tree is split by."""
        used = set(self.feature.ravel().tolist())
        return tuple(name for place, name in enumerate(self.columns) if place in used)

    def evaluate(self, columns: Columns, logits: FloatArray) -> FloatArray:
        """Return the probabilities."""
        x = cut_logits(logits, self.reach)
        used = set(self.feature.ravel().tolist()) - {NO_SPLIT, len(self.columns)}
        seen = {place: self._values_of(place, columns) for place in used}
        for start in range(0, self.feature.shape[0], self.trees_per_stage):
            added = np.zeros(x.size)
            for tree in range(start, min(start + self.trees_per_stage, self.feature.shape[0])):
                added += self.values[tree][self._leaf(tree, seen, x)]
            x = x + added
        return sigmoid(x)

    def expression(self, x: Expression) -> NoReturn:  # noqa: ARG002 - the signature of every map
        """Refuse: there is no formula.

        Parameters
        ----------
        x : Expression
            The logit.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            f"a map of kind 'boosted' has no formula for SQL and data frames: it would be one of "
            f"{self.feature.shape[0]} trees, stage by stage; apply it to arrays, or fit a family without boosted trees"
        )

    def _values_of(self, place: int, columns: Columns) -> FloatArray | IntArray:
        """Return the numbers of a feature, or the codes of its levels."""
        column, levels = columns.named(self.columns[place]), self.levels[place]
        if not levels:
            return column.numbers()
        codes: IntArray = column.either(_codes_of_numbers, codes_of_levels)(column, levels).astype(np.intp)
        return codes

    def _leaf(self, tree: int, seen: dict[int, FloatArray | IntArray], logits: FloatArray) -> IntArray:
        """Return the leaf of each row."""
        node = np.zeros(logits.size, dtype=np.intp)
        for inner in range(INNER):
            if self.feature[tree, inner] != NO_SPLIT:
                here = node == inner
                node[here] = 2 * inner + 1 + self._goes_right(tree, inner, seen, logits, here)
            else:
                node[node == inner] = 2 * inner + 1
        return np.asarray(node - INNER)

    def _goes_right(
        self, tree: int, inner: int, seen: dict[int, FloatArray | IntArray], logits: FloatArray, here: BoolArray
    ) -> BoolArray:
        place, threshold = int(self.feature[tree, inner]), self.threshold[tree, inner]
        if place == len(self.columns):
            return np.asarray(logits[here] > threshold)
        if self.levels[place]:
            left = np.zeros(len(self.levels[place]) + 2, dtype=bool)
            left[list(self.sets[int(threshold)])] = True
            return ~left[seen[place][here]]
        values = seen[place][here]
        right = values > threshold
        if self.missing_right[tree, inner]:
            right |= np.isnan(values)
        return np.asarray(right)

    def _check(self) -> None:
        if not all(isinstance(name, str) for name in self.columns):
            raise ValueError(f"columns must be names of features, got {brief(self.columns)}")
        if len(self.levels) != len(self.columns):
            raise ValueError(f"levels must be given for each of {len(self.columns)} columns, got {brief(self.levels)}")
        if not (is_whole(self.trees_per_stage) and self.trees_per_stage >= 1):
            raise ValueError(f"trees_per_stage must be a whole number, at least 1; got {brief(self.trees_per_stage)}")
        trees = self.feature.shape[0]
        for name in ("threshold", "missing_right", "values"):
            rows = getattr(self, name).shape[0]
            if rows != trees:
                raise ValueError(f"{name} must have a row for each of {trees} trees, got {rows}")
        if trees and not (self.feature.min() >= NO_SPLIT and self.feature.max() <= len(self.columns)):
            rule = f"hold places of {len(self.columns)} columns, their number for the logit, or -1"
            raise ValueError(f"feature must {rule}; got {self.feature.min()} to {self.feature.max()}")
        if trees and not set(self.missing_right.ravel().tolist()) <= {0, 1}:
            raise ValueError(f"missing_right must be 0 or 1, got {brief(self.missing_right)}")
        self._check_sets()

    def _check_sets(self) -> None:
        """Refuse sets that a split on a category does not find, or that hold levels that there are not."""
        for place, levels in enumerate(self.levels):
            if not levels:
                continue
            for number in np.unique(self.threshold[self.feature == place]).tolist():
                if not (float(number).is_integer() and 0 <= number < len(self.sets)):
                    raise ValueError(f"threshold must be the place of one of {len(self.sets)} sets, got {number}")
                held = self.sets[int(number)]
                if not all(is_whole(code) and 0 <= code <= len(levels) + 1 for code in held):
                    raise ValueError(f"sets must hold numbers from 0 to {len(levels) + 1}, got {brief(held)}")


def _codes_of_numbers(column: Numbers, levels: tuple[Level, ...]) -> IntArray:
    """Return the codes of levels that are numbers."""
    if not all(map(is_real, levels)) and not column.missing.all():
        rule = f"have categories in column {column.name!r}, such as {brief(levels[0])}"
        raise ValueError(f"X must {rule}; got numbers")
    code = np.where(column.missing, 0, len(levels) + 1)
    for place, level in enumerate(levels, start=1):
        code[column.values == level] = place
    return code


def _lists(values: Any, name: str) -> tuple[tuple[Any, ...], ...]:
    """Return a list of lists as tuples, or refuse it."""
    return tuple(tuple(as_list(one, name, empty=True)) for one in as_list(values, name, empty=True))


def _table(values: Any, name: str, width: int) -> FloatArray:
    """Return a read-only matrix of finite numbers of so many columns, or refuse it."""
    rows = values.tolist() if isinstance(values, np.ndarray) else as_list(values, name, empty=True)
    for row in rows:
        if not (isinstance(row, list | tuple) and len(row) == width and all(is_real(value) for value in row)):
            raise ValueError(f"{name} must be rows of {width} numbers, got {brief(row)}")
    table = np.array(rows, dtype=np.float64).reshape(-1, width)
    if not np.isfinite(table).all():
        raise ValueError(f"{name} must hold finite numbers, got {brief(table[~np.isfinite(table)])}")
    table.flags.writeable = False
    return table


def _whole_table(values: Any, name: str, width: int) -> IntArray:
    """Return a read-only matrix of whole numbers of so many columns, or refuse it."""
    table = _table(values, name, width)
    if not np.all(table == np.rint(table)):
        raise ValueError(f"{name} must hold whole numbers, got {brief(table[table != np.rint(table)])}")
    whole = table.astype(np.intp)
    whole.flags.writeable = False
    return whole
