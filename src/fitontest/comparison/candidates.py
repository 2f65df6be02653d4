"""The families to compare, each under a name of its own. The identity, which changes no score, is always among them."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from fitontest.families.base import Family, family_class
from fitontest.families.identity import Identity
from fitontest.families.listed import read_families
from fitontest.families.registry import names as family_names
from fitontest.typing import RandomState

DO_NOTHING = "identity"

Candidates: TypeAlias = dict[str, Family]


def list_calibrators() -> list[str]:
    """Return the names of the registered families that are meant for deployment (`Family.calibrator`)."""
    return [name for name in family_names("two") if family_class(name).calibrator]


def read_candidates(families: Iterable[str | Family] | None, random_state: RandomState) -> Candidates:
    """Return unfitted families by name, in the order given, after the identity unless that was given."""
    candidates = read_families(list_calibrators() if families is None else families, "families", random_state)
    if any(isinstance(family, Identity) for family in candidates.values()):
        return candidates
    return {DO_NOTHING: Identity(), **candidates}


def find_identity(candidates: Mapping[str, object]) -> str:
    """Return the name of the identity among the candidates."""
    return next(name for name, family in candidates.items() if isinstance(family, Identity))
