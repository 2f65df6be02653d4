"""Null hypotheses: their limits, and the nearest allowed rate, at which no bet gains on average."""

import numpy as np
import pytest

from fitontest.cells.cell_sums import CellSums, Resolution
from fitontest.monitoring.batches.batch import Batch
from fitontest.monitoring.nulls.kinds import null_of
from fitontest.monitoring.nulls.of_vectors import VectorNull, nearest_distribution
from fitontest.monitoring.nulls.tolerance import Exact, Tolerance

ROUNDED = 1 + 1e-12
NULLS = [Exact(), Tolerance(0.02), Tolerance(0.6), Tolerance(0.3, "logit"), Tolerance(3.0, "logit")]


def batch_of(p, y, w=None):
    exact = Resolution(exact=True)
    weights = None if w is None else np.asarray(w, dtype=float)
    return Batch.of(
        CellSums.of_rows(np.asarray(p, dtype=float), np.asarray(y, dtype=float), weights, exact), exact=True
    )


def distributions(rng, n, classes, even):
    return rng.dirichlet(np.full(classes, even), size=n)


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_no_bet_gains_on_average_at_any_rate_that_is_allowed(null):
    rng = np.random.default_rng(1)
    p, q = np.unique(rng.beta(0.3, 0.5, 2000)), rng.beta(0.3, 0.5, 2000)
    batch = batch_of(p, np.zeros(p.size))
    limits, q = null.limits(batch), q[: p.size]
    p0 = null.nearest(batch, q)
    for share in (0.0, 0.3, 1.0):
        c = limits.low + share * (limits.high - limits.low)
        won = np.where(c > 0, c * q / np.where(p0 > 0, p0, 1), 0)
        lost = np.where(c < 1, (1 - c) * (1 - q) / np.where(p0 < 1, 1 - p0, 1), 0)
        assert (won + lost).max() <= ROUNDED


def test_limits_are_cut_at_0_and_1_and_hold_the_score():
    p = np.array([0.0, 1e-12, 0.01, 0.5, 0.99, 1.0])
    for null in NULLS:
        low, high = null.rates(p)
        assert (low >= 0).all()
        assert (low <= p).all()
        assert (p <= high).all()
        assert (high <= 1).all()
    low, high = Tolerance(0.02).rates(p)
    np.testing.assert_allclose(low, [0, 0, 0, 0.48, 0.97, 0.98], atol=1e-15)
    np.testing.assert_allclose(high, [0.02, 0.02 + 1e-12, 0.03, 0.52, 1, 1], atol=1e-15)
    low, high = Tolerance(np.log(2.0), "logit").rates(p)
    np.testing.assert_allclose(low, [0, 5e-13, 0.01 / 1.99, 1 / 3, 0.99 / 1.01, 1], rtol=1e-11)
    np.testing.assert_allclose(high, [0, 2e-12, 0.02 / 1.01, 2 / 3, 1.98 / 1.99, 1], rtol=1e-11)


def test_labels_that_cannot_be_are_known_of_each_null():
    batch = batch_of([0.0, 0.0, 0.5, 1.0, 1.0], [0, 1, 1, 0, 1])
    for null, expected in ((Exact(), True), (Tolerance(0.1, "logit"), True), (Tolerance(0.1), False)):
        assert null.limits(batch).contradicted(batch).tolist() == [expected, False, expected]


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_a_null_goes_through_its_values(null):
    assert null_of(null.to_dict()) == null


def test_an_unknown_null_is_refused():
    with pytest.raises(ValueError, match=r"null must be one of 'exact', 'tolerance'.*; got 'exakt': did you mean"):
        null_of({"null": "exakt"})


@pytest.mark.parametrize("null", NULLS, ids=str)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_no_bet_on_vectors_gains_on_average(null, classes):
    rng = np.random.default_rng(classes)
    vectors = VectorNull(null)
    for even in (0.5, 5.0):
        p, q = distributions(rng, 200, classes, even), distributions(rng, 200, classes, 0.7)
        low, high = vectors.limits(p)
        p0, ratios = vectors.nearest(p, q), np.exp(vectors.log_ratios(p, q))
        np.testing.assert_allclose(p0.sum(axis=1), 1, atol=1e-14)
        assert (p0 >= low).all()
        assert (p0 <= high).all()
        for _ in range(5):
            c = nearest_distribution(distributions(rng, 200, classes, 0.1), low, high)
            assert (c * ratios).sum(axis=1).max() <= 1 + 1e-9  # scores within 1e-7 of 1 are known to 1e-9 of the rest


def test_two_classes_are_the_case_of_rates():
    rng = np.random.default_rng(3)
    p, q = np.sort(rng.random(300)), rng.random(300)
    for null in NULLS:
        pairs = VectorNull(null).nearest(np.stack((1 - p, p), axis=1), np.stack((1 - q, q), axis=1))
        np.testing.assert_allclose(pairs[:, 1], null.nearest(batch_of(p, np.zeros(300)), q), atol=1e-12)


def test_the_nearest_vector_is_found_by_hand_in_a_small_case():
    p0 = nearest_distribution(np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.3, 0.2]), np.array([0.4, 0.4, 0.4]))
    np.testing.assert_allclose(p0, [0.4, 0.4, 0.2], atol=1e-15)  # nu = 2, where 1.4 is cut to .4


def test_a_class_without_a_bet_keeps_a_factor_that_is_finite():
    p, q = np.array([[0.0, 0.3, 0.7]]), np.array([[0.0, 0.5, 0.5]])
    vectors = VectorNull(Tolerance(0.05))
    ratios = np.exp(vectors.log_ratios(p, q))
    assert np.isfinite(ratios).all()
    assert not vectors.impossible(p).any()
    assert (np.array([[0.05, 0.25, 0.7]]) * ratios).sum() <= ROUNDED
    exact = VectorNull(Exact())
    assert exact.impossible(p).tolist() == [[True, False, False]]
    assert exact.log_ratios(p, q)[0, 0] == 0.0
