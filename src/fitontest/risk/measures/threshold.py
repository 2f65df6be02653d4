"""A threshold at which a risk decides: what is checked of it, and what it says of the costs of both mistakes.

Who treats from the risk t on takes a false positive for t / (1 - t) of the benefit of a true positive.
"""

from fitontest.results.checks import brief, is_real


def check_threshold(threshold: object, argument: str = "threshold") -> float:
    """Return a threshold as a float, or raise ValueError unless it is a number in [0, 1).

    From 0 on everybody is treated, whatever the scores.

    Examples
    --------
    >>> check_threshold(0.2)
    0.2
    """
    if not (is_real(threshold) and 0.0 <= threshold < 1.0):
        hint = ": at 1 nobody is treated for any finite benefit" if is_real(threshold) and threshold == 1.0 else ""
        raise ValueError(f"{argument} must be a number in [0, 1), got {brief(threshold)}{hint}")
    return float(threshold)


def odds(threshold: float) -> float:
    """Return t / (1 - t), the cost of a false positive in units of the benefit of a true positive."""
    return threshold / (1.0 - threshold)
