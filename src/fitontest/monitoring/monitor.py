"""The monitor of a stream of batches: is the model still calibrated? An answer that may be looked at every day."""

from typing import Any

from fitontest.checks import brief
from fitontest.families.base import Family, check_family
from fitontest.maps.base import CalibrationMap
from fitontest.monitoring.evidence import MonitorEvidence
from fitontest.monitoring.intake import read_update
from fitontest.monitoring.nulls import Exact, Null, Tolerance
from fitontest.monitoring.proposal import Proposal, propose
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

    def propose(self, family: str | Family = "spline") -> Proposal:
        """Return a map of a family fitted to the discounted past, and what such maps would have gained.

        Parameters
        ----------
        family : str or Family, default="spline"
            What it would have gained is known of those that bet.

        Raises
        ------
        ValueError
            No such family; fewer than 10 positives or negatives so far.
        """
        check_family(family)
        return propose(self._state.together, family)

    def restart(self, map: CalibrationMap | None = None) -> None:  # noqa: A002 - what it is
        """Begin another life, for a model that was recalibrated or replaced: the evidence is 1 again.

        The batches so far stay known, so that none is counted twice, and their records are kept. `alpha` is that of one
        life: over all lives the probability of a false alarm is at most `alpha` if life j has alpha / (j (j + 1)).

        Parameters
        ----------
        map : CalibrationMap, optional
            What was put behind the model, such as ``monitor.propose().map``. The scores of later batches must be those
            after the map. What is past is then moved by it, and keeps informing the maps that bet; without it the past
            is forgotten.

        Raises
        ------
        ValueError
            Something else than a map of scores; no batch so far.
        """
        if map is not None and not isinstance(map, CalibrationMap):
            raise ValueError(f"map must be a CalibrationMap or None, got {brief(map)}")
        if not self._state.log_es:
            raise ValueError("a monitor must have a batch since it began to be restarted, got none")
        self._state = self._state.restarted(None if map is None else map.evaluate)
