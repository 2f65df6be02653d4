"""Tails of counts of unequal labels: against all labels, the binomial law, and scipy where it has the law."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from fitontest.numerics.significance.poisson_binomial import matched_tails, tails


def test_all_labels():
    c, count = np.array([0.1, 0.5, 0.9]), np.array([1.0, 2.0, 1.0])
    each = np.repeat(c, count.astype(int))
    law = np.zeros(5)
    for labels in product((0, 1), repeat=4):
        law[sum(labels)] += np.prod(np.where(labels, each, 1 - each))
    for k in range(5):
        assert tails(k, count, c) == pytest.approx((law[k:].sum(), law[: k + 1].sum()))


@given(st.integers(1, 60), st.floats(0.0, 1.0), st.data())
def test_equal_probabilities_are_binomial(n, c, data):
    k = data.draw(st.integers(0, n))
    expected = (binom.sf(k - 1, n, c), binom.cdf(k, n, c))
    assert tails(k, np.ones(n), np.full(n, c)) == pytest.approx(expected, abs=1e-12)
    if 0.001 < c < 0.999:
        equal = np.full(n, 1 / n)
        assert matched_tails(float(k), float(n), equal, equal, np.full(n, c)) == pytest.approx(expected, abs=1e-9)


def test_weighted_counts_are_near_what_is_drawn():
    rng = np.random.default_rng(0)
    c, w = rng.beta(1, 2, 80), np.exp(rng.normal(size=80))
    share, squares, rows = w / w.sum(), w**2 / (w @ w), w.sum() ** 2 / (w @ w)
    drawn = rows * ((rng.random((40_000, 80)) < c) @ share)
    for quantile in (0.03, 0.3, 0.8):
        k = float(np.quantile(drawn, quantile))
        at_least, at_most = matched_tails(k, rows, share, squares, c)
        assert at_most >= np.mean(drawn <= k) - 0.02  # cautious: a count of single labels lies on a grid
        assert at_least >= np.mean(drawn >= k) - 0.02
        assert at_most + at_least < 1.0 + 0.25
