"""Positives dealt out between two parts: their distribution, and its approximations."""

import numpy as np
import pytest
from scipy import stats

from fitontest.monitor.drift.hypergeometric import _approximate, dealt_positives, variance_of_dealt


def test_frequencies_are_hypergeometric():
    k, first, second = np.array([3, 0, 5, 4]), np.array([4, 2, 3, 0]), np.array([3, 2, 2, 9])
    dealt = dealt_positives(k, first, second, 20_000, np.random.default_rng(0))
    for row, *margins in zip(dealt, k, first, second, strict=True):
        law = stats.hypergeom(margins[1] + margins[2], margins[0], margins[1])
        share = np.array([np.mean(row == a) for a in range(8)])
        assert share == pytest.approx(law.pmf(np.arange(8)), abs=0.015)  # 4 standard errors


def test_the_variance_is_that_of_the_distribution():
    k, first, second = np.array([3, 0, 5, 1, 40]), np.array([4, 2, 3, 1, 60]), np.array([3, 2, 2, 0, 30])
    a = np.arange(100)
    shares = [stats.hypergeom(n + m, one, n).pmf(a) for one, n, m in zip(k, first, second, strict=True)]
    expected = [share @ a**2 - (share @ a) ** 2 for share in shares]
    assert variance_of_dealt(k, first, second) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    huge = variance_of_dealt(np.array([10**10]), np.array([10**11]), np.array([10**11]))
    assert huge == pytest.approx(10**10 * 0.25 * 0.95, rel=1e-6)


@pytest.mark.parametrize(
    ("k", "first", "total"),
    [
        (10**9, 10**9, 3 * 10**9),
        (7, 10**9, 4 * 10**9),
        (4 * 10**9 - 7, 10**9, 4 * 10**9),
        (10**9, 12, 4 * 10**9),
        (10**9, 4 * 10**9 - 12, 4 * 10**9),
    ],
)
def test_strata_of_a_thousand_million_rows_have_the_same_mean_and_variance(k, first, total):
    dealt = _approximate(k, first, total, 20_000, np.random.default_rng(1))
    variance = first * (total - first) / (total - 1) * (k / total) * (1 - k / total)
    assert abs(dealt.mean() - first * (k / total)) < 4 * (variance / 20_000) ** 0.5
    assert dealt.var() == pytest.approx(variance, rel=0.06)
    assert dealt.min() >= max(0, k + first - total)
    assert dealt.max() <= min(k, first)
    column = dealt_positives(*(np.array([each]) for each in (k, first, total - first)), 20, np.random.default_rng(1))
    assert column.shape == (1, 20)
