"""A batch of whole distributions: the rows of one update, of which a monitor keeps nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from fitontest.typing import BoolArray, FloatArray, IntArray

T = TypeVar("T", bound=np.generic)
ENTRIES = 2**18  # numbers of all bets on a block of rows, so that memory does not grow with the batch


@dataclass(frozen=True, eq=False)
class VectorBatch:
    """The rows of one update, a distribution over K classes each.

    Attributes
    ----------
    p : array of shape (n, K)
        Scores, each row of sum 1.
    codes : int array of shape (n,)
        The column of the class of each label.
    exponents : array of shape (n,)
        1, or 1 / size of the group of a row, or a weight divided by the largest that there may be.
    left_out : int
        Rows that are not in it, since a batch before had their groups.
    """

    p: FloatArray
    codes: IntArray
    exponents: FloatArray
    left_out: int = 0
    events: ClassVar[None] = None
    expected: ClassVar[None] = None

    @classmethod
    def of(cls, p: FloatArray, codes: IntArray, exponents: FloatArray | None = None) -> "VectorBatch":
        """Return the rows of positive exponent; without exponents all are 1."""
        if exponents is None:
            return cls(p, codes, np.ones(codes.size))
        return cls(p, codes, np.asarray(exponents)).at(np.asarray(exponents) > 0.0)

    @classmethod
    def empty(cls) -> "VectorBatch":
        """Return a batch without rows."""
        return cls.of(np.empty((0, 0)), np.empty(0, dtype=np.intp))

    def __len__(self) -> int:
        return self.codes.size

    @property
    def n(self) -> int:
        """Rows."""
        return len(self)

    @property
    def weight(self) -> float:
        """The sum of the exponents of all rows."""
        return float(self.exponents.sum())

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.p.shape[1])

    @cached_property
    def of_label(self) -> FloatArray:
        """The score of the class of each label, shape (n,)."""
        return self.of_labels(self.p)

    def of_labels(self, values: NDArray[T]) -> NDArray[T]:
        """Return the values, of shape (..., n, K), at the label of each row, shape (..., n)."""
        return np.take_along_axis(values, self.codes[(None,) * (values.ndim - 2)][..., None], axis=-1)[..., 0]

    def at(self, rows: BoolArray | slice) -> "VectorBatch":
        """Return the chosen rows."""
        return VectorBatch(self.p[rows], self.codes[rows], self.exponents[rows], self.left_out)

    def blocks(self, bets: int) -> Iterator["VectorBatch"]:
        """Yield the rows in blocks, on which so many bets take little memory."""
        size = max(1, ENTRIES // (self.n_classes * bets))
        for start in range(0, len(self), size):
            yield self.at(slice(start, start + size))
