"""What is known of one stream of batches, whatever its batches hold: who bets, the evidence, a record of each batch."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np

from fitontest.monitoring.batches.batch import Batch
from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.bettors.base import Bettor
from fitontest.monitoring.bettors.fixed_share import FixedShare
from fitontest.monitoring.history import Record, onset_of
from fitontest.monitoring.settings import Settings
from fitontest.typing import FloatArray

BatchT = TypeVar("BatchT", Batch, VectorBatch)

UNKNOWN = (None, None)  # an interval whose ends are not known


@dataclass(frozen=True, eq=False)
class Bets:
    """What all bettors made of one batch.

    Attributes
    ----------
    bettors : tuple of Bettor
        As they are after it.
    log_factors : array of shape (K,)
        What each of them gained.
    log_factor : float
        What all of them gained together, by their weights before the batch.
    """

    bettors: tuple[Bettor[Any], ...]
    log_factors: FloatArray
    log_factor: float

    @property
    def by_name(self) -> dict[str, float]:
        """What each bettor gained, by its name."""
        return {bettor.name: float(gain) for bettor, gain in zip(self.bettors, self.log_factors, strict=True)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Stream(ABC, Generic[BatchT]):
    """The evidence of one stream; a batch makes another one of it, and it never changes itself.

    Attributes
    ----------
    bettors : tuple of Bettor
        Those who bet; none before the first batch that has rows.
    shares : FixedShare
        Their weights.
    log_e, log_cusum : float
        The evidence against what is tested, and that since the likeliest onset.
    refuted_by : str or None
        The first labels that the hypothesis has no probability for, in words; the evidence is then infinite.
    refuted_at : int
        The place of their batch among the records.
    records : tuple of Record
        One for each batch.
    """

    bettors: tuple[Bettor[Any], ...] = ()
    shares: FixedShare
    log_e: float = 0.0
    log_cusum: float = 0.0
    refuted_by: str | None = None
    refuted_at: int = -1
    records: tuple[Record, ...] = ()

    def after(self, batch: BatchT, settings: Settings, name: str, time: str | None = None) -> Self:
        """Return the stream with one batch more; one without rows changes no evidence."""
        if not batch.n:
            return self._recorded(batch, settings, name, time)
        started = self if self.bettors else self._started(batch, settings)
        return started._after(batch, settings, name, time)

    @property
    def n(self) -> int:
        """Rows so far."""
        return sum(record.n for record in self.records)

    @property
    def onset(self) -> int | None:
        """The place among the records of the batch since which the evidence has grown most; None where it has not.

        The start of the largest sum of the logarithms of the factors up to now, a point estimate.
        """
        return onset_of([record.log_factor if record.n else None for record in self.records])

    @abstractmethod
    def _started(self, batch: BatchT, settings: Settings) -> Self:
        """Return the stream with bettors that have seen the scores of the first batch."""

    @abstractmethod
    def _after(self, batch: BatchT, settings: Settings, name: str, time: str | None) -> Self:
        """Return the stream with one batch more, which has rows."""

    @abstractmethod
    def _intervals(self, settings: Settings) -> dict[str, Any]:
        """Return level, slope and the lower bound of the mean error as a record has them."""

    def _bets(self, turn: object) -> Bets:
        """Return the bets of all bettors on a batch, by what they are told of it."""
        bets = [bettor.bet(turn) for bettor in self.bettors]
        log_factors = np.array([log_factor for log_factor, _ in bets])
        return Bets(tuple(bettor for _, bettor in bets), log_factors, self.shares.log_mean(log_factors))

    def _grown(self, bets: Bets, log_factor: float, log_e: float, refuted_by: str | None) -> Self:
        """Return the stream with the bets on a batch, its factor, and the evidence and the refutation after it."""
        is_first = self.refuted_by is None and refuted_by is not None
        return replace(
            self,
            bettors=bets.bettors,
            shares=self.shares.after(bets.log_factors),
            log_e=log_e,
            log_cusum=max(self.log_cusum, 0.0) + log_factor,
            refuted_by=refuted_by if is_first else self.refuted_by,
            refuted_at=len(self.records) if is_first else self.refuted_at,
        )

    def _recorded(
        self,
        batch: BatchT,
        settings: Settings,
        name: str,
        time: str | None,
        log_factor: float = 0.0,
        log_factors: Mapping[str, float] | None = None,
        log_gains: Mapping[str, float] | None = None,
    ) -> Self:
        """Return the stream, which is what is known after a batch, with the record of that batch."""
        record = Record(
            batch=name,
            time=time,
            n=batch.n,
            events=batch.events,
            weight=batch.weight,
            expected=batch.expected,
            log_factor=log_factor,
            log_e=self.log_e,
            log_cusum=self.log_cusum,
            log_factors=dict(log_factors or {}),
            log_gains=dict(log_gains or {}),
            left_out=batch.left_out,
            **self._intervals(settings),
        )
        return replace(self, records=(*self.records, record))
