"""Labels of rows redrawn again and again, in blocks of rows: what many rows with features or segments need.

A block of rows has the same labels whichever blocks are drawn beside it, and of rows that belong together labels depend
on each other whether or not they are in one block.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fitontest.data.dependence import SharedNumbers
from fitontest.results.typing import BoolArray, FloatArray, IntArray

Numbers: TypeAlias = tuple[FloatArray, FloatArray] | None  # that rows of a group share; None of independent rows


@dataclass(frozen=True, eq=False)
class RowLabels:
    """Rows, or entries of several rows, whose labels are drawn.

    Attributes
    ----------
    q : array of shape (n,)
        Probabilities of a positive label.
    w : array of shape (n,)
        Weights.
    count : int array of shape (n,) or None
        How many labels each entry has, which share its weight; None: one each.
    shared : SharedNumbers or None
        What rows that belong together share; None of independent rows.

    Examples
    --------
    >>> labels = RowLabels.of(np.array([0.0, 0.5, 1.0]), np.array([1.0, 2.0, 3.0]), whole=True)
    >>> labels.draw(slice(0, 3), 4, (0,)).shape, labels.draw(slice(2, 3), 4, (0,))
    ((3, 4), array([[3., 3., 3., 3.]], dtype=float32))
    """

    q: FloatArray
    w: FloatArray
    count: IntArray | None = None
    shared: SharedNumbers | None = None

    @classmethod
    def of(cls, q: FloatArray, w: FloatArray, *, whole: bool, shared: SharedNumbers | None = None) -> "RowLabels":
        """Return the labels of rows, of which whole weights count copies that have a label each.

        Parameters
        ----------
        q, w : arrays of shape (n,)
        whole : bool
        shared : SharedNumbers, optional
        """
        single = not whole or bool(np.all(w == 1.0))
        return cls(q, w, None if single else np.rint(w).astype(np.intp), shared)

    @property
    def are_single(self) -> bool:
        """Whether each row has one label of weight one."""
        return self.count is None and bool(np.all(self.w == 1.0))

    def blocks(self, size: int) -> list[slice]:
        """Return the rows in blocks of that size."""
        n = self.q.size
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def numbers(self, columns: int, seed: tuple[int, ...]) -> Numbers:
        """Return the numbers that rows of a group share in so many sets of labels, or None of independent rows."""
        return None if self.shared is None else self.shared.numbers(columns, seed)

    def draw(self, rows: slice, columns: int, seed: tuple[int, ...], numbers: Numbers = None) -> NDArray[np.float32]:
        """Return the weight of the positive labels of a block in so many sets of labels, shape (m, columns).

        Parameters
        ----------
        rows : slice
            The block.
        columns : int
        seed : tuple of int
            What the random numbers are made of, with the place of the block.
        numbers : tuple of arrays, optional
            What `numbers` returned for these sets of labels.
        """
        rng = np.random.default_rng([*seed, rows.start])
        q, w, shape = self.q[rows], self.w[rows], (rows.stop - rows.start, columns)
        n = None if self.count is None else self.count[rows]
        if numbers is None or self.shared is None:
            if n is not None:
                return _weighted(rng.binomial(n[:, None], q[:, None], shape), w / n)
            return _weighted(rng.random(shape, dtype=np.float32) < q.astype(np.float32)[:, None], w)
        shared = self.shared.only(rows)
        part = shared.combine(*numbers)
        if n is not None:
            return _weighted(rng.binomial(n[:, None], shared.given(q, part)), w / n)
        return _weighted(shared.latent(rng.random(shape), part) < shared.thresholds(q)[:, None], w)


def _weighted(positive: BoolArray | NDArray[Any], w: FloatArray) -> NDArray[np.float32]:
    """Return the numbers of positive labels times the weight of each, in place where all weigh one."""
    found = positive.astype(np.float32)
    if not np.all(w == 1.0):
        found *= w.astype(np.float32)[:, None]
    return found
