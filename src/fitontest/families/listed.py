"""Lists of families, as users give them: names and instances, each of which is then known by a name of its own."""

from collections import Counter
from collections.abc import Iterable

from fitontest.families.base import Family, family_name, names_by_settings, read_family
from fitontest.typing import RandomState


def read_families(families: Iterable[str | Family], argument: str, random_state: RandomState) -> dict[str, Family]:
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
