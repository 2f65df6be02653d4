"""What measures are called beside one another: those that share a name by their settings."""

from collections.abc import Sequence

from fitontest.families.listed import names_by_settings
from fitontest.measures.measure import Measure


def names_of(measures: Sequence[Measure]) -> list[str]:
    """Return the names of measures; those that share one get a longer one.

    Parameters
    ----------
    measures : sequence of Measure
        Which may have one name and differ in their settings.
    """
    names = [one.name for one in measures]
    if len(set(names)) == len(names):
        return names
    longer = [one.words.longer_names() for one in measures]
    for i in range(max(map(len, longer))):
        given = zip(names, longer, strict=True)
        names = names_by_settings(names, [more[i] if i < len(more) else name for name, more in given])
    return names
