"""Upper limits of an error at a stated resolution: no error that persists over so many rows is larger.

No interval of a map holds errors that the map cannot follow. The pair statistic T_s does: on average it is the mean
square of a difference d that is level over 2 s neighbouring rows, whatever its shape. So

    mean |d| <= root mean d^2 <= B_J = sqrt(max(0, T_s + z sd_s)),    s = the largest scale of at most n / (2 J)

in about 95 % of data sets, with z = 1.645 and sd_s the standard deviation of T_s for labels drawn from the fitted map.
A T_s below -sd_s is taken for -sd_s.
"""

from dataclasses import dataclass
from math import log2
from typing import Any

from scipy.special import ndtri

from fitontest.checks import is_real

RESOLUTIONS = (20, 40)  # that tables have
RESOLUTION = 40  # parts of the rows that errors are told apart in, unless another is asked for


@dataclass(frozen=True)
class ErrorLimit:
    """The largest error that cannot be ruled out, of those that persist over a share of the rows.

    Attributes
    ----------
    value : float
        B_J, an error on the scale of the scores.
    share : float
        The share of the rows over which they persist, 2 s / n.
    resolution : float
        J.
    level : float
        With which confidence the error is smaller.
    square, noise : float
        T_s, and z sd_s, which is added to it.
    """

    value: float
    share: float
    resolution: float
    level: float
    square: float
    noise: float

    def to_dict(self) -> dict[str, Any]:
        """Return the limit as JSON-ready values."""
        return vars(self).copy()


@dataclass(frozen=True)
class ErrorLimits:
    """The pair statistic of the residuals y - p at each scale, from which limits at any resolution come.

    Attributes
    ----------
    reach : tuple of float
        The scales s; 0: pairs of equal scores.
    squares, spreads : tuple of float
        T_s, and its standard deviation for labels drawn from the fitted map; infinite where no row has a near one.
    rows : float
        All rows; of weights that are no counts the effective ones.
    largest : float
        The largest root mean square that an error of these scores can have.
    """

    reach: tuple[float, ...]
    squares: tuple[float, ...]
    spreads: tuple[float, ...]
    rows: float
    largest: float = 1.0

    def at(self, resolution: float = RESOLUTION, level: float = 0.95) -> ErrorLimit:
        """Return the limit at a resolution J: errors that persist over 1 / J of the rows, or nearly so.

        Parameters
        ----------
        resolution : float, default=40
            J, at least 4: the widest windows have a quarter of the rows.
        level : float in (0, 1), default=0.95
            With which confidence the error is smaller.
        """
        check_resolution(resolution)
        most = max(self.rows / (2.0 * resolution), 1.0)
        scale = 2.0 ** int(log2(most))
        place = max(k for k, reach in enumerate(self.reach) if reach <= most or k == 0)
        square, noise = self.squares[place], float(ndtri(level)) * self.spreads[place]
        # residuals that happen to repel each other tell little of large errors
        value = max(max(square, -self.spreads[place]) + noise, 0.0) ** 0.5
        share = min(2.0 * scale / self.rows, 1.0)
        return ErrorLimit(min(value, self.largest), share, float(resolution), level, square, min(noise, 1.0))


def check_resolution(resolution: object) -> float:
    """Return the resolution, or raise ValueError unless it is a number of at least 4."""
    if not (is_real(resolution) and 4 <= resolution < float("inf")):
        raise ValueError(
            "resolution must be a number of at least 4, such as 40 for errors that persist over a fortieth of the "
            f"rows; got {resolution!r}"
        )
    return float(resolution)
