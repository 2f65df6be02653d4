"""How numbers are quoted: decimals by statistic, and a value with its interval.

Every text, title, legend and card quotes an error by `quote`, so that the same number looks the same everywhere.
"""

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Literal, TypeAlias

from fitontest.results.text import short, without_noise

Kind: TypeAlias = Literal["error", "score", "ratio", "slope", "benefit"]
LARGEST = 1e6  # that has decimals
TWO_DIGITS = 9.5  # below which a net benefit per 1,000 rows has a decimal
PER = 1_000  # rows, of whom net benefits are counted
#: Decimals by statistic: of errors; of Brier score, log loss and AUC; of O:E; of slopes; of net benefits per 1,000.
#: More stand only where the upper limit would have fewer than two digits.
DECIMALS: dict[Kind, int] = {"error": 3, "score": 3, "ratio": 2, "slope": 2, "benefit": 0}


def in_decimals(values: Sequence[float], kind: Kind = "error") -> list[str]:
    """Return numbers with the decimals of their statistic, or as many as give the largest two digits.

    Examples
    --------
    >>> in_decimals([0.0704, 0.0617, 0.0791]), in_decimals([0.0009, 0.0005, 0.00142]), in_decimals([1.094], "ratio")
    (['0.070', '0.062', '0.079'], ['0.0009', '0.0005', '0.0014'], ['1.09'])
    >>> in_decimals([0.0462, 0.0101], "benefit"), in_decimals([0.00462, -0.001], "benefit")
    (['46', '10'], ['4.6', '-1.0'])
    """
    values = [without_noise(value) * (PER if kind == "benefit" else 1) for value in values]
    largest = max((abs(value) for value in values if isfinite(value)), default=0.0)
    decimals = DECIMALS[kind]
    if kind == "benefit":
        decimals = int(0.0 < largest < TWO_DIGITS)
    elif 0.0 < largest < 1.0:
        decimals = max(decimals, min(_two_digits(largest), 12))
    return [
        f"{round(value, decimals) + 0.0:,.{decimals}f}" if abs(value) < LARGEST else short(value) for value in values
    ]


def _two_digits(size: float) -> int:
    """Return how many decimals show two digits of a number below 1, after rounding."""
    return 1 - floor(log10(float(f"{size:.1e}")))


def quote(value: float | None, low: float, high: float, level: float = 0.95, kind: Kind = "error") -> str:
    """Return a value with its interval; of an error whose interval begins at 0 the interval alone.

    Parameters
    ----------
    value : float or None
        None: the interval alone is quoted.
    low, high : float
    level : float, default=0.95
    kind : {"error", "score", "ratio", "slope", "benefit"}, default="error"
        Of the statistic, whose decimals are used.

    Examples
    --------
    >>> quote(0.0704, 0.0617, 0.0791), quote(0.0062, 0.0, 0.0271), quote(1.094, 1.05, 1.131, kind="ratio")
    ('0.070 (95 % CI 0.062 to 0.079)', '0.000 to 0.027 (95 % CI)', '1.09 (95 % CI 1.05 to 1.13)')
    """
    if value is None or (kind == "error" and low <= 0.0):
        low_text, high_text = in_decimals((low, high), kind)
        return f"{low_text} to {high_text} ({confidence(level)})"
    text, low_text, high_text = in_decimals((value, low, high), kind)
    return f"{text} ({confidence(level)} {low_text} to {high_text})"


def quote_named(name: str, value: float, low: float, high: float, level: float = 0.95, kind: Kind = "ratio") -> str:
    """Return a named value with its interval, as it stands within brackets.

    Examples
    --------
    >>> quote_named("O:E", 1.094, 1.05, 1.131)
    'O:E 1.09, 95 % CI 1.05 to 1.13'
    """
    text, low_text, high_text = in_decimals((value, low, high), kind)
    return f"{name} {text}, {confidence(level)} {low_text} to {high_text}"


def without_level(text: str, level: float) -> str:
    """Return a quoted number for a table whose header has the level.

    Examples
    --------
    >>> without_level("0.070 (95 % CI 0.062 to 0.079)", 0.95), without_level("0.000 to 0.027 (95 % CI)", 0.95)
    ('0.070 (0.062 to 0.079)', '0.000 to 0.027')
    """
    return text.replace(f"({confidence(level)} ", "(").removesuffix(f" ({confidence(level)})")


def split_quoted(text: str) -> tuple[str, str]:
    """Return what stands before the brackets of a quoted number, and what stands in them, "" without any.

    Examples
    --------
    >>> split_quoted("0.070 (95 % CI 0.062 to 0.079)"), split_quoted("0.070")
    (('0.070', '95 % CI 0.062 to 0.079'), ('0.070', ''))
    """
    value, _, rest = text.partition(" (")
    return value, rest.removesuffix(")")


def confidence(level: float) -> str:
    """Return what an interval of a level is called: "95 % CI"."""
    return f"{100 * level:.4g} % CI"
