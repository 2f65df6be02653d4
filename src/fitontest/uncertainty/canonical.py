"""What chance alone does to errors of whole distributions: labels redrawn from the predictions, one uniform a row.

A label under the distribution q is the first class whose cumulative probability exceeds a uniform number. The same
numbers serve every truth, so that truths can be compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.distributions import Distributions
from fitontest.exceptions import without_warnings
from fitontest.measures.base import Estimate, Measure
from fitontest.measures.canonical import CanonicalMeasure
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.numerics.random import check_seed, one_seed
from fitontest.progress import track
from fitontest.typing import FloatArray, IntArray, RandomState
from fitontest.uncertainty.null import check_draws

BLOCK = 2_000_000  # labels that are drawn together
NULL = 1  # the stream of random numbers of the null


def with_canonical_null(estimate: Estimate, data: Distributions, draws: int, random_state: RandomState) -> Estimate:
    """Return the estimate with its null distribution: the measure's values for labels drawn from the predictions.

    Parameters
    ----------
    estimate : Estimate
        Of the data.
    data : Distributions
        Whole weights are rows, each with a label of its own; a row of any other weight gets one label.
    draws : int
        0 leaves the estimate as it is.
    random_state : int, RandomState or None
    """
    check_draws(draws)
    check_seed(random_state)
    if draws == 0:
        return estimate
    measure, redraws = estimate.measure, ClassRedraws(data.counted_out().in_order(), one_seed(random_state))
    values = redraws.values(measure, [redraws.data.p], draws, NULL)[0]
    null = IfCalibrated(estimate.value, values, measure.refits, measure.greater_is_better, measure.held_fixed)
    return replace(estimate, null=null)


@dataclass(frozen=True)
class ClassRedraws:
    """Rows of weight one, or of any where weights do not count rows, and the seed of the labels redrawn for them."""

    data: Distributions
    seed: int

    def values(self, measure: Measure, truths: list[FloatArray], draws: int, stream: int) -> list[FloatArray]:
        """Return the values of a measure under each truth, of shape (n, K), with the same random numbers."""
        found: list[list[FloatArray]] = [[] for _ in truths]
        cumulated = [np.cumsum(truth, axis=1) for truth in truths]
        for u in self._uniforms(draws, stream):
            for each, sums in zip(found, cumulated, strict=True):
                labellings = np.stack([drawn_codes(sums, column) for column in u])
                with without_warnings():  # of the real labels the user has been warned
                    each.append(values_of(measure, self.data, labellings))
        return [np.concatenate(each) for each in found]

    def _uniforms(self, draws: int, stream: int) -> Iterator[FloatArray]:
        """Yield numbers in [0, 1), a row of them for each labelling."""
        size = max(1, BLOCK // max(len(self.data), 1))
        for start in track(range(0, draws, size), "draws"):
            rng = np.random.default_rng([self.seed, stream, start])
            yield rng.random((min(size, draws - start), len(self.data)))


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


def values_of(measure: Measure, data: Distributions, labellings: IntArray) -> FloatArray:
    """Return the values of a measure for several labellings of the same predictions."""
    if isinstance(measure, CanonicalMeasure):
        return measure.values_of(data, labellings)
    return np.array([measure.estimate(data.with_codes(codes)).value for codes in labellings])
