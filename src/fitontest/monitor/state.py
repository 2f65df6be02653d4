"""What a monitor knows: the evidence of all rows and of each segment, and which batches it has seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, log
from typing import Any

import numpy as np

from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.batches.seen_groups import NO_GROUPS, Digests, joined
from fitontest.monitor.history import Record
from fitontest.monitor.process import Process
from fitontest.monitor.segments import list_segments, log_mean_of_segments, prior_weights
from fitontest.monitor.settings import Settings
from fitontest.results.several import CLASS
from fitontest.results.typing import FloatArray

TOGETHER = 0.5  # prior weight of the evidence of all rows, where there are segments too


@dataclass(frozen=True)
class Seen:
    """A batch that was counted.

    Attributes
    ----------
    name : str
    time : str or None
    digest : str
        Of its scores, labels and weights by cell, so that the same rows are known under another name.
    """

    name: str
    time: str | None
    digest: str


@dataclass(frozen=True, eq=False)
class Update:
    """A batch as it was read: the rows of all segments together, and of each.

    Attributes
    ----------
    together : Batch
    segments : mapping from key to Batch
        Of the segments that have rows; empty without segments.
    seen : Seen
        What tells it from others.
    layout : Layout or None
        What every batch holds, as far as it is known with this one; None of what says nothing new.
    groups : array of shape (K,)
        Digests of the groups of its rows that no batch before had.
    """

    together: Batch
    segments: Mapping[Any, Batch]
    seen: Seen
    layout: Layout | None = None
    groups: Digests = field(default_factory=NO_GROUPS.copy)


@dataclass(frozen=True, eq=False)
class Life:
    """What is kept of a model that is monitored no longer.

    Attributes
    ----------
    records : tuple of Record
        Of all rows together, one for each batch.
    log_es : tuple of float
        The evidence after each batch, of all rows and segments.
    """

    records: tuple[Record, ...]
    log_es: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class MonitorState:
    """All that a monitor knows; a batch makes another one of it, and it never changes itself.

    Attributes
    ----------
    settings : Settings
    together : Process
        The evidence of all rows.
    segments : mapping from key to Process
        That of each segment, in the order in which they appeared. It has records of the batches alone in which the
        segment has rows.
    priors : mapping from key to float
        Their prior weights, of sum 1 at most: 1 / (S + 1) for the S segments of the first batch, and 1 / (j (j + 1))
        for one that is the j-th to appear later.
    log_es : tuple of float
        The evidence against the hypothesis for all rows and segments, after each batch: half of that of all rows
        together and half of the weighted mean of segments, those that have not appeared counting 1. Labels that are
        impossible, see `refuted_by`, are left out, so that it is finite.
    seen : tuple of Seen
        The batches.
    groups : array of shape (K,)
        Digests of the groups of their rows, sorted: 8 bytes for each group that there ever was.
    lives : tuple of Life
        Of the models that were monitored before this one, see `Monitor.restart`.
    """

    settings: Settings
    together: Process
    segments: Mapping[Any, Process]
    priors: Mapping[Any, float]
    log_es: tuple[float, ...]
    seen: tuple[Seen, ...]
    groups: Digests
    lives: tuple[Life, ...] = ()

    @classmethod
    def first(cls, settings: Settings) -> "MonitorState":
        """Return the state before the first batch."""
        return cls(settings, Process.first(settings), {}, {}, (), (), NO_GROUPS)

    def after(self, update: Update) -> "MonitorState":
        """Return the state with one batch more."""
        name, time = update.seen.name, update.seen.time
        filled = {key: batch for key, batch in update.segments.items() if batch.n}
        new = [key for key in filled if key not in self.segments]
        first = Process.first(self.settings)
        segments = {key: self.segments.get(key, first).after(filled[key], self.settings, name, time) for key in filled}
        changed = replace(
            self,
            settings=replace(self.settings, layout=update.layout or self.settings.layout),
            together=self.together.after(update.together, self.settings, name, time),
            segments=dict(self.segments) | segments,
            priors=dict(self.priors) | prior_weights(new, len(self.priors)),
            seen=(*self.seen, update.seen),
            groups=joined(self.groups, update.groups),
        )
        return replace(changed, log_es=(*self.log_es, changed._log_e_of_possible))

    def restarted(self, moved: Callable[[FloatArray], FloatArray] | None = None) -> "MonitorState":
        """Return the state at the start of another life: the evidence is 1 again, and what was seen stays seen.

        Parameters
        ----------
        moved : callable, optional
            From the scores of before to those of now, so that maps are fitted to the past as the new scores have it;
            without it the past is forgotten.

        Raises
        ------
        ValueError
            Moved scores of several classes, each of which has a map of its own.
        """
        if moved is not None and self.settings.layout.keys == CLASS:
            raise ValueError("map must be None with reduction='classwise', since it is of one score; got one")

        def restart(process: Process) -> Process:
            first = Process.first(self.settings)
            return first if moved is None else replace(first, past=process.past.moved(moved))

        return replace(
            self,
            settings=replace(self.settings, layout=self.settings.layout.of_another_model),
            together=restart(self.together),
            segments={key: restart(process) for key, process in self.segments.items()},
            log_es=(),
            lives=(*self.lives, Life(self.together.records, self.log_es)),
        )

    @property
    def log_e(self) -> float:
        """The evidence now, as a logarithm; inf where a label is impossible, `refuted_by`."""
        return inf if self.refuted_by is not None else self._log_e_of_possible

    @property
    def _log_e_of_possible(self) -> float:
        """The evidence of the labels that are possible, as a logarithm."""
        if not self.segments:
            return self.together.log_e
        of_segments = log_mean_of_segments({key: each.log_e for key, each in self.segments.items()}, self.priors)
        return float(np.logaddexp(log(TOGETHER) + self.together.log_e, log(1.0 - TOGETHER) + of_segments))

    @property
    def refuted_by(self) -> str | None:
        """The first labels that the hypothesis has no probability for, in words; None without them.

        Of a largest mean error it is None, since any label is possible then.
        """
        first = self._first_refuted
        return None if first is None else first.refuted_by

    @property
    def refuted_at(self) -> int:
        """The place among `log_es` of the batch with these labels; -1 without them."""
        first = self._first_refuted
        return -1 if first is None else self._place(first)

    @property
    def _first_refuted(self) -> Process | None:
        """The process, of all rows or of a segment, that was refuted first."""
        if self.settings.max_error is not None:
            return None
        refuted = [each for each in (self.together, *self.segments.values()) if each.refuted_by is not None]
        return min(refuted, key=self._place, default=None)

    def _place(self, refuted: Process) -> int:
        """Return the place among all batches of the one by which a process was refuted: a segment has rows in some."""
        name = refuted.records[refuted.refuted_at].batch
        return next(k for k, record in enumerate(self.together.records) if record.batch == name)

    def log_e_of(self, key: Any) -> float:
        """Return the evidence of a segment now, as a logarithm; inf where a label is impossible."""
        process = self.segments[key]
        refuted = process.refuted_by is not None and self.settings.max_error is None
        return inf if refuted else process.log_e

    @property
    def named(self) -> tuple[Any, ...]:
        """The segments that are miscalibrated by their evidence now, see `list_segments`."""
        return list_segments({key: self.log_e_of(key) for key in self.segments}, self.settings.alpha_of_evidence)
