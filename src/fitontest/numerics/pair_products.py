"""Correlations from products of residuals of pairs of rows that belong to one group, without a loop over pairs.

Two labels are 1 where correlated normal numbers lie below q_i = Phi^-1(g_i) and q_j. The mean product of their
residuals is Phi2(q_i, q_j; rho) - g_i g_j, which the tetrachoric series writes as a sum over powers of rho:

    Phi2(q_i, q_j; rho) - g_i g_j = sum_{l >= 1} rho^l psi_l(q_i) psi_l(q_j),
    psi_l = phi a_l,   a_1 = 1,   a_l = (q a_{l-1} - (l - 2) / sqrt(l - 1) a_{l-2}) / sqrt(l)

so that the sum over all pairs of a group is a square of sums less a sum of squares.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from fitontest.results.typing import FloatArray, IntArray

TERMS = 24  # of the series
MORE_TERMS = 60  # where the correlation is above `STRONG`
STRONG = 0.5
LARGEST = 0.95  # correlation that is looked for
CUT = 1e-12  # of probabilities, whose quantiles are finite then
STEPS = 60  # of the bisection


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of different rows of one group, of entries that stand for n rows of equal weight each.

    Parameters
    ----------
    code : int array of shape (m,)
        The group of each entry, from 0 to K - 1.
    each : array of shape (m,)
        The weight of each row behind an entry.
    n : int array of shape (m,)
        Rows behind each entry.
    """

    code: IntArray
    each: FloatArray
    n: IntArray

    @property
    def size(self) -> int:
        """K."""
        return int(self.code.max()) + 1

    @property
    def several(self) -> int:
        """Groups of at least two rows."""
        return int(np.count_nonzero(np.bincount(self.code, self.n) > 1))

    def products(self, sums: FloatArray, squares: FloatArray) -> FloatArray:
        """Return the sum over the pairs of each group of w_i x_i w_j x_j, shape (K,).

        Parameters
        ----------
        sums, squares : arrays of shape (m,)
            Sum of x and of x^2 over the rows of each entry.
        """
        total = np.bincount(self.code, self.each * sums, self.size)
        return np.asarray(total**2 - np.bincount(self.code, self.each**2 * squares, self.size))

    def products_of(self, x: FloatArray) -> FloatArray:
        """Return these sums of a number that all rows of an entry share."""
        return self.products(self.n * x, self.n * x * x)

    def residual_products(self, positives: IntArray, g: FloatArray, h: FloatArray | float = 1.0) -> FloatArray:
        """Return these sums of h times the residual y - g."""
        sums = h * (positives - self.n * g)
        return self.products(sums, h * h * self._squares(positives, g))

    def squares_of_residuals(self, positives: IntArray, g: FloatArray) -> FloatArray:
        """Return the sum over the rows of each group of (w (y - g))^2, shape (K,)."""
        return np.asarray(np.bincount(self.code, self.each**2 * self._squares(positives, g), self.size))

    def _squares(self, positives: IntArray, g: FloatArray) -> FloatArray:
        """Return the sum of (y - g)^2 over the rows of each entry."""
        return positives * (1.0 - 2.0 * g) + self.n * g * g


@dataclass(frozen=True)
class PairCorrelation:
    """The latent correlation of labels of a group, with its standard error over the groups."""

    rho: float
    se: float
    at_limit: bool


def latent_correlation(pairs: Pairs, positives: IntArray, g: FloatArray) -> PairCorrelation:
    """Return the correlation under which products of residuals are on average as large as they are.

    It is 0 where they are negative on average, and .95 where no correlation makes them as large.

    Parameters
    ----------
    pairs : Pairs
    positives : int array of shape (m,)
        How many of the rows behind each entry are positive.
    g : array of shape (m,)
        Their probabilities.

    Notes
    -----
    The standard error is sqrt(K / (K - 1) sum_k (A_k - B_k(rho))^2) / B'(rho), with A_k the products of a group and
    B_k(rho) their mean.

    References
    ----------
    Emrich, Piedmonte (1991), A method for generating high-dimensional multivariate binary variates, The American
    Statistician 45. https://doi.org/10.1080/00031305.1991.10475828

    Examples
    --------
    >>> import numpy as np
    >>> code = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3])
    >>> y = np.array([0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0])
    >>> g = np.array([0.2, 0.5, 0.7, 0.1, 0.3, 0.2, 0.9, 0.6, 0.4, 0.05, 0.5, 0.3])
    >>> pairs = Pairs(code, np.ones(12), np.ones(12, dtype=int))
    >>> print(round(latent_correlation(pairs, y, g).rho, 6))
    0.110795
    """
    observed = pairs.residual_products(positives, g)
    found = _solve(pairs, observed, g, TERMS)
    return found if found.rho <= STRONG else _solve(pairs, observed, g, MORE_TERMS)


def _solve(pairs: Pairs, observed: FloatArray, g: FloatArray, terms: int) -> PairCorrelation:
    coefficients = np.array([pairs.products_of(psi) for psi in series(g, terms)])
    total, by_power = float(observed.sum()), coefficients.sum(axis=1)
    powers = np.arange(1, terms + 1)

    def mean_at(rho: float) -> float:
        return float(by_power @ rho**powers)

    low, high = 0.0, LARGEST
    at_limit = total >= mean_at(LARGEST) > 0.0
    if total <= 0.0 or not mean_at(LARGEST) > 0.0:
        high = 0.0
    elif at_limit:
        low = LARGEST
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if mean_at(middle) < total else (low, middle)
    rho = (low + high) / 2.0
    slope = float(by_power @ (powers * rho ** (powers - 1.0)))
    size = pairs.several
    if size < 2 or not slope > 0.0:
        return PairCorrelation(rho, np.inf, at_limit)
    missed = observed - coefficients.T @ rho**powers
    return PairCorrelation(rho, float(np.sqrt(size / (size - 1.0) * (missed @ missed))) / slope, at_limit)


def labels_agree(pairs: Pairs, positives: IntArray, g: FloatArray) -> bool:
    """Return whether labels of a group differ as seldom as under a correlation of .95, the largest looked for.

    Two labels agree with probability 1/2 + 2 E (y_i - 1/2) (y_j - 1/2). Products of residuals are large also where a
    group has far more positives than its scores say, among labels that differ; that of a few groups is chance.

    Parameters
    ----------
    pairs, positives, g
        As for `latent_correlation`.
    """
    observed = float(pairs.products(positives - pairs.n / 2.0, pairs.n / 4.0).sum())
    mean = sum(
        LARGEST**power * float(pairs.products_of(psi).sum()) for power, psi in enumerate(series(g, MORE_TERMS), 1)
    )
    return observed >= float(pairs.products_of(g - 0.5).sum()) + mean


def series(g: FloatArray, terms: int) -> Iterator[FloatArray]:
    """Yield psi_1, psi_2, ... at the quantiles of the probabilities g."""
    q = ndtri(np.clip(g, CUT, 1.0 - CUT))
    density = np.exp(-0.5 * q * q) / np.sqrt(2.0 * np.pi)
    before, now = np.zeros_like(q), np.ones_like(q)
    for power in range(1, terms + 1):
        yield density * now
        following = (q * now - (power - 1.0) / np.sqrt(power) * before) / np.sqrt(power + 1.0)
        before, now = now, following


def intercept_and_slope(pairs: Pairs, positives: IntArray, g: FloatArray, h: FloatArray) -> tuple[float, float]:
    """Return rho0 and rho1 of E r_i r_j = phi_i phi_j (rho0 + rho1 h_i h_j), to first order, at least 0.

    Parameters
    ----------
    pairs : Pairs
    positives, g
        As for `latent_correlation`.
    h : array of shape (m,)
        What the slope is of.
    """
    (density,) = series(g, 1)
    one = float(pairs.residual_products(positives, g).sum())
    two = float(pairs.residual_products(positives, g, h).sum())
    a, b, c = (float(pairs.products_of(density * h**power).sum()) for power in (0, 1, 2))
    if not a > 0.0:
        return 0.0, 0.0
    alone = max(one / a, 0.0)
    determinant = a * c - b * b
    first, second = alone, 0.0
    if c > 0.0 and determinant > 1e-9 * a * c:
        first, second = (c * one - b * two) / determinant, (a * two - b * one) / determinant
        if second < 0.0:
            first, second = alone, 0.0
        elif first < 0.0:
            first, second = 0.0, max(two / c, 0.0)
    return first, second
