"""Null hypotheses: their limits, and the nearest allowed rate, at which no bet gains on average."""

import numpy as np
import pytest

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.nulls.hypothesis import null_of
from fitontest.monitor.nulls.rates import Exact, Tolerance

ROUNDED = 1 + 1e-12
NULLS = [
    Exact(),
    *(Tolerance(eps, unit) for eps, unit in ((0.1, "ratio"), (0.9, "ratio"), (0.3, "logit"), (3.0, "logit"))),
    *(Tolerance(eps) for eps in (0.02, 0.6)),
]


def batch_of(p, y, w=None):
    exact = Resolution(exact=True)
    weights = None if w is None else np.asarray(w, dtype=float)
    return Batch.of(
        CellSums.of_rows(np.asarray(p, dtype=float), np.asarray(y, dtype=float), weights, exact), exact=True
    )


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
    low, high = Tolerance(0.1, "ratio").rates(p)  # of the label that is rarer there
    np.testing.assert_allclose(low, [0, 9e-13, 0.009, 0.45, 0.989, 1], rtol=1e-12)
    np.testing.assert_allclose(high, [0, 1.1e-12, 0.011, 0.55, 0.991, 1], rtol=1e-12)
    low, high = Tolerance(np.log(2.0), "logit").rates(p)
    np.testing.assert_allclose(low, [0, 5e-13, 0.01 / 1.99, 1 / 3, 0.99 / 1.01, 1], rtol=1e-11)
    np.testing.assert_allclose(high, [0, 2e-12, 0.02 / 1.01, 2 / 3, 1.98 / 1.99, 1], rtol=1e-11)


def test_labels_that_cannot_be_are_known_of_each_null():
    batch = batch_of([0.0, 0.0, 0.5, 1.0, 1.0], [0, 1, 1, 0, 1])
    for null, expected in (
        (Exact(), True),
        (Tolerance(0.1, "logit"), True),
        (Tolerance(0.1, "ratio"), True),
        (Tolerance(0.1), False),
    ):
        assert null.limits(batch).contradicted(batch).tolist() == [expected, False, expected]


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_a_null_goes_through_its_values(null):
    assert null_of(null.to_dict()) == null


def test_an_unknown_null_is_refused():
    with pytest.raises(ValueError, match=r"unit must be one of 'ratio', 'probability', 'logit'; got 'odds'"):
        null_of({"null": "tolerance", "eps": 0.1, "unit": "odds"})
    with pytest.raises(ValueError, match=r"null must be one of 'exact', 'tolerance'.*; got 'exakt': did you mean"):
        null_of({"null": "exakt"})
