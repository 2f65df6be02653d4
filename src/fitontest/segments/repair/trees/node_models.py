"""What the nodes of a tree predict: the shares of the classes, or logistic regressions on the logits of base scores."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from fitontest.numerics.links import sigmoid
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.repair.trees.rows import TreeRows
from fitontest.segments.repair.trees.segment_logistic import fit_segments
from fitontest.segments.repair.trees.structure import NONE, TreeStructure

RIDGE = 1e-6


class NodeModels(Protocol):
    """A model in each node of a tree: ``evaluate(nodes, logits)`` gives probabilities of shape (n, K)."""

    takes_logits: ClassVar[bool]

    def evaluate(self, nodes: IntArray, logits: FloatArray | None) -> FloatArray:
        """Return the probabilities of rows in these nodes."""
        ...  # pragma: no cover - a protocol


def class_weights(tree: TreeStructure, leaf: IntArray, rows: TreeRows) -> FloatArray:
    """Return the weight of each class in each node, shape (m, K)."""
    size = tree.size, rows.n_classes
    cells = np.bincount(leaf * rows.n_classes + rows.codes, rows.w, size[0] * size[1]).astype(np.float64)
    return tree.accumulate(cells.reshape(size))


@dataclass(frozen=True, eq=False)
class ShareModels:
    """Each node predicts the shares of the classes among its rows."""

    takes_logits: ClassVar[bool] = False
    shares: FloatArray

    @classmethod
    def fit(cls, tree: TreeStructure, leaf: IntArray, rows: TreeRows) -> "ShareModels":
        """Return the shares of the nodes."""
        weights = class_weights(tree, leaf, rows)
        return cls(weights / weights.sum(axis=1, keepdims=True))

    def evaluate(self, nodes: IntArray, logits: FloatArray | None) -> FloatArray:  # noqa: ARG002 - shares need none
        """Return the shares of the nodes, shape (n, K)."""
        return self.shares[nodes]


@dataclass(frozen=True, eq=False)
class LogisticModels:
    """Each node has a logistic regression on the logit of the score of each class, which is normalised over classes.

    Of two classes there is one regression, of the second class. A class that all rows of a node have, or none, has
    the constant 1 or 0 there: an infinite intercept.

    Attributes
    ----------
    intercepts, slopes : array of shape (m, k)
        A column for each regression: one of two classes, K of more.
    shares : array of shape (m, K)
        For rows to which no regression leaves anything.
    """

    takes_logits: ClassVar[bool] = True
    intercepts: FloatArray
    slopes: FloatArray
    shares: FloatArray

    @classmethod
    def fit(cls, tree: TreeStructure, leaf: IntArray, rows: TreeRows, logits: FloatArray) -> "LogisticModels":
        """Fit the regressions of all nodes, depth by depth.

        Parameters
        ----------
        tree : TreeStructure
        leaf : int array of shape (n,)
            The leaf of each row.
        rows : TreeRows
        logits : array of shape (n, k)
            Of the rows: of the second of two classes, or of each class.
        """
        weights = class_weights(tree, leaf, rows)
        shares = weights / weights.sum(axis=1, keepdims=True)
        modelled = [1] if rows.n_classes == 2 else list(range(rows.n_classes))
        occurs = (weights > 0)[:, modelled]
        alone = occurs & ((weights > 0).sum(axis=1, keepdims=True) == 1)
        intercepts = np.where(alone, np.inf, np.where(occurs, 0.0, -np.inf))
        slopes = np.zeros(intercepts.shape)
        for nodes in tree.levels(leaf):
            for column, k in enumerate(modelled):
                _fit_level(
                    nodes, rows.codes == k, rows.w, logits[:, column], (intercepts[:, column], slopes[:, column])
                )
        return cls(intercepts, slopes, shares)

    def evaluate(self, nodes: IntArray, logits: FloatArray | None) -> FloatArray:
        """Return the probabilities, shape (n, K)."""
        assert logits is not None
        q = sigmoid(self.intercepts[nodes] + self.slopes[nodes] * logits)
        if self.shares.shape[1] == 2:
            return np.concatenate([1.0 - q, q], axis=1)
        total = q.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(q, total, out=self.shares[nodes], where=total > 0))


def _fit_level(
    nodes: IntArray, positive: BoolArray, w: FloatArray, logits: FloatArray, into: tuple[FloatArray, FloatArray]
) -> None:
    """Fit one class against the rest in the nodes of one depth that have rows of both."""
    intercepts, slopes = into
    rows = np.flatnonzero((nodes != NONE) & np.isfinite(intercepts[nodes]))
    if rows.size == 0:
        return
    here, segment = np.unique(nodes[rows], return_inverse=True)
    t = positive[rows].astype(np.float64)
    intercepts[here], slopes[here] = fit_segments(logits[rows], t, w[rows], segment, here.size, RIDGE)


def brier_losses(proba: FloatArray, codes: IntArray) -> FloatArray:
    """Return the squared distance between the probabilities of each row and its class."""
    own = proba[np.arange(codes.size), codes]
    return np.asarray((proba * proba).sum(axis=1) - 2.0 * own + 1.0)
