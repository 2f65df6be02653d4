"""The three outcomes of a gate, and the one that several come to."""

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def overall(outcomes: Iterable[Outcome]) -> Outcome:
    """Return what several outcomes come to: one that fails makes all fail, and one that is open leaves it open.

    Examples
    --------
    >>> overall(["pass", "undecided"]), overall(["undecided", "fail"]), overall(["pass"])
    ('undecided', 'fail', 'pass')
    """
    found = set(outcomes)
    return "fail" if "fail" in found else "undecided" if "undecided" in found else "pass"


def in_words(outcome: Outcome) -> str:
    """Return an outcome as texts say it."""
    return "cannot tell" if outcome == "undecided" else outcome
