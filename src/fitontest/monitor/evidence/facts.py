"""What is known of a stream so far: the numbers that sentences, tables and pictures are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, log
from typing import Any

from fitontest.data.cells.cell_sums import CellSums
from fitontest.data.score_sample import ScoreSample
from fitontest.monitor.evidence.batch_ratios import rarer_of, ratio_of
from fitontest.monitor.evidence.direction import Direction, sample_of
from fitontest.monitor.evidence.numbers import e_value_of
from fitontest.monitor.history import Ends, Record
from fitontest.monitor.process import Process
from fitontest.monitor.settings import Settings
from fitontest.results.several import CLASS, MANY
from fitontest.uncertainty.event_ratio import EventRatio, Rarer
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """What is known of a stream, or of one of its segments, after the last batch.

    The fields are those of `MonitorEvidence`, which says what they are.
    """

    settings: Settings
    process: Process
    log_es: tuple[float, ...]
    segments: Mapping[Any, Any] = field(default_factory=dict)
    named: tuple[Any, ...] = ()
    prior: float = 1.0
    refuted: tuple[str, int] | None = None
    lives: int = 0

    @property
    def alpha(self) -> float:
        """The probability of a false alarm, at any time."""
        return self.settings.alpha

    @property
    def max_error(self) -> float | None:
        """The mean error that is tested, if one is."""
        return self.settings.max_error

    @property
    def log_limit(self) -> float:
        """The evidence of an alarm, as a natural logarithm."""
        return self.settings.log_limit - log(self.prior)

    @property
    def records(self) -> tuple[Record, ...]:
        """What each batch came to, of all rows together."""
        return self.process.records

    @property
    def batches(self) -> list[str]:
        """The names of the batches."""
        return [record.batch for record in self.records]

    @property
    def n(self) -> int:
        """Rows so far."""
        return self.process.n

    @property
    def left_out(self) -> int:
        """Rows that were not counted, since an earlier batch had their groups."""
        return sum(record.left_out for record in self.records)

    @property
    def events(self) -> int | None:
        """Rows so far that are positive; None of several classes together."""
        return None if self.is_by_class else self.process.events

    @property
    def near(self) -> float:
        """How far ratios may be from 1: the tolerance where it is one in ratio, else that of verdicts."""
        null = self.settings.null.in_brief
        return float(null["eps"]) if null.get("unit") == "ratio" else DEFAULT_TOLERANCE.ratio

    @cached_property
    def rarer(self) -> Rarer:
        """The label that is rarer by the scores of the first batch, whose ratio is told."""
        return rarer_of(self.records)

    def ratio_of(self, records: Sequence[Record]) -> EventRatio | None:
        """Return the ratio of batches, of all rows or of a segment, in the label that is rarer of all rows."""
        return ratio_of(records, self.rarer, of_confidence=self.settings.layout.reduction == "confidence")

    @property
    def is_by_class(self) -> bool:
        """Whether segments are classes, each against the rest, so that every row is positive for one of them."""
        return bool(self.segments) and self.settings.layout.keys == CLASS

    @property
    def streams(self) -> "list[Facts]":
        """The parts in which a label is of one kind: of classes each of them, else all rows together."""
        return [*self.segments.values()] if self.is_by_class else [self]

    @property
    def segments_in_words(self) -> str:
        """How many segments or classes there are."""
        many, keys = len(self.segments), self.settings.layout.keys
        return f"{many} {keys if many == 1 else MANY[keys]}"

    @property
    def log_e(self) -> float:
        """The natural logarithm of the evidence now, always finite.

        Where labels are impossible, see `refuted_by`, it is that of all others.
        """
        return self.log_es[-1] if self.log_es else 0.0

    @property
    def e_value(self) -> float:
        """The evidence now; infinite after labels that what is tested rules out."""
        return inf if self.is_infinite else e_value_of(self.log_e)

    @property
    def p_value(self) -> float:
        """A p-value that holds at any time: one over the largest evidence so far."""
        return self.settings.p_value(inf if self.is_infinite else max(self.log_es, default=0.0))

    @property
    def is_infinite(self) -> bool:
        """Whether there were labels that what is tested rules out, such as a positive row of score 0."""
        return self.refuted is not None

    @property
    def refuted_by(self) -> str | None:
        """The first labels that what is tested rules out, in words."""
        return None if self.refuted is None else self.refuted[0]

    @property
    def alarm(self) -> bool:
        """Whether there was an alarm so far."""
        return self.alarm_since is not None

    @property
    def alarm_since(self) -> int | None:
        """The place, from 0, of the batch of the first alarm; None without one. Of a segment, among its own batches."""
        limit = self.log_limit
        first = next((k for k, log_e in enumerate(self.log_es) if log_e >= limit), None)
        if self.refuted is None:
            return first
        return self.refuted[1] if first is None else min(first, self.refuted[1])

    @property
    def level(self) -> Ends:
        """The shifts of the logits that all batches leave open, at all times, if there is one and it never changed.

        An end is None where it is not known; None where no line agrees with all batches.
        """
        return self.records[-1].level if self.records else (None, None)

    @property
    def slope(self) -> Ends:
        """The slopes of the logits that all batches leave open, in the same way."""
        return self.records[-1].slope if self.records else (None, None)

    @property
    def error_low(self) -> float:
        """In at least one batch so far the mean of abs(c - p) over its rows was at least this, c being the true rates.

        It holds at all times with probability 1 - alpha, of all rows together where there are segments. It is no bound
        on the error now, and stays where it is when a model recovers.
        """
        return self.records[-1].error_low if self.records else 0.0

    @property
    def onset(self) -> int | None:
        """The place, from 0, of the batch since which the evidence grew most, a point estimate; None without growth."""
        return self.process.onset

    @property
    def log_cusum(self) -> float:
        """The natural logarithm of the evidence since the likeliest onset.

        It falls while scores are calibrated again, after a strong alarm for long.
        """
        return max(self.process.log_cusum, 0.0)

    @property
    def cusum_alarm(self) -> bool:
        """Whether the evidence since the onset is one that calibrated scores reach once in `run_length` batches."""
        return self.process.log_cusum >= log(self.settings.run_length)

    @property
    def shown_onset(self) -> int | None:
        """The onset where the evidence since then is one of an alarm; else None: calibrated scores have one too."""
        least = min(self.log_limit, log(self.settings.run_length))
        return self.onset if self.log_cusum >= least and (self.alarm or self.cusum_alarm) else None

    @cached_property
    def direction(self) -> Direction | None:
        """What the rows since the onset that is shown say of the direction, as point estimates; None without one."""
        if self.shown_onset is None:
            return None
        return Direction.of(self.process, shared=self._shares_rows)

    @property
    def since(self) -> EventRatio | None:
        """The ratio since the onset that is shown, without an interval: the onset was chosen by the same rows."""
        ratio = None if self.shown_onset is None else self.ratio_of(self.records[self.shown_onset :])
        return None if ratio is None else replace(ratio, interval=None)

    def samples(self) -> dict[str, ScoreSample]:
        """Return the rows before and since the likeliest onset, by name, or without an alarm all rows.

        They are by cell of the score, of 1/32 in probability and in logit.
        """
        before, since, onset = self.process.before, self.process.since, self.shown_onset
        if onset is None:
            sums = CellSums.added((before, since))
            parts = {"all batches": sums}
        else:
            name = self.batches[onset]
            parts = {f"before batch {name}": before, f"since batch {name}": since}
        entries = f"{len(self.segments)} entries a row, " if self.is_by_class else ""
        shared = self._shares_rows
        return {f"{entries}{name}": sample_of(sums, shared=shared) for name, sums in parts.items() if len(sums)}

    @property
    def _shares_rows(self) -> bool:
        """Whether several rows of a group, or entries of a row, count as one row together."""
        return bool(self.settings.layout.groups) or self.is_by_class
