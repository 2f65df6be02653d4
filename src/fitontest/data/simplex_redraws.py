"""Labels of whole distributions redrawn from several truths, one uniform number a row.

A label under the distribution q is the first class whose cumulative probability exceeds a uniform number. Of equal
rows, and of the copies that a whole weight stands for, only the numbers of labels of each class are drawn: they have
the multinomial law, and go from truth to truth by moving as few labels as can be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fitontest.data.redraws import NULL, SHIFT, STILL, Redraws, Valued
from fitontest.data.row_groups import coded_ids
from fitontest.data.simplex_sample import Labelling, SimplexSample
from fitontest.data.weights import Weights
from fitontest.numerics.random import one_seed
from fitontest.numerics.simplex_distances import total_variation
from fitontest.results.typing import FloatArray, IntArray, RandomState

BLOCK = 2_000_000  # labels that are drawn together


@dataclass(frozen=True, eq=False)
class SimplexRedraws(Redraws):
    """Entries of one row each or of several, whose rows have labels of their own.

    Attributes
    ----------
    sample : SimplexSample
        Entries of distinct rows; whole weights are the numbers of rows. Of other weights an entry is a row.
    ordered : SimplexSample
        The rows themselves, with their labels.
    """

    sample: SimplexSample
    ordered: SimplexSample

    @classmethod
    def of(cls, sample: SimplexSample) -> "SimplexRedraws":
        """Return the redraws of a sample; rows of different facts stay apart."""
        ordered = sample.in_order()
        return cls(pool_equal_rows(ordered), ordered)

    @property
    def points(self) -> FloatArray:  # type: ignore[override]
        """The distributions."""
        return self.sample.p

    @cached_property
    def several(self) -> IntArray:
        """Which entries stand for several rows."""
        return np.flatnonzero(self.sample.w > 1.0) if self.sample.whole else np.empty(0, dtype=np.intp)

    @cached_property
    def single(self) -> IntArray:
        """Which entries are one row."""
        return np.setdiff1d(np.arange(len(self.sample)), self.several, assume_unique=True)

    @property
    def observed(self) -> tuple["SimplexRedraws", list[Labelling]]:  # type: ignore[override]
        """The rows themselves with their labels, equal ones apart."""
        rows = self.ordered
        return SimplexRedraws(rows, rows), [Labelling(np.arange(len(rows)), rows.codes, rows.w)]

    @property
    def block_size(self) -> int:  # type: ignore[override]
        """How many labellings are drawn together."""
        return max(1, BLOCK // max(self.single.size + self.several.size * self.sample.n_classes, 1))

    def draw(
        self, truths: Sequence[FloatArray], block: range, seed: Sequence[int], known: int = 0
    ) -> Iterator[list[Labelling]]:
        """Yield the labellings of the block, one truth after the other."""
        rng = np.random.default_rng([*seed, block.start])
        u = rng.random((len(block), self.single.size))
        for truth, counts in zip(truths[known:], self._counts(truths[known:], len(block), rng), strict=True):
            cumulated = np.cumsum(truth[self.single], axis=1)
            yield [self._labelling(drawn_codes(cumulated, row), n) for row, n in zip(u, counts, strict=True)]

    def _counts(self, truths: Sequence[FloatArray], draws: int, rng: np.random.Generator) -> Iterator[IntArray]:
        """Yield how many rows of the entries of several have which label, shape (draws, entries, K), for each truth."""
        before, counts = None, np.empty(0, dtype=np.intp)
        for truth in truths:
            c = truth[self.several] / truth[self.several].sum(axis=1, keepdims=True)
            if before is None:
                n = self.sample.w[self.several].astype(np.intp)
                counts = rng.multinomial(n, c, size=(draws, n.size))
            else:
                counts = moved_labels(counts, before, c, rng)
            yield counts
            before = c

    def _labelling(self, codes: IntArray, counts: IntArray) -> Labelling:
        """Return the labels of the entries of one row, and the numbers of labels of the others."""
        if not self.several.size:
            return Labelling(self.single, codes, self.sample.w)
        at, label = np.nonzero(counts)
        w = np.concatenate((np.ones(codes.size), counts[at, label].astype(np.float64)))
        return Labelling(np.concatenate((self.single, self.several[at])), np.concatenate((codes, label)), w)

    def samples(self, labels: Sequence[Labelling]) -> Iterator[SimplexSample]:
        """Yield the sample of each labelling, with an entry for each label of an entry."""
        return (relabelled(self.sample, labelling) for labelling in labels)

    def truth(self, g: FloatArray, length: float) -> FloatArray:
        """Return p + t (g - p), clipped at 0 and divided by the sums of the rows."""
        c = np.maximum(self.points + length * (g - self.points), 0.0)
        return np.asarray(c / c.sum(axis=1, keepdims=True))

    def moved(self, g: FloatArray) -> FloatArray:
        """Return a direction, or where it goes nowhere predictions with the odds of the first class raised."""
        if float(self.sample.w @ total_variation(g, self.points)) >= STILL * self.sample.total:
            return g
        shifted = self.points.copy()
        shifted[:, 0] *= np.exp(SHIFT)
        return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))

    def null_values(self, measure: Valued, draws: int, random_state: RandomState) -> FloatArray:
        """Return the values for labels drawn from the predictions.

        The time taken grows with the number of entries, not with that of the rows that weights stand for.
        """
        return self.values(measure, [self.points], draws, (one_seed(random_state), NULL))[0]


def pool_equal_rows(rows: SimplexSample) -> SimplexSample:
    """Return one entry for equal rows of whole weights, which add up; of other weights all rows.

    The rows must be in order (`SimplexSample.in_order`), so that equal ones are neighbours. Rows of different facts are
    not equal. The label of an entry means nothing.
    """
    if not rows.whole:
        return rows
    new = np.concatenate(([True], np.any(rows.scores[1:] != rows.scores[:-1], axis=1)))
    group = np.cumsum(new) - 1
    for column in rows.facts.values():
        # ids of groups may be objects of several types, which have no order
        ids = coded_ids(column)[1] if column.dtype == object else column
        code = np.unique(ids, axis=0, return_inverse=True)[1].reshape(-1)
        group = np.unique(np.stack((group, code)), axis=1, return_inverse=True)[1].reshape(-1)
    n_groups = int(group.max()) + 1
    if n_groups == len(rows):
        return rows
    first = np.zeros(n_groups, dtype=np.intp)
    first[group[::-1]] = np.arange(len(rows))[::-1]
    w = np.bincount(group, rows.w, n_groups).astype(np.float64)
    return replace(rows.take(first), weights=Weights(w, counts=True))


def relabelled(rows: SimplexSample, labelling: Labelling) -> SimplexSample:
    """Return the rows with other labels, of whole weights an entry for each label that their copies have."""
    return replace(rows.take(labelling.at), codes=labelling.codes, weights=Weights(labelling.w, rows.whole))


def moved_labels(counts: IntArray, before: FloatArray, after: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return numbers of labels under another truth, of which as many as can be stay what they are.

    A label of class k stays with the probability min(p_k, q_k) / p_k; those that leave go to the classes that gain, in
    proportion to q_k - p_k. If the numbers have the multinomial law of p, these have that of q.

    Parameters
    ----------
    counts : int array of shape (draws, m, K)
    before, after : arrays of shape (m, K)
        p and q.
    rng : numpy Generator

    Examples
    --------
    >>> import numpy as np
    >>> before, after = np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.0, 0.5]])
    >>> moved_labels(np.array([[[3, 2, 0]]]), before, after, np.random.default_rng(0))
    array([[[3, 0, 2]]])
    """
    lost, gained = np.maximum(before - after, 0.0), np.maximum(after - before, 0.0)
    leaving = rng.binomial(counts, np.divide(lost, before, out=np.zeros_like(lost), where=before > 0))
    total = gained.sum(axis=1, keepdims=True)
    where = np.divide(gained, total, out=after / after.sum(axis=1, keepdims=True), where=total > 0)
    return np.asarray(counts - leaving + rng.multinomial(leaving.sum(axis=2), where))


def drawn_codes(cumulated: FloatArray, u: FloatArray) -> IntArray:
    """Return the columns of labels by the inverse distribution function.

    Parameters
    ----------
    cumulated : array of shape (n, K)
        Cumulative sums of the rows.
    u : array of shape (n,)
        Numbers in [0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> drawn_codes(np.cumsum([[0.2, 0.0, 0.8]] * 3, axis=1), np.array([0.1, 0.2, 0.9]))
    array([0, 2, 2])
    """
    below = cumulated <= (u * cumulated[:, -1])[:, None]
    return np.asarray(np.minimum(below.sum(axis=1), cumulated.shape[1] - 1))
