"""The families that are compared, each with a name of its own; doing nothing is always among them."""

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from fitontest.families.base import Family, available_families, seeded
from fitontest.families.identity import Identity
from fitontest.measures.plug_in import resolve
from fitontest.typing import RandomState

DO_NOTHING = "identity"

Candidates: TypeAlias = dict[str, Family]


def candidates_of(families: Iterable[str | Family] | None, random_state: RandomState) -> Candidates:
    """Return unfitted families by name, in the order asked for, the identity before them unless it was asked for."""
    made = named(available_families() if families is None else families, "families", random_state)
    if any(isinstance(family, Identity) for family in made.values()):
        return made
    return {DO_NOTHING: Identity(), **made}


def named(families: Iterable[str | Family], argument: str, random_state: RandomState) -> Candidates:
    """Return unfitted families by name.

    Families given by name that draw folds get the seed, an instance keeps its own. Where two settings of one family are
    listed, their names show the settings.
    """
    if isinstance(families, str) or not isinstance(families, Iterable):
        raise ValueError(f"{argument} must be a list of names of families or of families, got {families!r}")
    pairs = [_unfitted(family, argument, random_state) for family in families]
    counts = Counter(name for name, _ in pairs)
    made: Candidates = {}
    for name, family in pairs:
        called = name if counts[name] == 1 else str(family)
        if called in made:
            raise ValueError(f"{argument} must differ from one another, got {called} twice")
        made[called] = family
    return made


def _unfitted(family: object, argument: str, random_state: RandomState) -> tuple[str, Family]:
    if isinstance(family, str):
        return family, seeded(family, random_state)
    if not isinstance(family, Family):
        raise ValueError(f"{argument} must be names of families or families, got {family!r}")
    unfitted, name = resolve(family)
    return name, unfitted
