"""Rows of two classes with their features: segments are looked for in them, and calibrators are fitted to them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.features.columns import Categories, Columns, Numbers
from fitontest.numerics.links import sigmoid
from fitontest.typing import FloatArray, IntArray


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

    def take(self, rows: Any) -> "FeatureRows":
        """Return some of the rows.

        Parameters
        ----------
        rows : array of int or bool
        """
        groups = None if self.groups is None else self.groups[rows]
        return FeatureRows(self.columns.take(rows), self.y[rows], self.logits[rows], self.w[rows], self.whole, groups)

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
        return np.lexsort((self.w, self.y, self._keys, self.logits))

    @property
    def _keys(self) -> FloatArray:
        """Return a number of each row that is the same for the same features, and hardly ever for others."""
        key = np.zeros(len(self))
        rng = np.random.default_rng(0)
        for column in self.columns:
            a, b = rng.random(2)
            if isinstance(column, Numbers):
                key += a * np.sin(1e3 * b * np.nan_to_num(column.values, nan=0.5))
            else:
                assert isinstance(column, Categories)
                key += a * np.sin(1e3 * b * (column.codes + 2.0))
        return key
