"""Distances between distributions over K classes: how far a prediction is from what it should be, row by row.

With rows p and q on the simplex: total variation is sum_k |p_k - q_k| / 2, cityblock twice that, squared Euclidean
sum_k (p_k - q_k)^2. Of two classes total variation is |p - q| of the positive one, as in all two-class errors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.results.registry import Registry, find_value, register_value
from fitontest.results.typing import FloatArray

DEFAULT_DISTANCE = "total_variation"  # between distributions


@dataclass(frozen=True)
class Distance:
    """How far two sets of probabilities over classes are apart, row by row of two matrices.

    Parameters
    ----------
    name : str
        What it is called in prints and by ``distance=``.
    value : callable
        ``value(p, q)``: the distances, of shape (m,), between the rows of two arrays of shape (m, K). A function d of
        one pair of rows is wrapped, as ``lambda P, Q: [d(p, q) for p, q in zip(P, Q)]``.

    Raises
    ------
    ValueError
        When called: the function does not return a finite number for each row.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> largest = fot.distances.Distance("largest", lambda p, q: abs(p - q).max(axis=1))
    >>> largest(np.array([[0.5, 0.3, 0.2]]), np.array([[0.2, 0.3, 0.5]]))
    array([0.3])
    """

    name: str
    value: Callable[[FloatArray, FloatArray], Any]

    def __str__(self) -> str:
        return self.name

    def __call__(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Return the distances between the rows, which must be finite numbers, a row each."""
        found = np.asarray(self.value(p, q))
        fits = found.shape == p.shape[:1]
        if fits and p.shape[0] == p.shape[1]:  # as many rows as columns: a number for each of which?
            fits = np.shape(self.value(p[:1], q[:1])) == (1,)
        if not fits or found.dtype.kind not in "fiu" or not np.isfinite(found).all():
            got = repr(found.tolist()) if found.size <= 1 else f"an array of shape {found.shape}, {found.dtype}"
            raise ValueError(
                f"distance must return one finite number for each of the {p.shape[0]} rows of two matrices, got {got}; "
                "wrap a function d of one pair of rows as lambda P, Q: [d(p, q) for p, q in zip(P, Q)]"
            )
        return found.astype(np.float64, copy=False)


def total_variation(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return half the sum of |p_k - q_k| of each row."""
    return np.asarray(0.5 * cityblock(p, q))


def cityblock(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the sum of |p_k - q_k| of each row."""
    return np.asarray(np.abs(p - q).sum(axis=1))


def squared_euclidean(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the sum of (p_k - q_k)^2 of each row."""
    difference = p - q
    return np.asarray(np.einsum("ik,ik->i", difference, difference))


registry: Registry[Distance, Distance] = Registry("distance", Distance, values=True)
unregister = registry.unregister
names = registry.names
make = registry.make


def register(distance: Distance) -> Distance:
    """Make a distance available under its name, wherever a function takes ``distance=``.

    Parameters
    ----------
    distance : Distance
        The distance, whose ``name`` is not that of another one.

    Returns
    -------
    Distance
        The same distance.

    Raises
    ------
    TypeError
        `distance` is no `Distance`.
    ValueError
        The name is taken.

    Examples
    --------
    >>> import fitontest as fot
    >>> largest = fot.distances.register(fot.distances.Distance("largest", lambda p, q: abs(p - q).max(axis=1)))
    >>> P, y = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]] * 10, [0, 2, 1, 2] * 5
    >>> round(float(fot.gce(y, P, reduction="canonical", distance="largest")), 12)
    0.2
    >>> fot.distances.unregister("largest")
    """
    return register_value(registry, distance, "distance")


for _distance in (total_variation, cityblock, squared_euclidean):
    register(Distance(_distance.__name__, _distance))


def find_distance(distance: object) -> Distance:
    """Return the distance that a name, a `Distance` or a callable ``distance(p, q)`` means."""
    return find_value(registry, distance, "distance", Distance)
