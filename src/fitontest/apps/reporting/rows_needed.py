"""About how many rows would tell what those at hand leave undecided."""

from math import isfinite

import numpy as np

from fitontest.measures.error_limits import ErrorLimit
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval
from fitontest.uncertainty.effective_rows import FEWEST

MOST_TIMES = 100  # the rows at hand, beyond which a number of rows that would tell is of no use
MORE = 1.2  # times the rows at hand, which are said at least to be needed


def rows_needed(estimate: Estimate, interval: Interval, limit: float, persistent: ErrorLimit | None) -> int | None:
    """Return about how many rows would bring the interval and the limit at a resolution off the limit, two digits."""
    times = 0.0 if interval.high <= limit else _times_for_interval(estimate, interval, limit)
    if persistent is not None and persistent.value > max(limit, interval.high):
        times = max(times, _times_for_limit(persistent, limit))
    return rows_for_times(estimate.n, times)


def rows_for_times(n: int, times: float) -> int | None:
    """Return about that many times the rows, two digits; None of more than 100 times as many."""
    if not isfinite(times) or times > MOST_TIMES:
        return None
    rows = max(n * times, MORE * n, FEWEST)
    unit = 10 ** max(len(str(int(rows))) - 2, 0)
    return int(-(-rows // unit) * unit)


def _times_for_interval(estimate: Estimate, interval: Interval, limit: float) -> float:
    """Return how many times the rows bring the end of the interval that reaches over the limit back to it."""
    error = estimate.quoted
    halves = (interval.high - error, error - interval.low)
    half = halves[0] if error <= limit else max(halves)  # the lower end may be cut off at 0
    distance = abs(error - limit)
    return (half / distance) ** 2 if distance > 0 else np.inf


def _times_for_limit(persistent: ErrorLimit, limit: float) -> float:
    """Return how many times the rows bring B to the limit; infinite where the mean square found is above its square.

    The noise of T falls as one over the rows while no error is found, and as one over their root where one is.
    """
    left = limit**2 - max(persistent.square, 0.0)
    if left <= 0.0:
        return np.inf
    ratio = persistent.noise / left
    return MORE * ratio if persistent.square <= persistent.noise else max(ratio**2, MORE)
