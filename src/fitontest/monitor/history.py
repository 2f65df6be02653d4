"""The history of a stream: a record of each batch, which is all that is kept of it for ever."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

#: An interval; an end that is not known is None, and the interval where no line agrees with all batches.
Ends: TypeAlias = tuple[float | None, float | None] | None


@dataclass(frozen=True)
class Record:
    """What a batch came to, with the evidence after it.

    Attributes
    ----------
    batch : str
        The name of the batch.
    time : str or None
        When it was.
    n : int
        Its rows.
    events : int or None
        Those that are positive; None of several classes.
    weight : float
        The sum of the exponents of its rows: n, unless rows belong to groups or have weights.
    expected : float or None
        The sum of the scores of its rows; None of several classes.
    log_factor : float
        By what the evidence was multiplied, as a logarithm.
    log_e : float
        The evidence after the batch.
    log_cusum : float
        The evidence since the likeliest onset: max(0, the last one) + log_factor.
    log_factors : mapping from str to float
        Those of the bettors.
    log_gains : mapping from str to float
        What the map of each family, fitted before the batch, gained in log loss over the scores: the sum over its rows
        with their exponents.
    level, slope : Ends
        The intervals for shift and slope of the logits that hold at all times.
    error_low : float
        In some batch so far the mean error was at least this.
    left_out : int
        Rows that were not counted, since a batch before had their groups.
    """

    batch: str
    time: str | None
    n: int
    events: int | None
    weight: float
    expected: float | None
    log_factor: float
    log_e: float
    log_cusum: float
    log_factors: Mapping[str, float]
    log_gains: Mapping[str, float]
    level: Ends
    slope: Ends
    error_low: float
    left_out: int = 0


def onset_of(log_factors: Iterable[float | None]) -> int | None:
    """Return the start of the largest sum of log factors up to the last one; None where no such sum is positive.

    A factor of None is that of a batch without rows, with which nothing starts.
    """
    start, grown = None, 0.0
    for k, log_factor in enumerate(log_factors):
        if log_factor is not None:
            start = k if grown <= 0.0 else start
            grown = max(grown, 0.0) + log_factor
    return start if grown > 0.0 else None
