"""The bettor on the map of a family that is fitted to the past."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.monitor.bettors.base import Bettor, Round
from fitontest.monitor.bettors.factors import log_factors

TRUST = 0.8  # share of the way from the score to the map, in logits
FARTHEST = 2.0  # logits from the score that a map is followed; a rate of 0 would lose everything by one row


@dataclass(frozen=True)
class FamilyBettor(Bettor):
    """Bets on the map of any registered family, fitted to the discounted cells of the past.

    The bet is q = 1 / (1 + exp(-z - .8 clip(logit m(p) - z, -2, 2))), z = logit p, m the map.

    Attributes
    ----------
    family : str
        The name of the family.
    """

    kind: ClassVar[str] = "family"
    family: str

    @property
    def name(self) -> str:
        """The name of the family."""
        return self.family

    @property
    def families(self) -> tuple[str, ...]:
        """The family on whose map it bets."""
        return (self.family,)

    def bet(self, turn: Round) -> tuple[float, "FamilyBettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""
        z = turn.batch.z
        away = TRUST * np.clip(turn.logits[self.family] - z, -FARTHEST, FARTHEST)
        if not away.any():
            return 0.0, self
        return float(log_factors(turn.batch, turn.limits, (z + away)[None, :])[0]), self

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""
        return {"kind": self.kind, "family": self.family}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "FamilyBettor":
        """Return the bettor of a state that `to_dict` returned."""
        return cls(values["family"])
