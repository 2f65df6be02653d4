"""Natural cubic splines: smooth curves through values at knots, straight beyond the outer knots.

Such a spline is a linear function of its values at the knots: it needs no other parameters.
"""

import numpy as np

from fitontest.results.typing import FloatArray


def slopes_at_knots(x: FloatArray) -> FloatArray:
    """Return the slopes of a natural spline at its knots per value at each knot, shape (K, K).

    Parameters
    ----------
    x : array of shape (K,)
        Strictly increasing knots, K >= 2.

    Examples
    --------
    >>> slopes_at_knots(np.array([0.0, 1.0, 2.0])) @ np.array([0.0, 1.0, 2.0])
    array([1., 1., 1.])
    """
    n, h = x.size, np.diff(x)
    system, right = np.zeros((n, n)), np.zeros((n, n))
    steps = (np.eye(n)[1:] - np.eye(n)[:-1]) / h[:, None]  # slopes of the straight lines between the knots
    system[0, :2], right[0] = (2.0, 1.0), 3.0 * steps[0]
    system[-1, -2:], right[-1] = (1.0, 2.0), 3.0 * steps[-1]
    for i in range(1, n - 1):  # the second derivative does not jump
        below, above = h[i - 1], h[i]
        system[i, i - 1 : i + 2] = above, 2.0 * (below + above), below
        right[i] = 3.0 * (above * steps[i - 1] + below * steps[i])
    return np.asarray(np.linalg.solve(system, right), dtype=np.float64)


def natural_basis(x: FloatArray, t: FloatArray) -> FloatArray:
    """Return the value of a natural spline per value at each knot, shape (m, K).

    Parameters
    ----------
    x : array of shape (K,)
        Strictly increasing knots, K >= 2.
    t : array of shape (m,)
        Where.

    Examples
    --------
    >>> natural_basis(np.array([0.0, 1.0]), np.array([-1.0, 0.25]))
    array([[ 2.  , -1.  ],
           [ 0.75,  0.25]])
    """
    slopes, eye, rows = slopes_at_knots(x), np.eye(x.size), np.arange(t.size)
    left = np.clip(np.searchsorted(x, t, side="right") - 1, 0, x.size - 2)
    width = x[left + 1] - x[left]
    within = np.clip(t, x[0], x[-1])
    u = (within - x[left]) / width
    values = ((1.0 - u) ** 2 * (1.0 + 2.0 * u))[:, None] * eye[left] + (u**2 * (3.0 - 2.0 * u))[:, None] * eye[left + 1]
    values += (width * u * (1.0 - u) ** 2)[:, None] * slopes[left]
    values -= (width * u**2 * (1.0 - u))[:, None] * slopes[left + 1]
    beyond = rows[(t < x[0]) | (t > x[-1])]
    values[beyond] += (t - within)[beyond, None] * slopes[np.where(t[beyond] < x[0], 0, x.size - 1)]
    return values
