"""Many small logistic regressions on one feature, one for each segment of the rows, solved together.

Segment s minimises sum_i w_i loss(t_i, a_s + b_s x_i) + ridge b_s^2 / 2 over its rows, with the log loss. The Newton
steps of all segments are taken at once: a loop over thousands of nodes of a tree would cost more than the sums.
"""

import numpy as np

from fitontest.numerics.links import sigmoid
from fitontest.results.typing import BoolArray, FloatArray, IntArray

MAX_STEPS = 200
AIM = 1e-12  # predicted decrease of the loss per unit weight at which a segment is solved
HALVINGS = 40


def fit_segments(
    x: FloatArray, t: FloatArray, w: FloatArray, segment: IntArray, n_segments: int, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Return the intercepts and slopes of all segments.

    Parameters
    ----------
    x, t, w : array of shape (n,)
        Feature, label (0 or 1) and positive weight of each row.
    segment : int array of shape (n,)
        The segment of each row. Each must have rows of both labels; then the ridge, which does not hold the intercept,
        makes the optimum finite even where a threshold separates the labels.
    n_segments : int
    ridge : float
        Positive.

    Returns
    -------
    intercepts, slopes : array of shape (n_segments,)
    """
    total = np.bincount(segment, w, n_segments).astype(np.float64)
    centre = np.bincount(segment, w * x, n_segments) / total
    x = x - centre[segment]  # the intercept is free, so this changes the slope of no segment
    positive = np.bincount(segment, w * t, n_segments)
    negative = np.bincount(segment, w * (1.0 - t), n_segments)
    a, b = np.log(positive) - np.log(negative), np.zeros(n_segments)
    ids = np.arange(n_segments)  # of the segments that are not solved yet
    rows = _Rows(x, t, w, segment, total, ridge)
    for _ in range(MAX_STEPS):
        steps, decrease = rows.newton(a[ids], b[ids])
        open_ = decrease > AIM * rows.total
        if not open_.all():
            ids, steps = ids[open_], steps[:, open_]
            rows = rows.only(open_)
        if ids.size == 0:
            break
        a[ids], b[ids] = rows.advance(a[ids], b[ids], steps)
    return a - b * centre, b


class _Rows:
    """The rows of the open segments, numbered from 0."""

    def __init__(
        self, x: FloatArray, t: FloatArray, w: FloatArray, segment: IntArray, total: FloatArray, ridge: float
    ) -> None:
        self.x, self.t, self.w, self.segment, self.total, self.ridge = x, t, w, segment, total, ridge

    def only(self, open_: BoolArray) -> "_Rows":
        """Return the rows of the segments that stay open, with new numbers."""
        kept = open_[self.segment]
        number = np.cumsum(open_) - 1
        segment = number[self.segment[kept]]
        return _Rows(self.x[kept], self.t[kept], self.w[kept], segment, self.total[open_], self.ridge)

    def sums(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.segment, values, self.total.size).astype(np.float64)

    def loss(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the objective of each segment."""
        z = a[self.segment] + b[self.segment] * self.x
        return self.sums(self.w * (np.logaddexp(0.0, z) - self.t * z)) + 0.5 * self.ridge * b * b

    def newton(self, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the Newton step of each segment, shape (2, S), and the decrease of the loss that it predicts."""
        q = sigmoid(a[self.segment] + b[self.segment] * self.x)
        r, v = self.w * (q - self.t), self.w * q * (1.0 - q)
        vx = v * self.x
        g0, g1 = self.sums(r), self.sums(r * self.x) + self.ridge * b
        h00 = np.maximum(self.sums(v), 1e-14 * self.total)  # all but certain rows: a speck keeps the step finite
        h01, h11 = self.sums(vx), self.sums(vx * self.x) + self.ridge
        determinant = np.maximum(h00 * h11 - h01 * h01, h00 * self.ridge)
        steps = np.stack([h01 * g1 - h11 * g0, h01 * g0 - h00 * g1]) / determinant
        return steps, -0.5 * (g0 * steps[0] + g1 * steps[1])

    def advance(self, a: FloatArray, b: FloatArray, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the next point of each segment: the longest of 1, 1/2, 1/4, ... steps that does not raise the loss."""
        before = self.loss(a, b)
        slack = 1e-14 * (1.0 + np.abs(before))  # next to the optimum the change of the loss is rounding
        length = np.ones(a.size)
        for _ in range(HALVINGS):
            new_a, new_b = a + length * steps[0], b + length * steps[1]
            high = self.loss(new_a, new_b) > before + slack
            if not high.any():
                break
            length[high] /= 2.0
        return np.where(high, a, new_a), np.where(high, b, new_b)
