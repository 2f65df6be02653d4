"""A tree of conditions, grown so that its nodes differ in how wrong their probabilities are.

It is a regression tree of the targets (y - q) / v with weights v = q (1 - q): a split of a node, with the sums r of
residuals w (y - q) and V of variances w^2 v on either side, gains r1^2 / V1 + r2^2 / V2 - (r1 + r2)^2 / (V1 + V2), the
score test of an offset between the sides. Its conditions are those of the scan. The two children of a node meet a
condition and its opposite; a row that meets neither, as its value is missing or was not seen, stays at the node.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fitontest.maps.rules.columns import Column, Columns
from fitontest.maps.rules.conditions import Above, AtMost, Condition, Missing, OneOf, Present, Rule
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.features.cuts import CutColumn, cut_columns
from fitontest.segments.features.rows import FeatureRows

DEPTH = 3
LEAST_VARIANCE = 10.0  # sum of w^2 q (1 - q) of a child
LEAST_GAIN = 1e-9  # below which a split is rounding


@dataclass(frozen=True, eq=False)
class GrownTree:
    """The nodes of a tree, each behind its parent; node 0 holds all rows.

    Attributes
    ----------
    rules : tuple of Rule
        The conditions of each node and of all nodes above it.
    parent : int array of shape (m,)
        -1 of the first.
    """

    rules: tuple[Rule, ...]
    parent: IntArray

    def __len__(self) -> int:
        return len(self.rules)

    @cached_property
    def depth(self) -> IntArray:
        """The number of splits above each node."""
        depth = np.zeros(len(self), dtype=np.intp)
        for node in range(1, len(self)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    def nodes(self, columns: Columns) -> IntArray:
        """Return the deepest node that each row is in, shape (n,).

        Parameters
        ----------
        columns : Columns
        """
        at = np.zeros(columns.n, dtype=np.intp)
        for node in range(1, len(self)):
            at[(at == self.parent[node]) & self.rules[node].conditions[-1].meets(columns)] = node
        return at

    def levels(self, at: IntArray) -> Iterator[IntArray]:
        """Yield for each depth from 1 the node that each row passes there, -1 of a row that stays above.

        Parameters
        ----------
        at : int array of shape (n,)
            The deepest node of each row.
        """
        for depth in range(1, int(self.depth.max()) + 1):
            above = np.arange(len(self))
            for _ in range(int(self.depth.max())):
                above = np.where(self.depth[above] > depth, self.parent[above], above)
            yield np.where(self.depth[above] == depth, above, -1)[at]


@dataclass(frozen=True, eq=False)
class ColumnSplits:
    """The splits of a column: a condition and its opposite each.

    Attributes
    ----------
    cut : CutColumn
    pairs : tuple of two Conditions
    holds : bool array of shape (splits, 2, cells)
        Which cells meet the one, and the other.
    """

    cut: CutColumn
    pairs: tuple[tuple[Condition, Condition], ...]
    holds: BoolArray

    @classmethod
    def of(cls, column: Column, cut: CutColumn) -> "ColumnSplits":
        """Return the splits of a column by the conditions that it was cut to."""
        missing = np.bincount(cut.cell, column.missing, cut.cells) > 0
        pairs: list[tuple[Condition, Condition]] = []
        holds = []
        for condition, cells in zip(cut.conditions, cut.holds, strict=True):
            opposite = _opposite(condition, column)
            others = ~cells if condition.of_missing else ~cells & ~missing
            if opposite is not None and (opposite, condition) not in pairs and others.any():
                pairs.append((condition, opposite))
                holds.append(np.stack((cells, others)))
        return cls(cut, tuple(pairs), np.array(holds, dtype=bool).reshape(len(pairs), 2, cut.cells))

    def gains(self, r: FloatArray, v: FloatArray, here: IntArray, least: float) -> FloatArray:
        """Return what each split of these rows gains, 0 where a child has too little variance."""
        cell = self.cut.cell[here]
        r1, r2 = (self.holds @ np.bincount(cell, r, self.cut.cells)).T
        v1, v2 = (self.holds @ np.bincount(cell, v, self.cut.cells)).T
        enough = np.minimum(v1, v2) >= least
        v1, v2 = np.where(enough, v1, 1.0), np.where(enough, v2, 1.0)
        return np.where(enough, r1**2 / v1 + r2**2 / v2 - (r1 + r2) ** 2 / (v1 + v2), 0.0)

    def children(self, place: int, here: IntArray) -> list[tuple[Condition, IntArray]]:
        """Return the two conditions of a split, and which of these rows meet each."""
        cell = self.cut.cell[here]
        return [
            (condition, here[holds[cell]])
            for condition, holds in zip(self.pairs[place], self.holds[place], strict=True)
        ]


@dataclass(frozen=True, eq=False)
class TreeSplits:
    """The splits of all columns, which several trees on parts of the same rows share.

    Attributes
    ----------
    columns : tuple of ColumnSplits
    """

    columns: tuple[ColumnSplits, ...]

    @classmethod
    def of(cls, rows: FeatureRows) -> "TreeSplits":
        """Return the splits by the conditions of a scan of these rows."""
        cut = cut_columns(rows.columns, rows.w, rows.variances)
        found = (ColumnSplits.of(rows.columns.named(column.name), column) for column in cut.columns)
        return cls(tuple(column for column in found if column.pairs))

    def take(self, rows: BoolArray | IntArray) -> "TreeSplits":
        """Return the same splits of some of the rows."""
        return TreeSplits(
            tuple(replace(column, cut=replace(column.cut, cell=column.cut.cell[rows])) for column in self.columns)
        )

    def best(self, r: FloatArray, v: FloatArray, here: IntArray, least: float) -> tuple[ColumnSplits, int] | None:
        """Return the split of these rows that gains most, the first of equals; None where none gains anything."""
        most, found = LEAST_GAIN, None
        r, v = r[here], v[here]
        for column in self.columns:
            gains = column.gains(r, v, here, least)
            place = int(gains.argmax())
            if gains[place] > most * (1.0 + LEAST_GAIN):
                most, found = float(gains[place]), (column, place)
        return found


def grow(
    rows: FeatureRows,
    depth: int = DEPTH,
    least_variance: float = LEAST_VARIANCE,
    splits: TreeSplits | None = None,
) -> GrownTree:
    """Return the tree of the rows.

    Parameters
    ----------
    rows : FeatureRows
    depth : int
        Splits one below the other, at most.
    least_variance : float
        Sum of w^2 q (1 - q) that each child must have.
    splits : TreeSplits, optional
        Of these rows, where they are known.

    Examples
    --------
    >>> from fitontest.segments.features.read_columns import read_columns
    >>> rng = np.random.default_rng(0)
    >>> columns = read_columns({"age": rng.integers(20, 80, 2000), "sex": rng.choice(["f", "m"], 2000)})
    >>> y = (rng.random(2000) < np.where(AtMost("age", 50).meets(columns), 0.5, 0.8)) * 1.0
    >>> tree = grow(FeatureRows(columns, y, np.zeros(2000), np.ones(2000), True), depth=1)
    >>> [str(rule) for rule in tree.rules]
    ['all rows', 'age <= 51', 'age > 51']
    """
    splits = TreeSplits.of(rows) if splits is None else splits
    rules, parent = [Rule(())], [-1]
    ahead = deque([(0, 0, np.arange(len(rows)))])
    while ahead:
        node, reached, here = ahead.popleft()
        best = splits.best(rows.residuals, rows.variances, here, least_variance) if reached < depth else None
        if best is None:
            continue
        column, place = best
        for condition, below in column.children(place, here):
            rules.append(Rule((*rules[node].conditions, condition)))
            parent.append(node)
            ahead.append((len(rules) - 1, reached + 1, below))
    return GrownTree(tuple(rules), np.array(parent, dtype=np.intp))


def _opposite(condition: Condition, column: Column) -> Condition | None:
    """Return the condition that rows with a known value meet which do not meet this one; None where there is none."""
    match condition:
        case AtMost(name, value):
            return Above(name, value)
        case Above(name, value):
            return AtMost(name, value)
        case Missing(name, numbers):
            return Present(name, numbers)
        case OneOf(name, levels):
            others = column.others(levels)
            return OneOf(name, others) if others else None
        case _:
            return None
