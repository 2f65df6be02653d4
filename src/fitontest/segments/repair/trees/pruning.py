"""Minimal cost-complexity pruning of a tree with any cost of its nodes, and the choice of its factor.

The pruned tree of factor alpha has the smallest cost + alpha * (number of leaves). As alpha grows, sub-trees collapse
one after the other, those first whose leaves save the least cost each, so that each inner node has the factor from
which on it is a leaf.

References
----------
Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, section 3.3 (no doi).
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from fitontest.results.typing import FloatArray
from fitontest.segments.repair.trees.structure import NONE, TreeStructure

ROUNDING = 1e-12  # of gains, relative to the largest


def collapse_factors(tree: TreeStructure, cost: FloatArray) -> FloatArray:
    """Return the factor from which on each node has no children, -inf for leaves.

    Parameters
    ----------
    tree : TreeStructure
    cost : array of shape (m,)
        The cost of each node as a leaf. One that its sub-tree does not lower collapses at 0.

    Returns
    -------
    factors : array of shape (m,)
        Never larger than that of the parent: a node that vanishes with a sub-tree has the factor of its root.
    """
    factors = np.where(tree.is_leaf, -np.inf, np.nan)
    saved = (cost - tree.accumulate(cost)).tolist()  # what the leaves below each node save
    fewer = (tree.accumulate(np.ones(tree.size)) - 1.0).tolist()  # the leaves that its collapse takes away
    inside = (~tree.is_leaf).tolist()  # inner nodes of what is left of the tree
    parent = tree.parent.tolist()
    gain = [saved[node] / fewer[node] if inside[node] else np.inf for node in range(tree.size)]
    ahead = [(gain[node], node) for node in range(tree.size) if inside[node]]
    heapify(ahead)
    alpha = 0.0
    while ahead:
        least, node = heappop(ahead)
        if not inside[node] or least != gain[node]:  # gone, or entered anew when a node below it collapsed
            continue
        alpha = max(alpha, least)
        _collapse(tree, node, alpha, factors, inside)
        lost, gone = saved[node], fewer[node]
        while (node := parent[node]) != NONE:
            saved[node] -= lost
            fewer[node] -= gone
            gain[node] = saved[node] / fewer[node]
            heappush(ahead, (gain[node], node))
    return factors


def _collapse(tree: TreeStructure, top: int, alpha: float, factors: FloatArray, inside: list[bool]) -> None:
    """Enter the factor of a node and of all that vanishes with it."""
    ahead = [top]
    while ahead:
        node = ahead.pop()
        if inside[node]:
            inside[node] = False
            factors[node] = alpha
            ahead += [int(tree.left[node]), int(tree.right[node])]


def candidate_factors(factors: FloatArray) -> FloatArray:
    """Return a factor for each pruned tree that there is, from the largest tree to the root alone.

    They are the geometric means of neighbours, so that a tree is not chosen by the rounding of a gain; factors that
    differ by rounding are one. That of the root alone is the factor of the root and a little more.
    """
    steps = np.unique(np.append(factors[np.isfinite(factors)], 0.0))
    apart = np.diff(steps) > ROUNDING * steps[-1]
    first, last = steps[np.append(True, apart)], steps[np.append(apart, True)]
    return np.append(np.sqrt(last[:-1] * first[1:]), last[-1] * (1.0 + 1e-9))


def losses_by_factor(tree: TreeStructure, factors: FloatArray, loss: FloatArray, candidates: FloatArray) -> FloatArray:
    """Return the loss of rows under the pruned tree of each candidate.

    Parameters
    ----------
    tree : TreeStructure
    factors : array of shape (m,)
        Those of `collapse_factors`.
    loss : array of shape (m,)
        The loss of the rows that pass each node, if it were their leaf.
    candidates : array of shape (c,)
    """
    above = np.where(tree.parent == NONE, np.inf, factors[tree.parent])
    order_in, order_out = np.argsort(factors), np.argsort(above)  # a node is a leaf from its factor to its parent's
    entered = np.append(0.0, np.cumsum(loss[order_in]))
    left = np.append(0.0, np.cumsum(loss[order_out]))
    return np.asarray(
        entered[np.searchsorted(factors[order_in], candidates, side="right")]
        - left[np.searchsorted(above[order_out], candidates, side="right")]
    )


def best_factor(candidates: FloatArray, losses: Sequence[FloatArray]) -> float:
    """Return the candidate of the smallest total loss over the folds; of equal ones the largest, the smallest tree."""
    total = np.sum(losses, axis=0)
    slack = 1e-12 * np.abs(total).max(initial=0.0)
    return float(candidates[np.flatnonzero(total <= total.min() + slack)[-1]])
