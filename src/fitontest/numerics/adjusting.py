"""What a segment's labels say its logits should be: an offset, or a line."""

import numpy as np

from fitontest.numerics.links import SAME, sigmoid
from fitontest.results.typing import FloatArray

MAX_STEPS = 50
LONGEST = 2.0  # step, in logits
FARTHEST = 20.0  # offset: of labels of one class it would be infinite
SETTLED = 1e-12
RIDGE = 1.0  # of a line, towards that of the scores, in rows' worth of its own information


def offset_of(y: FloatArray, logits: FloatArray, w: FloatArray) -> float:
    """Return the d for which the sum of w (y - sigmoid(logits + d)) is 0, at most 20 on either side.

    Parameters
    ----------
    y, logits, w : arrays of shape (m,)

    Examples
    --------
    >>> round(offset_of(np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(4), np.ones(4)), 6)
    1.098612
    """
    d = 0.0
    for _ in range(MAX_STEPS):
        q = sigmoid(logits + d)
        step = float(w @ (y - q)) / max(float(w @ (q * (1.0 - q))), np.finfo(float).tiny)
        step = float(np.clip(step, -LONGEST, LONGEST))
        d = float(np.clip(d + step, -FARTHEST, FARTHEST))
        if abs(step) < SETTLED:
            break
    return d


def mean_and_spread(logits: FloatArray, w: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of logits, the latter 1 where all are one.

    Parameters
    ----------
    logits, w : arrays of shape (m,)

    Examples
    --------
    >>> mean_and_spread(np.array([-1.0, 1.0]), np.ones(2)), mean_and_spread(np.array([0.1, 0.1, 0.1]), np.ones(3))[1]
    ((0.0, 1.0), 1.0)
    """
    mean = float(w @ logits) / float(w.sum())
    spread = float(np.sqrt(w @ (logits - mean) ** 2 / w.sum()))
    return mean, spread if spread > SAME * (1.0 + abs(mean)) else 1.0


def line_of(y: FloatArray, logits: FloatArray, w: FloatArray, offset: FloatArray | float = 0.0) -> tuple[float, float]:
    """Return intercept and slope of the logistic line of the largest penalised likelihood, near 0 and 1 for few rows.

    It maximises the likelihood of a + b x + offset, with the penalty ((a + (b - 1) m)^2 + (b - 1)^2 s^2) v / 2, m and s
    being mean and spread of the logits and v the mean of q (1 - q): as much information as one row has.

    Parameters
    ----------
    y, logits, w : arrays of shape (m,)
    offset : array of shape (m,), optional
        That is added to the line.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = 2 * rng.standard_normal(10_000)
    >>> a, b = line_of((rng.random(10_000) < sigmoid(0.5 + 0.7 * x)) * 1.0, x, np.ones(10_000))
    >>> round(a, 1), round(b, 1)
    (0.5, 0.7)
    """
    mean, spread = mean_and_spread(logits, w)
    x = np.stack((np.ones(logits.size), (logits - mean) / spread))
    start = np.array([mean, spread])  # of the line that changes nothing
    theta, q = start.copy(), sigmoid(start @ x + offset)
    ridge = RIDGE * max(float(w @ (q * (1.0 - q))) / float(w.sum()), 1e-6)
    for _ in range(MAX_STEPS):
        q = sigmoid(theta @ x + offset)
        gradient = x @ (w * (y - q)) - ridge * (theta - start)
        hessian = (x * (w * q * (1.0 - q))) @ x.T + ridge * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), SETTLED))
        theta += step
        if float(np.abs(step).max()) < SETTLED:
            break
    slope = float(theta[1]) / spread
    return float(theta[0]) - slope * mean, slope
