"""How good a calibrator really is, where the true calibration map is known (simulated data).

Section 6.1 of the fit-on-test paper tells two aims apart. The calibration map estimation error, mean |c_hat(p) - c(p)|,
is small only if the map is the true one. The calibration error after calibration, mean |c_hat(p) - E[c | c_hat(p)]|, is
small already if the outputs are calibrated: a constant map at the base rate has none. The first is never smaller.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fitontest.comparison.held_out import Judging
from fitontest.inputs import as_scores, check_same_length
from fitontest.sample import Sample
from fitontest.typing import ArrayInput, FloatArray

Truth = ArrayInput | Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Quality:
    """The two errors of section 6.1, as fractions."""

    map_error: float
    error_after: float


def true_probabilities(truth: Truth, sample: Sample, scores: str = "y_prob") -> FloatArray:
    """Return the true probability at each of the sorted rows of a sample.

    `truth` is a function of the scores, or has one value for each row; where scores are tied, the probability of a
    positive is the weighted mean of theirs. `scores` is what the caller calls the scores.
    """
    p = sample.rows.p
    if callable(truth):
        c = as_scores(truth(p), "truth(p)")
        check_same_length(**{"truth(p)": c, "p": p})
        return c
    c = as_scores(truth, "truth")
    check_same_length(**{"truth": c, scores: sample.p})
    present = sample.w > 0
    distinct, where = np.unique(sample.p[present], return_inverse=True)
    w = sample.w[present]
    means = np.bincount(where, w * c[present]) / np.bincount(where, w)
    return np.asarray(means[np.searchsorted(distinct, p)])


def quality(q: FloatArray, c: FloatArray, judging: Judging) -> Quality:
    """Return the errors of the predictions q of a map at rows whose true probabilities are c."""
    w = judging.rows.w
    _, where = np.unique(q, return_inverse=True)
    given_q = (np.bincount(where, w * c) / np.bincount(where, w))[where]
    return Quality(*(judging.mean(np.abs(q - other)) for other in (c, given_q)))
