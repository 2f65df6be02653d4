"""Runs of neighbouring scores of equal weight: the few means that many rows can be pooled to."""

import numpy as np

from fitontest.results.typing import FloatArray, IntArray


def equal_mass_cells(w: FloatArray, most: int) -> IntArray:
    """Return the cell, of at most `most`, of each sorted score with weight w, shape (G,): not decreasing.

    A score is in the cell of the middle of its weight, so that a heavy one leaves cells without a score.

    Examples
    --------
    >>> import numpy as np
    >>> equal_mass_cells(np.array([1.0, 1.0, 1.0, 1.0]), 2), equal_mass_cells(np.array([1.0, 8.0, 1.0]), 5)
    (array([0, 0, 1, 1]), array([0, 2, 4]))
    """
    middle = np.cumsum(w) - w / 2.0
    return np.asarray(np.minimum((middle * (most / w.sum())).astype(np.intp), most - 1))


def cell_starts(cells: IntArray) -> IntArray:
    """Return the first score of each cell that has any."""
    return np.flatnonzero(np.diff(cells, prepend=-1))
