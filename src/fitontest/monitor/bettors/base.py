"""What bets against the scores of the next batch: the base of all bettors, and what they are told."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.nulls.rates import Limits
from fitontest.results.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Round:
    """What a bettor bets on, and is paid by.

    Attributes
    ----------
    batch : Batch
        Scores and labels. The bet may depend on the scores, and not on the labels.
    limits : Limits
        The rates that the null hypothesis allows.
    logits : mapping from str to array of shape (C,)
        By family: the logits of the rates that its map, fitted to the past, gives the scores.
    """

    batch: Batch
    limits: Limits
    logits: Mapping[str, FloatArray]


class Bettor(ABC):
    """A rule that makes rates of the scores, of what is past; its state changes with every batch."""

    kind: ClassVar[str]

    @property
    def name(self) -> str:
        """What the bettor is called in tables."""
        return self.kind

    @property
    def families(self) -> tuple[str, ...]:
        """The families on whose maps it bets."""
        return ()

    @abstractmethod
    def bet(self, turn: Round) -> tuple[float, "Bettor"]:
        """Return the log factor of a batch, and the bettor that has learnt of it."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON-ready values, the kind among them."""

    @classmethod
    @abstractmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Bettor":
        """Return the bettor of a state that `to_dict` returned."""
