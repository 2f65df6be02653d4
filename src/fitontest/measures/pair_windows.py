r"""The pair statistic: how alike the residuals of neighbouring rows are, at every scale of the scores.

    T_s = (1 / W) sum_i w_i r_i (sum_j w_j r_j) / (sum_j w_j)        over the rows j != i within s ranks of row i

A row without a near one adds 0. Of unequal weights, whose ranks are apart by more than one, W is the weight of the rows
that have a near one. No row is paired with itself, so that T_s is 0 on average where r_i = y_i - c_i and c_i is the
probability of row i. Where the residual has the mean d_i, T_s is on average the mean of d_i times the mean of d near i:
of a d that is level over the window the mean square. Tied rows share a rank, the middle one, so that no order among
them is needed.

Of rows whose labels vary with v_i, the same with masses m_i = w_i v_i: ranks are cumulated masses, so that windows hold
as much information each, of rare events as many events, and

    T_s = (1 / M) sum_i w_i r_i (sum_j w_j r_j) / (sum_j m_j)

is on average the mean of (d / v)^2 over the masses. Its noise is the same everywhere, while that of d^2 over the rows
is nearly that of the rows with the largest scores alone, where events are rare.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray, IntArray

LEAST_TIED = 0.05  # share of rows that share their score, from which pairs within a score have a scale of their own
WIDEST = 8  # the largest window reaches over a part of the rows of at most two in this
ROUNDING = 1e-10  # of ranks, relative to all rows: equal weights must have the windows of rows
SOFT = 0.25  # of the variance of a sum of near residuals, below which its square tells no direction
NEXT = 1.0  # ranks over which rows are near whatever their masses, so that none of much mass is without a near one


@dataclass(frozen=True, eq=False)
class PairWindows:
    """The neighbours of sorted scores at scales 0, 1, 2, 4, ...: what the statistic needs of the scores alone.

    Attributes
    ----------
    n : int or float array of shape (u,)
        Rows behind each unit, which share a score and a weight. Units stand in the order of their scores.
    each : array of shape (u,)
        The weight of each of these rows.
    mass : array of shape (u,)
        The mass of each of these rows, by which windows are measured: its weight, or that times how its label varies.
    scales : float array of shape (R,)
        Reach of each scale in ranks; 0 pairs the rows of one score alone.
    low, high : int arrays of shape (R, u)
        The units low, ..., high - 1 are near.
    rows : float
        How many rows of equal mass tell as much as all together.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.1, 0.2, 0.3, 0.5, 0.5, 0.5])
    >>> windows = PairWindows.of(p, np.ones(6), np.ones(6))
    >>> windows.scales, windows.statistics(np.array([[0], [0], [1], [1], [0], [1]]), p).round(4)
    (array([0., 1.]), array([[-0.0417],
           [-0.0717]]))
    """

    n: FloatArray
    each: FloatArray
    mass: FloatArray
    scales: FloatArray
    low: IntArray
    high: IntArray
    rows: float

    @classmethod
    def of(cls, p: FloatArray, n: FloatArray, each: FloatArray, variance: FloatArray | None = None) -> "PairWindows":
        """Return the windows of units in the order of their scores.

        Parameters
        ----------
        p : array of shape (u,)
            Non-decreasing scores.
        n, each : arrays of shape (u,)
            Rows behind each unit, and the weight of each of them.
        variance : array of shape (u,), optional
            v, how the label of each of them varies; by default all are the same.
        """
        mass = each if variance is None else each * variance
        first = np.flatnonzero(np.concatenate(([True], p[1:] != p[:-1])))
        score = np.repeat(np.arange(first.size), np.diff(first, append=p.size))
        count = np.add.reduceat(n, first)
        rows, middle = _ranks(n, mass, first)
        nexts = [] if variance is None else [_within(_ranks(n, each, first)[1], NEXT + ROUNDING * rows)]
        start, end = first, np.append(first[1:], p.size)
        scales: list[float] = []
        low: list[IntArray] = []
        high: list[IntArray] = []
        for scale in _scales(rows, bool(count[count > 1].sum() >= LEAST_TIED * count.sum()), first.size):
            reach = scale + ROUNDING * rows if scale else 0.0
            least, most = _within(middle, reach)
            for before, after in nexts if scale else []:
                least, most = np.minimum(least, before), np.maximum(most, after)
            window = start[least][score], end[most - 1][score]
            if low and np.array_equal(window[0], low[-1]) and np.array_equal(window[1], high[-1]):
                continue
            scales.append(scale)
            low.append(window[0])
            high.append(window[1])
        bounds = np.int32 if p.size < 2**31 else np.intp  # there may be twenty scales of many units
        return cls(n, each, mass, np.array(scales), np.array(low, dtype=bounds), np.array(high, dtype=bounds), rows)

    def statistics(self, positives: IntArray, c: FloatArray) -> FloatArray:
        """Return T_s at every scale for several labellings, shape (R, B).

        Parameters
        ----------
        positives : int array of shape (u, B)
            How many of the rows of each unit are positive.
        c : array of shape (u,) or (u, B)
            The probabilities that the labels are compared with.
        """
        return self._statistics(positives, c, slice(None))

    def statistic(self, positives: IntArray, c: FloatArray, scale: int) -> FloatArray:
        """Return T_s at one scale, by its place, for several labellings, shape (B,)."""
        return np.asarray(self._statistics(positives, c, slice(scale, scale + 1))[0])

    def directed(self, positives: IntArray, c: FloatArray, scale: int) -> FloatArray:
        """Return the mean residual of rows in the direction of those near them, at one scale, shape (B,).

        It is (1 / W) sum_i w_i r_i S_i / sqrt(S_i^2 + V_i / 4) with S_i = sum_j w_j r_j over the rows j != i near row i
        and V_i about its variance if labels are of c: on average the mean of |d|, as far as the rows near each one tell
        its sign. The sign of S_i alone would turn with a single row where S_i is near 0.
        """
        rows, n, each = self.n * self.each, self.n[:, None], self.each[:, None]
        mean = float(rows @ (c * (1.0 - c)) / (rows @ self.variance))
        noise = SOFT * mean * self._near(rows * self.mass, scale)[:, None]
        c = c[:, None]
        near = self._cumulative(each * (positives - n * c))
        near = near[self.high[scale]] - near[self.low[scale]]
        values = positives * (1.0 - c) * _soft_sign(near - each * (1.0 - c), noise)
        values -= (n - positives) * c * _soft_sign(near + each * c, noise)
        near_any = self._inverse[scale] > 0.0
        return np.asarray((self.each * near_any) @ values / (self.n @ self.each))

    def _statistics(self, positives: IntArray, c: FloatArray, which: slice) -> FloatArray:
        c = c if c.ndim == 2 else c[:, None]
        n, each = self.n[:, None], self.each[:, None]
        sums = each * (positives - n * c)  # of w r over the rows of a unit
        squares = each * each * (positives * (1.0 - 2.0 * c) + n * c * c)
        total = self._cumulative(sums)
        shares = self._inverse[which]
        values = -(shares @ squares)
        for place, (low, high, share) in enumerate(zip(self.low[which], self.high[which], shares, strict=True)):
            near = total[high]
            near -= total[low]
            near *= sums
            values[place] += share @ near
        return np.asarray(values / self._weights[which, None])

    def means(self, d: FloatArray) -> FloatArray:
        """Return the mean of each unit's d times the mean of d near it, at every scale, shape (R,).

        It is the mean of T_s where the residuals of the rows have the means d.
        """
        sums, squares = self.n * self.each * d, self.n * self.each**2 * d * d
        each_scale = (self._inverse[k] @ (self._near(sums, k) * sums - squares) for k in range(self.scales.size))
        return np.array([float(value) for value in each_scale]) / self._weights

    def deviations(self, c: FloatArray, d: FloatArray | None = None) -> FloatArray:
        """Return the standard deviation of T_s at every scale, shape (R,), for labels drawn from c.

        Parameters
        ----------
        c : array of shape (u,)
            The probabilities of the labels.
        d : array of shape (u,), optional
            c less the probabilities that labels are compared with; by default 0.

        Notes
        -----
        Exact. With e = y - c the statistic is a sum of e_i e_j over pairs and of e_i times a number; these terms are
        uncorrelated.
        """
        return np.array([np.sqrt(max(self._variance(c, d, k), 0.0)) for k in range(self.scales.size)]) / self._weights

    def _variance(self, c: FloatArray, d: FloatArray | None, scale: int) -> float:
        share, own = self._inverse[scale], self.each**2 * c * (1.0 - c)  # variance of w e of one row
        variance = self.n * own
        near, shared = self._near(variance, scale) - own, self._near(variance * share, scale) - own * share
        total = float(variance @ (share * (share * near + shared)))
        if d is not None:
            one, sums = self.each * d, self.n * self.each * d
            line = share * (self._near(sums, scale) - one) + self._near(sums * share, scale) - one * share
            total += float(variance @ line**2)
        return total

    def local_means(self, r: FloatArray, variance: FloatArray, scale: int) -> tuple[FloatArray, FloatArray]:
        """Return the mean of r / v near each unit, itself among them, at one scale, and the variance of that mean.

        It is by masses: the sum of w r by that of m. A unit that is alone with its only row has the mean 0.

        Parameters
        ----------
        r : array of shape (u,)
            The mean residual of each unit.
        variance : array of shape (u,)
            The variance of the residual of one of its rows.
        scale : int
            The place of the scale.
        """
        w, weight = self.n * self.each, self._near(self.n * self.mass, scale)
        mean = self._near(w * r, scale) / weight
        alone = self._inverse[scale] == 0.0
        return np.where(alone, 0.0, mean), self._near(w * self.each * variance, scale) / weight**2

    def root_mean_square(self, d: FloatArray) -> float:
        """Return the root of the mean of (d / v)^2 over the masses, on average that of T_s of a d that is level."""
        return float(np.sqrt(self.n @ ((self.each * d) ** 2 / self.mass) / (self.n @ self.mass)))

    @cached_property
    def variance(self) -> FloatArray:
        """How the label of each row varies, v, shape (u,)."""
        return self.mass / self.each

    @cached_property
    def paired(self) -> BoolArray:
        """Whether any row has a near one, at each scale, shape (R,)."""
        return np.asarray((self._inverse > 0.0).any(axis=1))

    @cached_property
    def _weights(self) -> FloatArray:
        """What sums are divided by, shape (R,): the mass of the rows, of unequal masses of those with a near one.

        Ranks of unequal weights are apart by more than one, so that heavy rows have no near one at small scales.
        """
        w = self.n * self.mass
        every = np.full(self.scales.size, float(w.sum()))
        if self.mass.min() == self.mass.max():
            return every
        near = np.array([float(w[share > 0.0].sum()) for share in self._inverse])
        return np.where((self.scales == 0.0) | (near == 0.0), every, near)

    @cached_property
    def _inverse(self) -> FloatArray:
        """One over the mass of the other rows near a row, shape (R, u); 0 where there are none."""
        w = self._cumulative(self.n * self.mass)
        count = self._cumulative(self.n)
        others = np.array([w[high] - w[low] - self.mass for low, high in zip(self.low, self.high, strict=True)])
        alone = np.array([count[high] - count[low] for low, high in zip(self.low, self.high, strict=True)]) < 1.5
        return np.asarray(np.divide(1.0, others, out=np.zeros_like(others), where=~alone & (others > 0.0)))

    def _near(self, column: FloatArray, scale: int) -> FloatArray:
        """Return the sum over the window of each unit, shape (u,)."""
        total = self._cumulative(column)
        return np.asarray(total[self.high[scale]] - total[self.low[scale]])

    @staticmethod
    def _cumulative(columns: FloatArray) -> FloatArray:
        """Return the sums of the units before each one, with one row more than there are units."""
        sums = np.zeros((columns.shape[0] + 1, *columns.shape[1:]))
        np.cumsum(columns, axis=0, out=sums[1:])
        return sums


def _soft_sign(sums: FloatArray, noise: FloatArray) -> FloatArray:
    """Return the sign of sums, as far as they are clear of noise of a variance."""
    root = np.sqrt(sums**2 + noise)
    return np.divide(sums, root, out=np.zeros_like(sums), where=root > 0.0)


def _ranks(n: FloatArray, mass: FloatArray, first: IntArray) -> tuple[float, FloatArray]:
    """Return the effective number of rows, and the middle rank of each score, shape (G,)."""
    masses = n * mass
    total, of_score = float(masses.sum()), np.add.reduceat(masses, first)
    rows = float(total**2 / (masses * mass).sum())
    return rows, (np.cumsum(of_score) - of_score / 2.0) * (rows / total)


def _within(middle: FloatArray, reach: float) -> tuple[IntArray, IntArray]:
    """Return between which scores, the second not among them, those lie whose ranks are within reach of each one."""
    return np.searchsorted(middle, middle - reach), np.searchsorted(middle, middle + reach, side="right")


def _scales(rows: float, tied: bool, scores: int) -> list[float]:
    """Return the scales that are looked at; those whose windows are the same are left out later."""
    if scores == 1:
        return [0.0]
    scales = [0.0] if tied else []
    scale = 1.0
    while scale <= max(rows / WIDEST * (1.0 + ROUNDING), 1.0):
        scales.append(scale)
        scale *= 2.0
    return scales
