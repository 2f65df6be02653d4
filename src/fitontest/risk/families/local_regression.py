"""Local regressions: families whose map is a linear function of the labels, with the values of few vertices.

A local regression fits a line or a parabola to the rows around each of a few scores, the vertices. Which rows, and what
each of their labels counts, depends on the scores and weights alone. So the values at the vertices of B labellings are
one product of two matrices, and the calibrated values at all scores another, of a matrix with few entries a row.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.nearest_rows import ScoresOfRows
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import constant
from fitontest.numerics.sums import dot
from fitontest.results.typing import FloatArray, IntArray

MOST_KEPT = 4_000_000  # numbers of a matrix that entries remember; a larger one is made again in blocks


@dataclass(frozen=True, eq=False)
class Block:
    """What the labels of neighbouring scores count in some of the parameters.

    Attributes
    ----------
    parameters, scores : slice
        Which parameters, and which of the distinct scores: all others count nothing.
    weights : array of shape (parameters, scores)
        Parameters per weight of the positives.
    """

    parameters: slice
    scores: slice
    weights: FloatArray


class LocalRegression(ABC):
    """What scores and weights alone decide of a map: parameters as linear functions of labels, values as theirs."""

    rows: ScoresOfRows
    n_parameters: int

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the weights of the labels in all parameters."""

    @abstractmethod
    def basis(self, scores: FloatArray) -> Any:
        """Return the values at scores per parameter, as a sparse matrix of shape (m, n_parameters)."""

    @abstractmethod
    def to_map(self, theta: FloatArray) -> CalibrationMap:
        """Return the map of parameters of shape (n_parameters,)."""

    def fit(self, wy: FloatArray) -> tuple[FloatArray, float]:
        """Return the parameters, and the degrees of freedom, of weights of the positives of shape (G,).

        The degrees of freedom are the sum over the rows of what each counts in its own value.
        """
        theta = np.zeros(self.n_parameters)
        by_parameter = self.basis(self.rows.p).tocsc()
        trace = 0.0
        for block in self.blocks():
            theta[block.parameters] = np.einsum("ij,j->i", block.weights, wy[block.scores])
            own = by_parameter[:, block.parameters].tocoo()  # to slice rows as well would take time for all of them
            at = own.row - block.scores.start
            near = (at >= 0) & (at < block.weights.shape[1])
            trace += dot(block.weights[own.col[near], at[near]], (own.data * self.rows.w[own.row])[near])
        return theta, trace

    def parameters(self, wy: FloatArray, memory: dict[Any, Any], name: Any) -> FloatArray:
        """Return the parameters of many labellings, shape (n_parameters, B); `memory` keeps a matrix of modest size."""
        if self.n_parameters * self.rows.p.size > MOST_KEPT:
            theta = np.zeros((self.n_parameters, wy.shape[1]))
            for block in self.blocks():
                theta[block.parameters] = block.weights @ wy[block.scores]
            return theta
        if name not in memory:
            matrix = np.zeros((self.n_parameters, self.rows.p.size))
            for block in self.blocks():
                matrix[block.parameters, block.scores] = block.weights
            memory[name] = matrix
        return np.asarray(memory[name] @ wy)


class LocalFamily(Family):
    """Base of the families of local regressions; a subclass checks its settings and says what they make of rows."""

    @abstractmethod
    def _regression(self, rows: ScoresOfRows) -> LocalRegression:
        """Return the regression of at least two distinct scores."""

    @abstractmethod
    def _check(self) -> None:
        """Raise ValueError for a setting that is none."""

    def _count_parameters(self) -> float:
        """Return the degrees of freedom of the smoother."""
        return float(self.degrees_of_freedom_)

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the map, and the degrees of freedom."""
        self._check()
        distinct = sample.distinct
        if len(distinct) == 1:
            mean = float(distinct.wy[0] / distinct.w[0])
            return Solution(constant(mean), None, {"degrees_of_freedom_": 1.0})
        rows = ScoresOfRows.of(sample)
        regression = self._regression(rows)
        theta, trace = regression.fit(rows.w * (distinct.wy / distinct.w))
        low, high = float(sample.rows.y.min()), float(sample.rows.y.max())
        fitted = constant(low) if low == high else regression.to_map(theta)  # a regression of one label rounds it
        return Solution(fitted, None, {"degrees_of_freedom_": trace})

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the maps of many sets of labels, which are linear functions of them."""
        self._check()
        return SharedFits(self.fit_map, entries, positives, self._values, self._values)

    def _values(self, entries: Entries, positives: IntArray, at: FloatArray | None = None) -> FloatArray:
        means = entries.distinct_wy(positives) / entries.distinct_w[:, None]
        if len(means) == 1:
            return np.repeat(np.minimum(means, 1.0), 1 if at is None else at.size, axis=0)
        name = type(self).__name__, *self.get_params().values()
        if name not in entries.memory:
            regression = self._regression(ScoresOfRows.of(entries.unlabelled))
            entries.memory[name] = regression, regression.basis(regression.rows.p)
        regression, own = entries.memory[name]
        means *= regression.rows.w[:, None]
        theta = regression.parameters(means, entries.memory, ("weights", *name))
        return np.asarray((own if at is None else regression.basis(at)) @ theta)


def csr(data: FloatArray, columns: IntArray, n_columns: int) -> Any:
    """Return a sparse matrix with as many entries in each row, given as arrays of shape (m, entries in a row)."""
    starts = np.arange(0, data.size + 1, data.shape[1])
    return sparse.csr_matrix((data.ravel(), columns.ravel(), starts), shape=(data.shape[0], n_columns))


def hats(places: FloatArray, scores: FloatArray) -> Any:
    """Return what the values at increasing places count at scores: a line between two places, constant beyond."""
    p = np.clip(scores, places[0], places[-1])
    left = np.clip(np.searchsorted(places, p, side="right") - 1, 0, places.size - 2)
    share = (p - places[left]) / (places[left + 1] - places[left])
    return csr(np.stack((1.0 - share, share), axis=1), np.stack((left, left + 1), axis=1), places.size)
