"""Rows of two classes with their features: segments are looked for in them, and calibrators are fitted to them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.row_groups import RowGroups, coded_ids, places_of_rows
from fitontest.maps.rules.columns import Columns
from fitontest.numerics.links import CERTAIN, sigmoid
from fitontest.results.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Checked rows of positive weight.

    Attributes
    ----------
    columns : Columns
        Features.
    y : array of shape (n,)
        0 or 1.
    logits : array of shape (n,)
        Of the probabilities that are tested, or repaired.
    w : array of shape (n,)
        Positive weights.
    whole : bool
        Whether the weights count copies.
    groups : array of shape (n,) or None
        The group of each row, of those that belong together.
    """

    columns: Columns
    y: FloatArray
    logits: FloatArray
    w: FloatArray
    whole: bool
    groups: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.y.size

    @property
    def w2(self) -> FloatArray:
        """What the weights add to variances: w of counts, w^2 of importances."""
        return self.w if self.whole else self.w**2

    @cached_property
    def q(self) -> FloatArray:
        """The probabilities."""
        return sigmoid(self.logits)

    @cached_property
    def variances(self) -> FloatArray:
        """What each row adds to the variance of a sum of residuals, w^2 q (1 - q)."""
        return np.asarray(self.w2 * self.q * (1.0 - self.q))

    @cached_property
    def residuals(self) -> FloatArray:
        """W (y - q)."""
        return np.asarray(self.w * (self.y - self.q))

    @cached_property
    def contradicted(self) -> BoolArray:
        """Whether the label of each row contradicts a certain probability, one of 0 or 1 but for rounding."""
        return np.asarray((self.y > 0.0) & (self.logits <= -CERTAIN) | (self.y < 1.0) & (self.logits >= CERTAIN))

    def take(self, rows: Any) -> "FeatureRows":
        """Return some of the rows.

        Parameters
        ----------
        rows : array of int or bool
        """
        groups = None if self.groups is None else self.groups[rows]
        return FeatureRows(self.columns.take(rows), self.y[rows], self.logits[rows], self.w[rows], self.whole, groups)

    @property
    def row_weight(self) -> float:
        """The weight of one row: 1 of counts, sum w^2 / sum w of importances, whose scale means nothing."""
        return 1.0 if self.whole else float(self.w @ self.w / self.w.sum())

    def in_row_units(self) -> "FeatureRows":
        """Return the rows with weights in units of one row, in which a variance can be held against a least one."""
        return self if self.whole else replace(self, w=self.w / self.row_weight)

    def canonical(self) -> "FeatureRows":
        """Return the rows in an order of their own, with weights in units of one row, and copies as one row.

        What is made of them depends neither on the order in which rows came nor on whether a row of weight 2 was the
        row twice, nor on what groups are called: they are numbered by their rows.
        """
        rows = self._merged() if self.whole else self.in_row_units()
        rows = rows.take(rows.order)
        if rows.groups is None:
            return rows
        place = places_of_rows(rows.logits, rows.keys, rows.y, rows.w)
        code = RowGroups.of(rows.groups, place, rows.copies, rows.w).code
        return replace(rows, groups=code).take(np.lexsort((code, place)))

    def _merged(self) -> "FeatureRows":
        """Return copies as one row of their weight; rows of two groups are no copies."""
        code = np.zeros(len(self), dtype=np.intp) if self.groups is None else coded_ids(self.groups)[1]
        columns = code.astype(np.float64), self.y, self.keys, self.logits
        order = np.lexsort(columns)
        place = places_of_rows(*(column[order] for column in columns))
        first = order[np.flatnonzero(np.diff(place, prepend=-1))]
        return replace(self.take(first), w=np.asarray(np.bincount(place, self.w[order]), dtype=np.float64))

    @property
    def copies(self) -> IntArray:
        """How many rows each stands for."""
        return np.rint(self.w).astype(np.intp) if self.whole else np.ones(len(self), dtype=np.intp)

    @property
    def group_codes(self) -> IntArray | None:
        """The group of each of canonical rows, from 0; None where rows are independent."""
        if self.groups is None or np.bincount(self.groups, self.copies).max() < 2:
            return None
        return np.unique(self.groups, return_inverse=True)[1]

    def at(self, logits: FloatArray) -> "FeatureRows":
        """Return the rows with other probabilities.

        Parameters
        ----------
        logits : array of shape (n,)
        """
        return replace(self, logits=logits)

    @cached_property
    def order(self) -> IntArray:
        """The rows in an order of their own, whatever the one in which they came: labels are drawn in it."""
        return np.lexsort((self.w, self.y, self.keys, self.logits))

    @cached_property
    def blocks(self) -> IntArray:
        """The block of each of canonical rows, numbered from 0: those of the same features and probability."""
        return places_of_rows(self.logits, self.keys)

    @cached_property
    def keys(self) -> FloatArray:
        """A number of each row that is the same for the same features, and another for others."""
        mixed, table = self._mixed, self._table
        order = np.argsort(mixed, kind="stable")
        place = places_of_rows(mixed[order])
        if np.any(places_of_rows(*(column[order] for column in table), mixed[order]) != place):
            order = np.lexsort((*table, mixed))
            place = places_of_rows(*(column[order] for column in table), mixed[order])
        found = np.empty(len(self))
        found[order] = place
        return found

    @property
    def _mixed(self) -> FloatArray:
        """A number of each row that is the same for the same features: rows of other features are hardly ever alike."""
        mixed = np.zeros(len(self))
        rng = np.random.default_rng(0)
        for column in self.columns:
            a, b = rng.random(2)
            mixed += a * np.sin(1e3 * b * column.as_finite)
        return mixed

    @property
    def _table(self) -> list[FloatArray]:
        """The features as they are, in columns without a missing number."""
        return [values for column in self.columns for values in column.as_table]
