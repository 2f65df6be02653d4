"""Checks of the parameters of calibrators that see features."""

import numpy as np

from fitontest.results.checks import brief, is_real, is_whole


def check_at_least(value: object, argument: str, least: int) -> None:
    """Raise ValueError unless the value is a whole number that is large enough.

    Parameters
    ----------
    value : object
    argument : str
        What the user calls it.
    least : int

    Examples
    --------
    >>> check_at_least(0, "most", 1)
    Traceback (most recent call last):
    ValueError: most must be a whole number, at least 1; got 0
    """
    if not (is_whole(value) and value >= least):
        raise ValueError(f"{argument} must be a whole number, at least {least}; got {brief(value)}")


def check_positive(value: object, argument: str) -> None:
    """Raise ValueError unless the value is a positive finite number."""
    if not (is_real(value) and 0.0 < value < np.inf):
        raise ValueError(f"{argument} must be a positive finite number, got {brief(value)}")


def check_number(value: object, argument: str) -> None:
    """Raise ValueError unless the value is a number; it may be infinite."""
    if not is_real(value) or np.isnan(value):
        raise ValueError(f"{argument} must be a number, got {brief(value)}")
