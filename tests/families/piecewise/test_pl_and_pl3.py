"""PL and PL3 as families: exact cases, recovery of known maps, the choice of the number of bins, weights, refusals."""

import warnings
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import fitontest as fot
from fitontest.data.weights import Weights
from fitontest.datasets import Derivate
from fitontest.families.piecewise import base, fitting
from fitontest.families.piecewise.fitting import Fitter, Settings, filled_up, values_at
from fitontest.families.piecewise.tasks import Stop
from fitontest.numerics.links import IDENTITY, LOGIT, logit, sigmoid
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import held_out_rows
from tests.published import figures
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

both = pytest.mark.parametrize("name", ["pl", "pl3"])
GRID = np.linspace(0, 1, 1001)
TOLERANCES = {"pl": 5e-4, "pl3": 1e-3}  # "auto" up to ten thousand rows
STAIRS = Derivate("stairs", error=0.1)


def drawn(n, c_of, seed=0, p=None):
    rng = np.random.default_rng(seed)
    p = rng.random(n) if p is None else p
    return (rng.random(n) < c_of(p)).astype(int), p


@cache
def of_stairs(name, vary_bins):
    """Return the family fitted to a thousand rows on stairs, where the resampled choices differ."""
    y, p, _ = STAIRS.draw_as_published(1000, 0)
    return fot.families.make(name, vary_bins=vary_bins).fit(p, y)


def smooth(p):
    return 0.1 + 0.8 * p**2


# ------------------------------------------------------------------------------------------------------ exact cases


@pytest.mark.parametrize("n", [80, 900, 6000])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_segment_of_pl3_is_logistic_regression_on_the_logit(n, weighted):
    y, p = noisy(n)
    w = np.random.default_rng(1).lognormal(size=n) if weighted else None
    pl3 = fot.PL3(1, ensemble=False, alpha=0, kappa=0, exact=True).fit(p, y, w)
    platt = fot.Platt().fit(p, y, w)
    np.testing.assert_allclose(pl3.predict(p), platt.predict(p), atol=1e-6)
    x, z = pl3.map_.x[0], pl3.map_.z[0]
    slope = (z[1] - z[0]) / (x[1] - x[0])
    assert slope == pytest.approx(platt.slope_, rel=1e-5)
    assert z[0] - slope * x[0] == pytest.approx(platt.intercept_, abs=1e-5)


def test_one_segment_of_pl_with_brier_is_linear_regression():
    y, p = drawn(2000, lambda p: 0.3 + 0.4 * p)
    pl = fot.PL(1, loss="brier", ensemble=False, alpha=0, kappa=0, exact=True).fit(p, y)
    slope, intercept = np.polyfit(p, y, 1)
    np.testing.assert_allclose(pl.predict(GRID), slope * GRID + intercept, atol=1e-7)


def test_pl_finds_the_knots_of_a_polygon():
    def polygon(p):
        return np.interp(p, [0, 0.3, 0.7, 1], [0.05, 0.6, 0.4, 0.95])

    y, p = drawn(200_000, polygon)
    pl = fot.PL(cv=5, max_bins=8).fit(p, y)
    np.testing.assert_allclose(pl.predict(GRID), polygon(GRID), atol=0.02)
    three = fot.PL(3).fit(p, y)
    np.testing.assert_allclose(three.partition_.edges, [0.3, 0.7], atol=0.02)
    np.testing.assert_allclose(three.values_.mean(axis=0), [0.05, 0.6, 0.4, 0.95], atol=0.01)


def test_pl3_finds_the_knots_of_a_polygon_of_logits():
    def polygon(p):
        return sigmoid(np.interp(logit(p, 1e-16), [-8, -1, 2, 8], [-4, -2, 2, 3]))

    y, p = drawn(200_000, polygon, p=sigmoid(np.random.default_rng(5).normal(0, 3, 200_000)))
    three = fot.PL3(3).fit(p, y)
    np.testing.assert_allclose(three.knots_logit_.mean(axis=0)[1:-1], [-1, 2], atol=0.15)
    np.testing.assert_allclose(three.predict(p), polygon(p), atol=0.03)


@both
def test_a_strong_pull_leaves_the_identity(name):
    y, p = noisy(500)
    family = fot.families.make(name, n_bins=3, kappa=1e8).fit(p, y)
    np.testing.assert_allclose(family.predict(p), p, atol=1e-4)


@both
def test_the_search_starts_at_the_identity(name, monkeypatch):
    monkeypatch.setattr(fitting, "SEARCH", Stop(1e-7, 1))
    monkeypatch.setattr(fitting, "FINISH", Stop(1e-9, 1))
    monkeypatch.setattr(fitting, "SETTLE", Stop(1e-13, 1))
    y, p = noisy(500)
    with pytest.warns(ConvergenceWarning, match="steps while another could gain"):
        family = fot.families.make(name, n_bins=4).fit(p, y)
    assert not family.converged_
    assert family.n_iter_ <= 8
    inside = np.linspace(p.min(), p.max(), 500)
    np.testing.assert_allclose(family.predict(inside), inside, atol=1e-6)


@both
def test_priors_can_be_switched_off(name):
    y, p = noisy(600)
    bare = fot.families.make(name, n_bins=1, alpha=0, kappa=0, ensemble=False).fit(p, y)
    default = fot.families.make(name, n_bins=1, ensemble=False).fit(p, y)

    def loss(family):
        return -np.mean(np.log(np.where(y == 1, family.predict(p), 1 - family.predict(p))))

    assert loss(bare) < loss(default)


# ------------------------------------------------------------------------------------------ compressed, and not


@pytest.mark.exhaustive
@both
def test_compressed_and_exact_fits_agree(name):
    for seed, make in enumerate((lambda r: r.random(8000), lambda r: sigmoid(r.normal(0, 4, 8000)))):
        p = make(np.random.default_rng(seed))
        y, p = drawn(8000, smooth, seed, p)  # about twice the nodes of the grid
        compressed = fot.families.make(name, n_bins=4, cv=3).fit(p, y)
        exact = fot.families.make(name, n_bins=4, cv=3, exact=True).fit(p, y)
        assert np.mean(np.abs(compressed.predict(p) - exact.predict(p))) < 1e-4


@both
def test_up_to_the_size_of_the_grid_nothing_is_compressed(name):
    y, p = noisy(1000)
    compressed, exact = (fot.families.make(name, cv=3, exact=exact).fit(p, y) for exact in (False, True))
    np.testing.assert_allclose(compressed.predict(p), exact.predict(p), atol=1e-5)


# -------------------------------------------------------------------------------------------- the number of bins


@both
@pytest.mark.parametrize("scoring", ["brier", "log_loss"])
def test_held_out_losses_row_by_row(name, scoring):
    y, p = noisy(700, ties=2)
    sample = fot.ScoreSample(y, p, np.random.default_rng(0).lognormal(size=700))
    folds = held_out_rows(700, 3, 0)
    link = IDENTITY if name == "pl" else LOGIT
    fitter = Fitter(sample, folds, Settings(link, "log_loss", 1.0, 2.0), 5)
    fits = fitter.search(1, 5, np.arange(3))
    rows = sample.rows
    all_losses = fitter.held_out(fits, scoring)
    for b, of_bins in fits.items():
        losses = all_losses[:, b - 1]
        for fold, held_out in enumerate(folds):
            x, u = fitter.knots(of_bins.tau[fold, : b + 1]), of_bins.u[fold, : b + 1]
            q = values_at(link.forward(rows.p[held_out], 1e-16), x, u, link)
            each = find_loss(scoring)(rows.y[held_out], q)
            assert losses[fold] == pytest.approx(np.average(each, weights=rows.w[held_out]), rel=1e-10)
    family = fot.families.make(name, scoring=scoring, cv=3, max_bins=5).fit(p, y, sample.w)
    assert family.cv_scores_.candidates == (1, 2, 3, 4)
    np.testing.assert_allclose(family.cv_scores_.folds[:, 0], all_losses[:, 0], rtol=1e-6)


@both
@pytest.mark.parametrize(("n", "most"), [(199, 1), (200, 2), (2999, 15), (5000, 16)])
def test_candidates_grow_with_the_rows(name, n, most):
    y, p = noisy(n)
    family = fot.families.make(name, cv=2).fit(p, y)
    if most == 1:
        assert not hasattr(family, "cv_scores_")
        assert family.n_bins_ == 1
    else:
        assert family.cv_scores_.candidates == tuple(range(1, most + 1))
        assert family.cv_scores_.mean.shape == family.cv_scores_.standard_error.shape == (most,)
        assert family.n_bins_ == family.cv_scores_.choose(TOLERANCES[name])


@both
def test_tolerance(name):
    y, p = STAIRS.draw_as_published(40_000, 1)[:2]
    auto, papers, plain = (
        fot.families.make(name, tolerance=t, max_bins=8, cv=3).fit(p, y) for t in ("auto", 1e-3, 0.0)
    )
    mean = auto.cv_scores_.mean
    assert plain.n_bins_ == np.argmin(mean) + 1
    assert papers.n_bins_ == np.argmax(mean <= mean.min() * 1.001) + 1
    assert auto.n_bins_ == np.argmax(mean <= mean.min() * (1 + TOLERANCES[name] / 4)) + 1
    assert papers.n_bins_ <= auto.n_bins_ <= plain.n_bins_


@both
def test_max_bins(name):
    y, p = STAIRS.draw_as_published(5000, 0)[:2]
    assert fot.families.make(name, max_bins=3).fit(p, y).cv_scores_.candidates == (1, 2, 3)


@pytest.mark.parametrize(
    ("name", "n_bins"),  # more than 16 need more room, for which the program is compiled again: once will do
    [("pl", 1), ("pl", 7), ("pl", 17), ("pl", 34), ("pl3", 1), ("pl3", 7), ("pl3", 16)],
)
def test_any_number_of_segments_can_be_asked_for(name, n_bins):
    y, p = drawn(3000, smooth)
    family = fot.families.make(name, n_bins=n_bins, cv=3).fit(p, y)
    assert family.n_bins_ == family.partition_.n_bins == n_bins
    assert family.knots_.shape == family.knots_logit_.shape == family.values_.shape == (3, n_bins + 1)
    assert not hasattr(family, "cv_scores_")


# ----------------------------------------------------------------------------------------- fold average and refit


def test_pl_is_the_mean_of_its_fold_maps():
    y, p = noisy(2000)
    pl = fot.PL(3).fit(p, y)
    each = [np.interp(GRID, x, c) for x, c in zip(pl.knots_, pl.values_, strict=True)]
    np.testing.assert_allclose(pl.predict(GRID), np.mean(each, axis=0), atol=1e-12)
    assert isinstance(pl.map_, fot.maps.KnotsMap)
    assert np.all(pl.knots_[:, 0] == 0)
    assert np.all(pl.knots_[:, -1] == 1)
    np.testing.assert_allclose(pl.partition_.edges, pl.knots_[:, 1:-1].mean(axis=0))


def test_pl3_is_the_mean_of_its_fold_maps():
    y, p = noisy(2000)
    pl3 = fot.PL3(3).fit(p, y)
    x = logit(p, 1e-16)
    each = [sigmoid(np.interp(x, a, b)) for a, b in zip(pl3.knots_logit_, pl3.map_.z, strict=True)]
    np.testing.assert_allclose(pl3.predict(p), np.mean(each, axis=0), atol=1e-9)
    np.testing.assert_allclose(pl3.values_, sigmoid(pl3.map_.z))
    np.testing.assert_allclose(pl3.partition_.edges, sigmoid(pl3.knots_logit_[:, 1:-1].mean(axis=0)), atol=1e-12)
    np.testing.assert_allclose(pl3.knots_, sigmoid(pl3.knots_logit_))


@both
def test_each_fold_map_leaves_its_fold_out(name):
    """Changing the labels of one fold changes every fold map but that fold's."""
    y, p = noisy(900)
    order = np.lexsort((y, p))
    y, p = y[order], p[order]
    fold = held_out_rows(900, 10, 0)[4]
    other = y.copy()
    other[fold] = 1 - y[fold]
    a, b = (fot.families.make(name, n_bins=3).fit(p, labels) for labels in (y, other))
    same = [np.allclose(u, v, atol=1e-9) for u, v in zip(a.values_, b.values_, strict=True)]
    assert same == [k == 4 for k in range(10)]


@both
def test_refit_uses_all_rows_and_no_folds(name):
    y, p = noisy(900)
    a, b = (fot.families.make(name, n_bins=3, ensemble=False, random_state=seed).fit(p, y) for seed in (0, 1))
    assert a.map_ == b.map_
    assert a.knots_.shape == (1, 4)
    chosen = fot.families.make(name, ensemble=False).fit(p, y)
    again = fot.families.make(name, n_bins=chosen.n_bins_, ensemble=False).fit(p, y)
    assert chosen.map_ == again.map_


@both
def test_the_seed_decides_the_folds(name):
    y, p = noisy(900)
    a, b, c = (fot.families.make(name, n_bins=3, random_state=seed).fit(p, y) for seed in (0, 0, 1))
    assert a.map_ == b.map_ != c.map_


# ------------------------------------------------------------------------------------------------ the optimiser's word


@both
@pytest.mark.parametrize("priors", [{}, {"alpha": 0, "kappa": 0}], ids=["priors", "bare"])
@pytest.mark.parametrize("case", ["stairs", "sharp", "ends"])
def test_converged_means_that_no_other_values_are_better_at_these_knots(name, priors, case):
    """Between fixed knots the best values are a smooth problem, which scipy solves by itself."""
    rng = np.random.default_rng(0)
    if case == "stairs":
        y, p, _ = STAIRS.draw_as_published(3000, 0)
    else:
        p = sigmoid(rng.normal(0, 4, 3000)) if case == "sharp" else np.round(rng.random(3000) * 1.4 - 0.2, 3).clip(0, 1)
        y = (rng.random(3000) < 0.05 + 0.9 * p**2).astype(int)
    family = fot.families.make(name, n_bins=16, ensemble=False, exact=True, **priors).fit(p, y)
    assert family.converged_
    link = IDENTITY if name == "pl" else LOGIT
    x = family.knots_[0] if name == "pl" else family.knots_logit_[0]
    u = logit(family.values_[0], 1e-7) if name == "pl" else family.map_.z[0]
    at = link.forward(p, 1e-16)
    pull = 2.0 / p.size if not priors else 0.0
    k = np.searchsorted(x[1:-1], at, side="right")
    right = (at - x[k]) / (x[k + 1] - x[k])

    def objective(u):
        if name == "pl":
            v, bar = sigmoid(u), sigmoid(-u)
            q, q_bar = v[k] * (1 - right) + v[k + 1] * right, bar[k] * (1 - right) + bar[k + 1] * right
            cost, cost_bar, slope, slope_bar = -np.log(q), -np.log(q_bar), -1 / q, 1 / q_bar
            chain = v * bar
        else:
            z = u[k] * (1 - right) + u[k + 1] * right
            cost, cost_bar = np.logaddexp(0, -z), np.logaddexp(0, z)
            slope, slope_bar, chain = -sigmoid(-z), sigmoid(z), np.ones(u.size)
        s1, s0 = y + pull * p, 1 - y + pull * (1 - p)
        r = (s1 * slope + s0 * slope_bar) / p.size
        gradient = np.bincount(k, r * (1 - right), u.size) + np.bincount(k + 1, r * right, u.size)
        return (s1 @ cost + s0 @ cost_bar) / p.size, gradient * chain

    limit = 16 if name == "pl" else 40
    best = minimize(objective, u, jac=True, method="L-BFGS-B", bounds=[(-limit, limit)] * u.size)
    assert objective(u)[0] - best.fun < 2e-6


def test_more_segments_fit_better():
    """The sweep makes training losses fall with the number of segments, up to what the priors take."""
    y, p, _ = STAIRS.draw_as_published(3000, 0)
    losses = []
    for b in (2, 4, 8, 15, 16):
        c_hat = fot.PL(b, ensemble=False).fit(p, y).predict(p)
        losses.append(-np.mean(np.log(np.where(y == 1, c_hat, 1 - c_hat))))
    assert np.all(np.diff(losses) < 3e-4)


@pytest.mark.parametrize("n", [190, 3000])
def test_scores_of_0_and_1_do_not_bound_the_slope(n):
    """Exact 0 and 1 are logits of +-37; the values there must be free to go beyond."""
    z = np.random.default_rng(0).normal(0, 2, n)
    p = sigmoid(z)
    y = (np.random.default_rng(1).random(n) < sigmoid(2 * z)).astype(int)
    ends = np.argsort(z)[[0, -1]]
    p[ends], y[ends] = [0, 1], [0, 1]
    platt = fot.Platt(eps=1e-16).fit(p, y)
    one = fot.PL3(1, ensemble=False).fit(p, y)
    np.testing.assert_allclose(one.predict(p), platt.predict(p), atol=0.02)
    bare = fot.PL3(1, ensemble=False, alpha=0, kappa=0).fit(p, y)
    np.testing.assert_allclose(bare.predict(p), platt.predict(p), atol=1e-5)


@both
@pytest.mark.parametrize("score", [0.0, 0.3, 1.0])
def test_a_single_score_determines_a_level(name, score):
    y = np.arange(300) % 3 == 0
    for params in ({"max_bins": 2}, {"n_bins": 4, "ensemble": False}):
        family = fot.families.make(name, **params).fit(np.full(300, score), y)
        np.testing.assert_allclose(family.predict(GRID), family.predict([score])[0], atol=1e-12)
        assert family.predict([score])[0] == pytest.approx((100 + 2 * score) / 302, abs=2e-3)


# -------------------------------------------------------------------------------------- maps of several numbers of bins


@both
def test_the_averaged_maps_are_those_of_the_resampled_choices(name):
    """Folds whose map has the chosen number of segments have the map that they have without varying."""
    paper, varied = of_stairs(name, False), of_stairs(name, True)
    assert np.array_equal(varied.map_n_bins_, varied.cv_scores_.choices(TOLERANCES[name]))
    same = np.flatnonzero(varied.map_n_bins_ == varied.n_bins_)
    assert 0 < same.size < 10
    at = np.linspace(0.01, 0.99, 500)
    for fold in same:
        curves = [np.interp(at, family.knots_[fold], family.values_[fold]) for family in (paper, varied)]
        if name == "pl":  # in logits the points that fill up a row would be straight elsewhere
            np.testing.assert_allclose(*curves, atol=1e-7)
        else:
            assert np.isin(paper.knots_logit_[fold].round(6), varied.knots_logit_[fold].round(6)).all()


@pytest.mark.parametrize("link", [IDENTITY, LOGIT], ids=["pl", "pl3"])
def test_points_that_fill_up_a_polygon_do_not_change_it(link):
    space = Settings(link, "log_loss", 1.0, 2.0).space
    x = np.array([0.0, 0.2, 0.7, 1.0]) if link is IDENTITY else np.array([-9.0, -3.0, 0.5, 20.0])
    u = np.array([-4.0, 1.0, 0.0, 30.0])
    more_x, more_u = filled_up(x, u, 9, space)
    assert more_x.size == more_u.size == 9
    assert np.all(np.diff(more_x) > 0)
    assert np.isin(x, more_x).all()
    at = np.linspace(x[0], x[-1], 301)
    np.testing.assert_allclose(values_at(at, more_x, more_u, link), values_at(at, x, u, link), rtol=1e-12)
    np.testing.assert_array_equal(filled_up(x, u, 4, space)[0], x)


@both
def test_the_map_is_the_mean_of_the_polygons_reported(name):
    family = of_stairs(name, True)
    at = np.linspace(0.05, 0.95, 300)
    if name == "pl":
        each = [np.interp(at, *row) for row in zip(family.knots_, family.values_, strict=True)]
    else:
        z = logit(family.values_, 1e-16)
        each = [sigmoid(np.interp(logit(at, 1e-16), *row)) for row in zip(family.knots_logit_, z, strict=True)]
    np.testing.assert_allclose(family.predict(at), np.mean(each, axis=0), atol=1e-9)


@both
def test_one_number_of_segments_is_the_papers_way(name):
    paper, varied = of_stairs(name, False), of_stairs(name, True)
    assert set(paper.map_n_bins_) == {paper.n_bins_}
    assert paper.knots_.shape == (10, paper.n_bins_ + 1)
    assert varied.n_bins_ == paper.n_bins_
    np.testing.assert_allclose(varied.partition_.edges, paper.partition_.edges, atol=5e-3)


@both
def test_where_all_folds_agree_nothing_varies(name):
    """Calibrated scores on a straight line: no resampling of the folds asks for a second segment."""
    rng = np.random.default_rng(0)
    p = rng.random(600)
    y = rng.random(600) < p
    paper, varied = (fot.families.make(name, vary_bins=vary, tolerance=0.2).fit(p, y) for vary in (False, True))
    assert set(varied.map_n_bins_) == {1}
    assert np.array_equal(varied.predict(GRID), paper.predict(GRID))


# ----------------------------------------------------------------------------------------------------- hard inputs

RNG = np.random.default_rng(3)
UNIFORM = RNG.random(700)
HARD = {
    "p exactly 0 and 1 with wrong labels": (np.repeat([0.0, 1.0, 0.4, 0.7], 100), np.tile([0, 1], 200)),
    "saturated float32": ((1 / (1 + np.exp(-RNG.normal(0, 30, 700)))).astype(np.float32), RNG.random(700) < 0.6),
    "eleven values": (np.round(UNIFORM, 1), RNG.random(700) < UNIFORM),
    "two values": (np.where(UNIFORM < 0.5, 0.2, 0.9), RNG.random(700) < 0.6),
    "below 1e-9": (UNIFORM * 1e-9, RNG.random(700) < 0.01),
    "within an ulp of 1": (1 - np.arange(700) % 3 * 1.1e-16, RNG.random(700) < 0.9),
    "separable": (UNIFORM, UNIFORM > 0.3),
    "most within an ulp": (np.where(UNIFORM < 0.9, 0.3 + 1e-16 * (np.arange(700) % 6), UNIFORM), RNG.random(700) < 0.4),
    "beyond logits of 34": (sigmoid(34 + 1.5 * RNG.normal(size=700)), RNG.random(700) < 0.9),
    "one positive": (UNIFORM, np.arange(700) == 5),
}


@both
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("priors", [{}, {"alpha": 0, "kappa": 0}], ids=["priors", "bare"])
def test_hard_inputs_give_total_continuous_maps(name, case, priors):
    p, y = HARD[case]
    for params in ({"cv": 2, "max_bins": 2}, {"n_bins": 9, "ensemble": False}):
        with warnings.catch_warnings():
            if priors:
                warnings.simplefilter("ignore", ConvergenceWarning)  # the optimum may be at infinity
            family = fot.families.make(name, **params, **priors).fit(p, y)
        assert family.n_bins_ == family.partition_.n_bins
        assert family.knots_.shape == (family.map_n_bins_.size, family.map_n_bins_.max() + 1)
        assert np.all(np.diff(family.knots_logit_ if name == "pl3" else family.knots_) > 0)
        at = np.unique(np.concatenate((GRID, p.astype(float), [1e-300, 1e-12, np.nextafter(1, 0)])))
        values = family.predict(at)
        assert np.isfinite(values).all()
        assert np.all((values >= 0) & (values <= 1))
        between = family.predict((at[1:] + at[:-1]) / 2)
        low, high = np.minimum(values[1:], values[:-1]), np.maximum(values[1:], values[:-1])
        if name == "pl":  # straight between neighbouring points, but for inner knots
            assert np.mean((between >= low - 1e-9) & (between <= high + 1e-9)) > 0.9


# ------------------------------------------------------------------------------------------------------- weights


@both
def test_whole_weights_are_rows_and_others_are_importances(name):
    y, p = noisy(500)
    plain = fot.families.make(name, n_bins=3, cv=3).fit(p, y)
    for scale in (0.5, 1e-6):  # a constant importance is none
        scaled = fot.families.make(name, n_bins=3, cv=3).fit(p, y, np.full(500, scale))
        np.testing.assert_allclose(scaled.predict(GRID), plain.predict(GRID), atol=1e-9)
    thousand = fot.families.make(name, n_bins=3, cv=3).fit(p, y, Weights(np.full(500, 1000.0), counts=True))
    bare = fot.families.make(name, n_bins=3, cv=3, alpha=1e-3, kappa=2e-3).fit(p, y)
    np.testing.assert_allclose(thousand.predict(GRID), bare.predict(GRID), atol=1e-6)
    assert np.max(np.abs(thousand.predict(GRID) - plain.predict(GRID))) > 1e-4


# ----------------------------------------------------------------------------------- against the paper's authors


@pytest.mark.exhaustive
def test_maps_are_as_close_to_the_truth_as_published():
    """Mean |c_hat - c| of the authors' own fits (seed 0, expected error .10, number of bins by the 0.1 % rule)."""
    published = figures("piecewise_authors")
    ours, theirs = {"pl": [], "pl3": []}, {"pl": [], "pl3": []}
    for row in published["map_errors"]:
        problem = Derivate(row["shape"], error=0.1)
        y, p, _ = problem.draw_as_published(row["n"], 0)
        _, fresh, c = problem.draw_as_published(100_000, 7)
        family = fot.families.make(row["family"]).fit(p, y)
        ours[row["family"]].append(np.mean(np.abs(family.predict(fresh) - c)))
        theirs[row["family"]].append(row["map_error"])
        if "ece" in row:
            error = fot.calibration_error(y, p, family=family.map_)
            assert float(error) == pytest.approx(row["ece"], abs=0.004)
    for name in ours:
        # two draws of labels in all: one segment more or less on one of them moves the mean by 9 %
        assert np.mean(ours[name]) < 1.15 * np.mean(theirs[name])


@both
def test_scores_a_float_apart_do_not_stop_a_fit(name):
    """Between them the curvature overflows; a search that went there could not get on. A warning would be an error."""
    counts = figures("scores_a_float_apart")
    p = np.repeat(counts["scores"] * 2, counts["positives"] + counts["negatives"])
    y = np.repeat([1, 0], [sum(counts["positives"]), sum(counts["negatives"])])
    assert fot.families.make(name).fit(p, y).converged_


# ------------------------------------------------------------------------------------------------------ refusals


@both
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_bins": 0}, "n_bins must be 'cv' or a whole number, at least 1; got 0"),
        ({"n_bins": "sweep"}, "n_bins must be 'cv' or a whole number, at least 1; got 'sweep'"),
        ({"n_bins": 2.0}, "n_bins must be 'cv' or a whole number"),
        ({"loss": "hinge"}, "loss must be one of 'log_loss', 'brier'; got 'hinge'"),
        ({"scoring": "auc"}, "scoring must be one of"),
        ({"cv": 1}, "cv must be a whole number of folds, at least 2; got 1"),
        ({"max_bins": 0}, "max_bins must be a whole number"),
        ({"tolerance": -1}, "tolerance must be 'auto' or a finite number, at least 0; got -1"),
        ({"tolerance": "fine"}, "tolerance must be 'auto' or a finite number, at least 0; got 'fine'"),
        ({"ensemble": 1}, "ensemble must be True or False, got 1"),
        ({"exact": "yes"}, "exact must be True or False, got 'yes'"),
        ({"alpha": -0.1}, "alpha must be a finite number, at least 0; got -0.1"),
        ({"kappa": np.inf}, "kappa must be a finite number, at least 0; got inf"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_refusals(name, params, message):
    y, p = noisy(60)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        fot.families.make(name, **params).fit(p, y)


def test_the_average_of_polygons_is_one_polygon():
    x = np.array([[0.0, 0.3, 1.0], [0.0, 0.6, 1.0]])
    c = np.array([[0.0, 0.5, 1.0], [0.2, 0.2, 0.8]])
    knots, values = base.fold_average(x, c)
    np.testing.assert_array_equal(knots, [0.0, 0.3, 0.6, 1.0])
    expected = (np.interp(GRID, x[0], c[0]) + np.interp(GRID, x[1], c[1])) / 2
    np.testing.assert_allclose(np.interp(GRID, knots, values), expected, atol=1e-15)
