"""The scale on which the knots move: shares of the data instead of scores.

Knots are written t = Q(tau) with 0 <= tau <= 1 and a fixed, increasing, piecewise-linear Q that is close to the
quantile function of the scores. A step of a given size in tau then passes the same amount of data everywhere, be the
scores spread out or all within 1e-6 of 0 and 1.
"""

import numpy as np

from fitontest.families.piecewise.grid import Grid
from fitontest.typing import FloatArray

POINTS = 65  # values of Q, at 0, 1/64, ..., 1
UNIFORM = 0.01  # share of the width of the range in the mass, so that Q increases strictly and has no cliffs


def quantiles(grid: Grid, ends: tuple[float, float] | None) -> FloatArray:
    """Return Q at `POINTS` equally spaced shares.

    Parameters
    ----------
    grid : Grid
    ends : pair of floats or None
        Q(0) and Q(1); None for the range of the data (a unit interval around a single score).
    """
    low, high = ends or (float(grid.x[0]), float(grid.x[-1]))
    if not high > low:
        low, high = low - 0.5, high + 0.5
    inner = grid.x[(grid.x > low) & (grid.x < high)]
    x = np.concatenate(([low], inner, [high]))
    total = grid.total
    # half of a node's mass lies to either side of it: heavy ties make a steep piece, never a jump
    share = np.interp(x, grid.x, np.cumsum(total) - total / 2)
    share -= share[0]
    share = share / share[-1] if share[-1] > 0 else (x - low) / (high - low)
    mixed = (1.0 - UNIFORM) * share + UNIFORM * (x - low) / (high - low)
    return np.interp(np.linspace(0.0, 1.0, POINTS), mixed, x)
