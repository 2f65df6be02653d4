"""The history of a stream: a record of each batch, which is all that is kept of it for ever."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Record:
    """What a batch came to, with the evidence after it.

    Attributes
    ----------
    batch : str
        The name of the batch.
    time : str or None
        When it was.
    n, events : int
        Its rows, and those that are positive.
    expected : float
        The sum of its scores.
    log_factor : float
        By what the evidence was multiplied, as a logarithm.
    log_e, log_e_max : float
        The evidence after the batch, and the largest so far.
    log_cusum : float
        The evidence since the likeliest onset: max(0, the last one) + log_factor.
    log_factors : mapping from str to float
        Those of the bettors.
    log_gains : mapping from str to float
        What the map of each family, fitted before the batch, gained in log loss over the scores, summed over its rows.
    level, slope : pairs of float or None
        The intervals for shift and slope of the logits that hold at all times, each (low, high); an end that is not
        known is None; None where no line agrees with all batches.
    error_low : float
        In some batch so far the mean error was at least this.
    """

    batch: str
    time: str | None
    n: int
    events: int
    expected: float
    log_factor: float
    log_e: float
    log_e_max: float
    log_cusum: float
    log_factors: Mapping[str, float]
    log_gains: Mapping[str, float]
    level: tuple[float | None, float | None] | None
    slope: tuple[float | None, float | None] | None
    error_low: float

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready values."""
        return dict(vars(self))
