"""The standard error of a norm of distances with the map held fixed, from the influence that the norm brings.

Row i moves the norm by w_i psi_i / W (see `fitontest.numerics.norms`), and the root of the sum of the squares is its
standard error. A norm without an influence has none.
"""

import numpy as np

from fitontest.numerics.distances import Distances
from fitontest.numerics.norms import Norm, l1
from fitontest.typing import FloatArray

ALL_EQUAL = "all distances are equal: with the map held fixed nothing varies, the uncertainty is the map's"
EQUAL_DISTANCES = 1e-9  # relative spread below which distances differ by rounding alone


def map_fixed(distances: Distances, norm: Norm, *, fitted_here: bool) -> tuple[float | None, str]:
    """Return the standard error and "", or None and the reason why there is none."""
    g, w, w2 = distances.g, distances.w, distances.w2
    if norm.influence is None:
        return None, norm.reason or f"the norm {norm.name!r} brings no influence of single rows"
    if float(w.sum()) ** 2 <= float(w2.sum()):
        return None, "a single row does not vary"
    mean = l1(g, w)
    if fitted_here and mean == 0:
        return None, "the map is the identity at every row: the error is 0, and with the map held fixed stays 0"
    if fitted_here and float(np.ptp(g)) <= EQUAL_DISTANCES * mean:
        return None, ALL_EQUAL
    influence = np.asarray(norm.influence(g, w), dtype=np.float64)
    if influence.shape != g.shape:
        raise ValueError(f"influence must return one number per distance, shape {g.shape}; got {influence.shape}")
    if not np.isfinite(influence).all():
        return None, norm.reason or f"the norm {norm.name!r} has no slope at these distances"
    return standard_error(influence, w, w2), ""


def standard_error(influence: FloatArray, w: FloatArray, w2: FloatArray) -> float:
    """Return the root of sum w2 psi^2 over W; w2 are the sums of squared row weights behind the values."""
    return float(np.sqrt(w2 @ influence**2)) / float(w.sum())


def mean_and_error(values: FloatArray, w: FloatArray, w2: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and its standard error."""
    mean = float(w @ values) / float(w.sum())
    return mean, standard_error(values - mean, w, w2)
