"""Latent correlations from products of pairs: golden numbers, the loop over pairs, and what they are unbiased for."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from fitontest.numerics.pair_products import Pairs, intercept_and_slope, labels_agree, latent_correlation, series

RNG = np.random.default_rng(7)


def rows(code):
    return Pairs(np.asarray(code), np.ones(len(code)), np.ones(len(code), dtype=int))


def test_the_series_is_the_bivariate_normal_distribution():
    q = np.array([-0.7, 0.4])
    terms = np.array(list(series(ndtr(q), 60)))
    for rho, golden in ((0.05, 0.0057104088), (0.3, 0.0331899070), (0.7, 0.0720470137)):
        found = float(rho ** np.arange(1, 61) @ terms.prod(axis=1))
        assert found == pytest.approx(golden, abs=1e-9)
        exact = multivariate_normal.cdf(q, cov=[[1, rho], [rho, 1]]) - ndtr(q).prod()
        assert found == pytest.approx(exact, abs=1e-6)


def test_published_correlations():
    y = np.array([0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0])
    g = np.array([0.2, 0.5, 0.7, 0.1, 0.3, 0.2, 0.9, 0.6, 0.4, 0.05, 0.5, 0.3])
    pairs = rows([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3])
    assert pairs.residual_products(y, g).sum() == pytest.approx(0.26)
    assert latent_correlation(pairs, y, g).rho == pytest.approx(0.110794725, abs=5e-10)
    y, g = np.repeat([1, 0, 0, 0], 3), np.full(12, 0.3)
    y[6] = 1
    pairs = rows(np.repeat(np.arange(4), 3))
    assert pairs.residual_products(y, g).sum() == pytest.approx(3.36)
    assert latent_correlation(pairs, y, g).rho == pytest.approx(0.874606, abs=2e-6)


def test_sums_are_those_of_a_loop_over_pairs():
    code, g, h = RNG.integers(0, 6, 40), RNG.random(40), RNG.standard_normal(40)
    y, w = (RNG.random(40) < g).astype(int), RNG.random(40)
    pairs = Pairs(code, w, np.ones(40, dtype=int))
    r = w * h * (y - g)
    loop = np.zeros(6)
    for i in range(40):
        for j in range(40):
            if i != j and code[i] == code[j]:
                loop[code[i]] += r[i] * r[j]
    np.testing.assert_allclose(pairs.residual_products(y, g, h), loop[: pairs.size], atol=1e-12)


def test_an_entry_of_several_rows_is_these_rows():
    n, g, code = np.array([3, 1, 4, 2]), np.array([0.2, 0.6, 0.5, 0.9]), np.array([0, 0, 1, 1])
    positives = np.array([1, 1, 3, 2])
    of = np.repeat(np.arange(4), n)
    y = np.concatenate([np.arange(size) < k for size, k in zip(n, positives, strict=True)]).astype(int)
    entries, single = Pairs(code, np.full(4, 2.0), n), Pairs(code[of], np.full(10, 2.0), np.ones(10, dtype=int))
    one, other = latent_correlation(entries, positives, g), latent_correlation(single, y, g[of])
    assert (one.rho, one.se) == pytest.approx((other.rho, other.se))


def labels(g, code, intercept, slope, h, rng):
    shared = rng.standard_normal((2, code.max() + 1))
    own = np.sqrt(1 - intercept - slope * h**2)
    z = np.sqrt(intercept) * shared[0, code] + np.sqrt(slope) * h * shared[1, code] + own * rng.standard_normal(g.size)
    return (z < ndtri(g)).astype(int)


def test_correlations_are_found_again():
    code, g = np.repeat(np.arange(2000), 10), RNG.uniform(0.05, 0.95, 20_000)
    h = np.clip(RNG.standard_normal(20_000), -2, 2)
    pairs = rows(code)
    y = labels(g, code, 0.15, 0.0, h, RNG)
    found = latent_correlation(pairs, y, g)
    assert abs(found.rho - 0.15) < 4 * found.se < 0.05
    first, second = intercept_and_slope(pairs, labels(g, code, 0.1, 0.06, h, RNG), g, h)
    assert (first, second) == pytest.approx((0.1, 0.06), abs=0.02)


def test_labels_of_far_too_many_positives_differ_all_the_same():
    code, g, y = np.zeros(30, dtype=int), np.full(30, 0.3), np.repeat([1, 0], [25, 5])
    assert latent_correlation(rows(code), y, g).at_limit
    assert not labels_agree(rows(code), y, g)
    assert labels_agree(rows(code), np.ones(30, dtype=int), g)


@pytest.mark.parametrize(("correlation", "agree"), [(0.9, False), (0.98, True)])
def test_labels_agree_where_they_differ_as_seldom_as_at_the_limit(correlation, agree):
    rng = np.random.default_rng(0)
    code, g = np.repeat(np.arange(2000), 5), rng.uniform(0.05, 0.95, 10_000)
    y = labels(g, code, correlation, 0.0, np.zeros(10_000), rng)
    assert labels_agree(rows(code), y, g) is agree
    entries = Pairs(np.arange(200), np.ones(200), np.full(200, 5))  # rows of one score are an entry
    same = np.repeat(g[:200], 5)
    y = labels(same, np.repeat(np.arange(200), 5), correlation, 0.0, np.zeros(1000), rng)
    of_rows = labels_agree(rows(np.repeat(np.arange(200), 5)), y, same)
    assert labels_agree(entries, y.reshape(200, 5).sum(axis=1), g[:200]) is of_rows is agree


def test_limits():
    code, g = np.repeat(np.arange(30), 4), np.full(120, 0.5)
    assert latent_correlation(rows(code), np.tile([0, 1], 60), g).rho == 0.0
    alike = latent_correlation(rows(code), np.repeat(RNG.integers(0, 2, 30), 4), g)
    assert alike.at_limit
    assert alike.rho == pytest.approx(0.95)
    certain = latent_correlation(rows(code), np.ones(120, dtype=int), np.ones(120))
    assert certain.rho == 0.0
    assert not certain.at_limit
    assert intercept_and_slope(rows(code), np.tile([0, 1], 60), g, np.zeros(120)) == (0.0, 0.0)
