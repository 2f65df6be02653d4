"""The risk of those whose score is a threshold."""

import numpy as np
import pytest
from scipy.stats import binomtest

import fitontest as fot
from fitontest.risk.validation.at_threshold import FEW_VALUES, OUTSIDE, probabilities_at


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """All draws are made here."""


@pytest.fixture(scope="module")
def smooth():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 800)
    return fot.read(rng.random(800) < p**2, p)


def test_it_is_the_map_with_the_band_of_the_diagram(smooth):
    low, high = probabilities_at(smooth, [0.3, 0.6])
    c_hat = fot.Spline().fit_sample(smooth).map_
    assert (low.probability, high.probability) == pytest.approx((c_hat(0.3), c_hat(0.6)))
    for at in (low, high):
        assert at.interval.low < at.threshold**2 < at.interval.high


def test_beyond_the_scores_nothing_is_said(smooth):
    (beyond,) = probabilities_at(smooth, 0.95)
    assert (beyond.probability, beyond.interval, beyond.reason) == (None, None, OUTSIDE)


def test_a_score_that_many_share_has_an_exact_interval():
    rng = np.random.default_rng(1)
    p = rng.integers(1, 10, 600) / 10
    y = rng.random(600) < p
    at, between = probabilities_at(fot.read(y, p), [0.5, 0.55])
    rows = y[p == 0.5]
    exact = binomtest(int(rows.sum()), rows.size).proportion_ci(0.95)
    assert (at.interval.low, at.interval.high) == pytest.approx((exact.low, exact.high))
    assert at.probability == pytest.approx(rows.mean(), abs=0.02)
    assert (between.probability, between.reason) == (None, FEW_VALUES)
