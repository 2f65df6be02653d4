"""The groups that cells belong to: what they are called, in an order that parts and their sum share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.row_groups import coded_ids
from fitontest.results.typing import IntArray


def ordered_ids(ids: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct ids in order, and the place of each among them.

    Numbers and times are in their own order. Other ids are ordered by their type, then by their value, or by their
    text where values of a type have no order.

    Parameters
    ----------
    ids : array of shape (m,)
        Any that can be hashed, none missing.
    """
    names, code = coded_ids(ids)
    if names.dtype != object:
        return names, code
    values = names.tolist()
    kinds = [type(value).__name__ for value in values]
    try:
        order = sorted(range(len(values)), key=lambda at: (kinds[at], values[at]))
    except TypeError:
        order = sorted(range(len(values)), key=lambda at: (kinds[at], repr(values[at])))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return names[order], place[code]


def joined_ids(parts: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[IntArray | None]]:
    """Return the ids of all parts in order, and for each part the places of its own; None where they are all, alike."""
    first = parts[0]
    if all(ids is first or (ids.dtype == first.dtype and np.array_equal(ids, first)) for ids in parts[1:]):
        return first, [None] * len(parts)
    names, place = ordered_ids(np.concatenate(parts))
    return names, list(np.split(place, np.cumsum([ids.size for ids in parts])[:-1]))


def used_ids(ids: NDArray[Any], code: IntArray) -> tuple[NDArray[Any], IntArray]:
    """Return the ids that occur, and the codes of them."""
    used = np.bincount(code, minlength=ids.size) > 0
    if used.all():
        return ids, code
    return ids[used], (np.cumsum(used) - 1)[code]
