"""Labels of rows redrawn again and again, in blocks of rows: what many rows with features need.

A block of rows has the same labels whichever blocks are drawn beside it, and of rows that belong together labels depend
on each other whether or not they are in one block.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fitontest.data.dependence import SharedNumbers
from fitontest.typing import BoolArray, FloatArray, IntArray

Numbers: TypeAlias = tuple[FloatArray, FloatArray] | None  # that rows of a group share; None of independent rows


@dataclass(frozen=True, eq=False)
class RowLabels:
    """Rows whose labels are drawn.

    Attributes
    ----------
    q : array of shape (n,)
        Probabilities of a positive label.
    w : array of shape (n,)
        Weights.
    whole : bool
        Whether weights count copies, each with a label of its own.
    shared : SharedNumbers or None
        What rows that belong together share; None of independent rows.
    """

    q: FloatArray
    w: FloatArray
    whole: bool
    shared: SharedNumbers | None = None

    def blocks(self, size: int) -> list[slice]:
        """Return the rows in blocks of that size."""
        n = self.q.size
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def draw(self, rows: slice, columns: int, seed: tuple[int, ...], numbers: Numbers = None) -> NDArray[np.float32]:
        """Return w times the labels of a block in so many labellings, shape (m, columns).

        Parameters
        ----------
        rows : slice
            The block.
        columns : int
        seed : tuple of int
            What the random numbers are made of, with the place of the block.
        numbers : tuple of arrays, optional
            What `numbers` returned for these labellings.
        """
        rng = np.random.default_rng([*seed, rows.start])
        q, w = self.q[rows], self.w[rows]
        n, shape = self._copies(w), (q.size, columns)
        if numbers is None or self.shared is None:
            if n is not None:
                return rng.binomial(n, q[:, None], shape).astype(np.float32)
            return _weighted(rng.random(shape, dtype=np.float32) < q.astype(np.float32)[:, None], w)
        shared = self.shared.only(rows)
        part = shared.combine(*numbers)
        if n is not None:
            return rng.binomial(n, shared.given(q, part)).astype(np.float32)
        return _weighted(shared.latent(rng.random(shape), part) < shared.thresholds(q)[:, None], w)

    def numbers(self, columns: int, seed: tuple[int, ...]) -> Numbers:
        """Return the numbers that rows of a group share in so many labellings, or None of independent rows."""
        return None if self.shared is None else self.shared.numbers(columns, seed)

    def _copies(self, w: FloatArray) -> IntArray | None:
        """Return how many labels each row has, as a column; None where each has one."""
        if not self.whole or bool(np.all(w == 1.0)):
            return None
        return np.rint(w).astype(np.intp)[:, None]


def _weighted(positive: BoolArray, w: FloatArray) -> NDArray[np.float32]:
    return positive.astype(np.float32) * w.astype(np.float32)[:, None]
