"""Sums of exponentials in logs."""

import numpy as np
import pytest
from scipy.special import logsumexp

from fitontest.numerics.log_sums import log_sum_exp, softplus


@pytest.mark.parametrize("axis", [-1, 0])
def test_agrees_with_scipy_however_large_the_logs_are(axis):
    logs = np.random.default_rng(0).normal(0.0, 800.0, (4, 5))
    weights = np.random.default_rng(1).random((4, 5))
    np.testing.assert_allclose(log_sum_exp(logs, weights, axis), logsumexp(logs, b=weights, axis=axis), rtol=1e-14)


def test_terms_of_zero_do_not_count():
    assert log_sum_exp(np.array([-np.inf, 3.0, 900.0]), np.array([1.0, 1.0, 0.0])) == 3.0
    assert log_sum_exp(np.array([-np.inf, 3.0])) == 3.0
    assert log_sum_exp(np.full(3, -np.inf)) == -np.inf


def test_softplus_is_right_to_a_rounding():
    z = np.linspace(-80.0, 600.0, 1001)
    np.testing.assert_allclose(softplus(z), np.logaddexp(0.0, z), rtol=2e-16, atol=2e-16)
    assert softplus(np.array([1000.0])) == 1000.0
    assert softplus(np.empty(0)).size == 0
