"""The null hypothesis that another forecast is no better by the Brier score, row by row."""

from dataclasses import dataclass

import numpy as np

from fitontest.monitoring.nulls.base import Limits
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class AnotherForecast:
    """The true rate is at least as near to the score p as to the other forecast q: (c - p)^2 <= (c - q)^2.

    The rates allowed are those on the side of p of the mean (p + q) / 2, which is the nearest of them to every bet on
    the side of q. Where p = q every rate is allowed.

    Attributes
    ----------
    p, other : arrays of shape (n,)
    """

    p: FloatArray
    other: FloatArray

    @property
    def limits(self) -> Limits:
        """The lowest and the highest rate at each row."""
        mean = 0.5 * (self.p + self.other)
        return Limits(np.where(self.other < self.p, mean, 0.0), np.where(self.other > self.p, mean, 1.0))

    def log_factors(self, y: FloatArray, weight: float) -> FloatArray:
        """Return the log factor of each row: log(r / p0) where y is 1, log((1 - r) / (1 - p0)) where it is 0.

        Parameters
        ----------
        y : array of shape (n,)
            Labels; NaN where there is none, with the factor 1.
        weight : float in (0.5, 1]
            That of q in the bet r = weight q + (1 - weight) p. p0 is the rate nearest to r, (p + q) / 2.
        """
        bet = self.p + weight * (self.other - self.p)
        nearest = np.clip(bet, self.limits.low, self.limits.high)
        rates, allowed = (np.where(y > 0.0, rate, 1.0 - rate) for rate in (bet, nearest))
        apart = ~np.isnan(y) & (self.p != self.other)
        with np.errstate(divide="ignore"):
            return np.where(apart, np.log(np.where(apart, rates, 1.0) / np.where(apart, allowed, 1.0)), 0.0)
