"""The rows that a map of several classes is fitted to: points of the simplex, codes of the labels, weights.

A whole weight is the row repeated; rows of weight 0 are absent. Logits are kept as the logarithms of their softmax, and
probabilities as they are, because zeros are common among them and each kind of map has a rule of its own for those.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.predictions import Predictions
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex import on_simplex
from fitontest.data.weights import Weights
from fitontest.numerics.random import check_cv, held_out_rows
from fitontest.typing import BoolArray, FloatArray, IntArray, Label, RandomState

NAMES = ("y", "P", "sample_weight")


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows of positive weight.

    Attributes
    ----------
    scores : array of shape (n, K)
        Probabilities, or with `logs` their logarithms.
    codes : int array of shape (n,)
        The column of each row's label.
    w : array of shape (n,) or None
        Positive weights, None for one each.
    classes : list of length K
    logs : bool
        Whether `scores` are logarithms.
    whole : bool
        Whether weights count rows.
    """

    scores: FloatArray
    codes: IntArray
    w: FloatArray | None
    classes: list[Label]
    logs: bool = False
    whole: bool = True

    @classmethod
    def of(cls, predictions: Predictions, *, logs: bool = False) -> "ClassRows":
        """Return the rows of predictions of the simplex, or with `logs` of predictions whose scores are logarithms."""
        names, scores, codes = predictions.names, predictions.scores, predictions.codes
        if not logs:
            scores = on_simplex(scores, names.y_prob)
        if predictions.sample_weight is None:
            return cls(scores, codes, None, predictions.classes, logs)
        w = predictions.sample_weight.w
        if w.size != codes.size:
            raise ValueError(
                f"{names.y_prob} and {names.sample_weight} must have the same number of rows, got: {names.y_prob} has "
                f"{codes.size}, {names.sample_weight} has {w.size}"
            )
        present = w > 0
        if not present.all():
            scores, codes, w = scores[present], codes[present], w[present]
        whole = predictions.sample_weight.counts
        return cls(scores, codes, None if np.all(w == 1.0) else w, predictions.classes, logs, whole)

    @property
    def n_classes(self) -> int:
        """The number of columns K."""
        return int(self.scores.shape[1])

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.codes.size if self.w is None else self.w.sum())

    @property
    def weights(self) -> Weights | None:
        """The weights with their meaning; None where all are one."""
        return None if self.w is None else Weights(self.w, self.whole)

    @cached_property
    def n(self) -> float:
        """The number of rows: the sum of whole weights, which repeat rows, and otherwise how many rows there are."""
        return self.total if self.whole else float(self.codes.size)

    @property
    def probabilities(self) -> FloatArray:
        """The rows as points of the simplex."""
        return np.exp(self.scores) if self.logs else self.scores

    def log_probabilities(self, eps: float) -> FloatArray:
        """Return the logarithms of the probabilities, of at least eps."""
        if self.logs:
            return np.maximum(self.scores, np.log(eps))
        x = np.maximum(self.scores, eps)
        return np.asarray(np.log(x, out=x))

    def against_rest(self, column: int) -> ScoreSample:
        """Return one class against the rest, as a sample of two classes."""
        return ScoreSample(
            self.codes == column, np.ascontiguousarray(self.probabilities[:, column]), self.weights, names=NAMES
        )

    def take(self, rows: BoolArray | IntArray) -> "ClassRows":
        """Return the chosen rows."""
        w = None if self.w is None else self.w[rows]
        return ClassRows(self.scores[rows], self.codes[rows], w, self.classes, self.logs, self.whole)

    def folds(self, cv: int, random_state: RandomState) -> list[IntArray]:
        """Return for each fold the rows that it holds out; none where all rows are the same one.

        Equal rows share a fold, as the copies that a weight stands for do. The folds are drawn over the distinct rows
        in an order that depends neither on that of the rows nor, unless rows are equal up to the order of their
        entries, on that of the classes.
        """
        check_cv(cv)
        own = self.scores[np.arange(self.codes.size), self.codes]
        ranked = -np.sort(-self.scores, axis=1)
        columns = np.column_stack([ranked, own, self.scores, self.codes])
        order = np.lexsort(columns.T[::-1])
        new = np.any(columns[order[1:]] != columns[order[:-1]], axis=1)
        group = np.empty(order.size, dtype=np.intp)
        group[order] = np.concatenate([[0], np.cumsum(new)])
        n_groups = int(group.max()) + 1
        if n_groups < 2:
            return []
        fold = np.empty(n_groups, dtype=np.intp)
        held = held_out_rows(n_groups, cv, random_state)
        for i, rows in enumerate(held):
            fold[rows] = i
        return [np.flatnonzero(fold[group] == i) for i in range(len(held))]
