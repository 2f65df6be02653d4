"""The kinds of bettors by name, so that a stored state says by itself who bets."""

from collections.abc import Mapping
from typing import Any

from fitontest.checks import brief, choose
from fitontest.monitoring.band_bettor import BandBettor
from fitontest.monitoring.bettors import Bettor
from fitontest.monitoring.class_shift_bettor import ClassShiftBettor
from fitontest.monitoring.family_bettor import FamilyBettor
from fitontest.monitoring.identity_bettor import IdentityBettor
from fitontest.monitoring.level_bettor import LevelBettor
from fitontest.monitoring.line_bettor import LineBettor
from fitontest.monitoring.temperature_bettor import TemperatureBettor

_OF_SCORES: tuple[type[Bettor], ...] = (IdentityBettor, LevelBettor, LineBettor, BandBettor, FamilyBettor)
BETTORS = {each.kind: each for each in _OF_SCORES}
VECTOR_BETTORS: dict[str, Any] = {each.kind: each for each in (IdentityBettor, TemperatureBettor, ClassShiftBettor)}


def read_bettor(values: Any, kinds: Mapping[str, Any], place: str) -> Any:
    """Return the bettor of a state that its `to_dict` returned, or refuse it.

    Parameters
    ----------
    values : object
    kinds : mapping from str to type
        The bettors that there may be, `BETTORS` or `VECTOR_BETTORS`.
    place : str
        What messages call the values.
    """
    if not isinstance(values, dict):
        raise ValueError(f"{place} must be an object with a kind of bettor, got {brief(values)}")
    kind = kinds[choose(values.get("kind"), kinds, f"{place}.kind")]
    try:
        bettor = kind.from_dict(values)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{place} must be the state of a bettor of kind {kind.kind!r}: {error}") from error
    if bettor.to_dict() != values:  # such as a key too many, or a text in place of a number
        raise ValueError(f"{place} must be the state of a bettor of kind {kind.kind!r}, got {brief(values)}")
    return bettor
