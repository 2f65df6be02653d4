"""Amounts of evidence, bounds and intervals as numbers and as they are printed."""

from decimal import ROUND_DOWN, Context
from math import exp, inf, log, log10

from fitontest.monitor.history import Ends

LARGEST_LOG = 300.0 * log(10.0)  # of an E that is written as a number
LARGEST_PLAIN, LOWEST_WHOLE, LOWEST_PLAIN = 1e5, 9.95, 1e-3  # evidence that is printed without a power of ten
ROUNDING = 1e-9  # of numbers that are rounded down


def e_value_of(log_e: float) -> float:
    """Return an amount of evidence, of its natural logarithm; infinite above 1e300."""
    return inf if log_e > LARGEST_LOG else exp(log_e)


def finite_e_value(log_e: float) -> float | None:
    """Return an amount of evidence as JSON has it: None above 1e300."""
    return None if log_e > LARGEST_LOG else exp(log_e)


def e_in_words(log_e: float) -> str:
    """Return an amount of evidence as it is printed, of its natural logarithm.

    Examples
    --------
    >>> e_in_words(log(812.3)), e_in_words(log(0.384)), e_in_words(log(1.234e6)), e_in_words(1000.0), e_in_words(-9.0)
    ('812', '0.38', '1.2e+06', '2.0e+434', '1.2e-04')
    >>> e_in_words(0.0), e_in_words(float("inf"))
    ('1.0', 'infinite')
    """
    if log_e == inf:
        return "infinite"
    if log(LOWEST_PLAIN) <= log_e < log(LARGEST_PLAIN):
        value = exp(log_e)
        return f"{value:,.0f}" if value >= LOWEST_WHOLE else f"{value:#.2g}".rstrip(".")
    power = int(log10(exp(1.0)) * log_e // 1)
    digits = f"{exp(log_e - power * log(10.0)):.1f}"
    return f"1.0e{power + 1:+03d}" if digits == "10.0" else f"{digits}e{power:+03d}"


def rounded_down(bound: float) -> str:
    """Return a lower bound in [0, 1) with two significant digits, never above it.

    Examples
    --------
    >>> rounded_down(0.1099), rounded_down(0.0297), rounded_down(0.03), rounded_down(0.0)
    ('0.10', '0.029', '0.030', '0')
    """
    down = Context(prec=2, rounding=ROUND_DOWN)
    return str(down.create_decimal_from_float(bound * (1.0 + ROUNDING))) if bound > 0.0 else "0"


def ends_in_words(ends: Ends) -> str:
    """Return an interval, whose ends may be unknown.

    Examples
    --------
    >>> ends_in_words((-0.04, 0.05)), ends_in_words((None, 1.2)), ends_in_words((0.9, None)), ends_in_words(None)
    ('-0.04 to 0.05', 'at most 1.20', 'at least 0.90', 'none')
    >>> ends_in_words((None, None)), ends_in_words((-1e-17, 0.3))
    ('any', '0.00 to 0.30')
    """
    if ends is None:
        return "none"
    low, high = (None if end is None else f"{end + 0.0:.2f}".replace("-0.00", "0.00") for end in ends)
    if low is None or high is None:
        return "any" if low == high else f"at most {high}" if low is None else f"at least {low}"
    return f"{low} to {high}"
