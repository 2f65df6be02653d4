"""Logistic lines in the nodes of a tree, each drawn to that of its parent.

In node k the logit is a_k + b_k x, and (a_k, b_k) maximises the likelihood of the rows of the node less
((a_k - a_j)^2 + (b_k - b_j)^2) / (2 tau^2), with j the parent and x the logit of the score, centred and in units of its
standard deviation over all rows. All nodes of one depth are solved at once.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.adjusting import line_of, mean_and_spread
from fitontest.numerics.links import sigmoid
from fitontest.results.typing import FloatArray, IntArray
from fitontest.segments.features.grown_tree import GrownTree

MOST_STEPS = 50
LONGEST = 2.0  # step, in logits
SETTLED = 1e-10


@dataclass(frozen=True, eq=False)
class NodeLines:
    """The line of each node.

    Attributes
    ----------
    intercepts, slopes : arrays of shape (m,)
    """

    intercepts: FloatArray
    slopes: FloatArray

    def logits(self, at: IntArray, x: FloatArray) -> FloatArray:
        """Return the logits of rows in these nodes.

        Parameters
        ----------
        at : int array of shape (n,)
        x : array of shape (n,)
            Logits of the scores.
        """
        return np.asarray(self.intercepts[at] + self.slopes[at] * x)


def fit_lines(tree: GrownTree, at: IntArray, y: FloatArray, x: FloatArray, w: FloatArray, tau: float) -> NodeLines:
    """Return the lines of all nodes; that of the first is the logistic line of all rows.

    Parameters
    ----------
    tree : GrownTree
    at : int array of shape (n,)
        The deepest node of each row.
    y, x, w : arrays of shape (n,)
        Labels, logits of the scores, and weights in units of one row.
    tau : float
        0: all nodes have the line of the first.
    """
    intercept, slope = line_of(y, x, w)
    a, b = np.full(len(tree), intercept), np.full(len(tree), slope)
    if tau > 0.0 and len(tree) > 1:
        mean, spread = mean_and_spread(x, w)
        scaled = (x - mean) / spread
        base = intercept + slope * x  # of the parent of each row's node
        shifts = np.zeros((len(tree), 2))
        for nodes in tree.levels(at):
            rows = np.flatnonzero(nodes >= 0)
            found = _shifts(nodes[rows], len(tree), (y[rows], scaled[rows], w[rows], base[rows]), 1.0 / tau**2)
            shifts += found
            base[rows] += found[nodes[rows], 0] + found[nodes[rows], 1] * scaled[rows]
        for node in range(1, len(tree)):
            shifts[node] += shifts[tree.parent[node]]
        b = slope + shifts[:, 1] / spread
        a = intercept + shifts[:, 0] - shifts[:, 1] * mean / spread
    return NodeLines(a, b)


def _shifts(
    node: IntArray, size: int, rows: tuple[FloatArray, FloatArray, FloatArray, FloatArray], ridge: float
) -> FloatArray:
    """Return by how much the line of each node is moved from that of its parent, shape (m, 2)."""
    y, x, w, base = rows
    theta = np.zeros((size, 2))
    for _ in range(MOST_STEPS):
        q = sigmoid(base + theta[node, 0] + theta[node, 1] * x)
        r, v = w * (y - q), w * q * (1.0 - q)
        sums = [np.bincount(node, values, size) for values in (r, r * x, v, v * x, v * x * x)]
        g0, g1 = sums[0] - ridge * theta[:, 0], sums[1] - ridge * theta[:, 1]
        h00, h01, h11 = sums[2] + ridge, sums[3], sums[4] + ridge
        determinant = h00 * h11 - h01 * h01
        step = np.stack((h11 * g0 - h01 * g1, h00 * g1 - h01 * g0), axis=1) / determinant[:, None]
        longest = np.abs(step).max(axis=1)
        theta += step * np.minimum(1.0, LONGEST / np.maximum(longest, SETTLED))[:, None]
        if longest.max() < SETTLED:
            break
    return theta
