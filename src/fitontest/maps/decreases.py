"""Where a calibration map decreases, so that it changes the order of scores."""

import numpy as np

from fitontest.maps.base import CalibrationMap
from fitontest.numerics.links import sigmoid
from fitontest.results.typing import FloatArray

TOLERANCE = 1e-9  # a smaller fall is rounding, or too small to matter
SPACED = np.linspace(0.0, 1.0, 1001)
SHARP = sigmoid(np.linspace(-36.0, 36.0, 721))  # next to 0 and 1, where scores may stand densely


def find_decreases(fitted: CalibrationMap) -> list[tuple[float, float]]:
    """Return the intervals of scores on which a map decreases, from left to right.

    The map is evaluated, clipped to [0, 1], at its bends, at the edges of its bins and on a grid that is equally spaced
    both in the score and in its logit. Polygons, bins and steps are therefore judged exactly. An interval ends at
    points of this evaluation; at a jump its ends are neighbouring floats.

    Parameters
    ----------
    fitted : CalibrationMap

    Returns
    -------
    intervals : list of (float, float)
        Empty for a map that never decreases.

    Examples
    --------
    >>> from fitontest.maps import KnotsMap
    >>> find_decreases(KnotsMap([0.0, 0.25, 0.5, 1.0], [0.1, 0.4, 0.2, 0.9]))
    [(0.25, 0.5)]
    >>> find_decreases(KnotsMap([0.0, 1.0], [0.1, 0.9]))
    []
    """
    at = _list_points(fitted)
    values = np.clip(fitted.evaluate(at), 0.0, 1.0)
    falls = np.diff(values) < 0
    turns = np.flatnonzero(np.diff(falls, prepend=False, append=False))
    runs = turns.reshape(-1, 2)
    return [(float(at[start]), float(at[stop])) for start, stop in runs if values[start] - values[stop] > TOLERANCE]


def _list_points(fitted: CalibrationMap) -> FloatArray:
    """Return the scores to evaluate a map at, in increasing order."""
    edges = np.empty(0) if fitted.partition is None else fitted.partition.edges
    beside = np.nextafter(edges, [[0.0], [1.0]]).ravel()  # a bin is open at one of its ends
    points = np.concatenate((SPACED, SHARP, fitted.kinks, edges, beside))
    return np.unique(np.clip(points, 0.0, 1.0))
