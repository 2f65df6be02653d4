"""How texts, titles and pictures quote numbers: a value with its interval, with as many decimals as it needs."""

from math import floor, isfinite, log10

LEAST_DECIMALS = 3  # of errors
ENOUGH = 0.95  # of a unit in the last but one place: an upper limit of .0095 has four decimals


def error_decimals(high: float) -> int:
    """Return the decimals of an error whose upper limit is `high`: three, or as many as give the limit two digits.

    Examples
    --------
    >>> error_decimals(0.079), error_decimals(0.0054), error_decimals(0.0)
    (3, 4, 3)
    """
    if not (isfinite(high) and high > 0.0):
        return LEAST_DECIMALS
    return max(LEAST_DECIMALS, 1 - floor(log10(high / ENOUGH)))


def quoted(value: float, ends: tuple[float, float] | None = None, level: float = 0.95, decimals: int = 2) -> str:
    """Return a value with its interval in brackets.

    Parameters
    ----------
    value : float
    ends : tuple of float, optional
        Of the interval; by default there is none.
    level : float, default=0.95
    decimals : int, default=2

    Examples
    --------
    >>> quoted(1.092, (1.051, 1.133)), quoted(1.09)
    ('1.09 (95 % CI 1.05 to 1.13)', '1.09')
    """
    if ends is None:
        return f"{value:.{decimals}f}"
    return f"{value:.{decimals}f} ({100 * level:g} % CI {ends[0]:.{decimals}f} to {ends[1]:.{decimals}f})"


def quoted_error(value: float, ends: tuple[float, float] | None = None, level: float = 0.95) -> str:
    """Return an error with its interval: where this begins at 0, the interval alone.

    Parameters
    ----------
    value : float
    ends : tuple of float, optional
        Of the interval.
    level : float, default=0.95

    Examples
    --------
    >>> quoted_error(0.0701, (0.0622, 0.0788)), quoted_error(0.012, (0.0, 0.0271))
    ('0.070 (95 % CI 0.062 to 0.079)', '0.000 to 0.027 (95 % CI)')
    """
    decimals = error_decimals(value if ends is None else ends[1])
    if ends is not None and round(ends[0], decimals) <= 0.0:
        return f"{0.0:.{decimals}f} to {ends[1]:.{decimals}f} ({100 * level:g} % CI)"
    return quoted(value, ends, level, decimals)
