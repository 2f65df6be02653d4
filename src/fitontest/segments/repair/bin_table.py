"""Sums over the bins of all features at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.bins import Binned


@dataclass(frozen=True, eq=False)
class BinTable:
    """Bins of all features of the rows.

    Attributes
    ----------
    codes : int array of shape (n, f)
    sizes : int array of shape (f,)
        Bins of each feature.
    categories : int array
        Which features are categories.
    """

    codes: NDArray[np.int16]
    sizes: IntArray
    categories: IntArray

    @classmethod
    def of(cls, columns: Sequence[Binned], n: int) -> "BinTable":
        """Return the table of columns in bins.

        Parameters
        ----------
        columns : sequence of Binned
        n : int
            Rows.
        """
        codes = np.stack([column.code for column in columns], axis=1) if columns else np.empty((n, 0), dtype=np.int16)
        sizes = np.array([column.bins for column in columns], dtype=np.intp)
        return cls(codes, sizes, np.flatnonzero([not column.is_number for column in columns]))

    @cached_property
    def starts(self) -> IntArray:
        """The place of the first bin of each feature among all bins, and of the end."""
        return np.concatenate(([0], np.cumsum(self.sizes))).astype(np.intp)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of columns of values over the rows of each bin, shape (all bins, columns).

        Parameters
        ----------
        values : array of shape (n, columns)
        """
        return np.asarray(self._indicators @ values)

    @cached_property
    def _indicators(self) -> csc_array:
        """The matrix of bins and rows that is 1 where a row is in a bin."""
        n, features = self.codes.shape
        places = (self.codes + self.starts[:-1]).astype(np.int32).ravel()
        ends = np.arange(n + 1, dtype=np.int64) * features
        return csc_array((np.ones(places.size), places, ends), shape=(int(self.starts[-1]), n))
