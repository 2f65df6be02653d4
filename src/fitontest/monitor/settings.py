"""What a monitor is told when it is made, and what never changes in its life."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import exp, inf, log

from fitontest.families.base import check_family
from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.bettors.fixed_share import SHARE
from fitontest.monitor.nulls.rates import Null
from fitontest.results.checks import brief, false_alarms, is_real

FITTED = 0.28  # prior weight of the bets on maps, together


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
    layout : Layout
        What every batch holds. What is not said when the monitor is made is fixed by the first batch.
    """

    alpha: float
    null: Null
    max_error: float | None
    families: Mapping[str, float]
    run_length: float
    share: float = SHARE
    layout: Layout = field(default_factory=Layout)

    @property
    def level(self) -> float:
        """The probability that there is no false alarm, as users give it."""
        return false_alarms(self.alpha)

    @property
    def alpha_of_evidence(self) -> float:
        """The part of alpha that is left for the evidence; the rest is spent on the band of a reference."""
        return self.alpha * self.null.alpha_share

    @property
    def log_limit(self) -> float:
        """The logarithm of the evidence of an alarm: log(1 / alpha), with a reference log(2 / alpha)."""
        return -log(self.alpha_of_evidence)

    def p_value(self, log_e_max: float) -> float:
        """Return the p-value of the largest evidence so far; with a reference the part of alpha of its band on top."""
        of_band = self.alpha - self.alpha_of_evidence  # first, so that a small number is not lost beside alpha
        return min(1.0, exp(-max(log_e_max, 0.0)) + of_band)


def read_fraction(value: object, argument: str) -> float:
    """Return a number that must lie strictly between 0 and 1."""
    return _between(value, argument, 0.0, 1.0)


def read_run_length(value: object, argument: str = "run_length") -> float:
    """Return the batches between false alarms of CUSUM."""
    return _between(value, argument, 1.0, inf)


def read_families(families: object) -> dict[str, float]:
    """Return the families whose maps bet with their prior weights, or refuse what names none.

    Parameters
    ----------
    families : sequence of str, or mapping from str to float
        Without weights they share 0.28.
    """
    if isinstance(families, str) or not isinstance(families, Iterable):
        raise ValueError(f"families must be a sequence of names, or a dict of prior weights, got {brief(families)}")
    names = list(families)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"families must hold names, as a monitor is kept by them, got {brief(name)}")
        _check_name(name)
    if len(set(names)) < len(names):
        raise ValueError(f"families must hold each name once, got {brief(names)}")
    if not isinstance(families, Mapping):
        return {name: FITTED / len(names) for name in names}
    return {name: _between(families[name], f"the prior weight of {name!r}", 0.0, inf) for name in names}


def _check_name(name: str) -> None:
    try:
        check_family(name)
    except ValueError as error:
        _, must, rule = str(error).partition(" must ")
        raise ValueError(f"each of families{must}{rule}") from error


def _between(value: object, argument: str, low: float, high: float) -> float:
    if not is_real(value) or not low < value < high:
        limits = f"in ({low:g}, {high:g})" if high < inf else f"above {low:g}"
        raise ValueError(f"{argument} must be a number {limits}, got {brief(value)}")
    return float(value)
