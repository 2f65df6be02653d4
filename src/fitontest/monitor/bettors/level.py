"""The bettor on a shift of all logits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fitontest.monitor.bettors.base import Bettor, Round
from fitontest.monitor.bettors.factors import log_factors
from fitontest.monitor.bettors.fixed_share import FixedShare

ABOVE = np.array([0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.1, 1.5])
SHIFTS = np.concatenate((-ABOVE[::-1], [0.0], ABOVE))  # logits
SPREAD = 0.5  # standard deviation of the prior, in logits


def _prior() -> FixedShare:
    """Return half of the weight on no shift, and half on the others, as a normal distribution has it."""
    density = np.exp(-0.5 * (SHIFTS / SPREAD) ** 2) * np.gradient(SHIFTS)
    density[SHIFTS == 0.0] = 0.0
    prior = 0.5 * density / density.sum()
    prior[SHIFTS == 0.0] = 0.5
    return FixedShare.of(prior)


@dataclass(frozen=True, eq=False)
class LevelBettor(Bettor):
    """Bets that the logits of all scores are off by one number, by a mixture over 19 such numbers.

    Attributes
    ----------
    shares : FixedShare
        The weights of the numbers.
    """

    kind: ClassVar[str] = "level"
    shares: FixedShare

    @classmethod
    def first(cls) -> "LevelBettor":
        """Return the bettor before the first batch."""
        return cls(_prior())

    def bet(self, turn: Round) -> tuple[float, "LevelBettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""
        gained = log_factors(turn.batch, turn.limits, turn.batch.z + SHIFTS[:, None])
        return self.shares.log_mean(gained), replace(self, shares=self.shares.after(gained))

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""
        return {"kind": self.kind, "weights": self.shares.weights.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "LevelBettor":
        """Return the bettor of a state that `to_dict` returned."""
        first = cls.first()
        return replace(first, shares=first.shares.at(values["weights"]))
