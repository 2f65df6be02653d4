"""Discordant pairs: the pairs of points that two orders put the other way round, counted in O(n log n).

Sorted by one coordinate, and by the other where that is tied, a pair is discordant where the second coordinate falls:
an inversion. Inversions are counted bit by bit of the rank. Two ranks differ first at one bit, and of two ranks that
agree above it the one that has it is greater: what stands before a rank without the bit and has it is inverted.
"""

import numpy as np

from fitontest.results.typing import FloatArray, IntArray


def discordant_weight(a: FloatArray, b: FloatArray, w: FloatArray) -> float:
    """Return the sum of w_i w_j over the pairs i < j with (a_i - a_j) (b_i - b_j) < 0; a tie is not discordant.

    Examples
    --------
    >>> discordant_weight(np.array([1.0, 2.0, 3.0]), np.array([5.0, 4.0, 4.0]), np.array([1.0, 1.0, 2.0]))
    3.0
    """
    _, rank = np.unique(b, return_inverse=True)
    order = np.lexsort((w, rank, a))  # by weight too, so that the order of the points does not show
    return _inverted_weight(rank[order], w[order])


def _inverted_weight(rank: IntArray, w: FloatArray) -> float:
    """Return the sum of w_i w_j over the positions i < j with rank_i > rank_j."""
    total = 0.0
    for bit in range(int(rank.max()).bit_length()):
        node = rank >> (bit + 1)
        order = np.argsort(node, kind="stable")
        node, weight = node[order], w[order]
        has_bit = (rank[order] >> bit & 1).astype(bool)
        above = np.where(has_bit, weight, 0.0)
        before = np.cumsum(above) - above
        first = np.flatnonzero(np.diff(node, prepend=-1))  # where each set of ranks that agree above the bit begins
        before -= np.repeat(before[first], np.diff(first, append=node.size))
        total += float(weight[~has_bit] @ before[~has_bit])
    return total
