"""Labellings of few rows: there are few of them, so that the same ones are drawn again and again."""

from collections.abc import Callable, Hashable

import numpy as np

from fitontest.data.entries import Entries
from fitontest.results.typing import FloatArray, IntArray

FEW = 12  # rows, whose labellings are at most 4096


def remembered(
    entries: Entries, name: Hashable, positives: IntArray, compute: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Return what is computed of each labelling, shape (G, B); of few rows each labelling is computed once.

    Parameters
    ----------
    entries : Entries
        Of the rows, which remember it.
    name : hashable
        Of what is computed, with all that it depends on but the labels.
    positives : int array of shape (m, B)
        How many of the rows behind each entry are positive, in each labelling.
    compute : callable
        Takes labellings, shape (m, C), and returns the columns that belong to them, shape (G, C).
    """
    if len(entries) > FEW or not entries.single:
        return compute(positives)
    known = entries.memory.setdefault(("of labellings", name), {})
    keys = [column.tobytes() for column in positives.astype(np.int8).T]
    new = {key: column for column, key in enumerate(keys) if key not in known}
    if new:
        known.update(zip(new, compute(positives[:, [*new.values()]]).T, strict=True))
    return np.stack([known[key] for key in keys], axis=1)
