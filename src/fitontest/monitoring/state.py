"""What a monitor knows: the evidence of all rows and of each segment, and which batches it has seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any

from scipy.special import logsumexp

from fitontest.monitoring.batch import Batch
from fitontest.monitoring.history import Record
from fitontest.monitoring.process import Process
from fitontest.monitoring.settings import Settings
from fitontest.typing import FloatArray

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
    groups : frozenset of str
        Digests of the groups of its rows that no batch before had.
    """

    together: Batch
    segments: Mapping[Any, Batch]
    seen: Seen
    groups: frozenset[str] = frozenset()


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
        That of each segment, in the order in which they appeared.
    priors : mapping from key to float
        Their prior weights, of sum 1 at most: 1 / (S + 1) for the S segments of the first batch, and 1 / (j (j + 1))
        for one that is the j-th to appear later.
    log_es : tuple of float
        The evidence against the hypothesis for all rows and segments, after each batch: half of that of all rows
        together and half of the weighted mean of segments, those that have not appeared counting 1.
    seen : tuple of Seen
        The batches.
    groups : frozenset of str
        Digests of the groups of their rows.
    lives : tuple of Life
        Of the models that were monitored before this one, see `Monitor.restart`.
    """

    settings: Settings
    together: Process
    segments: Mapping[Any, Process]
    priors: Mapping[Any, float]
    log_es: tuple[float, ...]
    seen: tuple[Seen, ...]
    groups: frozenset[str]
    lives: tuple[Life, ...] = ()

    @classmethod
    def first(cls, settings: Settings) -> "MonitorState":
        """Return the state before the first batch."""
        return cls(settings, Process.first(settings), {}, {}, (), (), frozenset())

    def after(self, update: Update) -> "MonitorState":
        """Return the state with one batch more."""
        name, time = update.seen.name, update.seen.time
        together = self.together.after(update.together, self.settings, name, time)
        new = [key for key in update.segments if key not in self.segments]
        segments = dict(self.segments) | {key: Process.first(self.settings) for key in new}
        changed = replace(
            self,
            together=together,
            segments={
                key: process.after(update.segments.get(key, Batch.empty()), self.settings, name, time)
                for key, process in segments.items()
            },
            priors=dict(self.priors) | _priors(new, len(self.priors)),
            seen=(*self.seen, update.seen),
            groups=self.groups | update.groups,
        )
        return replace(changed, log_es=(*self.log_es, changed.log_e))

    def restarted(self, moved: Callable[[FloatArray], FloatArray] | None = None) -> "MonitorState":
        """Return the state at the start of another life: the evidence is 1 again, and what was seen stays seen.

        Parameters
        ----------
        moved : callable, optional
            From the scores of before to those of now, so that maps are fitted to the past as the new scores have it;
            without it the past is forgotten.
        """

        def restart(process: Process) -> Process:
            first = Process.first(self.settings)
            return first if moved is None else replace(first, past=process.past.moved(moved))

        return replace(
            self,
            together=restart(self.together),
            segments={key: restart(process) for key, process in self.segments.items()},
            log_es=(),
            lives=(*self.lives, Life(self.together.records, self.log_es)),
        )

    @property
    def log_e(self) -> float:
        """The evidence now, as a logarithm."""
        if not self.segments:
            return self.together.log_e
        unseen = max(0.0, 1.0 - sum(self.priors.values()))
        parts = [(log(self.priors[key]) + process.log_e) for key, process in self.segments.items()]
        of_segments = logsumexp([*parts, *([log(unseen)] if unseen > 0.0 else [])])
        return float(logsumexp([log(TOGETHER) + self.together.log_e, log(1.0 - TOGETHER) + of_segments]))

    @property
    def p_value(self) -> float:
        """A p-value that holds at any time: one over the largest evidence so far."""
        return min(1.0, exp(-max(self.log_es, default=0.0)))


def _priors(new: list[Any], before: int) -> dict[Any, float]:
    """Return the prior weights of segments that appear; `before` have appeared."""
    if not before:
        return dict.fromkeys(new, 1.0 / (len(new) + 1))
    return {key: 1.0 / (j * (j + 1)) for j, key in enumerate(new, start=before + 1)}
