"""The pair statistic: against sums over all pairs of rows, golden numbers, and its spread under redrawn labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fitontest.measures import pair_windows as pairs
from fitontest.measures.pair_windows import PairWindows

SMALL = np.array([0.1, 0.2, 0.2, 0.2, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9])
LABELS = np.array([0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1])


def rows_of(p, w=None):
    """Return the windows of rows of weight one, or of other weights that are no counts."""
    w = np.ones(p.size) if w is None else w
    return PairWindows.of(p, np.ones(p.size), w)


def near_rows(p, w, scale):
    """Return which rows are near which other ones, shape (n, n), from the middle ranks of their scores."""
    rank = np.array([w[p < score].sum() + w[p == score].sum() / 2 for score in p]) * w.sum() / (w @ w)
    near = np.abs(np.subtract.outer(rank, rank)) <= scale + 1e-9
    np.fill_diagonal(near, False)
    return near


def products(p, w, scale):
    """Return the matrix of the statistic: T = r' A r for the residuals r of the rows."""
    near = near_rows(p, w, scale)
    others = near @ w
    share = np.divide(1.0, others, out=np.zeros(p.size), where=others > 0)
    paired = w[others > 0].sum() if scale > 0 and w.min() < w.max() and near.any() else w.sum()
    return near * np.outer(w * share, w) / paired


def by_pairs(p, w, scale, r):
    return float(r @ products(p, w, scale) @ r)


def statistics(windows, y, c):
    return windows.statistics(y[:, None], c)[:, 0]


def test_golden_numbers_of_twelve_rows(monkeypatch):
    monkeypatch.setattr(pairs, "WIDEST", 3)  # windows wider than a quarter of so few rows
    windows = rows_of(SMALL)
    assert windows.scales.tolist() == [0, 1, 2, 4]
    expected = [0.0683333333, -0.0141666667, -0.0038888889, -0.0059632937]
    np.testing.assert_allclose(statistics(windows, LABELS, SMALL), expected, rtol=0, atol=1e-10)


def test_golden_numbers_of_two_hundred_rows():
    rng = np.random.default_rng(0)
    p = np.sort(rng.random(200))
    windows = rows_of(p)
    assert windows.scales.tolist() == [1, 2, 4, 8, 16]
    expected = [-0.0066262826, -0.0027244751, -0.0012505533, -0.0013316188, -0.0030728993]
    np.testing.assert_allclose(statistics(windows, rng.random(200) < p, p), expected, rtol=0, atol=1e-10)


def test_golden_means_of_waves():
    """k waves over the rows give the mean square times sin(x) / x, x = 2 pi k s / n, but for the ends."""
    u = (np.arange(10_000) + 0.5) / 10_000
    windows = rows_of(u)
    place = [windows.scales.tolist().index(scale) for scale in (1, 16, 64, 256, 512)]
    means = windows.means(0.1 * np.sin(16 * np.pi * u))[place]
    np.testing.assert_allclose(means, [0.005000, 0.004994, 0.004913, 0.003774, 0.001202], rtol=0, atol=5e-7)
    sinc = 0.005 * np.sinc(2 * 8 * windows.scales[place] / 10_000)
    np.testing.assert_allclose(sinc, [0.005000, 0.004995, 0.004914, 0.003730, 0.001045], rtol=0, atol=5e-7)
    np.testing.assert_allclose(means[:3], sinc[:3], rtol=3e-4)


@st.composite
def scored(draw, weights=None):
    """Draw sorted scores with ties, labels, probabilities and weights."""
    n = draw(st.integers(2, 40))
    tied = st.integers(0, 6).map(lambda k: k / 6) | st.floats(0, 1)
    p = np.sort(draw(st.lists(tied, min_size=n, max_size=n)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    w = np.ones(n) if weights is None else np.array(draw(st.lists(weights, min_size=n, max_size=n)), dtype=float)
    return p, rng.integers(0, 2, n), rng.random(n), w


@given(data=scored())
def test_it_is_the_sum_over_all_pairs(data):
    p, y, c, w = data
    windows = rows_of(p)
    expected = [by_pairs(p, w, scale, y - c) for scale in windows.scales]
    np.testing.assert_allclose(statistics(windows, y, c), expected, rtol=0, atol=1e-12)


@given(data=scored(st.floats(0.05, 20)))
def test_importances_weigh_rows_and_the_rows_near_them(data):
    """(1 / W) sum w_i r_i (sum w_j r_j) / (sum w_j), W of the rows that have a near one; ranks in effective rows."""
    p, y, c, w = data
    windows = rows_of(p, w)
    assert windows.rows == pytest.approx(w.sum() ** 2 / (w @ w))
    expected = [by_pairs(p, w, scale, y - c) for scale in windows.scales]
    np.testing.assert_allclose(statistics(windows, y, c), expected, rtol=0, atol=1e-10)


def test_reach_is_in_effective_rows():
    """Rows that hardly weigh anything take no place among the ranks, and let scales end sooner."""
    p, heavy = np.linspace(0, 1, 400), np.arange(400) % 10 == 0
    windows, alone = rows_of(p, np.where(heavy, 1.0, 1e-13)), rows_of(p[heavy])
    assert windows.scales.tolist() == alone.scales.tolist() == [1, 2, 4]  # up to an eighth of 40 rows
    r = np.random.default_rng(0).normal(size=400)
    np.testing.assert_allclose(windows.means(r), alone.means(r[heavy]), rtol=1e-9)


@given(data=scored(st.integers(1, 5)), several=st.booleans())
def test_counts_are_rows(data, several):
    """A unit of n rows with k positives is n rows, k of them with the label 1."""
    p, y, c, n = data
    first = np.flatnonzero(np.append(True, p[1:] != p[:-1])) if several else np.arange(p.size)
    c = np.repeat(c[first], np.diff(first, append=p.size))
    rows = rows_of(np.repeat(p, n.astype(int)))
    counts = PairWindows.of(p[first], np.add.reduceat(n, first), np.ones(first.size))
    np.testing.assert_array_equal(counts.scales, rows.scales)
    expected = statistics(rows, np.repeat(y, n.astype(int)), np.repeat(c, n.astype(int)))
    found = statistics(counts, np.add.reduceat(n * y, first), c[first])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    variances = counts.deviations(c[first]) ** 2, rows.deviations(np.repeat(c, n.astype(int))) ** 2
    np.testing.assert_allclose(*variances, rtol=0, atol=1e-12)


@given(data=scored(), seed=st.integers(0, 9))
def test_the_order_of_rows_within_ties_does_not_matter(data, seed):
    p, y, c, _ = data
    order = np.lexsort((np.random.default_rng(seed).random(p.size), p))
    windows = rows_of(p)
    found, expected = statistics(windows, y[order], c[order]), statistics(windows, y, c)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-15)


@given(data=scored(st.floats(0.05, 20)), factor=st.sampled_from([0.1, 1 / 3, 7.0, 1e6]))
def test_the_scale_of_importances_means_nothing(data, factor):
    p, y, c, w = data
    one, other = rows_of(p, w), rows_of(p, factor * w)
    np.testing.assert_array_equal(one.scales, other.scales)
    np.testing.assert_allclose(statistics(other, y, c), statistics(one, y, c), rtol=0, atol=1e-12)


@given(data=scored(st.floats(0.05, 20)), seed=st.integers(0, 9))
def test_masses_measure_windows_and_divide_sums(data, seed):
    """(1 / M) sum w_i r_i (sum w_j r_j) / (sum m_j), m = w v: ranks of masses, and rows within one rank of rows."""
    p, y, c, w = data
    m = w * np.random.default_rng(seed).uniform(0.1, 3, p.size)
    windows, r = PairWindows.of(p, np.ones(p.size), w, m / w), y - c
    assert windows.rows == pytest.approx(m.sum() ** 2 / (m @ m))
    assert windows.variance == pytest.approx(m / w)
    for place, scale in enumerate(windows.scales):
        near = near_rows(p, m, scale) | (near_rows(p, w, 1.0) if scale else near_rows(p, m, 0.0))
        others = near @ m
        share = np.divide(near @ (w * r), others, out=np.zeros(p.size), where=others > 0)
        paired = m[others > 0].sum() if scale > 0 and m.min() < m.max() and near.any() else m.sum()
        assert windows.statistic(y[:, None], c, place)[0] == pytest.approx(w * r @ share / paired, abs=1e-9)
        with_self = near | np.eye(p.size, dtype=bool)
        sums, noise = near @ (w * r), with_self @ (w * m) * (w @ (c * (1 - c)) / m.sum())
        expected = w * r @ (sums / np.sqrt(sums**2 + noise / 4)) / w.sum()
        assert windows.directed(y[:, None], c, place)[0] == pytest.approx(expected, abs=1e-7)


@given(data=scored(), seed=st.integers(0, 9))
def test_masses_that_are_all_the_same_are_those_of_rows(data, seed):
    p, y, c, w = data
    rows, equal = rows_of(p), PairWindows.of(p, w, w, np.full(p.size, 0.3))
    np.testing.assert_array_equal(equal.scales, rows.scales)
    np.testing.assert_array_equal(equal.low, rows.low)
    np.testing.assert_array_equal(equal.high, rows.high)
    np.testing.assert_allclose(0.09 * statistics(equal, y, c), statistics(rows, y, c), rtol=0, atol=1e-12)


@given(data=scored(st.integers(1, 5)))
def test_directions_of_counts_are_those_of_rows(data):
    p, y, c, n = data
    first = np.flatnonzero(np.append(True, p[1:] != p[:-1]))
    c = np.repeat(c[first], np.diff(first, append=p.size))
    k = n.astype(int)
    rows = rows_of(np.repeat(p, k))
    counts = PairWindows.of(p[first], np.add.reduceat(n, first), np.ones(first.size))
    for place in range(rows.scales.size):
        expected = rows.directed(np.repeat(y, k)[:, None], np.repeat(c, k), place)
        found = counts.directed(np.add.reduceat(n * y, first)[:, None], c[first], place)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 0.7])
def test_equal_weights_are_rows(weight):
    """Ranks that are whole numbers but for rounding are as near as whole ones."""
    p = np.sort(np.round(np.random.default_rng(1).random(300), 2))
    equal, rows = rows_of(p, np.full(300, weight)), rows_of(p)
    np.testing.assert_array_equal(equal.low, rows.low)
    np.testing.assert_array_equal(equal.high, rows.high)


def test_no_row_is_paired_with_itself():
    """A row alone in its window adds nothing, and the mean over all labellings of calibrated scores is 0."""
    p = np.array([0.1, 0.2, 0.4, 0.4, 0.9])
    windows = rows_of(p)
    assert windows.scales.tolist() == [0, 1]  # windows of one score, then of its neighbours
    y = (np.arange(32)[None, :] >> np.arange(5)[:, None]) & 1
    probability = np.prod(np.where(y, p[:, None], 1 - p[:, None]), axis=0)
    np.testing.assert_allclose(windows.statistics(y, p) @ probability, 0.0, atol=1e-15)
    changed = y.copy()
    changed[4] = 1 - changed[4]  # alone at both scales
    np.testing.assert_allclose(windows.statistics(changed, p), windows.statistics(y, p), rtol=0, atol=1e-16)


def test_an_atom_of_many_rows_does_not_outweigh_all_others():
    """Each row has its own mean of near ones: an error at 40 % of the rows counts 40 %, not 16 / 17 of all pairs."""
    p = np.append(np.full(400, 0.5), np.linspace(0.51, 0.99, 600))
    windows = rows_of(p)
    for error, share in ((p == 0.5, 0.4), (p > 0.5, 0.6)):
        small = windows.scales.tolist().index(1.0)
        assert windows.means(0.1 * error)[small] == pytest.approx(0.01 * share, rel=0.01)


@given(data=scored(st.floats(0.05, 20)))
def test_deviations_are_those_of_the_quadratic_form(data):
    p, _, c, w = data
    d = np.random.default_rng(p.size).normal(0, 0.2, p.size)
    windows, v = rows_of(p, w), c * (1 - c)
    for place, scale in enumerate(windows.scales):
        matrix = products(p, w, scale)
        both = (matrix + matrix.T) / 2
        pure = 2 * v @ both**2 @ v
        assert windows.deviations(c)[place] ** 2 == pytest.approx(pure, rel=1e-7, abs=1e-12)
        line = 4 * v @ (both @ d) ** 2
        assert windows.deviations(c, d)[place] ** 2 == pytest.approx(pure + line, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("weights", ["counts", "importances"])
def test_deviations_and_means_are_those_of_many_labellings(weights):
    rng = np.random.default_rng(4)
    p = np.sort(np.round(rng.random(120), 2))
    n, each = rng.integers(1, 4, 120), np.ones(120) if weights == "counts" else rng.uniform(0.3, 2, 120)
    c = np.clip(p + 0.2 * np.sin(7 * p), 0.02, 0.98)
    windows = PairWindows.of(p, n.astype(float), each)
    for compared in (c, p):
        values = np.hstack(
            [windows.statistics(rng.binomial(n[:, None], c[:, None], (120, 4000)), compared) for _ in range(5)]
        )
        spread = windows.deviations(c, c - compared)
        np.testing.assert_allclose(values.std(axis=1), spread, rtol=0.03)
        assert np.all(
            np.abs(values.mean(axis=1) - windows.means(c - compared)) < 4.5 * spread / np.sqrt(values.shape[1])
        )


def test_the_spread_without_ties_is_nearly_the_mean_square_of_variances():
    """sqrt(mean (p (1 - p))^2 / (n s))."""
    p = np.sort(np.random.default_rng(0).random(2000))
    windows = rows_of(p)
    rough = np.sqrt(np.mean((p * (1 - p)) ** 2) / (2000 * windows.scales))
    np.testing.assert_allclose(windows.deviations(p)[:5], rough[:5], rtol=0.05)


def test_scales():
    distinct = np.linspace(0, 1, 160)
    assert rows_of(distinct).scales.tolist() == [1, 2, 4, 8, 16]
    assert rows_of(distinct[:2]).scales.tolist() == [1]
    assert rows_of(np.full(50, 0.3)).scales.tolist() == [0]
    assert rows_of(np.array([0.3])).scales.tolist() == [0]
    for tied, scales in ((7, [1, 2, 4, 8, 16]), (8, [0, 1, 2, 4, 8, 16])):  # 5 % of 160 rows
        p = np.append(np.full(tied, 0.0), np.linspace(0.1, 1, 160 - tied))
        assert rows_of(p).scales.tolist() == scales
    grid = np.repeat(np.linspace(0, 1, 10), 20)  # ranks of neighbouring scores are 20 apart
    assert rows_of(grid).scales.tolist() == [0]
    assert rows_of(np.repeat(np.linspace(0, 1, 20), 20)).scales.tolist() == [0, 32]


def test_one_scale_and_several_labellings_at_once():
    rng = np.random.default_rng(0)
    p, y, c = np.sort(rng.random(50).round(1)), rng.integers(0, 2, (50, 3)), rng.random((50, 3))
    windows = rows_of(p)
    alone = np.transpose([windows.statistics(y[:, [k]], c[:, k])[:, 0] for k in range(3)])
    np.testing.assert_allclose(windows.statistics(y, c), alone, rtol=0, atol=1e-15)
    for scale in range(windows.scales.size):
        np.testing.assert_allclose(windows.statistic(y, c, scale), alone[scale], rtol=0, atol=1e-15)


@given(data=scored(st.floats(0.05, 20)))
def test_local_means(data):
    """With the row itself among those near it, but of a row alone 0."""
    p, _, r, w = data
    windows, variance = rows_of(p, w), np.random.default_rng(p.size).random(p.size)
    for place, scale in enumerate(windows.scales):
        near = near_rows(p, w, scale) | np.eye(p.size, dtype=bool)
        means, variances = windows.local_means(r, variance, place)
        expected = np.where(near.sum(axis=1) > 1, near @ (w * r) / (near @ w), 0.0)
        np.testing.assert_allclose(means, expected, atol=1e-9)
        np.testing.assert_allclose(variances, near @ (w**2 * variance) / (near @ w) ** 2, rtol=1e-7, atol=1e-12)
