"""The two errors of a candidate where the true calibration map is known, as `fitontest.truth` defines them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fitontest.data.arrays import as_scores, check_same_length
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.norms import l1
from fitontest.simulation.truth import mean_given
from fitontest.typing import ArrayInput, FloatArray

Truth = ArrayInput | Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Quality:
    """The two errors of section 6.1, as fractions."""

    map_error: float
    error_after: float


def read_truth(truth: Truth, sample: ScoreSample, scores: str = "y_prob") -> FloatArray:
    """Return the true probability at each of the sorted rows of a sample.

    `truth` is a function of the scores, or has one value for each row; where scores are tied, the probability of a
    positive is the weighted mean of theirs. `scores` is what the caller calls the scores.
    """
    p = sample.rows.p
    if callable(truth):
        c = as_scores(truth(p), "truth(p)")
        check_same_length(**{"truth(p)": c, "p": p})
        return c
    if sample.aggregated:
        raise ValueError("truth must be a function of the scores where entries stand for many rows, got values of each")
    c = as_scores(truth, "truth")
    check_same_length(**{"truth": c, scores: sample.p})
    present = sample.w > 0
    scored = sample.p[present]
    return mean_given(scored, c[present], sample.w[present])[np.argsort(scored)]


def measure_quality(q: FloatArray, c: FloatArray, w: FloatArray) -> Quality:
    """Return the errors of the predictions q of a map at rows whose true probabilities are c and weights w."""
    return Quality(*(l1(np.abs(q - other), w) for other in (c, mean_given(q, c, w))))
