"""The standard error of a plug-in error with the map held fixed.

The l1 error is a weighted mean e = sum w g / W of distances. With the map held fixed, row i moves it by
w_i (g_i - e) / W, and the root of the sum of the squares is its standard error. The squared error is such a mean
too, of g^2; the l2 error is its root, whose standard error is that of the square over twice the root. A maximum is
no mean of rows and has none.
"""

import numpy as np

from fitontest.measures.distances import Distances
from fitontest.typing import FloatArray

ALL_EQUAL = "all distances are equal: with the map held fixed nothing varies, the uncertainty is the map's"
EQUAL_DISTANCES = 1e-9  # relative spread below which distances differ by rounding alone


def map_fixed(distances: Distances, norm: str, *, fitted_here: bool) -> tuple[float | None, str]:
    """Return the standard error and "", or None and the reason why there is none."""
    if norm == "max":
        return None, "the largest distance is not a mean over rows"
    if float(distances.w.sum()) ** 2 <= float(distances.w2.sum()):
        return None, "a single row does not vary"
    g = distances.g if norm == "l1" else distances.g**2
    mean = float(distances.w @ g) / float(distances.w.sum())
    if fitted_here and mean == 0:
        return None, "the map is the identity at every row: the error is 0, and with the map held fixed stays 0"
    if fitted_here and float(np.ptp(g)) <= EQUAL_DISTANCES * mean:
        return None, ALL_EQUAL
    _, error = mean_and_error(g, distances.w, distances.w2)
    if norm != "l2":
        return error, ""
    if mean == 0:
        return None, "the square root has no slope at 0"
    return error / (2.0 * float(np.sqrt(mean))), ""


def mean_and_error(values: FloatArray, w: FloatArray, w2: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and its standard error; w2 are the sums of squared row weights behind the values."""
    total = float(w.sum())
    mean = float(w @ values) / total
    return mean, float(np.sqrt(w2 @ (values - mean) ** 2)) / total
