"""The formulas of docs/theory.md for measures, debiasing and intervals are what is computed."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import fitontest as fot
from fitontest.data.counted_sample import count_rows
from fitontest.measures.pairs import EntryPairs
from fitontest.numerics.norms import L1
from fitontest.uncertainty.beside_atoms import DRAWS, SHRINK, SMOOTH
from fitontest.uncertainty.inversion import STEPS, invert
from fitontest.uncertainty.joint import joint_test
from fitontest.uncertainty.ladder import Ladder
from fitontest.uncertainty.local_error import LocalError
from tests.labellings import fit_predict_many
from tests.theory import class_data, rows, stated

DATA = rows(weighted=True)
SAMPLE = fot.ScoreSample(DATA.y, DATA.p, DATA.w)
SINGLE = rows(200)


def weighted_mean(x, w=DATA.w):
    return float(w @ x / w.sum())


def value_of(measure):
    return fot.measures.make(measure).estimate(SAMPLE).value


@pytest.mark.parametrize("norm", ["l1", "squared", "l2", "max"])
def test_the_plug_in_error_is_the_norm_of_the_distances(norm):
    stated(r"\widehat{\mathrm{CE}} = \frac1W \sum_i w_i \, \lvert \hat c(p_i) - p_i \rvert")
    g = np.abs(fot.families.make("platt").fit(DATA.p, DATA.y, DATA.w).predict(DATA.p) - DATA.p)
    expected = {
        "l1": weighted_mean(g),
        "squared": weighted_mean(g**2),
        "l2": weighted_mean(g**2) ** 0.5,
        "max": g.max(),
    }[norm]
    error = fot.calibration_error(DATA.y, DATA.p, family="platt", norm=norm, sample_weight=DATA.w)
    assert float(error) == pytest.approx(expected, rel=1e-9)


def by_bin(edges):
    """Rows, mean label and mean score of bins of rows that their weights repeat."""
    number = np.searchsorted(edges, DATA.p, side="right")
    n = np.bincount(number, DATA.w)
    return number, n, np.bincount(number, DATA.w * DATA.y) / n, np.bincount(number, DATA.w * DATA.p) / n


def test_the_slope1_error_is_the_ece_and_its_debiased_values_are_those_of_the_page():
    stated(r"\sum_b \frac{n_b}{n} \Bigl[ d_b^2 - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1} \Bigr]")
    stated(r"2\,\mathrm{ECE} - \sum_b \frac{n_b}{n} \, \mathrm E \lvert d_b - R_b \rvert, \quad R_b \sim N(0, s_b^2)")
    stated(r"s \sqrt{2/\pi} \, e^{-d^2 / 2 s^2} + d \, (1 - 2 \Phi(-d / s))")
    family = fot.Slope1(6)
    edges = fot.families.make("slope1", n_bins=6).fit(DATA.p, DATA.y, DATA.w).partition_.edges
    _, n, ybar, pbar = by_bin(edges)
    d, share, s = np.abs(ybar - pbar), n / n.sum(), np.sqrt(ybar * (1 - ybar) / n)

    def error(**settings):
        return float(fot.calibration_error(DATA.y, DATA.p, family=family, sample_weight=DATA.w, **settings))

    assert error() == pytest.approx(float(share @ d))
    squared = float(share @ (d**2 - ybar * (1 - ybar) / (n - 1)))
    assert error(norm="squared", debias=True) == pytest.approx(squared)

    def distance(k):
        normal = stats.norm(0, s[k])
        return quad(lambda r: abs(d[k] - r) * normal.pdf(r), -8 * s[k], 8 * s[k], points=[d[k]], limit=200)[0]

    expected = [distance(k) for k in range(n.size)]
    assert error(debias=True) == pytest.approx(float(2 * share @ d - share @ expected), abs=1e-7)


def test_tce_is_the_share_that_the_exact_test_rejects():
    stated(r"P\{X : \mathrm{pmf}(X) \le \mathrm{pmf}(k)\} \le \alpha, \qquad X \sim \mathrm{Bin}(n_b, p)")
    edges = fot.families.make("pava_bc").fit(DATA.p, DATA.y, DATA.w).partition_.edges
    number, n, ybar, _ = by_bin(edges)
    k, of = np.rint(n * ybar).astype(int), n.astype(int)
    rejected = [stats.binomtest(k[b], of[b], p).pvalue <= 0.05 for b, p in zip(number, DATA.p, strict=True)]
    tce = fot.tce(DATA.y, DATA.p, sample_weight=DATA.w, null_draws=0)
    assert 0.1 < float(tce) == pytest.approx(weighted_mean(np.array(rejected, dtype=float)))


def test_general_errors_are_norms_of_a_loss_per_bin():
    stated(
        r"ECE, ACE and MCE take $L = \lvert \bar y_b - \bar p_b \rvert$",
        r"PDE the mean of $\lvert p_i - \bar y_b \rvert$",
    )
    edges = np.linspace(0, 1, 11)[1:-1]
    number, n, ybar, pbar = by_bin(edges)
    ece = float(n @ np.abs(ybar - pbar) / n.sum())
    assert value_of("ece") == pytest.approx(ece)
    assert value_of("mce") == pytest.approx(np.abs(ybar - pbar).max())
    pde = fot.gce(DATA.y, DATA.p, loss="deviation", partition="equal_width", sample_weight=DATA.w)
    assert float(pde) == pytest.approx(weighted_mean(np.abs(DATA.p - ybar[number])))


@pytest.mark.exhaustive
def test_the_smooth_error_equals_its_own_bandwidth():
    stated(r"$\int_0^1 \lvert \frac1W \sum_i w_i K_s(t, p_i)(y_i - p_i) \rvert \, dt$")
    estimate = fot.measures.make("smooth_ece").estimate(SAMPLE)
    s, t = estimate.value, np.linspace(0, 1, 4001)
    images = np.concatenate([[m + DATA.p, m - DATA.p] for m in (-4, -2, 0, 2, 4)])  # reflected at both ends
    kernel = stats.norm.pdf(t[:, None, None] - images[None], scale=s).sum(axis=1)
    value = np.trapezoid(np.abs(kernel @ (DATA.w * (DATA.y - DATA.p))) / DATA.w.sum(), t)
    assert value == pytest.approx(s, abs=2e-5)
    assert estimate.bandwidth == pytest.approx(s)


def test_the_kernel_error_is_the_mean_over_pairs():
    stated(r"$\frac{2}{n (n - 1)} \sum_{i \ne j} e^{-\lvert p_i - p_j \rvert} (y_i - p_i)(y_j - p_j)$")
    p, y = np.repeat(DATA.p, DATA.w.astype(int)), np.repeat(DATA.y, DATA.w.astype(int))
    h = 2 * np.exp(-np.abs(p[:, None] - p[None, :])) * np.outer(y - p, y - p)
    expected = (h.sum() - np.trace(h)) / (p.size * (p.size - 1))
    assert value_of("kernel") == pytest.approx(expected, rel=1e-9)


def test_within_bin_validity_and_count():
    stated(r"$\sum_b \frac{W_b}{W} \bar y_b (1 - \bar y_b)$", r"$1 - \frac1W \sum_i w_i \lvert p_i - c_k(p_i) \rvert$")
    stated("$1 / \\sum_r P(p = r)^2$", "$c_k$ of the $k = 10$ nearest scores")
    edges = fot.families.make("pava_bc").fit(DATA.p, DATA.y, DATA.w).partition_.edges
    _, n, ybar, _ = by_bin(edges)
    assert value_of("within_bin") == pytest.approx(float(n @ (ybar * (1 - ybar)) / n.sum()))
    nearest = fot.families.make("knn", k=10).fit(DATA.p, DATA.y, DATA.w).predict(DATA.p)
    assert value_of("auc_v") == pytest.approx(1 - weighted_mean(np.abs(DATA.p - nearest)))
    share = DATA.w / DATA.w.sum()
    assert value_of("probabilistic_count") == pytest.approx(1 / (share @ share))


def test_the_proper_error_is_the_held_out_gain():
    stated(r"\mathrm{CE}_S = \frac1W \sum_i w_i \bigl( S(p_i, y_i) - S(\hat c_{-i}(p_i), y_i) \bigr)")
    sample, folds = count_rows(SAMPLE).in_folds(10, 0)  # what a weight counts are different rows
    p, y, w, gain = sample.rows.p, sample.rows.y, sample.rows.w, np.empty(len(sample.rows))
    for held in folds:
        kept = np.setdiff1d(np.arange(p.size), held)
        c = fot.families.make("beta").fit(p[kept], y[kept], w[kept]).predict(p[held])
        gain[held] = (p[held] - y[held]) ** 2 - (c - y[held]) ** 2
    error = fot.measures.ProperError(loss="brier").estimate(SAMPLE)
    assert float(error) == pytest.approx(float(w @ gain / w.sum()), rel=1e-6)


def test_canonical_errors_are_total_variation_distances():
    stated(r"$\frac12 \sum_k \lvert g_k - p_k \rvert$")
    data = class_data()
    g = fot.families.make("vector").fit(data.P, data.y).predict_proba(data.P)
    error = fot.calibration_error(data.y, data.P, family="vector", reduction="canonical")
    assert float(error) == pytest.approx(float(np.abs(g - data.P).sum(axis=1).mean() / 2), rel=1e-9)


# redrawn labels


def near(n, scale):
    ranks = np.arange(n)
    return (np.abs(ranks[:, None] - ranks[None, :]) <= scale) & (ranks[:, None] != ranks[None, :])


def test_the_pair_statistic_its_spread_and_the_limit():
    stated(r"T_s = \frac1W \sum_i w_i r_i \, \frac{\sum_{j \ne i \text{ near } i} w_j r_j}{\sum_{j \ne i")
    stated(r"B_J = \sqrt{\max(0, T_s + z \, s_s)}, \qquad s \text{ the largest scale} \le n / (2J)")
    stated("a $T_s$ below $-s_s$ is taken for $-s_s$")
    p, y = SINGLE.p, SINGLE.y
    sample = fot.ScoreSample(y, p)
    ladder = Ladder.of(sample, 0)
    windows = EntryPairs.of(ladder.entries).windows
    assert windows.scales.tolist() == [1, 2, 4, 8, 16]  # of 200 rows: at most 25
    g, r, n = ladder.direction, y - p, p.size
    squares, spreads = [], []
    for scale in windows.scales:
        A = near(n, scale) / near(n, scale).sum(axis=1, keepdims=True) / n
        both = A + A.T
        squares.append(float(r @ A @ r))
        v = g * (1 - g)  # T = e'Ae + (g - p)'(A + A')e + ..., of independent e with variances v
        variance = (both**2 * np.outer(v, v)).sum() / 2 + v @ (both @ (g - p)) ** 2
        spreads.append(float(np.sqrt(variance)))
    limits = ladder.limits
    assert limits.squares == pytest.approx(squares)
    assert limits.spreads == pytest.approx(spreads)
    z = stats.norm.ppf(0.95)
    each = [np.sqrt(max(0.0, max(T, -sd) + z * sd)) for T, sd in zip(squares, spreads, strict=True)]
    assert limits.at(20).value == pytest.approx(each[2])  # 4 <= 200 / 40 < 8
    assert limits.at(100).value == pytest.approx(max(each[:3]))
    error = fot.calibration_error(y, p, interval="always")
    assert error.limit(20) == pytest.approx(max(each[2], error.interval.high))


def test_of_waves_the_statistic_is_the_mean_square_times_a_sinc():
    stated(r"of $k$ sine waves over the rows $\overline{d^2} \sin(x) / x$ with $x = 2 \pi k s / n$")
    n, k = 20_000, 40
    d = np.sin(2 * np.pi * k * np.arange(n) / n)
    windows = EntryPairs.of(Ladder.of(fot.ScoreSample(np.arange(n) % 2, np.linspace(0.01, 0.99, n)), 0).entries).windows
    scales = windows.scales[windows.scales <= 256]  # of wider windows the ends are cut off in many rows
    x = 2 * np.pi * k * scales / n
    assert np.sin(x).min() < 0
    assert windows.means(d)[: scales.size] == pytest.approx(0.5 * np.sin(x) / x, abs=0.005)


@pytest.mark.parametrize("observed", [0.01, 0.05, 0.2])
def test_intervals_invert_means_and_deviations_that_are_straight_between_truths(observed):
    stated(r"\text{debiased: } m(E) = T, \qquad \text{low: } m(E) + q \, s(E) = T")
    stated(r"\text{high: } m(E) - q \, s(E) = T")
    stated(r"$q = t_{B-1}(1 - \alpha/2) \sqrt{1 + 1/B}$", "0, .35, .7, 1.1 and 1.8")
    assert STEPS == (0.0, 0.35, 0.7, 1.1, 1.8)
    rng = np.random.default_rng(0)
    errors = 0.06 * np.array(STEPS)
    drawn = np.sqrt(errors**2 + 0.02**2)[:, None] + rng.normal(0, 0.008, (5, 50))
    m, s = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    q = stats.t.ppf(0.975, 49) * np.sqrt(1 + 1 / 50)
    at = np.linspace(0, 0.6, 600_001)

    def first(bound, T):
        bound = np.maximum.accumulate(bound)
        slope = max((bound[-1] - bound[-2]) / (errors[-1] - errors[-2]), 0.25)
        line = np.where(at <= errors[-1], np.interp(at, errors, bound), bound[-1] + slope * (at - errors[-1]))
        return at[np.argmax(line >= T)]

    found = invert(observed, errors, drawn, 0.95)
    assert found.low == pytest.approx(first(m + q * s, observed), abs=2e-6)
    assert found.estimate == pytest.approx(first(m, observed), abs=2e-6)
    assert found.high == pytest.approx(first(m - q * s, max(observed, m[0] - s[0])), abs=2e-6)


def test_p_values_are_shares_of_redrawings_and_the_joint_one_is_of_the_largest():
    stated("the real labels counted as one more, whose error is at least $T$")
    stated("each less its mean and by its standard deviation over the same redrawn labels of calibrated scores")
    error = fot.calibration_error(SINGLE.y, SINGLE.p, family="platt", null_draws=60)
    assert error.null.p_value == (1 + np.count_nonzero(error.null.values >= float(error) * (1 - 1e-9))) / 61
    test = joint_test(fot.ScoreSample(SINGLE.y, SINGLE.p), 60)
    nulls = test.nulls.values()
    observed = max((null.observed - null.mean) / null.sd for null in nulls)
    drawn = np.max([(null.values - null.mean) / null.sd for null in nulls], axis=0)
    assert sorted(test.nulls) == ["isotonic", "line", "pairs", "spline"]
    assert test.p_value == (1 + np.count_nonzero(drawn >= observed)) / (1 + test.draws)


def test_levels_of_near_rows_are_shrunk_local_means():
    stated(r"$g_r = g + u h \, \tau^2 / (\tau^2 + v)$", "at least a twentieth of that of $h^2$")
    stated("divided by its mean over the rows, and .01 at least", "is ten times the mean of $v$")
    rng = np.random.default_rng(1)
    p = np.sort(rng.random(1500))
    c = np.clip(p + 0.12 * np.sin(20 * np.pi * p), 0.01, 0.99)
    y = (rng.random(1500) < c).astype(float)
    ladder = Ladder.of(fot.ScoreSample(y, p), 0)
    assert ladder.rung == "levels"
    assert ladder.levels.few_rows is None
    g, q = ladder.smooth, (ladder.smooth + p) / 2
    u = np.maximum(q * (1 - q) / np.mean(q * (1 - q)), 0.01)
    rank = (np.cumsum(u) - u / 2) * u.sum() / (u @ u)

    def window(scale):
        return (np.abs(np.subtract.outer(rank, rank)) <= scale) | near(p.size, 1) | np.eye(p.size, dtype=bool)

    def noise(scale):
        A = window(scale)
        return A @ (g * (1 - g)) / (A @ u) ** 2

    def statistic(scale):
        A, r = window(scale) & ~np.eye(p.size, dtype=bool), y - p
        return r @ ((A @ r) / (A @ u)) / u.sum()

    scales = ladder.pairs_by_events.windows.scales
    tells = [statistic(s) >= 10 * np.average(noise(s), weights=u) for s in scales]
    place = min(tells.index(True) if any(tells) else scales.size, ladder.smooth_fit.scale)
    assert ladder.levels.scale == place
    A, v = window(scales[place]), noise(scales[place])
    h = A @ (y - g) / (A @ u)
    tau2 = max(*(float(np.average(x, weights=u)) for x in (h**2 - v, h**2 / 20)))
    assert ladder.levels.at_entries == pytest.approx(np.clip(g + u * h * tau2 / (tau2 + v), 0, 1), abs=1e-9)
    alone = window(scales[place]) & ~np.eye(p.size, dtype=bool)
    stated(r"\frac{S_i}{\sqrt{S_i^2 + V_i / 4}}", "for other norms, and where a tenth or less hold the error")
    sums, noise_of_sums = alone @ (y - p), window(scales[place]) @ u * np.mean(p * (1 - p)) / np.mean(u)
    directed = float(np.mean((y - p) * sums / np.sqrt(sums**2 + noise_of_sums / 4)))
    statistic = LocalError(L1, place, ladder.pairs_by_events)
    assert statistic.values(*ladder.redraws.observed)[0] == pytest.approx(directed, rel=1e-9)


@pytest.mark.parametrize(("level", "has_levels"), [(0.5, False), (0.1, True)])
def test_beside_atoms_the_direction_has_levels_where_they_are_no_noise(level, has_levels):
    stated(r"is multiplied by $\sqrt{\max(0, 1 - D_0 / D)}$", "further from it than 95 % of labellings")
    rng = np.random.default_rng(3)
    p = np.concatenate((np.full(300, 0.5), rng.random(500)))
    y = (rng.random(800) < np.where(p == 0.5, level, 0.8 * p + 0.1)).astype(float)
    ladder = Ladder.of(fot.ScoreSample(y, p), 0)
    assert ladder.rung == "spline"
    p, y = ladder.entries.p, ladder.redraws.observed[1][:, 0]

    def splines(labels, *, atoms):
        return fit_predict_many(fot.families.make("spline", atoms=atoms), p, labels)

    def from_smooth(labels):
        return splines(labels, atoms=True) - splines(labels, atoms=False)

    def from_scores(labels):
        return splines(labels, atoms=True) - p[:, None]

    def squares(truth, stream, distance):
        for block in ladder.redraws.blocks(DRAWS):
            (labels,) = ladder.redraws.draw([truth], block, (0, stream))
            yield from distance(labels).T ** 2

    levels, smooth = (fot.families.make("spline", atoms=atoms).fit(p, y).predict(p) for atoms in (True, False))
    assert levels == pytest.approx(ladder.smooth)
    by_noise = [square.mean() for square in squares(smooth, SMOOTH, from_smooth)]
    as_far = np.count_nonzero(by_noise >= np.mean((levels - smooth) ** 2))
    assert ((1 + as_far) / 81 <= 0.05) == has_levels
    expected = smooth
    if has_levels:
        rest = p != 0.5
        by_noise = np.mean([square[rest] for square in squares(p, SHRINK, from_scores)])
        share = np.sqrt(max(0.0, 1.0 - by_noise / np.mean((levels - p)[rest] ** 2)))
        expected = np.where(rest, p + share * (levels - p), levels)
        assert 0.0 < share < 1.0
    assert ladder.direction == pytest.approx(expected, abs=1e-7)
