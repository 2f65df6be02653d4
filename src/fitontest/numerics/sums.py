"""Weighted sums without BLAS."""

import numpy as np

from fitontest.results.typing import FloatArray


def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the sum of a_i b_i without BLAS.

    BLAS hands vectors of 10,000 entries and more to its threads, which wait for one another: where another program
    keeps one core busy, that takes ten times as long as the sum itself.
    """
    return float(np.einsum("i,i->", a, b))


def weighted_sum(values: FloatArray, w: FloatArray | None) -> float:
    """Return the sum of the rows' values times their weights, which None says are one."""
    return float(values.sum()) if w is None else dot(values, w)
