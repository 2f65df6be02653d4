"""Rows that maps of several classes are fitted to: points of the simplex, weights, counts."""

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.data.simplex import as_logits, as_simplex
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.multiclass.fitting import log_probabilities

P = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0], [0.1, 0.1, 0.8]])


def rows(w=None, scores=P):
    return fot.read([0, 1, 2], scores, sample_weight=w, reduction="canonical").present


def test_rows_are_divided_by_their_sums():
    np.testing.assert_allclose(as_simplex(P * 1.0009, "P"), P, rtol=1e-15)
    np.testing.assert_array_equal(as_simplex(P, "P"), P)
    for factor in (1.0011, 0.9989):
        with pytest.raises(ValueError, match=r"P must have rows that add up to 1 .* at row 1 .*3 such rows"):
            as_simplex(np.minimum(P * factor, 1), "P")


def test_weights_are_counts_if_they_are_whole():
    assert (rows().n, rows().total, rows().weights) == (3, 3, None)
    assert (rows([1, 1, 1]).n, rows([1, 1, 1]).weights) == (3, None)
    counted = rows([2, 0, 3])
    assert (counted.n, counted.counted, counted.total, counted.codes.tolist()) == (2, 5, 5, [0, 2])
    other = rows([0.5, 0, 3])
    assert (other.n, other.counted, other.total) == (2, 2, 3.5)


def test_logarithms_are_clipped_only_where_they_are_made():
    assert log_probabilities(rows(), 1e-9).min() == pytest.approx(np.log(1e-9))
    assert (rows().scores[1] == P[1]).all()
    log_p, names = as_logits(pd.DataFrame([[700.0, 0.0], [0.0, 1.0]], columns=["a", "b"]), "Z")
    assert names == ["a", "b"]
    np.testing.assert_allclose(log_p[0], [0, -700])
    logs = SimplexSample(log_p, np.array([0, 1]), [0, 1], logs=True)
    assert log_probabilities(logs, 1e-300).min() == pytest.approx(np.log(1e-300))
    assert log_probabilities(logs, 0.0).min() == -700
    np.testing.assert_allclose(logs.p.sum(axis=1), 1)


def test_named_columns_may_stand_in_any_order():
    frame = pd.DataFrame(P, columns=["c", "b", "a"])
    with pytest.warns(fot.CalibrationWarning, match="read by their names"):
        found = fot.read(["a", "b", "c"], frame, reduction="canonical").present
    assert (found.classes, found.codes.tolist()) == (["c", "b", "a"], [2, 1, 0])
