"""The two errors of a candidate where the true calibration map is known, as `fitontest.truth` defines them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fitontest.data.arrays import as_matrix, as_scores, check_same_length
from fitontest.data.sample import Sample
from fitontest.data.simplex import on_simplex
from fitontest.evaluation.comparison.judging import columns_by_labelling, joined_columns
from fitontest.numerics.norms import l1
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.simulation.truth import mean_given

Truth = ArrayInput | Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Quality:
    """The two errors of section 6.1, as fractions."""

    map_error: float
    error_after: float


def read_truth(truth: Truth, sample: Sample, judged: Sample, scores: str = "y_prob") -> FloatArray:
    """Return the true probability at each of the rows that are judged: those of a sample, in order.

    `truth` is a function of the predictions, or has one value, or a row of one for each class, for each row; where
    predictions are tied, the probability of a label is the weighted mean of theirs. `scores` is what the caller calls
    the predictions.
    """
    if callable(truth):
        points = judged.present.p
        return _checked(truth(points), "truth(p)", points, "p", sample)
    if sample.aggregated:
        why = "are split between tied classes" if sample.split is not None else "were counted as cells"
        raise ValueError(f"truth must be a function of the scores where rows {why}, got an array")
    known = sample.with_facts(truth=_checked(truth, "truth", sample.p, scores, sample)).in_order().present
    both = (columns_by_labelling(sample, values) for values in (known.p, known.facts["truth"]))
    return joined_columns([mean_given_rows(points, c, known.w) for points, c in zip(*both, strict=True)])


def _checked(values: ArrayInput, name: str, points: FloatArray, scores: str, sample: Sample) -> FloatArray:
    """Return true probabilities of the shape of the predictions."""
    if points.ndim == 1:
        c = as_scores(values, name)
        check_same_length(**{name: c, scores: points})
        return c
    c, _ = as_matrix(values, name)
    if c.shape != points.shape:
        raise ValueError(f"{name} must have the shape of {scores}, {points.shape}, got {c.shape}")
    return c if sample.by_class else on_simplex(c, name)


def measure_quality(sample: Sample, q: FloatArray, c: FloatArray) -> Quality:
    """Return the errors of the predictions q of a map at the rows of a sample whose true probabilities are c."""
    w = sample.present.w
    each = list(zip(*(columns_by_labelling(sample, values) for values in (q, c)), strict=True))
    map_error = np.mean([l1(_distance(q_k, c_k), w) for q_k, c_k in each])
    error_after = np.mean([l1(_distance(q_k, mean_given_rows(q_k, c_k, w)), w) for q_k, c_k in each])
    return Quality(float(map_error), float(error_after))


def mean_given_rows(q: FloatArray, c: FloatArray, w: FloatArray) -> FloatArray:
    """Return E[c | q] at each row: the weighted mean of c, of shape (n,) or (n, K), over the rows with the same q."""
    if q.ndim == 1:
        return mean_given(q, c, w)
    _, where = np.unique(q, axis=0, return_inverse=True)
    group = np.asarray(where, dtype=np.float64).reshape(-1)
    return np.stack([mean_given(group, column, w) for column in c.T], axis=1)


def _distance(q: FloatArray, c: FloatArray) -> FloatArray:
    """Return |q - c|; of distributions the total variation, half the sum over the classes."""
    return np.abs(q - c) if q.ndim == 1 else np.abs(q - c).sum(axis=1) / 2.0
