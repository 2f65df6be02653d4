"""Prefix sums: the sum over any run of neighbouring values from two look-ups."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PrefixSums:
    """The sums of values[:i] for i = 0..n, each as a float and the remainder that this float leaves out.

    The difference of two prefix sums that are single floats loses the digits of a run that weighs little beside all
    that stands before it. The remainders, which error-free transformations give, bring them back.

    Parameters
    ----------
    head, remainder : arrays of shape (n + 1, ...)
        Their sum is the prefix sum.

    References
    ----------
    Ogita, Rump, Oishi (2005), Accurate sum and dot product, SIAM Journal on Scientific Computing 26(6).
    https://doi.org/10.1137/030601818

    Examples
    --------
    >>> sums = PrefixSums.of(np.array([1e20, 1.0, 2.0]))
    >>> sums.between(np.array([0, 1]), np.array([1, 3]))
    array([1.e+20, 3.e+00])
    """

    head: FloatArray
    remainder: FloatArray

    @classmethod
    def of(cls, values: FloatArray, *, exact: bool = False) -> Self:
        """Return the prefix sums of values of shape (n, ...) along the first axis.

        `exact` says that every sum is known to be a float, as of whole numbers, so that there is no remainder.
        """
        head = _prefix_sums(values)
        error = None if exact else _rounding_errors(head[:-1], values, head[1:])
        if error is None or not error.any():  # as for counts: a constant view takes no memory
            return cls(head, np.broadcast_to(np.float64(0.0), head.shape))
        return cls(head, _prefix_sums(error))

    def between(self, start: IntArray, stop: IntArray) -> FloatArray:
        """Return the sums of values[start:stop], along the first axis of the shape of `start` and `stop`."""
        sums: FloatArray = self.head[stop] - self.head[start]
        if any(self.remainder.strides):
            sums += self.remainder[stop] - self.remainder[start]
        return sums

    def rounded(self) -> FloatArray:
        """Return the prefix sums of non-negative values as single floats, shape (n + 1, ...), non-decreasing."""
        return np.maximum.accumulate(self.head + self.remainder)


def _prefix_sums(values: FloatArray) -> FloatArray:
    sums = np.zeros((values.shape[0] + 1, *values.shape[1:]))
    np.cumsum(values, axis=0, out=sums[1:])
    return sums


def _rounding_errors(a: FloatArray, b: FloatArray, total: FloatArray) -> FloatArray:
    """Return a + b - total, exactly, where total is the rounded sum of a and b."""
    added = total - a
    return np.asarray((a - (total - added)) + (b - added))
