"""The monitor of a stream of batches: is the model still calibrated? An answer that may be looked at every day."""

from typing import Any

from fitontest.monitoring.evidence import MonitorEvidence
from fitontest.monitoring.intake import read_update
from fitontest.monitoring.nulls import Exact, Null, Tolerance
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.state import MonitorState

FITTED = 0.28  # prior weight of the bets on fitted maps, together
RUN_LENGTH = 1000.0


class Monitor:
    """Monitor the calibration of a model by an e-process, whose alarms may be looked for after every batch."""

    def __init__(
        self,
        alpha: float = 0.05,
        *,
        max_error: float | None = None,
        tolerance: float = 0.0,
        tolerance_unit: str = "probability",
        families: Any = ("spline", "isotonic"),
        run_length: float = RUN_LENGTH,
    ) -> None:
        null: Null = Tolerance(tolerance, tolerance_unit) if tolerance else Exact()
        weights = {name: FITTED / len(families) for name in families}
        self._state = MonitorState.first(Settings(alpha, null, max_error, weights, run_length))

    def update(
        self, y_true: Any, y_prob: Any = None, *, batch: object = None, time: object = None, **columns: Any
    ) -> Any:
        """Add a batch, and return the evidence so far."""
        self._state = self._state.after(read_update(self._state, y_true, y_prob, batch=batch, time=time, **columns))
        return self.evidence

    @property
    def evidence(self) -> MonitorEvidence:
        """The evidence so far."""
        return MonitorEvidence.of(self._state)

    @property
    def alarm(self) -> bool:
        """Whether there was an alarm so far."""
        return self.evidence.alarm

    @property
    def alarm_since(self) -> int | None:
        """The place, from 0, of the batch of the first alarm."""
        return self.evidence.alarm_since
