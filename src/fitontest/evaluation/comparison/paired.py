"""Paired differences of losses: the losses of two calibrators on the same rows are subtracted row by row.

What is hard or easy about a row changes both losses alike. It cancels in the difference, which therefore varies far
less than either loss.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.numerics.norms import l1
from fitontest.numerics.standard_error import mean_and_error
from fitontest.results.typing import FloatArray


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences between two losses, and its standard error.

    With d_i the difference at row i and weights of sum W: mean = sum w d / W, and the standard error is the root of
    sum w_i^2 (d_i - mean)^2 over W (whole weights count rows, so that w_i stands for w_i^2); where rows belong to
    groups that of K / (K - 1) sum_k (sum_{i in k} w_i (d_i - mean))^2. The maps are held fixed: the variation that
    other fitting rows would cause is not included.
    """

    mean: float
    se: float

    @property
    def is_clear(self) -> bool:
        """Whether the mean is positive by more than one standard error."""
        return self.mean > self.se


@dataclass(frozen=True)
class PairedScore:
    """The mean loss of a candidate on some rows, and its paired differences to the best and to the identity there."""

    score: float
    to_best: Difference
    to_identity: Difference

    def to_dict(self, prefix: str = "") -> dict[str, float]:
        """Return the numbers by name."""
        return {
            f"{prefix}score": self.score,
            f"{prefix}to_best": self.to_best.mean,
            f"{prefix}to_best_se": self.to_best.se,
            f"{prefix}to_identity": self.to_identity.mean,
            f"{prefix}to_identity_se": self.to_identity.se,
        }


@dataclass(frozen=True, eq=False)
class PairedLosses:
    """The losses of all candidates on the same rows.

    Attributes
    ----------
    rows : Sample
        On which the losses were computed, in the order of `Sample.present`.
    losses : mapping of str to array
        The loss of each row, by candidate.
    n_parameters : mapping of str to float
        Number of parameters by candidate. Of two equal mean losses, the one with fewer parameters is the better.
    """

    rows: Any
    losses: Mapping[str, FloatArray]
    n_parameters: Mapping[str, float]

    @cached_property
    def means(self) -> dict[str, float]:
        """Mean loss of each candidate."""
        return {name: l1(losses, self.rows.w) for name, losses in self.losses.items()}

    @cached_property
    def best(self) -> str:
        """The candidate of the smallest mean loss: the oracle, where the rows are a test set."""
        return min(self.means, key=lambda name: (self.means[name], self.n_parameters[name]))

    def compute_difference(self, name: str, other: str) -> Difference:
        """Return how much larger the loss of the first candidate is than that of the other."""
        a, b = self.losses[name], self.losses[other]
        if np.array_equal(a, b):
            return Difference(0.0, 0.0)
        groups = self.rows.groups
        codes = None if groups is None else groups.code
        return Difference(*mean_and_error(a - b, self.rows.w, self.rows.w2, codes))

    def compute_score(self, name: str, do_nothing: str) -> PairedScore:
        """Return the mean loss of a candidate and its differences; `do_nothing` is the name of the identity."""
        to_best, to_identity = (self.compute_difference(name, other) for other in (self.best, do_nothing))
        return PairedScore(self.means[name], to_best, to_identity)
