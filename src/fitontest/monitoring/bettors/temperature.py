"""The bettor on a temperature of whole distributions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.bettors.base import Bettor
from fitontest.monitoring.bettors.fixed_share import FixedShare
from fitontest.monitoring.bettors.of_vectors import VectorRound, log_factors_of_rows
from fitontest.typing import FloatArray

TEMPERATURES = np.array([0.5, 0.63, 0.75, 0.87, 1.0, 1.15, 1.33, 1.6, 2.0])
SPREAD = 0.35  # standard deviation of the prior, of the logarithm
UNCHANGED = 0.5  # prior weight of the temperature 1
CHANGED = TEMPERATURES[TEMPERATURES != 1.0]
AT_ONE = int(np.flatnonzero(TEMPERATURES == 1.0)[0])


def _prior() -> FixedShare:
    logs = np.log(TEMPERATURES)
    density = np.exp(-0.5 * (logs / SPREAD) ** 2) * np.gradient(logs)
    density[AT_ONE] = 0.0
    prior = (1.0 - UNCHANGED) * density / density.sum()
    prior[AT_ONE] = UNCHANGED
    return FixedShare.of(prior)


@dataclass(frozen=True, eq=False)
class TemperatureBettor(Bettor[VectorRound]):
    """Bets on q_k = p_k^(1/T) / sum_j p_j^(1/T), by a mixture over nine temperatures T.

    Above 1 the scores are too sure of themselves, below 1 not sure enough.

    Attributes
    ----------
    shares : FixedShare
        The weights of the temperatures.
    """

    kind: ClassVar[str] = "temperature"
    shares: FixedShare

    @classmethod
    def first(cls) -> "TemperatureBettor":
        """Return the bettor before the first batch."""
        return cls(_prior())

    def bet(self, turn: VectorRound) -> tuple[float, "TemperatureBettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""
        gained = np.zeros(CHANGED.size)
        for block in turn.batch.blocks(CHANGED.size):
            gained += log_factors_of_rows(block, turn.null, _log_tempered(block)) @ block.exponents
        gained = np.insert(gained, AT_ONE, 0.0)
        return self.shares.log_mean(gained), replace(self, shares=self.shares.after(gained))

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""
        return {"kind": self.kind, "weights": self.shares.weights.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "TemperatureBettor":
        """Return the bettor of a state that `to_dict` returned."""
        return cls(_prior().at(values["weights"]))


def _log_tempered(block: VectorBatch) -> FloatArray:
    """Return log q of all temperatures but 1, shape (8, m, K); -inf of a class whose score is 0."""
    with np.errstate(divide="ignore"):
        powers = np.log(block.p) / CHANGED[:, None, None]
    return np.asarray(powers - np.log(np.exp(powers).sum(axis=-1, keepdims=True)))
