"""The evidence of one stream of batches: what is known before a batch, and what after it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fitontest.cells.cell_sums import CellSums
from fitontest.monitoring.batches.batch import Batch
from fitontest.monitoring.bettors.bands import BandBettor
from fitontest.monitoring.bettors.base import Bettor, Round
from fitontest.monitoring.bettors.family import FamilyBettor
from fitontest.monitoring.bettors.fixed_share import FixedShare
from fitontest.monitoring.bettors.identity import IdentityBettor
from fitontest.monitoring.bettors.level import LevelBettor
from fitontest.monitoring.bettors.line import LineBettor
from fitontest.monitoring.capital import ErrorCapital
from fitontest.monitoring.lines.sequence import LineSequence
from fitontest.monitoring.nulls.tolerance import Exact
from fitontest.monitoring.past import OF_PAST, Past
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.stream import UNKNOWN, Stream

IDENTITY, GRIDS = 0.3, 0.42  # prior weights of the bettor that does nothing, and of level, line and bands together


@dataclass(frozen=True, eq=False, kw_only=True)
class Process(Stream[Batch]):
    """The evidence of one stream against its scores.

    Attributes
    ----------
    capital : ErrorCapital
        The evidence against mean errors of at most each of many values.
    lines : LineSequence or None
        The log likelihood of lines of the logits; None before the first batch that has rows.
    past : Past
        Discounted cells, which maps are fitted to.
    before, since : CellSums
        The cells of the batches before the likeliest onset, and since it.
    """

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

    @property
    def events(self) -> int | None:
        """Rows so far that are positive; None of all classes together, of which one is that of the label."""
        events = [record.events for record in self.records if record.n]
        return None if None in events else sum(each or 0 for each in events)

    def _started(self, batch: Batch, settings: Settings) -> "Process":
        bettors: tuple[Bettor[Round], ...] = (
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

    def _intervals(self, settings: Settings) -> dict[str, Any]:
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
