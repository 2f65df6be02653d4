"""Rows that two models have scored, in one order for both: that in which folds are drawn.

The order depends on the rows alone: not on how they arrived, and not on which of the two models is called the first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.row_groups import GROUP, RowGroups
from fitontest.data.sample import Sample
from fitontest.numerics.row_order import order_of_rows
from fitontest.results.typing import FloatArray, IntArray

MOST_WRITTEN_OUT = 10_000_000  # rows


@dataclass(frozen=True, eq=False)
class TwoModels:
    """Rows of positive weight with the predictions of two models.

    Attributes
    ----------
    given : tuple of two samples
        The rows as they were given, by each model.
    scored : tuple of two samples
        The same in one order. Each row stands as often as its weight counts it: held out with its copies it would be
        missing from the others, and models whose scores differ more would look worse.
    groups : RowGroups or None
        Which of these rows belong together; None where rows are independent.
    """

    given: tuple[Sample, Sample]
    scored: tuple[Sample, Sample]
    groups: RowGroups | None

    @classmethod
    def of(cls, first: Sample, second: Sample) -> "TwoModels":
        """Put the rows of two samples of as many rows in order."""
        written_out = first.whole and not first.unit and first.total <= MOST_WRITTEN_OUT
        rows = np.repeat(np.arange(first.w.size), first.w.astype(np.intp)) if written_out else np.flatnonzero(first.w)
        columns = (*_tables(first, second, rows), np.ones(rows.size) if written_out else first.w[rows])
        order = find_order(*columns)
        scored = [sample.select(rows[order], weighted=not written_out) for sample in (first, second)]
        groups = None if first.groups is None else _find_groups(scored[0], np.column_stack(columns)[order])
        return cls((first, second), (scored[0], scored[1]), groups)

    @property
    def w(self) -> FloatArray:
        """Weights of the rows."""
        return np.ascontiguousarray(self.scored[0].w)

    @property
    def w2(self) -> FloatArray:
        """Squared weights; whole weights count rows (see `Rows`)."""
        return np.ascontiguousarray(self.scored[0].w2)


def _find_groups(sample: Sample, table: FloatArray) -> RowGroups:
    """Return the groups of rows that stand in an order of their own, by all that is known of each row."""
    place = np.cumsum(np.concatenate(([False], np.any(table[1:] != table[:-1], axis=1))))
    return RowGroups.of(sample.facts[GROUP], place, np.ones(place.size, dtype=np.intp), np.ascontiguousarray(sample.w))


def _tables(first: Sample, second: Sample, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what each model says of the rows, and what is the same for both, as matrices."""
    points = [sample.p[rows].reshape(rows.size, -1) for sample in (first, second)]
    labels = [sample.codes[rows] for sample in (first, second)]
    if np.array_equal(labels[0], labels[1]):
        return points[0], points[1], labels[0][:, None]
    one, other = (np.column_stack(columns) for columns in zip(points, labels, strict=True))
    return one, other, np.empty((rows.size, 0))  # the confidences of two models are of other labels


def compute_gains(sample: Sample, family: Any, folds: list[IntArray], loss: str) -> FloatArray:
    """Return by how much a map that was fitted to the other folds lowers the loss of each row as it stands."""
    placed = sample.with_facts(place=np.arange(sample.w.size)).present
    at, rows = np.argsort(placed.facts["place"]), placed.keep_facts(GROUP)  # by which families draw their folds
    predictions = np.clip(rows.hold_out(family, [np.sort(at[held_out]) for held_out in folds]), 0.0, 1.0)
    return np.asarray((rows.losses(loss) - rows.losses(loss, predictions))[at])


def find_order(one: FloatArray, other: FloatArray, labels: FloatArray, w: FloatArray) -> IntArray:
    """Return the positions of the rows sorted by (one, other, labels, w), or by (other, one, ...) if that is smaller.

    Which is smaller is decided by the first number in which the two sorted tables differ. So the order of the rows is
    the same if the models are swapped. The exception is a table that the swap merely puts into another order: it does
    not say which model is which.
    """
    tables = []
    for columns in ((one, other, labels, w), (other, one, labels, w)):
        order = order_of_rows(*columns)
        tables.append((order, np.column_stack(columns)[order].ravel()))
    (straight, first), (swapped, second) = tables
    differing = np.flatnonzero(first != second)
    return swapped if differing.size and second[differing[0]] < first[differing[0]] else straight
