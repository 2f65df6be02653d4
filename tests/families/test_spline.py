"""Logistic splines: against an optimiser that knows nothing of them, the averaging by hand, and what they promise."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

import fitontest as fot
from fitontest.data.entries import Entries, entries_of_rows
from fitontest.datasets import Derivate
from fitontest.families import spline
from fitontest.maps.atoms import AtomsMap
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.random import held_out_rows
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

GRID = np.linspace(0, 1, 501)


def polygon(x, knots, z):
    """Return the values of the polygon, which has slope 1 beyond its outer knots."""
    return np.interp(x, knots, z) + x - np.clip(x, knots[0], knots[-1])


def knots_of(x, w, n_segments):
    """Return the first of the sorted logits that has each share of the weight at or below it."""
    shares = [0.005, *(k / n_segments for k in range(1, n_segments)), 0.995]
    return np.array([x[np.cumsum(w) >= share * w.sum() - 1e-9][0] for share in shares])


def objective(z, x, y, w, knots, prior=2.0):
    """Return the penalised log loss of the polygon with values z at the knots, row by row."""
    at = polygon(x, knots, z)
    share = prior * w / w.sum()
    loss = np.logaddexp(0, at)
    fit = w @ (loss - y * at) + share @ (loss - sigmoid(x) * at)
    return fit + spline.RIDGE / 2 * np.sum((z - knots) ** 2)


@pytest.mark.parametrize("n_segments", [1, 3])
@pytest.mark.parametrize("weights", [None, "whole"])
def test_values_at_the_knots_minimise_the_penalised_loss(n_segments, weights):
    """Up to 256 rows nothing is pooled, so that the likelihood is that of the rows."""
    y, p = noisy(250)
    w = np.random.default_rng(1).integers(1, 4, 250) if weights else np.ones(250)
    fitted = fot.Spline(n_segments).fit(p, y, w if weights else None)
    x = np.sort(logit(p, spline.EPS))
    order = np.argsort(p)
    knots = knots_of(x, w[order], n_segments)
    assert x[0] < knots[0]
    assert knots[-1] < x[-1]
    best = minimize(objective, knots, (x, y[order], w[order], knots), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(fitted.predict(np.sort(p)), sigmoid(polygon(x, knots, best.x)), atol=1e-6)
    at_knots = logit(fitted.predict(sigmoid(knots)), 1e-16)
    steps = 1e-6 * np.eye(knots.size)
    near = [objective(at_knots + step, x, y[order], w[order], knots) for step in (*steps, *-steps)]
    assert min(near) > objective(at_knots, x, y[order], w[order], knots) - 1e-9


def test_the_weights_are_those_of_the_summed_held_out_loss():
    y, p = noisy(250)
    fitted = fot.Spline((1, 2, 4)).fit(p, y)
    order = np.lexsort((y, p))
    y, p = y[order], p[order]
    losses = []
    for k in (1, 2, 4):
        x = logit(p, spline.EPS)
        at = knots_of(x, np.ones(250), k)  # of all rows, in every fold
        held_out_loss = 0.0
        for held_out in held_out_rows(250, 5, 0):
            kept = np.setdiff1d(np.arange(250), held_out)
            share = 2.0 / 250  # the prior rows stay where the rows are

            def fold_objective(z, kept=kept, share=share, at=at, x=x):
                values = polygon(x, at, z)
                loss = np.logaddexp(0, values)
                fit = loss[kept].sum() - y[kept] @ values[kept]
                return fit + share * (loss.sum() - sigmoid(x) @ values) + spline.RIDGE / 2 * ((z - at) @ (z - at))

            z = minimize(fold_objective, at, method="BFGS", options={"gtol": 1e-7}).x
            q = polygon(x[held_out], at, z)
            held_out_loss += np.sum(np.logaddexp(0, q) - y[held_out] * q)
        losses.append(held_out_loss)
    losses = np.array(losses) - min(losses)
    np.testing.assert_allclose(fitted.held_out_losses_, losses, atol=0.02)  # the folds' maps are solved to 1e-5
    np.testing.assert_allclose(fitted.weights_, np.exp(-losses) / np.exp(-losses).sum(), atol=5e-3)
    assert fitted.n_segments_ == (1, 2, 4)
    assert fitted.n_parameters_ == pytest.approx(fitted.weights_ @ [2, 3, 5])


def test_it_is_the_mixture_of_the_polygons():
    y, p = noisy(400)
    both = fot.Spline((1, 3)).fit(p, y)
    each = [fot.Spline(k).fit(p, y).predict(GRID) for k in (1, 3)]
    np.testing.assert_allclose(both.predict(GRID), both.weights_ @ each, atol=1e-9)


@pytest.mark.parametrize(("shape", "error", "limit"), [("square", 0.03, 0.022), ("stairs", 0.1, 0.035)])
def test_its_maps_are_as_near_the_truth_as_those_of_pl3(shape, error, limit):
    """Mean |c_hat - c| at n = 1,000 over six draws; pl3 has .019 and .031."""
    distances = []
    for seed in range(6):
        y, p, c = Derivate(shape, error=error).draw_as_published(1000, seed)
        distances.append(np.mean(np.abs(fot.Spline().fit(p, y).predict(p) - c)))
    assert np.mean(distances) < limit


def test_segments_need_rows_and_different_knots():
    for rows, numbers in ((107, (1, 2)), (108, (1, 2, 3)), (1727, (1, 2, 3, 5, 8)), (1728, (1, 2, 3, 5, 8, 12))):
        y, p = noisy(rows)
        assert fot.Spline().fit(p, y).n_segments_ == numbers
    y, p = noisy(107)
    assert fot.Spline(3).fit(p, y).n_segments_ == (1,)
    tied = np.where(np.arange(58) < 29, 0.3, np.linspace(0.31, 0.9, 58))  # one row fewer than an atom has
    assert fot.Spline().fit(tied, np.arange(58) % 2).n_segments_ == (1,)
    assert fot.Spline().fit(np.linspace(0.3, 0.9, 58), np.arange(58) % 2).n_segments_ == (1, 2)


@pytest.mark.parametrize(("rows", "finest"), [(1_190_000, 20), (1_200_000, 40), (4_800_000, 80), (10_000_000, 80)])
@pytest.mark.parametrize("truth", [lambda x: 0.8 * x, lambda x: 1.3 * np.logaddexp(0, x) - 0.7 * np.logaddexp(0, -x)])
def test_smooth_maps_of_millions_of_rows_are_followed_to_a_tenth_of_their_intervals(truth, rows, finest):
    """Labels without noise show what the polygons cannot follow. The interval is about as wide as that of a mean."""
    p = sigmoid(-0.5 + 1.5 * norm.ppf((np.arange(10_000) + 0.5) / 10_000))
    n = np.full(p.size, rows // p.size)
    c = sigmoid(truth(logit(p, 1e-16)))
    fits = fot.Spline().fit_many(Entries(p, n.astype(float), n, whole=True, pooled=True), (n * c)[:, None])
    assert fits._averages.polygons[-1].n_segments == finest
    width = 2 * norm.ppf(0.975) * np.sqrt(np.mean(c * (1 - c)) / rows)
    assert np.mean(np.abs(fits.at()[:, 0] - c)) < width / 10


def test_rows_at_atoms_allow_no_segments():
    for others, numbers in ((107, (1, 2)), (108, (1, 2, 3))):
        y, p = noisy(others)
        fitted = fot.Spline().fit(np.append(p, np.full(2000, 0.3)), np.append(y, np.arange(2000) % 3 == 0))
        assert fitted.map_.at.tolist() == [0.3]
        assert fitted.n_segments_ == numbers


def test_a_few_scores_of_0_and_1_that_are_wrong_do_not_tilt_the_map():
    y, p = noisy(2000)
    p = p.clip(0.001, 0.999)
    certain = np.arange(2000) % 100 == 0
    at = np.linspace(0.05, 0.95, 19)
    plain = fot.Spline().fit(p[~certain], y[~certain]).predict(at)
    mixed = fot.Spline().fit(np.where(certain, y == 0, p).astype(float), y).predict(at)
    assert np.abs(mixed - plain).mean() < 0.03


def test_tied_scores_leave_one_polygon_for_each_number_of_knots():
    p = np.repeat([0.1, 0.2, 0.3, 0.9], [1400, 200, 200, 200])
    fitted = fot.Spline().fit(p, np.arange(2000) % 3 == 0)
    assert len(set(fitted.n_segments_)) == len(fitted.n_segments_)
    assert fot.Spline(5).fit(p, np.arange(2000) % 3 == 0).n_segments_ == (2,)


def test_a_single_score_is_shifted():
    at = np.array([0.1, 0.4, 0.8])
    few, many = (fot.Spline().fit(np.full(n, 0.4), np.arange(n) % 3 == 0) for n in (27, 90))
    for fitted, expected in ((few, (9 + 2 * 0.4) / 29), (many, (30 + 2 * 0.4) / 92)):
        assert fitted.predict([0.4])[0] == pytest.approx(expected, abs=1e-4)
        steps = logit(fitted.predict(at), 1e-16) - logit(at, 1e-16)
        np.testing.assert_allclose(steps, steps[0], atol=1e-4)
    assert isinstance(few.map_, fot.maps.MixtureMap)
    assert many.predict([0.4])[0] == pytest.approx((30 + 2 * 0.4) / 92, rel=1e-14)  # an atom: without the ridge


def test_calibrated_scores_are_hardly_moved():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    assert np.mean(np.abs(fot.Spline().fit(p, rng.random(20_000) < p).predict(p) - p)) < 0.006


@pytest.mark.parametrize("n_segments", [1, 4])
def test_the_outermost_scores_are_moved_as_those_at_the_outer_knots(n_segments):
    rng = np.random.default_rng(0)
    p = np.sort(0.4 + 0.2 * rng.random(1000))
    fitted = fot.Spline(n_segments).fit(p, rng.random(1000) < 3 * (p - 0.4) + 0.1)
    low, high = p[4], p[994]  # half a per cent of the rows are at most there, and at least there but for one
    for beyond, knot in ((np.append(p[:4], [1e-12, 0.2]), low), (np.append(p[995:], [0.8, 1 - 1e-9]), high)):
        at, moved = (logit(fitted.predict(values), 1e-300) - logit(values, 1e-300) for values in (beyond, [knot]))
        np.testing.assert_allclose(at, moved[0], atol=1e-4)
    inside = p[4:995]
    assert np.ptp(logit(fitted.predict(inside), 1e-16) - logit(inside, 1e-16)) > 1
    ends = fitted.predict([0.0, spline.EPS, 1 - spline.EPS, 1.0])
    np.testing.assert_allclose(ends[[0, 3]], ends[[1, 2]], rtol=1e-12)
    assert 0 < ends[0] < 1e-12
    assert 1 - 1e-12 < ends[3] <= 1


@pytest.mark.parametrize("seed", range(20))
def test_no_map_turns_up_next_to_0(seed):
    """Positives among the smallest scores, which a knot at the smallest of all would follow upwards."""
    rng = np.random.default_rng(seed)
    p = np.sort(rng.beta(0.5, 20, 1000))
    y = rng.random(1000) < p
    y[:5] = True
    fitted = fot.Spline().fit(p, y)
    for grid in (np.geomspace(max(p[0] / 1e4, 1e-15), p[4], 50), np.append(np.linspace(p[994], 1, 50)[:-1], 1 - 1e-9)):
        assert np.all(np.diff(fitted.predict(grid)) > 0)
    assert fitted.predict([max(p[0] / 1e4, 1e-15)])[0] < 0.02 * fitted.predict([p[4]])[0]


@pytest.mark.parametrize("n", [500, 5000])
def test_the_gradient_vanishes(n):
    """Also where scores are pooled, and for sharp scores, whose outer knots hardly any label holds."""
    rng = np.random.default_rng(3)
    p = sigmoid(rng.normal(0, 4, n))
    entries = fot.ScoreSample(rng.random(n) < p, p)
    fitted = fot.Spline()
    made = entries_of_rows(entries)
    fits = fitted._averages(made, entries.rows.y.astype(int)[:, None], ordered=True)
    design = next(value for key, value in made.memory.items() if key[0] == "spline")
    wy = np.asarray(design.cells @ entries.rows.y).reshape(design.x.size, -1).sum(axis=1)
    w = design.w.sum(axis=1)
    for polygon, theta in zip(fits.polygons, fits.theta, strict=True):
        hats, beyond = polygon.features.x, design.x - np.clip(design.x, polygon.knots[0], polygon.knots[-1])
        assert np.abs(beyond).max() > 0
        q = sigmoid(hats @ theta[:, 0] + beyond)
        gradient = hats.T @ ((w + design.prior) * q - wy - design.prior * sigmoid(design.x))
        gradient += spline.RIDGE * (theta[:, 0] - polygon.knots)
        assert np.abs(gradient).max() < 1e-10 * n


def with_zeros(n=1000, seed=0):
    """Return (y, p): 40 % of the scores are 0, with positives in 5 % of these rows; the others are squares."""
    y, p = noisy(n, seed, power=2.0)
    zero = np.arange(n) % 5 < 2
    return np.where(zero, np.random.default_rng(seed + 1).random(n) < 0.05, y).astype(int), np.where(zero, 0.0, p)


@pytest.mark.parametrize("n_segments", [1, 3])
def test_a_score_of_many_rows_leaves_the_polygons_and_has_its_mean_label(n_segments):
    y, p = with_zeros()
    fitted = fot.Spline(n_segments).fit(p, y)
    zero = p == 0
    assert fitted.map_.at.tolist() == [0.0]
    assert fitted.predict([0.0])[0] == pytest.approx(y[zero].sum() / (400 + 2 * 0.4), rel=1e-12)
    others = fot.Spline(n_segments, prior=2 * 0.6).fit(p[~zero], y[~zero])  # their share of the prior rows
    at = np.sort(p[~zero])
    np.testing.assert_allclose(fitted.predict(at), others.predict(at), atol=1e-9)
    assert fitted.predict([0.0])[0] > 4 * fitted.predict([np.nextafter(0.0, 1.0)])[0]


def test_the_prior_rows_of_an_atom_have_its_score_for_a_label():
    y, p = noisy(900)
    p = np.where(np.arange(900) % 3 == 0, 0.7, p)
    for prior in (2.0, 60.0):
        fitted = fot.Spline(prior=prior).fit(p, y)
        expected = (y[p == 0.7].sum() + prior / 3 * 0.7) / (300 + prior / 3)
        assert fitted.predict([0.7])[0] == pytest.approx(expected, rel=1e-12)


def grid_of(shares, n=2000):
    """Return scores of which each share is one value, at .05, .1, .15, ..., and the others are spread evenly."""
    counts = [round(share * n) for share in shares]
    tied = np.repeat(0.05 * np.arange(1, len(shares) + 1), counts)
    return np.append(tied, np.linspace(0.001, 0.999, n - tied.size))


@pytest.mark.parametrize(
    ("shares", "atoms"),
    [
        ([0.03] * 10, range(10)),
        ([0.03] * 11, []),
        ([0.03] * 10 + [0.1], [10]),
        ([0.03] * 10 + [0.0995], []),
        ([0.12] + [0.03] * 5 + [0.2], range(7)),
        ([0.02, 0.0195], [0]),
    ],
)
def test_up_to_ten_scores_have_levels_or_else_those_of_a_tenth_of_the_rows(shares, atoms):
    p = grid_of(shares)
    map_ = fot.Spline(1).fit(p, np.arange(p.size) % 2).map_
    found = map_.at if isinstance(map_, AtomsMap) else np.empty(0)
    np.testing.assert_array_equal(found, 0.05 * (np.array(atoms, dtype=float) + 1))


def test_where_all_scores_are_atoms_the_polygons_have_all_rows():
    rng = np.random.default_rng(0)
    p = np.repeat([0.2, 0.5, 0.6], [100, 50, 150])
    y = (rng.random(300) < np.repeat([0.1, 0.5, 0.9], [100, 50, 150])).astype(int)
    fitted = fot.Spline(2).fit(p, y)
    counts, positives = np.unique(p, return_counts=True)[1], [y[p == score].sum() for score in (0.2, 0.5, 0.6)]
    own = 2.0 * counts / 300
    expected = (positives + own * [0.2, 0.5, 0.6]) / (counts + own)
    np.testing.assert_allclose(fitted.map_.at, [0.2, 0.5, 0.6])
    np.testing.assert_allclose(fitted.predict([0.2, 0.5, 0.6]), expected, rtol=1e-12)
    np.testing.assert_allclose(fitted.map_.rest([0.2, 0.5, 0.6]), expected, atol=2e-3)  # a knot each, up to the ridge
    between = fitted.predict([0.35, 0.55])
    assert np.all((expected[:2] < between) & (between < expected[1:]))


def test_whole_weights_are_rows_for_atoms_too():
    y, p = with_zeros(300)
    w = np.random.default_rng(2).integers(1, 4, 300)
    at = np.append(GRID, p)
    weighted = fot.Spline(2).fit(p, y, w).predict(at)
    repeated = fot.Spline(2).fit(np.repeat(p, w), np.repeat(y, w)).predict(at)
    np.testing.assert_allclose(weighted, repeated, atol=1e-10)
    few = np.append(np.full(10, 0.3), np.linspace(0.01, 0.9, 20))  # 30 rows where the weight of the first ten is 3
    labels = np.arange(30) % 2
    assert isinstance(fot.Spline(1).fit(few, labels, np.where(few == 0.3, 3, 1)).map_, AtomsMap)
    assert not isinstance(fot.Spline(1).fit(few, labels).map_, AtomsMap)


def test_the_scale_of_importances_means_nothing_to_atoms():
    y, p = with_zeros(300)
    w = np.random.default_rng(2).lognormal(size=300)
    maps = [fot.Spline(2).fit(p, y, scale * w).predict(GRID) for scale in (1.0, 1e-3, 1e4)]
    np.testing.assert_allclose(maps[1], maps[0], atol=1e-9)
    np.testing.assert_allclose(maps[2], maps[0], atol=1e-9)
    equal = fot.Spline(2).fit(p, y, np.full(300, 0.37)).predict(GRID)
    np.testing.assert_allclose(equal, fot.Spline(2).fit(p, y).predict(GRID), atol=1e-9)


def test_importances_make_atoms_by_effective_rows():
    p = np.append(np.full(40, 0.3), np.linspace(0.01, 0.9, 40))
    y = np.arange(80) % 2
    even, uneven = np.full(80, 0.5), np.where(np.arange(80) % 8 == 0, 5.0, 0.5)
    assert uneven.sum() ** 2 / (uneven**2).sum() < 30
    assert isinstance(fot.Spline(1).fit(p, y, even).map_, AtomsMap)
    assert not isinstance(fot.Spline(1).fit(p, y, uneven).map_, AtomsMap)
    by_weight = fot.Spline(1).fit(p, y, even).predict([0.3])[0]
    assert by_weight == pytest.approx((20 + 2 * 0.5 * 0.3) / (40 + 2 * 0.5), rel=1e-12)


def labellings(kind):
    """Return entries with atoms at 0 and .5, a score of many rows each, and labellings of them."""
    rng = np.random.default_rng(0)
    p = np.sort(np.where(np.arange(240) % 3 == 0, np.where(np.arange(240) % 2, 0.0, 0.5), rng.random(240)))
    n = np.full(240, 3 if kind in ("copies", "counted") else 1)
    w = rng.uniform(0.5, 1.5, 240) if kind == "importances" else n.astype(float)
    entries = Entries(p, w, n, whole=kind != "importances", counted=kind == "counted")
    return entries, rng.binomial(n, 0.1 + 0.6 * p, size=(5, 240)).T


@pytest.mark.parametrize("kind", ["rows", "importances", "copies", "counted"])
def test_many_labellings_with_atoms_are_single_fits(kind):
    entries, positives = labellings(kind)
    several = kind in ("rows", "importances")  # folds of redrawn labels hold out whole entries
    family, at = fot.Spline((1, 2, 3) if several else 3), np.append(np.linspace(0, 1, 41), [np.nextafter(0.5, 0), 1e-9])
    maps = [family.fit_map(entries.sample(labels)) for labels in positives.T]
    assert all(isinstance(each, AtomsMap) and each.at.tolist() == [0.0, 0.5] for each in maps)
    expected = np.transpose([each.evaluate(entries.distinct_p) for each in maps])
    np.testing.assert_allclose(family.fit_many(entries, positives).at(), expected, atol=1e-9)
    expected = np.transpose([each.evaluate(at) for each in maps])
    np.testing.assert_allclose(family.fit_many(entries, positives).at(at), expected, atol=1e-9)
    values = np.transpose([each.evaluate(at) for each in family.fit_many(entries, positives).maps()])
    np.testing.assert_allclose(values, expected, atol=1e-9)


def test_without_atoms_the_polygons_have_all_rows():
    entries, positives = labellings("rows")
    family = fot.Spline((1, 2, 3), atoms=False)
    maps = [family.fit_map(entries.sample(labels)) for labels in positives.T]
    assert not any(isinstance(each, AtomsMap) for each in maps)
    expected = np.transpose([each.evaluate(entries.distinct_p) for each in maps])
    np.testing.assert_allclose(family.fit_many(entries, positives).at(), expected, atol=1e-9)
    apart = fot.Spline((1, 2, 3)).fit_many(entries, positives).at()  # the same entries, and another design
    assert np.abs(apart - expected).max() > 0.01


def test_what_another_thread_keeps_meanwhile_is_not_taken_for_ones_own():
    own, other = np.array([-0.5, 0.2, 0.7]), np.array([1.0])

    class Interrupted(spline._Polygon):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "last" and value is not None and value[0] is own:
                self.basis(other)

    polygon = Interrupted(np.array([-1.0, 0.0, 1.0]), np.linspace(-2.0, 2.0, 9), 1e-16)
    hats, offset = polygon.basis(own)
    np.testing.assert_array_equal(hats, polygon.hats(own))
    np.testing.assert_array_equal(offset, polygon.offset(own))


def test_many_labellings_where_all_scores_are_atoms():
    entries = Entries(
        np.array([0.0, 0.4, 1.0]), np.array([40.0, 50, 60]), np.array([40, 50, 60]), whole=True, counted=True
    )
    positives = np.array([[0, 3, 40], [20, 0, 50], [60, 55, 0]])
    family = fot.Spline()
    expected = np.transpose([family.fit_map(entries.sample(labels)).evaluate(entries.p) for labels in positives.T])
    np.testing.assert_allclose(family.fit_many(entries, positives).at(), expected, atol=1e-12)
    own = 2.0 * entries.w / 150
    np.testing.assert_allclose(expected, (positives + (own * entries.p)[:, None]) / (entries.w + own)[:, None])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_segments": 0}, "n_segments must be 'auto' or whole numbers, at least 1; got 0"),
        ({"n_segments": (1, 2.5)}, "n_segments must be 'auto' or whole numbers, at least 1; got 2.5"),
        ({"n_segments": "cv"}, "n_segments must be 'auto' or whole numbers, at least 1; got 'cv'"),
        ({"n_segments": ()}, "n_segments must be a non-empty list"),
        ({"cv": 1}, "cv must be a whole number of folds"),
        ({"prior": 0}, "prior must be a positive finite number, got 0"),
        ({"random_state": -1}, "random_state must be"),
        ({"atoms": 2}, "atoms must be"),
    ],
)
def test_refusals(params, message):
    y, p = noisy(60)
    with pytest.raises(ValueError, match=message):
        fot.Spline(**params).fit(p, y)
