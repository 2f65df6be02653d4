"""The confidence of rows of a score for each class: the largest score, and whether its class is the label.

Where several classes share the largest score, each of them is predicted in an equal share of the row, which is then
split: see `fitontest.data.class_rows`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fitontest.data.class_rows import ClassRows
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.parts import merged
from fitontest.data.sample import Facts, changed, taken
from fitontest.data.score_sample import ScoreSample, sample_of_columns
from fitontest.data.weights import Weights
from fitontest.numerics.row_maxima import count_maxima, row_maxima
from fitontest.results.typing import BoolArray, FloatArray, IntArray

CONFIDENCE = "confidence"


@dataclass(frozen=True, eq=False)
class SplitRows:
    """Rows of which some are split in two parts.

    Attributes
    ----------
    given : ScoreSample
        The rows with the label 1 where one of the classes that they predict is right.
    at : int array of shape (n + s,)
        The row of each part: all rows, and again those that are split, which are wrong there.
    share : array of shape (n + s,)
        The share of its row that each part is.
    """

    given: ScoreSample
    at: IntArray
    share: FloatArray

    @classmethod
    def of(cls, given: ScoreSample, split: IntArray, ways: IntArray) -> "SplitRows":
        """Return rows of which some predict one class of several ways."""
        right = 1.0 / ways[split]
        share = np.ones(ways.size)
        share[split] = right
        return cls(given, np.concatenate((np.arange(ways.size), split)), np.concatenate((share, 1.0 - right)))

    @property
    def y(self) -> FloatArray:
        """The labels of the parts."""
        return np.concatenate((self.given.y, np.zeros(self.at.size - self.given.y.size)))

    @property
    def w(self) -> FloatArray:
        """The weights of the parts."""
        return np.asarray(self.given.w[self.at] * self.share)

    def sample(self) -> ScoreSample:
        """Return the parts as rows.

        Without groups parts of one score and label are one entry: there are few scores where many rows are tied.
        """
        given, w = self.given, self.w
        whole = given.whole and bool(np.all(w == np.floor(w)))
        facts = taken(given.facts, self.at)
        parts = sample_of_columns(self.y, given.p[self.at], Weights(w, counts=whole), facts=facts)
        return parts if facts else sample_of_rows(merged(parts.rows, whole=whole), whole=whole)


@dataclass(frozen=True, eq=False)
class TopLabels:
    """Which classes rows predict, and how often that is right.

    Attributes
    ----------
    scores : array of shape (n, K)
    codes : int array of shape (n,)
        The column of the class of each row's label.
    weights : Weights or None
    facts : mapping of str to array of shape (n,)
    """

    scores: FloatArray
    codes: IntArray
    weights: Weights | None
    facts: Facts

    @cached_property
    def predicted(self) -> tuple[IntArray, FloatArray]:
        """The column of the largest score of each row, the first of equal ones, and that score."""
        return row_maxima(self.scores)

    @cached_property
    def ways(self) -> IntArray:
        """How many columns of each row hold its largest score."""
        return count_maxima(self.scores, self.predicted[1])

    @cached_property
    def hits(self) -> BoolArray:
        """Whether the label of each row is one of the classes that it predicts."""
        return np.asarray(self.scores[np.arange(self.codes.size), self.codes] == self.predicted[1])

    def sample(self, about: ClassRows) -> ScoreSample:
        """Return the confidences; rows of which a class among several is right are split in two parts.

        Parameters
        ----------
        about : ClassRows
            What the sums of the rows tell.
        """
        confidence = np.minimum(self.predicted[1], 1.0)
        rows = sample_of_columns(self.hits, confidence, self.weights, reduction=CONFIDENCE, facts=self.facts)
        tied = (self.ways > 1) & (rows.w > 0.0)
        if not tied.any():
            return changed(rows, class_rows=about)
        split = SplitRows.of(rows, np.flatnonzero(tied & self.hits), self.ways)
        about = replace(about, tied=int(np.count_nonzero(tied)), split=split.at.size - self.codes.size)
        known = {"n": rows.n, "rows_each": rows.distinct.n, "reduction": CONFIDENCE}
        return changed(split.sample(), **known, class_rows=about, split=split)

    def of_class(self, column: int, about: ClassRows) -> ScoreSample:
        """Return the confidences of the rows that predict a class, each with the share in which it does.

        Parameters
        ----------
        column : int
            Of the class.
        about : ClassRows
            What the sums of the rows tell.
        """
        rows = np.flatnonzero(self.scores[:, column] == self.predicted[1])
        ways, given = self.ways[rows], self.weights
        weights = None if given is None else replace(given, w=given.w[rows])
        if np.any(ways > 1):
            w = (np.ones(rows.size) if given is None else given.w[rows]) / ways
            weights = Weights(w, counts=False, said=given is not None and given.said)
        hits, confidence = self.codes[rows] == column, np.minimum(self.predicted[1][rows], 1.0)
        facts = taken(self.facts, rows)
        about = replace(about, tied=int(np.count_nonzero(ways > 1)))
        return sample_of_columns(hits, confidence, weights, reduction=CONFIDENCE, facts=facts, class_rows=about)
