"""Upper limits of an error at a stated resolution: no error that persists over so many rows is larger.

No interval of a map holds errors that the map cannot follow. The pair statistic T_s does: on average it is the mean
square of a difference d that is level over 2 s neighbouring rows, whatever its shape. So

    mean |d| <= root mean d^2 <= B_J = sqrt(max(0, T_s + z sd_s)),    s = the largest scale of at most n / (2 J)

in about 95 % of data sets, with z = 1.645 and sd_s the standard deviation of T_s for labels drawn from the fitted map.
Of rows that belong to groups z is the quantile of Student's t of effective groups - 1 degrees. A T_s below -sd_s is
taken for -sd_s. An error that persists over many rows persists over fewer too, so that a limit is at least those of the
coarser resolutions from J = 20 on.
"""

from dataclasses import dataclass
from math import inf, log2
from typing import Any

from scipy.special import ndtri, stdtrit

from fitontest.results.checks import is_real

RESOLUTIONS = (20, 40)  # that tables have
COARSEST = 20  # the fewest parts of the rows
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
    degrees : float
        Degrees of freedom of Student's t, where rows belong to groups; infinite of independent rows.
    """

    reach: tuple[float, ...]
    squares: tuple[float, ...]
    spreads: tuple[float, ...]
    rows: float
    largest: float = 1.0
    degrees: float = inf

    def at(self, resolution: float = RESOLUTION, level: float = 0.95) -> ErrorLimit:
        """Return the limit at a resolution J: errors that persist over 1 / J of the rows, or nearly so.

        Parameters
        ----------
        resolution : float, default=40
            J, at least 20.
        level : float in (0, 1), default=0.95
            With which confidence the error is smaller.
        """
        check_resolution(resolution)
        z = float(ndtri(level)) if self.degrees == inf else float(stdtrit(self.degrees, level))
        noises = [z * spread for spread in self.spreads]
        # residuals that happen to repel each other tell little of large errors
        lucky = [max(square, -spread) for square, spread in zip(self.squares, self.spreads, strict=True)]
        values = [max(square + noise, 0.0) ** 0.5 for square, noise in zip(lucky, noises, strict=True)]
        finest, coarsest = self._place(resolution), self._place(COARSEST)
        place = max(range(finest, coarsest + 1), key=lambda k: values[k])
        share = min(2.0 * 2.0 ** int(log2(self._most(resolution))) / self.rows, 1.0)
        value, noise = min(values[place], self.largest), min(noises[place], 1.0)
        return ErrorLimit(value, share, float(resolution), level, self.squares[place], noise)

    def _most(self, resolution: float) -> float:
        """Return how far windows reach at most."""
        return max(self.rows / (2.0 * resolution), 1.0)

    def _place(self, resolution: float) -> int:
        """Return the place of the largest scale of a resolution, or of the smallest there is."""
        return max(k for k, reach in enumerate(self.reach) if reach <= self._most(resolution) or k == 0)


def check_resolution(resolution: object) -> float:
    """Return the resolution, or raise ValueError unless it is a number of at least 20."""
    if not (is_real(resolution) and resolution >= COARSEST and resolution < inf):
        raise ValueError(
            f"resolution must be a number of at least {COARSEST}, such as 40 for errors on at least a fortieth "
            f"of the rows; got {resolution!r}"
        )
    return float(resolution)
