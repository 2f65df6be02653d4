"""A binary tree as arrays: the children and the split of each node, and which nodes a row passes.

A child has a larger number than its parent, as in scikit-learn's trees.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray, IntArray

NONE = -1  # no child, no parent, no node at this depth


@dataclass(frozen=True, eq=False)
class TreeStructure:
    """The nodes of a tree; node 0 is the root.

    Attributes
    ----------
    left, right : int array of shape (m,)
        The children of each node, -1 for a leaf. Rows with feature <= threshold go to the left.
    feature : int array of shape (m,)
    threshold : array of shape (m,)
    missing_left : bool array of shape (m,)
        Whether rows whose feature is missing go to the left.
    """

    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: FloatArray
    missing_left: BoolArray

    @classmethod
    def of(cls, tree: Any) -> "TreeStructure":
        """Return the structure of a fitted tree of scikit-learn."""
        inner = tree.tree_
        missing = np.asarray(inner.missing_go_to_left, dtype=bool)
        left, right = (np.asarray(side, dtype=np.intp) for side in (inner.children_left, inner.children_right))
        return cls(left, right, np.asarray(inner.feature, dtype=np.intp), np.asarray(inner.threshold), missing)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.left.size

    @property
    def is_leaf(self) -> BoolArray:
        """Which nodes are leaves."""
        return np.asarray(self.left == NONE)

    @cached_property
    def leaves(self) -> IntArray:
        """The leaves from left to right."""
        found, ahead = [], [0]
        while ahead:
            node = ahead.pop()
            if self.left[node] == NONE:
                found.append(node)
            else:
                ahead += [int(self.right[node]), int(self.left[node])]
        return np.array(found, dtype=np.intp)

    @cached_property
    def parent(self) -> IntArray:
        """The parent of each node, -1 for the root."""
        parent = np.full(self.size, NONE, dtype=np.intp)
        inner = np.flatnonzero(~self.is_leaf)
        parent[self.left[inner]] = inner
        parent[self.right[inner]] = inner
        return parent

    @cached_property
    def depth(self) -> IntArray:
        """The number of splits above each node."""
        depth = np.zeros(self.size, dtype=np.intp)
        for node in range(1, self.size):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    def levels(self, leaf: IntArray) -> Iterator[IntArray]:
        """Yield for each depth the node that each row passes there, -1 for a row that is in a leaf already.

        Parameters
        ----------
        leaf : int array of shape (n,)
            The leaf of each row.
        """
        above = np.arange(self.size)  # the ancestor of each node at the depth reached, going up
        ancestors = [above]
        for depth in range(int(self.depth.max()), 0, -1):
            above = np.where(self.depth[above] == depth, self.parent[above], above)
            ancestors.append(above)
        for depth, nodes in enumerate(reversed(ancestors)):
            yield np.where(self.depth[nodes] == depth, nodes, NONE)[leaf]

    def accumulate(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the leaves below each node; those of inner nodes are not read."""
        sums = np.where(self.is_leaf.reshape(-1, *[1] * (values.ndim - 1)), values, 0.0)
        for node in range(self.size - 1, 0, -1):
            sums[self.parent[node]] += sums[node]
        return sums

    def cut(self, stop: BoolArray) -> tuple["TreeStructure", IntArray]:
        """Return the tree with the chosen nodes as leaves.

        Parameters
        ----------
        stop : bool array of shape (m,)
            Nodes whose descendants are removed.

        Returns
        -------
        tree : TreeStructure
        leaf_of : int array of shape (m,)
            For each node of this tree the node of the new one that it is, or by which it was replaced.
        """
        ends = stop | self.is_leaf
        number = np.full(self.size, NONE, dtype=np.intp)
        removed = np.zeros(self.size, dtype=bool)
        kept: list[int] = []
        for node in range(self.size):
            above = self.parent[node]
            removed[node] = above != NONE and (removed[above] or ends[above])
            if removed[node]:
                number[node] = number[above]
            else:
                number[node] = len(kept)
                kept.append(node)
        nodes = np.array(kept, dtype=np.intp)
        inner = ~ends[nodes]
        left, right = (np.where(inner, number[side[nodes]], NONE) for side in (self.left, self.right))
        feature = np.where(inner, self.feature[nodes], NONE)
        pruned = TreeStructure(left, right, feature, self.threshold[nodes], self.missing_left[nodes])
        return pruned, number

    def shallowest(self, n_leaves: int) -> BoolArray:
        """Return which nodes are the leaves of the shallowest sub-tree with that many leaves.

        A breadth-first search from the root splits one node after the other until there are enough leaves. A tree
        with fewer leaves keeps them all.
        """
        ends = np.zeros(self.size, dtype=bool)
        ends[0] = True
        ahead, count = deque([0]), 1
        while ahead and count < n_leaves:
            node = ahead.popleft()
            if self.left[node] == NONE:
                continue
            children = [int(self.left[node]), int(self.right[node])]
            ends[node] = False
            ends[children] = True
            ahead.extend(children)
            count += 1
        return ends
