"""The evidence of one stream of batches: what is known before a batch, and what after it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import CellSums
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.bettors.bands import BandBettor
from fitontest.monitor.bettors.base import Bettor, Round
from fitontest.monitor.bettors.family import FamilyBettor
from fitontest.monitor.bettors.fixed_share import FixedShare
from fitontest.monitor.bettors.identity import IdentityBettor
from fitontest.monitor.bettors.level import LevelBettor
from fitontest.monitor.bettors.line import LineBettor
from fitontest.monitor.capital import ErrorCapital
from fitontest.monitor.history import Record, onset_of
from fitontest.monitor.lines.sequence import LineSequence
from fitontest.monitor.nulls.rates import Exact
from fitontest.monitor.past import OF_PAST, Past
from fitontest.monitor.settings import Settings
from fitontest.results.typing import FloatArray

IDENTITY, GRIDS = 0.3, 0.42  # prior weights of the bettor that does nothing, and of level, line and bands together
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

    bettors: tuple[Bettor, ...]
    log_factors: FloatArray
    log_factor: float

    @property
    def by_name(self) -> dict[str, float]:
        """What each bettor gained, by its name."""
        return {bettor.name: float(gain) for bettor, gain in zip(self.bettors, self.log_factors, strict=True)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Process:
    """The evidence of one stream against its scores; a batch makes another one of it, and it never changes itself.

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
    capital : ErrorCapital
        The evidence against mean errors of at most each of many values.
    lines : LineSequence or None
        The log likelihood of lines of the logits; None before the first batch that has rows.
    past : Past
        Discounted cells, which maps are fitted to.
    before, since : CellSums
        The cells of the batches before the likeliest onset, and since it.
    """

    bettors: tuple[Bettor, ...] = ()
    shares: FixedShare
    log_e: float = 0.0
    log_cusum: float = 0.0
    refuted_by: str | None = None
    refuted_at: int = -1
    records: tuple[Record, ...] = ()
    capital: ErrorCapital
    lines: LineSequence | None
    past: Past
    before: CellSums
    since: CellSums

    @classmethod
    def first(cls, settings: Settings) -> "Process":
        """Return the process before the first batch."""
        none = CellSums.none()
        capital = ErrorCapital.first(tuple(settings.families), settings.max_error)
        shares = FixedShare.of(np.ones(1), settings.share)
        return cls(shares=shares, capital=capital, lines=None, past=Past.none(), before=none, since=none)

    def after(self, batch: Batch, settings: Settings, name: str, time: str | None = None) -> "Process":
        """Return the process with one batch more; one without rows changes no evidence."""
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

    @property
    def events(self) -> int | None:
        """Rows so far that are positive; None of all classes together, of which one is that of the label."""
        events = [record.events for record in self.records if record.n]
        return None if None in events else sum(each or 0 for each in events)

    def _started(self, batch: Batch, settings: Settings) -> "Process":
        """Return the process with bettors that have seen the scores of the first batch."""
        bettors: tuple[Bettor, ...] = (
            IdentityBettor(),
            LevelBettor.first(),
            LineBettor.first(batch),
            BandBettor.first(batch),
            *(FamilyBettor(family) for family in settings.families),
        )
        prior = np.array([IDENTITY, *[GRIDS / 3] * 3, *settings.families.values()])
        lines = LineSequence.first(batch)
        return replace(self, bettors=bettors, shares=FixedShare.of(prior, settings.share), lines=lines)

    def _after(self, batch: Batch, settings: Settings, name: str, time: str | None) -> "Process":
        """Return the process with one batch more, which has rows."""
        limits = settings.null.limits(batch)
        refuted = limits.contradicted(batch)
        logits = self.past.logits(settings.families, batch)
        bets = self._bets(Round(batch, limits, logits))
        capital = self.capital.after(batch, logits)
        log_factor = bets.log_factor
        log_e = self.log_e + log_factor
        if settings.max_error is not None:
            log_e = capital.log_at(settings.max_error)
            log_factor = log_e - self.log_e
            refuted = np.zeros_like(refuted)  # a mean error has room for any label
        restarted = self.log_cusum <= 0.0  # the last run of CUSUM is over, and this batch begins another one
        pooled = batch.sums.pooled(OF_PAST)
        changed = replace(
            self._grown(bets, log_factor, log_e, _refutation(batch, refuted, name)),
            capital=capital,
            lines=None if self.lines is None else self.lines.after(batch, settings.alpha),
            past=self.past.after(batch),
            before=CellSums.added((self.before, self.since)) if restarted else self.before,
            since=pooled if restarted else CellSums.added((self.since, pooled)),
        )
        return changed._recorded(batch, settings, name, time, log_factor, bets.by_name, _gains(batch, logits))

    def _bets(self, turn: Round) -> Bets:
        """Return the bets of all bettors on a batch, by what they are told of it."""
        bets = [bettor.bet(turn) for bettor in self.bettors]
        log_factors = np.array([log_factor for log_factor, _ in bets])
        return Bets(tuple(bettor for _, bettor in bets), log_factors, self.shares.log_mean(log_factors))

    def _grown(self, bets: Bets, log_factor: float, log_e: float, refuted_by: str | None) -> "Process":
        """Return the process with the bets on a batch, its factor, and the evidence and the refutation after it."""
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
        batch: Batch,
        settings: Settings,
        name: str,
        time: str | None,
        log_factor: float = 0.0,
        log_factors: Mapping[str, float] | None = None,
        log_gains: Mapping[str, float] | None = None,
    ) -> "Process":
        """Return the process, which is what is known after a batch, with the record of that batch."""
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

    def _intervals(self, settings: Settings) -> dict[str, Any]:
        """Return level, slope and the lower bound of the mean error as a record has them."""
        lines = self.lines
        return {
            "level": UNKNOWN if lines is None else lines.level,
            "slope": UNKNOWN if lines is None else lines.slope,
            "error_low": self.capital.lower_bound(settings.alpha),
        }


def _gains(batch: Batch, logits: Mapping[str, Any]) -> dict[str, float]:
    """Return what the map of each family, as it bets, gains in log loss over the scores, summed over the rows."""
    turn = Round(batch, Exact().limits(batch), logits)
    return {family: FamilyBettor(family).bet(turn)[0] for family in logits}


def _refutation(batch: Batch, refuted: Any, name: str) -> str | None:
    """Return in words the labels that the hypothesis has no probability for; None where there are none."""
    if not refuted.any():
        return None
    of_zero = int(batch.sums.rows[refuted & (batch.p < 0.5), 1].sum())
    of_one = int(batch.sums.rows[refuted & (batch.p >= 0.5), 0].sum())
    parts = [(of_zero, "positive", "0"), (of_one, "negative", "1")]
    words = [f"{rows:,} {label} row{'s' * (rows > 1)} of score {score}" for rows, label, score in parts if rows]
    return f"{' and '.join(words)} in batch {name}"
