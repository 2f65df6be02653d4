"""How far from calibrated is near enough: one tolerance for every verdict."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypedDict

from fitontest.results.checks import brief, is_real
from fitontest.results.text import percent


@dataclass(frozen=True)
class Tolerance:
    """How far O:E, slope and calibration error may be from their ideals for scores to be close to calibrated.

    A verdict says "close to calibrated" only where all of their intervals lie within.

    Parameters
    ----------
    ratio : float in (0, 1), default=0.1
        Of O:E of the rarer label: the number of events over the number predicted, or that of non-events where these are
        rarer, must be within 1 - ratio to 1 + ratio.
    slope : float in (0, 1), default=0.1
        The slope must be within 1 - slope to 1 + slope.
    error : float in (0, 1), default=0.01
        The upper limit of the calibration error must be at most this, and at most `ratio` times the share of the rarer
        label.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(20_000)
    >>> y = rng.random(20_000) < p
    >>> fot.evaluate(y, p, families=["spline"]).verdict.headline
    'Close to calibrated on the whole'
    >>> strict = fot.uncertainty.Tolerance(error=0.001)
    >>> fot.evaluate(y, p, families=["spline"], tolerance=strict).verdict.headline
    'No miscalibration shown'
    """

    ratio: float = 0.1
    slope: float = 0.1
    error: float = 0.01

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (is_real(value) and 0.0 < value < 1.0):
                raise ValueError(f"{name} of a tolerance must be a number in (0, 1), got {brief(value)}")

    def most_error(self, rarer_share: float) -> float:
        """Return the largest calibration error that is near enough.

        Parameters
        ----------
        rarer_share : float
            The share of the rarer label.
        """
        return min(self.error, self.ratio * rarer_share)

    def __str__(self) -> str:
        if self.ratio == self.slope:
            return percent(self.ratio)
        return f"{percent(self.ratio)} ({percent(self.slope)} of the slope)"


ToleranceLike: TypeAlias = Tolerance | float
DEFAULT_TOLERANCE = Tolerance()


class NearEnough(TypedDict, total=False):
    """What verdicts take for near enough.

    Parameters
    ----------
    tolerance : float in (0, 1) or Tolerance, default=Tolerance(ratio=0.1, slope=0.1, error=0.01)
        What a verdict takes for near enough, see `fitontest.uncertainty.Tolerance`; a number is of O:E and slope.
    """

    tolerance: Annotated[ToleranceLike, DEFAULT_TOLERANCE]


def read_tolerance(given: Any) -> Tolerance:
    """Return the tolerance that is meant: itself, or a number for ratio and slope.

    Raises
    ------
    ValueError
        Neither a `Tolerance` nor a number in (0, 1).
    """
    if isinstance(given, Tolerance):
        return given
    if not (is_real(given) and 0.0 < given < 1.0):
        raise ValueError(
            "tolerance must be a number in (0, 1), such as 0.1 for 10 % of O:E and slope, or a "
            f"fitontest.uncertainty.Tolerance; got {brief(given)}"
        )
    return Tolerance(ratio=float(given), slope=float(given))
