"""The kinds of bettors by name, so that a stored state says by itself who bets."""

from collections.abc import Mapping
from typing import Any

from fitontest.checks import brief, choose
from fitontest.monitoring.bettors.bands import BandBettor
from fitontest.monitoring.bettors.base import Bettor, Round
from fitontest.monitoring.bettors.class_shift import ClassShiftBettor
from fitontest.monitoring.bettors.family import FamilyBettor
from fitontest.monitoring.bettors.identity import IdentityBettor
from fitontest.monitoring.bettors.level import LevelBettor
from fitontest.monitoring.bettors.line import LineBettor
from fitontest.monitoring.bettors.of_vectors import VectorRound
from fitontest.monitoring.bettors.temperature import TemperatureBettor

_OF_SCORES: tuple[type[Bettor[Round]], ...] = (IdentityBettor, LevelBettor, LineBettor, BandBettor, FamilyBettor)
_OF_VECTORS: tuple[type[Bettor[VectorRound]], ...] = (IdentityBettor, TemperatureBettor, ClassShiftBettor)
BETTORS = {each.kind: each for each in _OF_SCORES}
VECTOR_BETTORS = {each.kind: each for each in _OF_VECTORS}


def read_bettor(values: Any, kinds: Mapping[str, type[Bettor[Any]]], place: str) -> Any:
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
