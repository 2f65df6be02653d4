"""The evidence of one stream of whole distributions: what is known before a batch, and what after it."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.bettors.class_shift import ClassShiftBettor
from fitontest.monitoring.bettors.fixed_share import FixedShare
from fitontest.monitoring.bettors.identity import IdentityBettor
from fitontest.monitoring.bettors.of_vectors import VectorRound
from fitontest.monitoring.bettors.temperature import TemperatureBettor
from fitontest.monitoring.nulls.of_vectors import VectorNull
from fitontest.monitoring.nulls.tolerance import Exact, Tolerance
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.stream import UNKNOWN, Stream
from fitontest.typing import BoolArray

IDENTITY = 0.3  # prior weight of the bettor that does nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class VectorProcess(Stream[VectorBatch]):
    """The evidence of one stream against its distributions.

    It has what a `Process` has, but for cells and what is made of them: of the past it keeps the weights of bets alone.
    """

    events: ClassVar[None] = None
    lines: ClassVar[None] = None
    before: ClassVar[None] = None
    since: ClassVar[None] = None

    @classmethod
    def first(cls, settings: Settings) -> "VectorProcess":
        """Return the process before the first batch, or refuse a hypothesis of scores alone."""
        vector_null_of(settings)
        return cls(shares=FixedShare.of(np.ones(1), settings.share))

    def _started(self, batch: VectorBatch, settings: Settings) -> "VectorProcess":
        bettors = (IdentityBettor(), TemperatureBettor.first(), ClassShiftBettor.first(batch.n_classes))
        prior = np.array([IDENTITY, *[(1.0 - IDENTITY) / 2] * 2])
        return replace(self, bettors=bettors, shares=FixedShare.of(prior, settings.share))

    def _after(self, batch: VectorBatch, settings: Settings, name: str, time: str | None) -> "VectorProcess":
        null = vector_null_of(settings)
        refuted = batch.of_labels(null.impossible(batch.p))
        bets = self._bets(VectorRound(batch.at(~refuted), null))
        changed = self._grown(bets, bets.log_factor, self.log_e + bets.log_factor, _refutation(refuted, name))
        return changed._recorded(batch, settings, name, time, bets.log_factor, bets.by_name)

    def _intervals(self, settings: Settings) -> dict[str, Any]:  # noqa: ARG002 - none is kept
        return {"level": UNKNOWN, "slope": UNKNOWN, "error_low": None}


def vector_null_of(settings: Settings) -> VectorNull:
    """Return the hypothesis on whole distributions, or refuse one that is of scores alone.

    Raises
    ------
    ValueError
        A largest mean error, or a band of a reference sample.
    """
    if settings.max_error is not None:
        raise ValueError(f"max_error must be left out with reduction='canonical', got {settings.max_error}")
    if not isinstance(settings.null, Exact | Tolerance):
        raise ValueError("reference must be left out with reduction='canonical', got one")
    return VectorNull(settings.null)


def _refutation(refuted: BoolArray, name: str) -> str | None:
    """Return in words the labels that the hypothesis has no probability for; None where there are none."""
    rows = int(refuted.sum())
    return f"{rows:,} row{'s' * (rows > 1)} of a class of score 0 in batch {name}" if rows else None
