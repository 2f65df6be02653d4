"""What a monitor is told when it is made, and what never changes in its life."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from fitontest.monitoring.fixed_share import SHARE
from fitontest.monitoring.nulls import Null


@dataclass(frozen=True, eq=False)
class Settings:
    """What is tested, at which level, and who bets.

    Attributes
    ----------
    alpha : float in (0, 1)
        The probability of a false alarm, at any time.
    null : Null
        The hypothesis on the rates.
    max_error : float or None
        Where given, the alarm is that of "the mean error of every batch is at most this", not that of `null`.
    families : mapping from str to float
        The families whose maps bet, with their prior weights.
    run_length : float
        Batches between false alarms of CUSUM, on average at least.
    share : float
        Of the weights of bettors that flows back to the prior after each batch.
    """

    alpha: float
    null: Null
    max_error: float | None
    families: Mapping[str, float]
    run_length: float
    share: float = SHARE

    @property
    def log_limit(self) -> float:
        """log(1 / alpha), the evidence of an alarm."""
        return -log(self.alpha)
