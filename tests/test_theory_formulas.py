"""The formulas of docs/theory.md for two classes are what the families fit: their maps, and what they minimise.

Nothing here is taken from the families but their parameters: objectives and maps are those of the page, written anew.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

import fitontest as fot
from tests.theory import BEATEN, CLOSE, Array, assert_minimal, ell, logit, rows, sigma, softmax, stated

NEW = np.concatenate(([0.0, 1e-3, 0.5, 0.999, 1.0], np.random.default_rng(1).random(20)))


# two classes: maximum likelihood


class Curve(NamedTuple):
    """A curve of the page: its logit as a function of its parameters, and where the family has them."""

    formula: str
    z: Callable[[Array, Array], Array]
    theta: Callable[[Any], list[float]]
    eps: float


CURVES = {
    "temperature": Curve(
        r"\sigma(\operatorname{logit}(p) / T)", lambda t, p: t[0] * logit(p), lambda f: [1.0 / f.temperature_], 1e-16
    ),
    "platt": Curve(
        r"\sigma(a \operatorname{logit}(p) + b)",
        lambda t, p: t[0] * logit(p) + t[1],
        lambda f: [f.slope_, f.intercept_],
        1e-16,
    ),
    "beta": Curve(
        r"\sigma(a \, \ln \, p - b \, \ln(1 - p) + c)",
        lambda t, p: t[0] * np.log(p) - t[1] * np.log1p(-p) + t[2],
        lambda f: [f.a_, f.b_, f.intercept_],
        2.2e-16,
    ),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", CURVES)
def test_curves_minimise_the_log_loss(name, weighted):
    curve, data = CURVES[name], rows(weighted=weighted)
    stated(curve.formula, r"L(c) = - \sum_i w_i \, \bigl[ y_i \ln c(p_i) + (1 - y_i) \ln (1 - c(p_i)) \bigr]")
    stated(r"with $\varepsilon = 10^{-16}$ (`beta`: $2.2 \cdot 10^{-16}$; `spline`: logits up to 36)")
    family = fot.families.make(name).fit(data.p, data.y, data.w)
    theta = np.array(curve.theta(family))
    within = np.clip(NEW, curve.eps, np.nextafter(1.0 - curve.eps, 0.0))
    assert family.predict(NEW) == pytest.approx(sigma(curve.z(theta, within)), abs=CLOSE)
    assert_minimal(lambda t: float(data.w @ ell(data.y, curve.z(t, data.p))), theta, [np.ones(theta.size)])


def test_the_slopes_of_beta_are_not_negative():
    stated("$L(\\hat c)$ over $a, b \\ge 0$ and all $c$")
    rng = np.random.default_rng(4)
    p = rng.random(300)
    y = (rng.random(300) < 0.4 + 0.3 * np.where(p < 0.3, 0.3 - p, p - 0.3)).astype(float)  # falls, then rises
    family = fot.families.make("beta").fit(p, y)

    def loss(t: Array) -> float:
        return float(ell(y, t[0] * np.log(p) - t[1] * np.log1p(-p) + t[2]).sum())

    free = minimize(loss, np.ones(3), method="BFGS")
    assert free.x[0] < -0.01
    bound = minimize(loss, np.ones(3), method="L-BFGS-B", bounds=[(0, None), (0, None), (None, None)])
    assert family.a_ == 0.0
    assert loss(np.array([family.a_, family.b_, family.intercept_])) <= bound.fun * (1 + BEATEN)


def test_certain_scores_are_cut_one_logit_beyond_the_others():
    stated("their logits are cut at 1 beyond the largest of the others, at most at 36")
    data = rows()
    p, y = np.append(data.p, [0.0, 1.0, 1.0]), np.append(data.y, [0.0, 1.0, 0.0])
    platt = fot.families.make("platt").fit(p, y)
    cut = np.abs(logit(data.p)).max() + 1.0
    x = np.append(logit(data.p), [-cut, cut, cut])
    assert platt.predict(p) == pytest.approx(sigma(platt.slope_ * x + platt.intercept_), abs=CLOSE)
    theta = np.array([platt.slope_, platt.intercept_])
    assert_minimal(lambda t: float(ell(y, t[0] * x + t[1]).sum()), theta, [np.zeros(2)])


# two classes: means


def test_bins_are_means_and_their_number_is_chosen_by_the_brier_score():
    stated("of 1 to 40 bins the fewest whose Brier score over 10 folds is within 0.1 % of the best")
    stated(r"$\hat c(p) = p + \bar y_b - \bar p_b$", r"$\hat c(p) = \bar y_b$")
    data = rows(weighted=True)
    for name in ("slope1", "flat"):
        family = fot.families.make(name).fit(data.p, data.y, data.w)
        number = np.searchsorted(family.partition_.edges, data.p, side="right")
        mean_y, mean_p = (
            np.bincount(number, data.w * x)[number] / np.bincount(number, data.w)[number] for x in (data.y, data.p)
        )
        assert family.predict(data.p) == pytest.approx(
            mean_y if name == "flat" else data.p + mean_y - mean_p, abs=CLOSE
        )
    single = fot.ScoreSample(data.y, data.p)
    _, folds = single.in_folds(10, 0)
    scores = np.array([_brier(single, folds, n_bins) for n_bins in range(1, 41)])
    chosen = 1 + int(np.argmax(scores <= scores.min() * 1.001))
    assert fot.families.make("slope1").fit(data.p, data.y).n_bins_ == chosen > 1


def _brier(sample: fot.ScoreSample, folds: list[Any], n_bins: int) -> float:
    """The mean over the folds of the held-out Brier score of slope-1 bins; rows stand in the order of their scores."""
    p, y, each = sample.rows.p, sample.rows.y, []
    for held in folds:
        kept = np.setdiff1d(np.arange(p.size), held)
        family = fot.families.make("slope1", n_bins=n_bins).fit(p[kept], y[kept])
        each.append(float(np.mean((family.predict(p[held]) - y[held]) ** 2)))
    return float(np.mean(each))


def test_isotonic_maps_have_the_least_squares_and_are_straight_in_between():
    stated("| `isotonic` | non-decreasing, straight between its blocks |", r"\sum_i w_i (y_i - \hat c(p_i))^2")
    data = rows(weighted=True)
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(data.p, data.y, sample_weight=data.w)
    assert fot.families.make("isotonic").fit(data.p, data.y, data.w).predict(NEW) == pytest.approx(theirs.predict(NEW))


def test_blocks_of_pava_bc_have_their_means_and_a_bounded_weight():
    stated("means of pooled blocks of a twentieth to a fifth of the weight")
    data = rows(weighted=True)
    family = fot.families.make("pava_bc").fit(data.p, data.y, data.w)
    number = np.searchsorted(family.partition_.edges, data.p, side="right")
    weight = np.bincount(number, data.w)
    means = np.bincount(number, data.w * data.y) / weight
    assert family.predict(data.p) == pytest.approx(means[number], abs=CLOSE)
    assert np.floor(data.w.sum() / 20) <= weight.min()
    assert weight.max() <= data.w.sum() / 5


def test_scaling_binning_averages_platts_values_over_ten_bins():
    stated("| `scaling_binning` | $\\hat c(p)$ = mean in the bin of Platt's values | 10 bins of equal mass")
    data = rows()
    values = fot.families.make("platt").fit(data.p, data.y).predict(data.p)
    means = np.repeat([part.mean() for part in np.array_split(values, 10)], 24)
    assert fot.families.make("scaling_binning").fit(data.p, data.y).predict(data.p) == pytest.approx(means, abs=CLOSE)


def test_knn_averages_the_ten_nearest_rows():
    stated("mean label of the 10 rows with the nearest scores | ties of distance are included whole |")
    data = rows()
    p = np.round(data.p, 2)
    distance = np.abs(p[:, None] - NEW[None, :])
    near = distance <= np.sort(distance, axis=0)[9] + 1e-12
    expected = (near * data.y[:, None]).sum(axis=0) / near.sum(axis=0)
    at_midpoint = np.isclose(2 * NEW[:, None], p[:, None].T + p[:1], atol=0).any(axis=1)
    family = fot.families.make("knn").fit(p, data.y)
    assert family.predict(NEW[~at_midpoint]) == pytest.approx(expected[~at_midpoint], abs=CLOSE)


def test_kde_is_the_share_of_the_positives_kernels():
    stated(r"$k_i(p) = k(p - p_i) + k(p + p_i) + k(2 - p - p_i)$", r"$k(d) = (1 - (d / 3h)^2)^3$")
    stated(r"$h = s \, (2 n)^{-1/5}$, at most $1/3$")
    data = rows(weighted=True)
    n = data.w.sum()
    mean = data.w @ data.p / n
    h = np.sqrt(data.w @ (data.p - mean) ** 2 / n) * (2.0 * n) ** -0.2

    def k(d: Array) -> Array:
        return np.clip(1.0 - (d / (3.0 * h)) ** 2, 0.0, None) ** 3

    at, own = data.p[:, None], data.p[None, :]
    kernels = data.w * (k(at - own) + k(at + own) + k(2.0 - at - own))
    share, pi = kernels @ data.y / kernels.sum(axis=1), data.w @ data.y / n
    f1, f0 = kernels @ data.y / (data.w @ data.y), kernels @ (1 - data.y) / (data.w @ (1 - data.y))
    family = fot.families.make("kde").fit(data.p, data.y, data.w)
    assert family.bandwidth_ == pytest.approx(h)
    assert family.predict(data.p) == pytest.approx(share, abs=CLOSE)
    assert share == pytest.approx(pi * f1 / (pi * f1 + (1 - pi) * f0), abs=CLOSE)


def test_venn_abers_merges_two_isotonic_fits():
    stated(r"$\hat c(p) = p_1 / (1 - p_0 + p_1)$", "the isotonic values at $p$ with the row $(p, 0)$ added")
    data = rows(80)
    family = fot.families.make("venn_abers").fit(data.p, data.y)
    for at in (0.0, 0.2, 0.45, float(data.p[7]), 0.9):
        p0, p1 = (
            IsotonicRegression().fit(np.append(data.p, at), np.append(data.y, label)).predict([at])[0]
            for label in (0.0, 1.0)
        )
        assert family.predict([at])[0] == pytest.approx(p1 / (1 - p0 + p1), abs=CLOSE)


# two classes: splines and polygons


def test_the_spline_is_the_mean_of_penalised_polygons():
    stated(
        r"\sum_i w_i \, \ell(y_i, z_K(x_i)) + \frac{2}{W} \sum_i w_i \, \ell(p_i, z_K(x_i)) "
        r"+ \frac{1}{2000} \sum_j (z_j - x_j)^2"
    )
    stated(r"\ell(t, z) = \ln (1 + e^z) - t z", r"$a_K = e^{-L_K} / \sum_{k} e^{-L_k}$", "at least $12 K^2$ rows")
    data = rows()
    x, prior = logit(data.p), np.full(data.p.size, 2.0 / data.p.size)
    family = fot.families.make("spline").fit(data.p, data.y)
    assert family.n_segments_ == (1, 2, 3)  # 12 * 3^2 <= 240 < 12 * 5^2
    _, folds = fot.ScoreSample(data.y, data.p).in_folds(5, 0)
    polygons, losses = [], []
    for n_segments, part in zip(family.n_segments_, family.map_.parts, strict=True):
        shares = np.array([0.005, *(np.arange(1, n_segments) / n_segments), 0.995])
        knots = x[np.ceil(shares * x.size - 1e-9).astype(int) - 1]
        assert part.x[0, 1:-1] == pytest.approx(knots)
        full = _polygon(knots, x, data.y, np.ones(x.size), prior, part.z[0, 1:-1])
        polygons.append(_on_polygon(knots, part.z[0, 1:-1]))
        losses.append(0.0)
        for held in folds:
            kept = np.ones(x.size)
            kept[held] = 0.0
            apart = minimize(_spline_objective(knots, x, data.y, kept, prior), full, method="BFGS", tol=1e-9).x
            losses[-1] += float(ell(data.y[held], _on_polygon(knots, apart)(x[held])).sum())
    weights = np.exp(min(losses) - np.array(losses))
    # the polygons of the folds, which only judge, are solved to 1e-5 per unit weight
    assert family.weights_ == pytest.approx(weights / weights.sum(), rel=5e-3)
    at = logit(NEW[(NEW > 0) & (NEW < 1)])
    mean = sum(a * sigma(z(at)) for a, z in zip(family.weights_, polygons, strict=True))
    assert family.predict(sigma(at)) == pytest.approx(mean, abs=CLOSE)


def _on_polygon(knots: Array, z: Array) -> Callable[[Array], Array]:
    """Return the polygon through the knots with slope 1 beyond them."""
    return lambda x: np.interp(x, knots, z) + x - np.clip(x, knots[0], knots[-1])


def _spline_objective(knots: Array, x: Array, y: Array, w: Array, prior: Array) -> Callable[[Array], float]:
    def objective(z: Array) -> float:
        at = _on_polygon(knots, z)(x)
        return float(w @ ell(y, at) + prior @ ell(sigma(x), at) + ((z - knots) ** 2).sum() / 2000.0)

    return objective


def _polygon(knots: Array, x: Array, y: Array, w: Array, prior: Array, theta: Array) -> Array:
    """Assert that these values are the best ones, and return them."""
    assert_minimal(_spline_objective(knots, x, y, w, prior), theta, [knots])
    return theta


@pytest.mark.parametrize("name", ["pl", "pl3"])
def test_polygons_minimise_the_loss_with_both_priors(name):
    stated(
        r"L(\hat c) + \frac{2}{W} \sum_i w_i \, \ell(p_i, \operatorname{logit} \hat c(p_i)) "
        r"- \sum_{j=0}^{b-1} \ln (\tau_{j+1} - \tau_j), \qquad t_j = Q(\tau_j)"
    )
    stated(r"$\hat c(p) = (1 - l) \, v_j + l \, v_{j+1}$", r"$\hat c(p) = \sigma((1 - l) \, u_j + l \, u_{j+1})$")
    data, in_logits = rows(seed=3), name == "pl3"
    x = logit(data.p) if in_logits else data.p
    low, high = (x[0], x[-1]) if in_logits else (0.0, 1.0)
    at, Q = _quantiles(x, low, high)
    family = fot.families.make(name, n_bins=3, ensemble=False).fit(data.p, data.y)
    knots = (family.knots_logit_ if in_logits else family.knots_)[0]
    values = logit(family.values_[0])
    assert knots[[0, -1]] == pytest.approx([low, high])

    def curve(theta: Array, x: Array) -> Array:
        """The logit of the map, of four values and the shares of the two inner knots."""
        t = np.array([low, *np.interp(theta[4:], at, Q), high])
        if in_logits:
            return np.interp(x, t, theta[:4])
        return logit(np.interp(x, t, sigma(theta[:4])))

    def objective(theta: Array) -> float:
        widths = np.diff([0.0, *theta[4:], 1.0])
        if widths.min() <= 0:
            return np.inf
        z = curve(theta, x)
        return float(ell(data.y, z).sum() + 2.0 * ell(data.p, z).mean() - np.log(widths).sum())

    theta = np.concatenate((values, np.interp(knots[1:-1], Q, at)))
    inside = NEW[np.abs(NEW - 0.5) < min(0.5 - data.p[0], data.p[-1] - 0.5)]
    assert family.predict(inside) == pytest.approx(
        sigma(curve(theta, logit(inside) if in_logits else inside)), abs=CLOSE
    )
    found = objective(theta)
    values_alone = minimize(lambda v: objective(np.append(v, theta[4:])), theta[:4], method="BFGS").fun
    assert found <= values_alone + BEATEN * abs(values_alone)
    moved = minimize(objective, theta, method="Nelder-Mead", options={"maxfev": 600, "xatol": 1e-6, "fatol": 1e-9}).fun
    assert found <= moved + 1e-5 * abs(moved)  # the loss has a kink wherever a knot passes a score
    for k, step in enumerate([1e-2] * 4 + [2e-2] * 2):
        for sign in (-1.0, 1.0):
            other = theta.copy()
            other[k] += sign * step
            assert objective(other) > found, (k, sign)


def _quantiles(x: Array, low: float, high: float) -> tuple[Array, Array]:
    """Return shares and quantiles of .99 of the rows, each half below its score, and .01 of a uniform distribution."""
    share = (np.arange(x.size) + 0.5) / x.size
    every = np.unique(np.concatenate(([low], x, [high])))
    rows_below = np.interp(every, x, share)
    rows_below = (rows_below - rows_below[0]) / (rows_below[-1] - rows_below[0])
    mixed = 0.99 * rows_below + 0.01 * (every - low) / (high - low)
    at = np.linspace(0.0, 1.0, 65)
    Q = np.interp(at, mixed, every)
    Q[[0, -1]] = low, high
    return at, Q


def test_the_default_polygon_is_the_mean_of_ten():
    stated("The default is the mean of 10 such maps, each fitted without one of 10 folds.")
    data = rows(450)
    pl = fot.families.make("pl").fit(data.p, data.y)
    maps = [np.interp(NEW, x, v) for x, v in zip(pl.knots_, pl.values_, strict=True)]
    assert len(maps) == 10
    assert pl.predict(NEW) == pytest.approx(np.mean(maps, axis=0), abs=CLOSE)
    assert pl.cv_scores_.candidates == (1, 2, 3)  # 450 // 200 + 1


def test_the_cumulative_spline_is_the_least_squares_one():
    stated(r"$\int_0^1 (s(t) - H(t))^2 \, dt$", "the natural cubic spline with knots 0, .2, .4, .6, .8 and 1")
    data = rows(weighted=True)
    share = np.concatenate(([0.0], np.cumsum(data.w) / data.w.sum()))
    H = np.concatenate(([0.0], np.cumsum(data.w * (data.y - data.p)) / data.w.sum()))
    basis = CubicSpline(np.linspace(0, 1, 6), np.eye(6), bc_type="natural")
    ends = np.union1d(share, np.linspace(0, 1, 6))
    points, weights = np.polynomial.legendre.leggauss(5)
    t = (ends[:-1, None] + np.diff(ends)[:, None] * (points + 1) / 2).ravel()
    root = np.sqrt((np.diff(ends)[:, None] * weights / 2).ravel())
    best = np.linalg.lstsq(basis(t) * root[:, None], np.interp(t, share, H) * root, rcond=None)[0]
    slope = np.diff(basis(share) @ best) / np.diff(share)
    family = fot.families.make("cumulative_spline").fit(data.p, data.y, data.w)
    assert family.predict(data.p) == pytest.approx(np.clip(data.p + slope, 0, 1), abs=CLOSE)


@pytest.mark.parametrize("weighted", [False, True])
def test_stacking_maximises_the_held_out_likelihood(weighted):
    stated(r"\sum_i w_i \ln \Bigl( \sum_j v_j \, q_{ij} \Bigr) + \frac{1}{J} \sum_j \ln v_j")
    data, names = rows(weighted=weighted), ["identity", "platt", "isotonic"]
    family = fot.families.Stacking(names).fit(data.p, data.y, data.w)
    sample, folds = fot.ScoreSample(data.y, data.p, data.w).in_folds(10, 0)
    assert np.array_equal(sample.rows.p, data.p)
    q = np.empty((data.p.size, 3))
    for held in folds:
        kept = np.setdiff1d(np.arange(data.p.size), held)
        for j, name in enumerate(names):
            q[held, j] = fot.families.make(name).fit(data.p[kept], data.y[kept], data.w[kept]).predict(data.p[held])
    q = np.clip(q, 1e-6, 1 - 1e-6)
    q = np.where(data.y[:, None] > 0.5, q, 1 - q)

    def objective(z: Array) -> float:
        v = softmax(np.append(z, 0.0)[None])[0]
        return -float(data.w @ np.log(q @ v) + np.log(v).mean())

    v = family.weights_
    assert v.sum() == pytest.approx(1.0)
    assert v.min() > 0
    assert_minimal(objective, np.log(v[:2] / v[2]), [np.zeros(2)], step=1e-2)
    parts = [fot.families.make(name).fit(data.p, data.y, data.w).predict(NEW) for name in names]
    assert family.predict(NEW) == pytest.approx(sum(a * c for a, c in zip(v, parts, strict=True)), abs=CLOSE)


def test_the_members_of_stacking_are_those_of_the_page():
    stated("The $J = 5$ members are `identity`, `platt`, `beta`, `isotonic` and `spline`")
    assert list(fot.families.Stacking().make_members()) == ["identity", "platt", "beta", "isotonic", "spline"]


@pytest.mark.parametrize(("name", "prior"), [("spline", 2.0), ("kde", 0.0), ("cumulative_spline", 0.0)])
def test_atoms_have_levels_of_their_own(name, prior):
    stated(r"\hat c(p) = \frac{w_p \, \bar y_p + m_p \, p}{w_p + m_p}, \qquad m_p = 2 \, w_p / W")
    data, rng = rows(), np.random.default_rng(7)
    p, y = np.append(data.p, np.full(100, 0.25)), np.append(data.y, rng.random(100) < 0.1)
    family = fot.families.make(name, **({} if name == "spline" else {"atoms": True})).fit(p, y)
    own = prior * 100 / p.size
    assert family.predict([0.25])[0] == pytest.approx((y[-100:].sum() + own * 0.25) / (100 + own), abs=CLOSE)
