"""What chance alone does to errors of whole distributions: labels redrawn from the predictions, one uniform a row.

A label under the distribution q is the first class whose cumulative probability exceeds a uniform number. The same
numbers serve every truth, so that truths can be compared. Of equal rows, and of the copies that a whole weight stands
for, only the numbers of labels of each class are drawn: they have the multinomial law, and go from truth to truth by
moving as few labels as can be.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fitontest.data.simplex_sample import Labelling, SimplexSample
from fitontest.exceptions import without_warnings
from fitontest.measures.canonical import CanonicalMeasure
from fitontest.measures.estimate import Estimate
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.measure import Measure
from fitontest.numerics.random import check_seed, one_seed
from fitontest.partitions.simplex.partitioner import RowCells
from fitontest.progress import track
from fitontest.typing import FloatArray, IntArray, RandomState
from fitontest.uncertainty.null import check_draws

BLOCK = 2_000_000  # labels that are drawn together
NULL = 1  # the stream of random numbers of the null


def with_canonical_null(estimate: Estimate, data: SimplexSample, draws: int, random_state: RandomState) -> Estimate:
    """Return the estimate with its null distribution: the measure's values for labels drawn from the predictions.

    Parameters
    ----------
    estimate : Estimate
        Of the data.
    data : SimplexSample
        Whole weights are rows, each with a label of its own; a row of any other weight gets one label. The time taken
        grows with the number of entries, not with that of the rows that weights stand for.
    draws : int
        0 leaves the estimate as it is.
    random_state : int, RandomState or None
    """
    check_draws(draws)
    check_seed(random_state)
    if draws == 0:
        return estimate
    measure = estimate.measure
    redraws = ClassRedraws.of(data, one_seed(random_state), measure)
    values = redraws.values(measure, [redraws.data.p], draws, NULL)[0]
    null = IfCalibrated(
        estimate.value, values, measure.refits, measure.greater_is_better, measure.held_fixed, measure.two_sided
    )
    return replace(estimate, null=null)


@dataclass(frozen=True, eq=False)
class ClassRedraws:
    """Entries of one row each or of several, and the seed of the labels redrawn for their rows.

    Attributes
    ----------
    data : SimplexSample
        Entries of distinct rows; whole weights are the numbers of rows. Of other weights an entry is a row.
    seed : int
    observed : SimplexSample
        The rows themselves, with their labels.
    """

    data: SimplexSample
    seed: int
    observed: SimplexSample

    @classmethod
    def of(cls, data: SimplexSample, seed: int, measure: Measure | None = None) -> "ClassRedraws":
        """Return the redraws of predictions; for a measure with cells given row by row these keep rows apart."""
        rule = getattr(measure, "rule", None)
        bound = rule.bind(data).keep_facts("cell") if isinstance(rule, RowCells) else data.keep_facts()
        ordered = bound.in_order()
        return cls(ordered.pooled(), seed, ordered)

    @cached_property
    def several(self) -> IntArray:
        """Which entries stand for several rows."""
        return np.flatnonzero(self.data.w > 1.0) if self.data.whole else np.empty(0, dtype=np.intp)

    @cached_property
    def single(self) -> IntArray:
        """Which entries are one row."""
        return np.setdiff1d(np.arange(len(self.data)), self.several, assume_unique=True)

    def values(self, measure: Measure, truths: list[FloatArray], draws: int, stream: int) -> list[FloatArray]:
        """Return the values of a measure under each truth, of shape (m, K), with the same random numbers."""
        found: list[list[FloatArray]] = [[] for _ in truths]
        cumulated = [np.cumsum(truth[self.single], axis=1) for truth in truths]
        size = max(1, BLOCK // max(self.single.size + self.several.size * self.data.n_classes, 1))
        for start in track(range(0, draws, size), "draws"):
            rng = np.random.default_rng([self.seed, stream, start])
            n = min(size, draws - start)
            u, counts = rng.random((n, self.single.size)), self._counts(truths, n, rng)
            for each, sums, several in zip(found, cumulated, counts, strict=True):
                codes = np.stack([drawn_codes(sums, row) for row in u])
                with without_warnings():  # of the real labels the user has been warned
                    each.append(self._values_of(measure, codes, several))
        return [np.concatenate(each) for each in found]

    def _counts(self, truths: list[FloatArray], draws: int, rng: np.random.Generator) -> Iterator[IntArray]:
        """Yield how many rows of the entries of several have which label, shape (draws, entries, K), for each truth."""
        before, counts = None, np.empty(0, dtype=np.intp)
        for truth in truths:
            c = truth[self.several] / truth[self.several].sum(axis=1, keepdims=True)
            if before is None:
                n = self.data.w[self.several].astype(np.intp)
                counts = rng.multinomial(n, c, size=(draws, n.size))
            else:
                counts = moved_labels(counts, before, c, rng)
            yield counts
            before = c

    def _values_of(self, measure: Measure, codes: IntArray, counts: IntArray) -> FloatArray:
        """Return the values for labels of the entries of one row, and numbers of labels of the others."""
        if not self.several.size:
            return values_of(measure, self.data, codes)
        labellings = []
        for row, number in zip(codes, counts, strict=True):
            at, label = np.nonzero(number)
            labellings.append(
                Labelling(
                    np.concatenate((self.single, self.several[at])),
                    np.concatenate((row, label)),
                    np.concatenate((np.ones(row.size), number[at, label].astype(np.float64))),
                )
            )
        if isinstance(measure, CanonicalMeasure):
            return measure.values_of_entries(self.data, labellings)
        return np.array([measure.estimate(self.data.labelled(one)).value for one in labellings])


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


def values_of(measure: Measure, data: SimplexSample, labellings: IntArray) -> FloatArray:
    """Return the values of a measure for several labellings of the same predictions."""
    if isinstance(measure, CanonicalMeasure):
        return measure.values_of(data, labellings)
    return np.array([measure.estimate(data.with_codes(codes)).value for codes in labellings])
