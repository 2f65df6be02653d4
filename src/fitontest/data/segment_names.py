"""What segments are called where they are printed, and how a user may name one."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from fitontest.data.samples import Key

WHOLE = "all rows"
NO_ROWS = "no rows"  # of a segment whose rows all have weight 0


def words_of(segments: Iterable[Key], columns: Sequence[str] = ()) -> dict[Key, str]:
    """Return segments as they are printed, each different from the others.

    Parameters
    ----------
    segments : iterable
        Values of one column, or tuples of values of several.
    columns : sequence of str
        The names of several columns; by default their places.

    Examples
    --------
    >>> words_of(["north", "south"]), words_of([(2, "f")], ["race", "sex"])
    ({'north': 'north', 'south': 'south'}, {(2, 'f'): 'race = 2, sex = f'})
    """
    texts = {segment: _in_words(segment, columns, str) for segment in segments}
    return texts if len(set(texts.values())) == len(texts) else {one: _in_words(one, columns, repr) for one in texts}


def columns_of_several(columns: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the names of several columns, or where they have none their places."""
    return tuple(columns) or tuple(f"column {place + 1}" for place in range(number))


def enumerate_names(names: Sequence[str], most: int) -> str:
    """Return the first of several names, and how many more there are; names with a comma are told apart.

    Examples
    --------
    >>> enumerate_names(["a", "b", "c"], 2), enumerate_names(["race = 2, sex = f", "race = 2, sex = m"], 2)
    ('a, b and 1 more', 'race = 2, sex = f; race = 2, sex = m')
    """
    joint = "; " if any("," in name for name in names) else ", "
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{joint.join(names[:most])}{more}"


def spellings(segment: Key) -> list[str]:
    """Return how a user may name a segment: its values, and values of several types as other readers print them.

    Examples
    --------
    >>> spellings(1.0), spellings(("north", True))
    (['1.0', '1'], ['north, True', 'north, true'])
    """
    values = segment if isinstance(segment, tuple) else (segment,)
    return [", ".join(each) for each in product(*map(_spelled, values))]


def _spelled(value: Any) -> list[str]:
    text = str(value)
    others = [text.removesuffix(".0") if isinstance(value, float) else text, text.removesuffix(" 00:00:00")]
    others.append(text.lower() if text in ("True", "False") else text)
    return list(dict.fromkeys((text, *others)))


def _in_words(segment: Key, columns: Sequence[str], printed: Callable[[Any], str]) -> str:
    if not isinstance(segment, tuple):
        return printed(segment)
    known = columns if len(columns) == len(segment) else ()  # a user may have named a segment of other columns
    named = zip(columns_of_several(known, len(segment)), segment, strict=True)
    return ", ".join(f"{column} = {printed(value)}" for column, value in named)
