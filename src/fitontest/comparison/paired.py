"""Paired differences: two families judged by the same rows differ far less by chance than each of them does."""

from dataclasses import dataclass

import numpy as np

from fitontest.comparison.held_out import Judging
from fitontest.numerics.standard_error import mean_and_error
from fitontest.typing import FloatArray


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences between two losses, and its standard error.

    With d_i the difference at row i and weights of sum W: mean = sum w d / W, and the standard error is the root of
    sum w_i^2 (d_i - mean)^2 over W (whole weights count rows, so that w_i stands for w_i^2). It holds the maps fixed:
    what other rows to fit to would change is left out.
    """

    mean: float
    se: float

    @property
    def is_clear(self) -> bool:
        """Whether the mean is positive by more than one standard error."""
        return self.mean > self.se


def difference(a: FloatArray, b: FloatArray, judging: Judging) -> Difference:
    """Return how much larger the losses `a` are than the losses `b` of the same rows."""
    if np.array_equal(a, b):
        return Difference(0.0, 0.0)
    return Difference(*mean_and_error(a - b, judging.rows.w, judging.w2))
