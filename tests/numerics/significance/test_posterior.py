"""The shortest credible interval of a uniform prior: by quadrature of the density, and decisions one by one."""

import numpy as np
import pytest
from scipy.stats import beta

import fitontest as fot
from fitontest.numerics.significance.posterior import p_values, rejected


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_p_values_are_the_mass_of_what_is_no_likelier(n):
    at = (np.arange(200_000) + 0.5) / 200_000
    for k in {0, 1, n // 2, n}:
        posterior = beta(k + 1, n - k + 1)
        density = posterior.pdf(at)
        for p in (0.0, 0.01, 0.2, 0.5, 0.77, 1.0):
            expected = density[density <= posterior.pdf(p) * (1 + 1e-9)].sum() / at.size
            assert p_values(k, n, p) == pytest.approx(expected, abs=1e-4)


def test_ends_modes_and_no_rows():
    assert p_values([0, 1, 1, 0], [0, 1, 3, 1], [0.001, 0.0, 1.0, 1.0]).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert p_values([0, 1, 5, 5], [4, 4, 5, 20], [0.0, 0.25, 1.0, 0.25]) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(p_values(0, 9, [0.1, 0.5]), [0.9**10, 0.5**10], rtol=1e-12)


def test_labels_and_scores_may_be_exchanged():
    rng = np.random.default_rng(0)
    n = rng.integers(1, 10**6, 200)
    k, p = rng.binomial(n, 0.3), rng.random(200)
    np.testing.assert_allclose(p_values(k, n, p), p_values(n - k, n, 1 - p), rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.4])
def test_decisions_on_sorted_scores_are_those_of_p_values(alpha):
    rng = np.random.default_rng(2)
    p = np.sort(np.append(rng.random(400).round(2), [0.0, 1.0]))
    starts = np.array([0, 0, 3, 90, 90, 91, 300, 402])
    n = np.array([0, 3, 87, 2, 1, 209, 102])
    k = np.array([0, 0, 20, 1, 1, 209, 50])
    at = np.repeat(np.arange(n.size), np.diff(starts))
    decisions = rejected(k.astype(float), n.astype(float), p, starts, alpha)
    np.testing.assert_array_equal(decisions, p_values(k[at], n[at], p) <= alpha)


def test_the_tce_is_the_share_beyond_the_intervals_of_the_bins():
    rng = np.random.default_rng(1)
    p = rng.random(500).round(3)
    y = rng.random(500) < p**1.6
    error = fot.tce(y, p, test="bayes", partition="equal_width", n_bins=5, null_draws=0)
    bins = np.minimum((p * 5).astype(int), 4)
    k, n = np.bincount(bins, y), np.bincount(bins)
    grid = np.linspace(0, 1, 20_001)
    share = []
    for b in range(5):
        density = np.sort(beta.pdf(grid, k[b] + 1, n[b] - k[b] + 1))
        least = density[np.searchsorted(np.cumsum(density), 0.05 * density.sum())]
        share.append(beta.pdf(p[bins == b], k[b] + 1, n[b] - k[b] + 1) <= least)
    assert float(error) == pytest.approx(np.concatenate(share).mean(), abs=0.005)
    assert "bayes test" in str(error)
