"""The evidence of a monitor so far, as a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

from fitontest.monitoring.process import Process
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.state import MonitorState
from fitontest.results.frames import Records
from fitontest.results.table import Table


@dataclass(frozen=True, eq=False)
class MonitorEvidence(Table):
    """What the batches so far say on the calibration of a model.

    Attributes
    ----------
    settings : Settings
    process : Process
        The evidence of all rows together, or of those of one segment.
    log_es : tuple of float
        The evidence after each batch, as a logarithm; with segments that of all rows and segments together.
    segments : mapping from key to MonitorEvidence
        That of each segment; empty without segments.
    """

    settings: Settings
    process: Process
    log_es: tuple[float, ...]
    segments: Mapping[Any, "MonitorEvidence"]

    @classmethod
    def of(cls, state: MonitorState) -> "MonitorEvidence":
        """Return the evidence of all that a monitor knows."""
        segments = {
            key: cls(state.settings, process, tuple(record.log_e for record in process.records), {})
            for key, process in state.segments.items()
        }
        return cls(state.settings, state.together, state.log_es, segments)

    @property
    def log_e(self) -> float:
        """The logarithm of the evidence now."""
        return self.log_es[-1] if self.log_es else 0.0

    @property
    def p_value(self) -> float:
        """A p-value that holds at any time: one over the largest evidence so far."""
        return min(1.0, exp(-max(self.log_es, default=0.0)))

    @property
    def alarm(self) -> bool:
        """Whether there was an alarm so far."""
        return self.alarm_since is not None

    @property
    def alarm_since(self) -> int | None:
        """The place, from 0, of the batch of the first alarm; None without one."""
        refuted = self.process.refuted_by is not None and self.settings.max_error is None
        limit = self.settings.log_limit
        first = next((k for k, log_e in enumerate(self.log_es) if log_e >= limit), None)
        if not refuted:
            return first
        at = self.process.refuted_at
        return at if first is None else min(first, at)

    def rows(self) -> Records:
        """Return a record for each batch."""
        return [record.to_dict() for record in self.process.records]
