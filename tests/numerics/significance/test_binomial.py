"""The exact binomial test against scipy's, on everything that is small and on much that is large."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from fitontest.numerics.significance import binomial_law
from fitontest.numerics.significance.binomial import p_values
from fitontest.numerics.significance.binomial_region import rejected

pytestmark = pytest.mark.multiplies

ALPHAS = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)


def adversarial(n):
    """Return all (k, p) of a small n with p at the ends, in between, and at k/n and its neighbours."""
    for k in range(n + 1):
        share = k / n
        near = [share, np.nextafter(share, 0), min(1.0, np.nextafter(share, 2)), max(0.0, share - 1e-13)]
        for p in {0.0, 1.0, 1e-300, 1e-17, 1e-9, 0.1, 1 / 3, 0.5, 0.9, 1 - 1e-12, 0.16924, 0.17624, *near}:
            yield k, p


def assert_equal_p_values(ours, scipys):
    tiny = (ours < 1e-290) & (scipys < 1e-290)  # both are 0 but for underflow
    np.testing.assert_allclose(ours[~tiny], scipys[~tiny], rtol=1e-11, atol=0)


@pytest.mark.parametrize("n", [*range(1, 13), 17, 25, 40])
def test_small_n_exhaustively(n):
    k, p = map(np.array, zip(*adversarial(n), strict=True))
    scipys = np.array([binomtest(a, n, b).pvalue for a, b in zip(k.tolist(), p.tolist(), strict=True)])
    ours = p_values(k, n, p)
    assert_equal_p_values(ours, scipys)
    for alpha in ALPHAS:
        np.testing.assert_array_equal(ours <= alpha, scipys <= alpha)
        for a in range(n + 1):  # all predictions of one bin at once, sorted
            at = np.sort(p[k == a])
            decisions = rejected(np.array([float(a)]), np.array([float(n)]), at, np.array([0, at.size]), alpha)
            np.testing.assert_array_equal(decisions, (scipys <= alpha)[k == a][np.argsort(p[k == a], kind="stable")])


def large(size, seed=0):
    rng = np.random.default_rng(seed)
    n = np.floor(10 ** rng.uniform(0, 7, size)).astype(int)
    p = rng.random(size) ** rng.choice([1, 4, 10], size)
    spread = rng.normal(0, 1, size) * np.sqrt(p * (1 - p) / n) * rng.choice([1, 3, 10], size)
    return rng.binomial(n, np.clip(p + spread, 0, 1)), n, p


@pytest.mark.exhaustive
def test_large_cases():
    k, n, p = large(2000)  # `benchmarks/rejections.py --exact` compares 100,000
    scipys = np.array([binomtest(*case).pvalue for case in zip(k.tolist(), n.tolist(), p.tolist(), strict=True)])
    ours = p_values(k, n, p)
    assert_equal_p_values(ours, scipys)
    for alpha in ALPHAS:
        np.testing.assert_array_equal(ours <= alpha, scipys <= alpha)


def test_the_law_is_scipys_to_the_last_bit():
    _, n, p = large(3000)
    p[:40] = np.tile([0.0, 1.0, 1e-300, 0.5], 10)
    share = np.random.default_rng(1).random(n.size)
    for x in (np.floor(share * (n + 1)), n * 1.0, n * 0.0, np.round(n * p), n * 0.0 - 1.0):
        np.testing.assert_array_equal(binomial_law.cdf(x, n, p), binom.cdf(x, n, p))
        np.testing.assert_array_equal(binomial_law.sf(x, n, p), binom.sf(x, n, p))
        inside = x >= 0
        of = x[inside], n[inside], p[inside]
        np.testing.assert_array_equal(binomial_law.pmf(*of), binom.pmf(*of))


def test_the_acceptance_region_need_not_be_an_interval():
    assert p_values(1, 30, 0.16924) <= 0.05 < p_values(1, 30, 0.17624)
    p = np.linspace(0, 1, 20_001)
    decisions = rejected(np.array([1.0]), np.array([30.0]), p, np.array([0, p.size]), 0.05)
    np.testing.assert_array_equal(decisions, p_values(1, 30, p) <= 0.05)
    assert np.count_nonzero(np.diff(decisions.astype(int))) > 2


@pytest.mark.parametrize("seed", range(30))
def test_decisions_by_runs_equal_p_values(seed):
    rng = np.random.default_rng(seed)
    bins = int(rng.integers(1, 8))
    p = np.unique(np.append(rng.random(rng.integers(1, 3000)) ** rng.choice([1, 3, 8]), [0.0, 1.0] if seed % 2 else []))
    starts = np.concatenate(([0], np.sort(rng.integers(0, p.size + 1, bins - 1)), [p.size]))
    n = np.floor(10 ** rng.uniform(0, 6, bins))
    n[rng.random(bins) < 0.1] = 0
    k = rng.binomial(n.astype(int), p[np.minimum((starts[:-1] + starts[1:]) // 2, p.size - 1)]).astype(float)
    at = np.repeat(np.arange(bins), np.diff(starts))
    for alpha in ALPHAS:
        decisions = rejected(k, n, p, starts, alpha)
        np.testing.assert_array_equal(decisions, p_values(k[at], n[at], p) <= alpha)


def test_denormal_probabilities():
    """scipy raises an OverflowError at some of these: the answer is 1 for no positives and 0, nearly, for any."""
    for p in (5e-324, 1.1e-308, 2.3e-308, 9e-301):
        assert p_values([0, 1, 2], 2, p)[0] == 1
        assert p_values([0, 1, 2], 2, p)[1:].max() < 1e-290
        assert rejected(np.array([1.0]), np.array([2.0]), np.array([p]), np.array([0, 1]), 0.05).all()
        assert not rejected(np.array([0.0]), np.array([2.0]), np.array([p]), np.array([0, 1]), 0.05).any()


def test_nothing_seen_rejects_nothing():
    assert p_values(0, 0, 0.3) == 1
    assert p_values([0, 1, 3, 3], [3, 3, 3, 3], [0.0, 0.0, 1.0, 0.0]).tolist() == [1.0, 0.0, 1.0, 0.0]
