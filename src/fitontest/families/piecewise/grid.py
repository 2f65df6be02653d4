"""Compressing a sample to masses on a few thousand nodes, per fold, in one pass over the rows.

A row at x between the nodes g_j and g_{j+1} gives the share 1 - l of its weight to the left node and l to the right
one, l = (x - g_j) / (g_{j+1} - g_j). A sum over rows of any function that is linear between nodes is then the same
sum over nodes; for a curved one the error is of the order of (distance of the nodes)^2 times its second derivative. A
sample with no more distinct scores than nodes is not compressed at all: every score is a node.

Everything that follows costs the same for a thousand rows and for a hundred million.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.links import LOGIT, Link
from fitontest.numerics.search import BLOCK
from fitontest.results.typing import FloatArray, IntArray

EPS = 1e-16  # the logit clips scores to [1e-16, 1 - 1e-16]


@dataclass(frozen=True, eq=False)
class Grid:
    """Masses of positives and negatives at the nodes, by fold.

    Attributes
    ----------
    x : array of shape (M,)
        Nodes, strictly increasing: scores for PL, logits for PL3.
    mass : array of shape (F, 2, M)
        Weight of the positives (0) and of the negatives (1) of each fold.
    """

    x: FloatArray
    mass: FloatArray

    @property
    def total(self) -> FloatArray:
        """Mass at each node, shape (M,)."""
        return np.asarray(self.mass.sum(axis=(0, 1)))

    def coarse(self, size: int) -> "Grid":
        """Return the grid on at most `size` of its own nodes; the masses are those that the rows would have given."""
        if self.x.size <= size:
            return self
        kept = np.unique(np.linspace(0, self.x.size - 1, size).round().astype(np.intp))
        x = self.x[kept]
        left, share = _between(x, self.x)
        mass = np.zeros((x.size, *self.mass.shape[:2]))  # nodes first, for add.at
        nodes_first = np.moveaxis(self.mass, -1, 0)
        np.add.at(mass, left, nodes_first * (1.0 - share)[:, None, None])
        np.add.at(mass, left + 1, nodes_first * share[:, None, None])
        return Grid(x, np.ascontiguousarray(np.moveaxis(mass, 0, -1)))


def grid_of(sample: ScoreSample, folds: list[IntArray], link: Link, size: int | None) -> Grid:
    """Return the masses of the sample on at most `size` nodes (None: as many as there are distinct scores).

    Parameters
    ----------
    sample : ScoreSample
    folds : list of int arrays
        Sorted rows that each fold holds out; together all of them.
    link : Link
        The scale of the nodes: identity or logit.
    size : int or None
    """
    rows = sample.rows
    fold = np.empty(len(rows), dtype=np.min_scalar_type(len(folds)))
    for number, held_out in enumerate(folds):
        fold[held_out] = number
    x = _nodes(sample, link, size)
    mass = np.zeros(len(folds) * 2 * x.size)
    for start in range(0, len(rows), BLOCK):
        piece = slice(start, start + BLOCK)
        y, w = rows.y[piece], rows.w[piece]
        row_of = (fold[piece].astype(np.intp) * 2 + (y < 0.5)) * x.size
        if x.size == 1:
            mass += np.bincount(row_of, w, mass.size)
            continue
        left, share = _between(x, link.forward(rows.p[piece], EPS))
        right = w * share
        mass += np.bincount(row_of + left, w - right, mass.size)
        mass += np.bincount(row_of + left + 1, right, mass.size)
    return Grid(x, mass.reshape(len(folds), 2, x.size))


def _between(x: FloatArray, at: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the node to the left of each point, and the point's position between it and the next."""
    left = np.clip(np.searchsorted(x, at, side="right") - 1, 0, x.size - 2)
    return left, np.clip((at - x[left]) / (x[left + 1] - x[left]), 0.0, 1.0)


def _nodes(sample: ScoreSample, link: Link, size: int | None) -> FloatArray:
    """Return all distinct scores, or `size` nodes where the data are and where the loss is curved."""
    distinct = sample.distinct.p
    if size is None or distinct.size <= size:
        return np.unique(link.forward(distinct, EPS))
    p = np.concatenate((_equal_mass(sample, size // 2), _equal_width(sample, link, size - size // 2)))
    x = link.forward(p, EPS)
    ends = link.forward(distinct[[0, -1]], EPS)
    return np.unique(np.concatenate((ends, x[(x > ends[0]) & (x < ends[1])])))


def _equal_mass(sample: ScoreSample, size: int) -> FloatArray:
    """Return scores of the sample with equal shares of the weight between them."""
    w = sample.distinct.w
    share = np.cumsum(w)
    at = np.searchsorted(share, np.linspace(0.0, share[-1], size))
    return sample.distinct.p[np.minimum(at, w.size - 1)]


def _equal_width(sample: ScoreSample, link: Link, size: int) -> FloatArray:
    """Return equally spaced scores: for PL3 on the logit, for PL half on the logit and half on the score.

    PL needs both because log q bends the most where q is next to 0, at a rate that grows as 1 / q^2.
    """
    low, high = sample.distinct.p[0], sample.distinct.p[-1]
    ends = LOGIT.forward(np.array([low, high]), EPS)
    logits = LOGIT.inverse(np.linspace(ends[0], ends[1], size if link is LOGIT else size // 2))
    return logits if link is LOGIT else np.concatenate((logits, np.linspace(low, high, size - size // 2)))
