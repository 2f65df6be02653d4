"""Indices of pandas objects that are read together: rows are matched by their place, never by their labels.

Where two indices hold the same labels in another order, one of the objects was sorted, sampled or grouped, and row by
row they do not belong together. Indices that differ otherwise say nothing: a part of a table keeps the labels of its
rows while scores computed from it are numbered anew. Nor do labels that occur twice.
"""

from itertools import combinations
from typing import Any

import numpy as np

from fitontest.results.checks import as_plain

SAMPLED = 8  # labels that are looked for first: most indices that differ share none


def check_same_order(**given: Any) -> None:
    """Raise ValueError where the indices of two of the named arguments hold the same labels in another order.

    Parameters
    ----------
    **given : object
        What the user passed, by the name that the user knows; whatever is no object of pandas has no index.
    """
    indexed = [(name, index) for name, values in given.items() if (index := _index_of(values)) is not None]
    for (one, first), (other, second) in combinations(indexed, 2):
        if not first.equals(second) and _hold_the_same(first, second):
            at = int(np.argmax(np.asarray(first != second)))
            raise ValueError(
                f"{one} and {other} must have their rows in one order, got indices that hold the same labels in "
                f"another order, {as_plain(first[at])!r} and {as_plain(second[at])!r} at row {at + 1} (rows counted "
                f"from 1); where the rows do stand in one order pass {other}.to_numpy(), else align them by "
                f"{other} = {other}.reindex({one}.index)"
            )


def _index_of(values: Any) -> Any:
    """Return the index of a series or frame of pandas, or None."""
    index = getattr(values, "index", None) if type(values).__module__.partition(".")[0] == "pandas" else None
    return index if hasattr(index, "equals") else None


def _hold_the_same(first: Any, second: Any) -> bool:
    """Return whether two indices hold the same labels, each once."""
    if len(first) != len(second) or _sum_up_differently(first, second) or _share_none(first, second):
        return False
    if _is_overlapping(first) or _is_overlapping(second) or not (first.is_unique and second.is_unique):
        return False
    return bool((first.get_indexer(second) >= 0).all())


def _share_none(first: Any, second: Any) -> bool:
    """Return whether an index of texts lacks any of the first labels of another, found without a table of all."""
    if first.nlevels > 1 or second.nlevels > 1 or str(second.dtype) not in ("object", "str", "string"):
        return False  # others are compared as quickly, or cannot be looked up
    return int(second.isin(first[:SAMPLED]).sum()) < min(SAMPLED, len(first))


def _sum_up_differently(first: Any, second: Any) -> bool:
    """Return whether sums of whole numbers show that the labels are others, which takes a tenth of the time."""
    numbers = first.to_numpy(), second.to_numpy()
    return all(each.dtype.kind in "iu" for each in numbers) and bool(numbers[0].sum() != numbers[1].sum())


def _is_overlapping(index: Any) -> bool:
    """Return whether labels are intervals that overlap, in which pandas finds no label by itself."""
    return bool(getattr(index, "is_overlapping", False))
