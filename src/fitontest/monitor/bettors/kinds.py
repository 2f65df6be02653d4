"""The kinds of bettors by name, so that a stored state says by itself who bets."""

from typing import Any

from fitontest.monitor.bettors.bands import BandBettor
from fitontest.monitor.bettors.base import Bettor
from fitontest.monitor.bettors.family import FamilyBettor
from fitontest.monitor.bettors.identity import IdentityBettor
from fitontest.monitor.bettors.level import LevelBettor
from fitontest.monitor.bettors.line import LineBettor
from fitontest.results.checks import brief, choose

_KINDS: tuple[type[Bettor], ...] = (IdentityBettor, LevelBettor, LineBettor, BandBettor, FamilyBettor)
BETTORS = {each.kind: each for each in _KINDS}


def read_bettor(values: Any, place: str) -> Bettor:
    """Return the bettor of a state that its `to_dict` returned, or refuse it.

    Parameters
    ----------
    values : object
    place : str
        What messages call the values.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{place} must be an object with a kind of bettor, got {brief(values)}")
    kind = BETTORS[choose(values.get("kind"), BETTORS, f"{place}.kind")]
    try:
        bettor = kind.from_dict(values)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{place} must be the state of a bettor of kind {kind.kind!r}: {error}") from error
    if bettor.to_dict() != values:  # such as a key too many, or a text in place of a number
        raise ValueError(f"{place} must be the state of a bettor of kind {kind.kind!r}, got {brief(values)}")
    return bettor
