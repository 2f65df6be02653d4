"""The scale on which the knots move: shares of the data instead of scores.

Knots are written t = Q(tau) with 0 <= tau <= 1 and a fixed, increasing, piecewise-linear Q that is close to the
quantile function of the scores. A step of a given size in tau then passes the same amount of data everywhere, be the
scores spread out or all within 1e-6 of 0 and 1.
"""

import numpy as np

from fitontest.families.piecewise.grid import Grid
from fitontest.numerics.links import SAME
from fitontest.results.typing import FloatArray

POINTS = 65  # values of Q, at 0, 1/64, ..., 1
OUTERMOST = 16.0  # logit of an outer knot
UNIFORM = 0.01  # share of the width of the range in the mass, so that Q increases strictly and has no cliffs


def quantiles(grid: Grid, ends: tuple[float, float] | None) -> FloatArray:
    """Return Q at `POINTS` equally spaced shares.

    Parameters
    ----------
    grid : Grid
    ends : pair of floats or None
        Q(0) and Q(1); None for the range of the data within +-16, beyond which outer segments go straight on. (Values
        at knots farther out would have to be so large that their own limit would bound the slopes.)
    """
    low, high = ends or (float(np.clip(grid.x[0], -OUTERMOST, None)), float(np.clip(grid.x[-1], None, OUTERMOST)))
    if ends is None and high - low < 1.0:  # nearly all of the data are out there
        low, high = float(grid.x[0]), float(grid.x[-1])
    if ends is None and high - low < SAME:
        low, high = low - 0.5, high + 0.5
    inner = grid.x[(grid.x > low) & (grid.x < high)]
    x = np.concatenate(([low], inner, [high]))
    total = grid.total
    # half of a node's mass lies to either side of it: heavy ties make a steep piece, never a jump
    share = np.interp(x, grid.x, np.cumsum(total) - total / 2)
    share -= share[0]
    share = share / share[-1] if share[-1] > 0 else (x - low) / (high - low)
    mixed = (1.0 - UNIFORM) * share + UNIFORM * (x - low) / (high - low)
    knots = np.interp(np.linspace(0.0, 1.0, POINTS), mixed, x)
    knots[[0, -1]] = low, high  # shares of subnormal scores may be 0, and then those of several points are
    return knots
