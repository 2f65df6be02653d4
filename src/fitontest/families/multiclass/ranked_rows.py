"""The rows that a map is fitted to which keeps the order within a row: sorted, and each once.

Rows that differ in nothing that the fit sees become one row with the sum of their weights, and stand in an order of
their own. So the fit, to the last digit, depends neither on how often a row is written down, nor on the order of the
rows; nor, where each row adds up to exactly 1, on that of the classes, whose columns, unless the rows are sorted
anyway, get an order that follows from their scores. An optimum of a network, which is one of many, would change with a
rounding.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.multiclass.fitting import log_probabilities
from fitontest.families.multiclass.softmax_slope import fit_slope
from fitontest.maps.multiclass.first_step import first_step
from fitontest.maps.multiclass.in_order import in_order
from fitontest.numerics.softmax import SoftmaxProblem
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Scores of distinct rows with the rank of each label, and the first step that makes them of the probabilities.

    Attributes
    ----------
    x : array of shape (m, K)
        ln q of the temperature-scaled and mixed rows, sorted or in the order of `columns`.
    y : array of shape (m, K)
        The same, sorted from the largest.
    gaps : array of shape (m, K - 1)
        Differences of neighbouring sorted scores.
    ranks : int array of shape (m,)
        The place of the score of the label among the sorted ones; of equal scores the first.
    w : array of shape (m,)
        Weights of sum 1, rounded to single precision: a factor of all weights changes nothing.
    columns : int array of shape (K,)
        The class of each column of `x`; of sorted rows of no meaning.
    n : float
        Number of rows, as penalties count them.
    beta, mix, eps : float
        As in `SoftmaxMap`.
    """

    x: FloatArray
    y: FloatArray
    gaps: FloatArray
    ranks: IntArray
    w: FloatArray
    columns: IntArray
    n: float
    beta: float
    mix: float
    eps: float

    @classmethod
    def of(cls, rows: SimplexSample, eps: float, *, by_rank: bool) -> "RankedRows":
        """Return the distinct rows.

        Parameters
        ----------
        rows : SimplexSample
            Rows of positive weight.
        eps : float
            Smaller probabilities are taken for it.
        by_rank : bool
            Whether rows are sorted at once, so that those that hold the same scores in another order are one.
        """
        log_p, codes = log_probabilities(rows, eps), rows.codes
        columns = np.arange(rows.n_classes)
        if by_rank:
            own = log_p[np.arange(codes.size), codes]
            codes = (log_p > own[:, None]).sum(axis=1)
            log_p = -np.sort(-log_p, axis=1)
        else:
            first, _ = _distinct(log_p, codes)
            columns = _own_order(log_p[first], codes[first])
            log_p, codes = log_p[:, columns], np.argsort(columns)[codes]
        first, group = _distinct(log_p, codes)
        weights = np.bincount(group, rows.w, first.size)
        w = (weights / weights.sum()).astype(np.float32).astype(np.float64)
        log_p, codes = np.ascontiguousarray(log_p[first]), codes[first]
        beta, mix = fit_slope(SoftmaxProblem(log_p, codes, w, float(w.sum()))).beta, 1.0 / (rows.counted + 1.0)
        scores = in_order(log_p, first_step(log_p, beta, mix))
        ranks = (log_p > log_p[np.arange(codes.size), codes][:, None]).sum(axis=1)
        return cls(scores.x, scores.y, scores.gaps, ranks, w, columns, rows.counted, beta, mix, eps)


def _distinct(log_p: FloatArray, codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first of each kind of equal rows, in an order of their own, and the kind of every row."""
    rows = np.column_stack([log_p + 0.0, codes.astype(np.float64)])
    as_bytes = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, group


def _own_order(log_p: FloatArray, codes: IntArray) -> IntArray:
    """Return an order of the columns that follows from the scores in each and from how often it is the label's.

    Columns that agree in all of these are left as they stand.
    """
    ranked = np.sort(log_p, axis=0)  # sums do not depend on the order of the rows then
    counts = np.bincount(codes, minlength=log_p.shape[1])
    return np.lexsort((counts, (ranked * ranked).sum(axis=0), ranked.sum(axis=0)))
