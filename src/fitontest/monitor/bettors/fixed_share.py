"""Weights over several bets that flow back to where they began, so that a late change is found soon."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fitontest.numerics.log_sums import log_sum_exp
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

SHARE = 0.03  # of the weights that goes back to the prior after each batch


@dataclass(frozen=True, eq=False)
class FixedShare:
    """Weights v over K bets, of prior w: v <- (1 - h) v_k F_k / F + h w_k after factors F_k of mean F = sum v_k F_k.

    The product of F is the mixture over all sequences of bets of a Markov prior that switches with probability h
    (Herbster, Warmuth, 1998, https://doi.org/10.1023/A:1007424614876). Its mean is at most 1 if that of each factor is.

    Attributes
    ----------
    prior, weights : arrays of shape (K,)
        Each of sum 1.
    share : float
        h.
    """

    prior: FloatArray
    weights: FloatArray
    share: float = SHARE

    @classmethod
    def of(cls, prior: FloatArray, share: float = SHARE) -> "FixedShare":
        """Return the weights before the first batch."""
        prior = np.asarray(prior, dtype=np.float64)
        return cls(prior / prior.sum(), prior / prior.sum(), share)

    def at(self, weights: Sequence[float] | FloatArray) -> "FixedShare":
        """Return the same prior with weights that were kept."""
        held = np.asarray(weights, dtype=np.float64)
        if held.shape != self.prior.shape or not (np.all(held >= 0.0) and abs(held.sum() - 1.0) < 1e-6):
            raise ValueError(f"weights must be {self.prior.size} numbers, at least 0, of sum 1; got {brief(weights)}")
        return replace(self, weights=held)

    def log_mean(self, log_factors: FloatArray) -> float:
        """Return the logarithm of the mean factor."""
        return float(log_sum_exp(log_factors, self.weights))

    def after(self, log_factors: FloatArray) -> "FixedShare":
        """Return the weights after a batch."""
        kept = self.weights * np.exp(log_factors - self.log_mean(log_factors))
        return replace(self, weights=(1.0 - self.share) * kept + self.share * self.prior)
