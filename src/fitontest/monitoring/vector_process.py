"""The evidence of one stream of whole distributions: what is known before a batch, and what after it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.bettors.class_shift import ClassShiftBettor
from fitontest.monitoring.bettors.fixed_share import FixedShare
from fitontest.monitoring.bettors.identity import IdentityBettor
from fitontest.monitoring.bettors.of_vectors import VectorBettor, VectorRound
from fitontest.monitoring.bettors.temperature import TemperatureBettor
from fitontest.monitoring.history import Record, Recorded
from fitontest.monitoring.nulls.base import Exact, Tolerance
from fitontest.monitoring.nulls.of_vectors import VectorNull
from fitontest.monitoring.settings import Settings
from fitontest.typing import BoolArray

IDENTITY = 0.3  # prior weight of the bettor that does nothing
UNKNOWN = (None, None)  # of level and slope: no interval is kept


@dataclass(frozen=True, eq=False)
class VectorProcess(Recorded):
    """The evidence of one stream against its distributions; a batch makes another one of it, and it never changes.

    It has what a `Process` has, but for cells and what is made of them: of the past it keeps the weights of bets alone.

    Attributes
    ----------
    bettors : tuple of VectorBettor
        Those who bet; none before the first batch that has rows.
    shares : FixedShare
        Their weights.
    log_e, log_e_max, log_cusum : float
        The evidence against what is tested, the largest so far, and that since the likeliest onset.
    refuted_by : str or None
        The first labels that the hypothesis has no probability for, in words; the evidence is then infinite.
    refuted_at : int
        The place of their batch among the records.
    records : tuple of Record
        One for each batch.
    """

    bettors: tuple[VectorBettor, ...]
    shares: FixedShare
    log_e: float
    log_e_max: float
    log_cusum: float
    refuted_by: str | None
    refuted_at: int
    records: tuple[Record, ...]
    events: ClassVar[None] = None
    lines: ClassVar[None] = None
    before: ClassVar[None] = None
    since: ClassVar[None] = None

    @classmethod
    def first(cls, settings: Settings) -> "VectorProcess":
        """Return the process before the first batch, or refuse a hypothesis of scores alone."""
        vector_null_of(settings)
        return cls((), FixedShare.of(np.ones(1), settings.share), 0.0, 0.0, 0.0, None, -1, ())

    def after(self, batch: VectorBatch, settings: Settings, name: str, time: str | None = None) -> "VectorProcess":
        """Return the process with one batch more; one without rows changes no evidence."""
        if not batch.n:
            return replace(self, records=(*self.records, self._record(batch, name, time)))
        started = self if self.bettors else self._started(batch.n_classes, settings)
        return started._after(batch, settings, name, time)

    def _started(self, n_classes: int, settings: Settings) -> "VectorProcess":
        bettors = (IdentityBettor(), TemperatureBettor.first(), ClassShiftBettor.first(n_classes))
        prior = np.array([IDENTITY, *[(1.0 - IDENTITY) / 2] * 2])
        return replace(self, bettors=bettors, shares=FixedShare.of(prior, settings.share))

    def _after(self, batch: VectorBatch, settings: Settings, name: str, time: str | None) -> "VectorProcess":
        null = vector_null_of(settings)
        refuted = batch.of_labels(null.impossible(batch.p))
        bets = [bettor.bet(VectorRound(batch.at(~refuted), null)) for bettor in self.bettors]
        log_factors = np.array([factor for factor, _ in bets])
        log_factor = self.shares.log_mean(log_factors)
        changed = replace(
            self,
            bettors=tuple(bettor for _, bettor in bets),
            shares=self.shares.after(log_factors),
            log_e=self.log_e + log_factor,
            log_e_max=max(self.log_e_max, self.log_e + log_factor),
            log_cusum=max(self.log_cusum, 0.0) + log_factor,
            refuted_by=self.refuted_by or _refutation(refuted, name),
            refuted_at=len(self.records) if self.refuted_by is None and refuted.any() else self.refuted_at,
        )
        by_name = {bettor.name: float(factor) for bettor, factor in zip(self.bettors, log_factors, strict=True)}
        record = changed._record(batch, name, time, log_factor, by_name)
        return replace(changed, records=(*self.records, record))

    def _record(
        self,
        batch: VectorBatch,
        name: str,
        time: str | None,
        log_factor: float = 0.0,
        log_factors: Mapping[str, float] | None = None,
    ) -> Record:
        """Return what a batch came to, `self` being the process after it."""
        return Record(
            batch=name,
            time=time,
            n=batch.n,
            events=None,
            weight=float(batch.exponents.sum()),
            expected=None,
            log_factor=log_factor,
            log_e=self.log_e,
            log_e_max=self.log_e_max,
            log_cusum=self.log_cusum,
            log_factors=dict(log_factors or {}),
            log_gains={},
            level=UNKNOWN,
            slope=UNKNOWN,
            error_low=None,
            left_out=batch.left_out,
        )


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
