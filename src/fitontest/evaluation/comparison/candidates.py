"""The names of the families that are compared where none are listed, and of the one that changes no score."""

from collections.abc import Mapping
from typing import Any

from fitontest.families.base import family_class
from fitontest.families.registry import names as family_names
from fitontest.families.registry import registered_class

DO_NOTHING = "identity"


def list_calibrators() -> list[str]:
    """Return the names of the registered families that are compared by default (`Family.calibrator`)."""
    return [name for name in family_names("two") if family_class(name).calibrator]


def list_class_calibrators() -> list[str]:
    """Return the names of the registered families of several classes that are compared by default."""
    return [name for name in family_names("any") if registered_class(name).calibrator]


def list_feature_calibrators() -> list[str]:
    """Return the names of the registered families that are compared by default where rows have features."""
    return [*list_calibrators(), *(name for name in family_names("features") if registered_class(name).calibrator)]


def find_identity(candidates: Mapping[str, object]) -> str:
    """Return the name of the identity among the candidates."""
    return next(name for name, family in candidates.items() if of_one_class(family).does_nothing)


def of_one_class(family: Any) -> Any:
    """Return the family of two classes that is fitted to each class, or else the family itself."""
    return family.family if family.by_class else family


def is_mixture(family: Any) -> bool:
    """Return whether a candidate is a mixture of families."""
    return bool(of_one_class(family).mixes)
