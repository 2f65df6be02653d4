"""The families to compare, each under a name of its own. The identity, which changes no score, is always among them."""

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from fitontest.families.base import (
    Family,
    available_families,
    family_class,
    family_name,
    names_by_settings,
    read_family,
)
from fitontest.families.identity import Identity
from fitontest.typing import RandomState

DO_NOTHING = "identity"

Candidates: TypeAlias = dict[str, Family]


def list_calibrators() -> list[str]:
    """Return the names of the registered families that are meant for deployment (`Family.calibrator`)."""
    return [name for name in available_families() if family_class(name).calibrator]


def read_candidates(families: Iterable[str | Family] | None, random_state: RandomState) -> Candidates:
    """Return unfitted families by name, in the order given, after the identity unless that was given."""
    candidates = read_families(list_calibrators() if families is None else families, "families", random_state)
    if any(isinstance(family, Identity) for family in candidates.values()):
        return candidates
    return {DO_NOTHING: Identity(), **candidates}


def read_families(families: Iterable[str | Family], argument: str, random_state: RandomState) -> Candidates:
    """Return unfitted families by name.

    Families given by name that draw folds get the seed, an instance keeps its own. Where two settings of one family are
    listed, their names show the settings.
    """
    if isinstance(families, str) or not isinstance(families, Iterable):
        raise ValueError(f"{argument} must be a list of names of families or of families, got {families!r}")
    listed = list(families)
    for family in listed:
        if not isinstance(family, str | Family):
            raise ValueError(f"{argument} must be names of families or families, got {family!r}")
    pairs = [(family_name(family), str(family)) for family in listed]
    repeated = [settings for (_, settings), count in Counter(pairs).items() if count > 1]
    if repeated:
        raise ValueError(f"{argument} must differ from one another, got {repeated[0]} twice")
    names = names_by_settings(*zip(*pairs, strict=True)) if pairs else []
    return {name: read_family(family, random_state) for name, family in zip(names, listed, strict=True)}
