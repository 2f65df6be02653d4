"""What segments are called where they are printed, and how a user may name one."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

from fitontest.data.samples import Key

WHOLE = "all rows"
NO_ROWS = "no rows"  # of a segment whose rows all have weight 0


def words_of(segments: Iterable[Key]) -> dict[Key, str]:
    """Return segments as they are printed, each different from the others."""
    texts = {segment: _in_words(segment, str) for segment in segments}
    return texts if len(set(texts.values())) == len(texts) else {one: _in_words(one, repr) for one in texts}


def spellings(segment: Key) -> list[str]:
    """Return how a user may name a segment: as it is printed, and values of several types as other readers print them.

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


def _in_words(segment: Key, printed: Callable[[Any], str]) -> str:
    return ", ".join(map(printed, segment)) if isinstance(segment, tuple) else printed(segment)
