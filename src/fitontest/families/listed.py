"""Lists of families, as users give them: names and instances, each of which is then known by a name of its own."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fitontest.families.base import Family, read_family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.registry import FamilyBase, family_name
from fitontest.results.typing import RandomState


def read_families(families: Iterable[str | Family], argument: str, random_state: RandomState) -> dict[str, Family]:
    """Return unfitted families by name.

    Families given by name that draw folds get the seed, an instance keeps its own. Where two settings of one family are
    listed, their names show the settings.
    """
    return read_listed(families, argument, random_state, read_family, Family)


def read_listed(
    families: Iterable[Any], argument: str, random_state: RandomState, read: Callable[..., Any], kind: type[FamilyBase]
) -> dict[str, Any]:
    """Return unfitted families by name, of any kind.

    Parameters
    ----------
    families : iterable of str or FamilyBase
    argument : str
        What the caller calls them.
    random_state : int, RandomState or None
        Of those given by name.
    read : callable
        From a name or a family, and the seed, to an unfitted family.
    kind : type
        That families must be of.
    """
    if isinstance(families, str) or not isinstance(families, Iterable):
        raise ValueError(f"{argument} must be a list of names of families or of families, got {families!r}")
    listed = list(families)
    for family in listed:
        if not isinstance(family, str | kind):
            raise ValueError(f"{argument} must be names of families or families, got {family!r}")
    made = [read(family, random_state) for family in listed]
    first: dict[str, object] = {}
    for given, family in zip(listed, made, strict=True):
        settings = str(family)
        if settings in first:
            other = first[settings]
            both = f"{given} twice" if str(other) == str(given) else f"{other} and {given}, which are the same"
            raise ValueError(f"{argument} must differ from one another, got {both}")
        first[settings] = given
    names = names_by_settings([family_name(one) for one in listed], [str(one) for one in listed]) if listed else []
    return dict(zip(names, made, strict=True))


def names_by_settings(names: Sequence[str], settings: Sequence[str]) -> list[str]:
    """Return the names; where several share one they are called by their settings."""
    counts = Counter(names)
    return [name if counts[name] == 1 else text for name, text in zip(names, settings, strict=True)]


def numbered(names: Sequence[str]) -> list[str]:
    """Return the names, all but the first of equal ones with a number."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct


def is_family(value: object) -> bool:
    """Return whether a value is a family of two classes or several, or may be the name of one."""
    return isinstance(value, str | Family | MulticlassFamily)
