"""What evaluations of one size with one family are like: the record of a simulation, and the noise in it."""

from dataclasses import dataclass
from math import sqrt

from scipy.stats import norm

ALPHA = 0.05
NULL_DRAWS = 400  # more than an evaluation makes, because all of them share these
CALIBRATED = "calibrated"  # the truth of error 0


@dataclass(frozen=True)
class Prospect:
    """What evaluations with one family, of one size, are like under one truth.

    Attributes
    ----------
    family : str
    n : int
    error : float
        The true calibration error.
    truth : str
        "calibrated", or how the scores are wrong.
    raw_bias, raw_sd : float or None
        Mean of the plug-in error less the true error, and standard deviation. None where the truth is out of reach.
    debiased_bias, debiased_sd : float or None
        Of the debiased error. None also where labels redrawn from the scores do not vary.
    width : float or None
        Mean width of the 95 % interval.
    power : float or None
        Share of evaluations whose p-value of calibration is at most .05; of calibrated scores the false alarms.
    """

    family: str
    n: int
    error: float
    truth: str
    raw_bias: float | None = None
    raw_sd: float | None = None
    debiased_bias: float | None = None
    debiased_sd: float | None = None
    width: float | None = None
    power: float | None = None


def power_noise(power: float, draws: int) -> float:
    """Return the standard error of a power that was simulated.

    It is that of a share of `draws` evaluations, and of the 5 % point of the drawn null values: with a statistic that a
    true error shifts by a normal deviate, power changes by phi(z_power) / phi(z_alpha) for each change of the level.

    Examples
    --------
    >>> round(power_noise(0.8, 100), 3), round(power_noise(1.0, 100), 3)
    (0.05, 0.01)
    """
    share = (power * draws + 1.0) / (draws + 2.0)  # never 0 or 1, of which a few draws do not make sure
    steepness = float(norm.pdf(norm.ppf(share)) / norm.pdf(norm.ppf(ALPHA)))
    return sqrt(share * (1.0 - share) / draws + steepness**2 * ALPHA * (1.0 - ALPHA) / NULL_DRAWS)
