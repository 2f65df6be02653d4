"""Sums of triweight kernels over many points at many places, from prefix sums of powers.

The triweight kernel (1 - u^2)^3 is a polynomial where it is not 0. So the sum over the points in the window of a place
is a polynomial in sums of their powers, and two look-ups give each of these, whatever the number of points.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.prefix_sums import PrefixSums
from fitontest.results.typing import FloatArray, IntArray

CANCELLED = 1e-3  # of the weight in the window: a smaller sum has lost digits, and is added up kernel by kernel


def triweight(u: FloatArray) -> FloatArray:
    """Return (1 - u^2)^3 where |u| < 1, else 0."""
    inside = np.clip(u, -1.0, 1.0)  # first, as the square of a far distance may overflow
    return np.asarray(((1.0 - inside) * (1.0 + inside)) ** 3)


@dataclass(frozen=True, eq=False)
class TriweightSums:
    """Weighted points on a line, in units of the half-width of the kernel.

    Parameters
    ----------
    z : array of shape (G,)
        Increasing points.
    columns : array of shape (G, C)
        Weights, in each of several columns; those of the first are the largest.

    Examples
    --------
    >>> import numpy as np
    >>> sums = TriweightSums(np.array([0.0, 0.5, 2.0]), np.array([[1.0], [2.0], [1.0]]))
    >>> total, weight = sums.at(np.array([0.0, 1.0]))
    >>> total, weight
    (array([[1.84375],
           [0.84375]]), array([3., 2.]))
    >>> sums.one_by_one(1.0)
    array([0.84375])
    """

    z: FloatArray
    columns: FloatArray

    def at(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums at the places, shape (m, C), and the weight in each window, shape (m,).

        Powers are taken of the distance from the middle of unit cells, of which a window reaches into three. An error
        is some 1e-14 of the weight in the window.
        """
        cell = np.floor(self.z)
        v, floor = self.z - (cell + 0.5), np.floor(places)
        low, high = self._window(places)
        cuts = [low, *(np.searchsorted(self.z, edge) for edge in (floor, floor + 1.0)), high]
        cuts = list(np.maximum.accumulate(np.minimum(cuts, high)))
        runs = [(cuts[i], cuts[i + 1], _coefficients(places - (floor + i - 0.5))) for i in range(3)]
        sums = np.zeros((places.size, self.columns.shape[1]))
        weight, moment = np.zeros(places.size), self.columns
        for power in range(7):
            prefix = PrefixSums.of(moment)
            for start, stop, coefficients in runs:
                found = prefix.between(start, stop)
                sums += coefficients[power][:, None] * found
                if power == 0:
                    weight += found[:, 0]
            if power < 6:
                moment = moment * v[:, None]
        return sums, weight

    def one_by_one(self, place: float) -> FloatArray:
        """Return the sums at one place, added up kernel by kernel: to full precision, in time."""
        low, high = self._window(np.array([place]))
        window = slice(int(low[0]), int(high[0]))
        return np.asarray(triweight(self.z[window] - place) @ self.columns[window])

    def _window(self, places: FloatArray) -> tuple[IntArray, IntArray]:
        return np.searchsorted(self.z, places - 1.0, side="right"), np.searchsorted(self.z, places + 1.0)


def _coefficients(a: FloatArray) -> list[FloatArray]:
    """Return the coefficients of the powers of v in (1 - (a - v)^2)^3 = (b + 2 a v - v^2)^3."""
    b, c = (1.0 - a) * (1.0 + a), 2.0 * a
    return [b**3, 3 * b**2 * c, 3 * b * (c**2 - b), c * (c**2 - 6 * b), 3 * (b - c**2), 3 * c, -np.ones(a.size)]
