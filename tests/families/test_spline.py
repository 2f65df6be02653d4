"""Logistic splines: against an optimiser that knows nothing of them, the averaging by hand, and what they promise."""

import numpy as np
import pytest
from scipy.optimize import minimize

import fitontest as fot
from fitontest.datasets import Derivate
from fitontest.families import spline
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.random import held_out_rows
from tests.strategies import noisy

GRID = np.linspace(0, 1, 501)


def objective(z, x, y, w, knots, prior=2.0):
    """Return the penalised log loss of the polygon with values z at the knots, row by row."""
    at = np.interp(x, knots, z)
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
    inner = [x[np.cumsum(w[order]) >= k / n_segments * w.sum() - 1e-9][0] for k in range(1, n_segments)]
    knots = np.concatenate((x[:1], inner, x[-1:]))
    best = minimize(objective, knots, (x, y[order], w[order], knots), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(fitted.predict(np.sort(p)), sigmoid(np.interp(x, knots, best.x)), atol=1e-6)
    at_knots = logit(fitted.predict(sigmoid(knots)), 1e-16)
    steps = 1e-6 * np.eye(knots.size)
    near = [objective(at_knots + step, x, y[order], w[order], knots) for step in (*steps, *-steps)]
    assert min(near) > objective(at_knots, x, y[order], w[order], knots) - 1e-9


def test_the_weights_are_those_of_the_summed_held_out_loss():
    y, p = noisy(250)
    fitted = fot.Spline((1, 2, 4)).fit(p, y)
    order = np.lexsort((y, p))
    y, p = y[order], p[order]
    knots = {k: fot.Spline(k).fit(p, y).map_.parts[0].x[0] for k in (1, 2, 4)}
    losses = []
    for k in (1, 2, 4):
        x = logit(p, spline.EPS)
        at = np.concatenate((x[:1], knots[k][2:-2], x[-1:]))  # the map's own knots, those of all rows
        held_out_loss = 0.0
        for held_out in held_out_rows(250, 5, 0):
            kept = np.setdiff1d(np.arange(250), held_out)
            share = 2.0 / 250  # the prior rows stay where the rows are

            def fold_objective(z, kept=kept, share=share, at=at, x=x):
                loss = np.logaddexp(0, np.interp(x, at, z))
                fit = loss[kept].sum() - y[kept] @ np.interp(x[kept], at, z)
                return (
                    fit
                    + share * (loss.sum() - sigmoid(x) @ np.interp(x, at, z))
                    + spline.RIDGE / 2 * ((z - at) @ (z - at))
                )

            z = minimize(fold_objective, at, method="BFGS", options={"gtol": 1e-7}).x
            q = np.interp(x[held_out], at, z)
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
    tied = np.where(np.arange(600) < 500, 0.3, np.linspace(0.31, 0.9, 600))
    assert fot.Spline().fit(tied, np.arange(600) % 2).n_segments_ == (1,)


def test_a_single_score_is_shifted():
    y = np.arange(90) % 3 == 0
    fitted = fot.Spline().fit(np.full(90, 0.4), y)
    assert fitted.predict([0.4])[0] == pytest.approx((30 + 2 * 0.4) / 92, abs=1e-4)
    steps = logit(fitted.predict([0.1, 0.4, 0.8]), 1e-16) - logit(np.array([0.1, 0.4, 0.8]), 1e-16)
    np.testing.assert_allclose(steps, steps[0])


def test_calibrated_scores_are_hardly_moved():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    assert np.mean(np.abs(fot.Spline().fit(p, rng.random(20_000) < p).predict(p) - p)) < 0.006


def test_beyond_the_data_the_map_levels_off():
    rng = np.random.default_rng(0)
    p = 0.4 + 0.2 * rng.random(500)
    fitted = fot.Spline(1).fit(p, rng.random(500) < 3 * (p - 0.4) + 0.1)
    low, high = logit(np.array([p.min(), p.max()]), 1e-16)
    reach = sigmoid(np.array([low - 4 * (high - low), high + 4 * (high - low)]))
    far = fitted.predict([0.0, reach[0], reach[1], 1.0])
    np.testing.assert_allclose(far[[0, 3]], far[[1, 2]], atol=1e-9)
    assert 0 < far[0] < far[3] < 1


@pytest.mark.parametrize("n", [500, 5000])
def test_the_gradient_vanishes(n):
    """Also where scores are pooled, and for sharp scores, whose outer knots hardly any label holds."""
    rng = np.random.default_rng(3)
    p = sigmoid(rng.normal(0, 4, n))
    entries = fot.Sample(rng.random(n) < p, p)
    fitted = fot.Spline()
    from fitontest.data.entries import Entries

    made = Entries.of_rows(entries)
    fits = fitted._fits(made, entries.rows.y.astype(int)[:, None], ordered=True)
    design = next(value for key, value in made.memory.items() if key[0] == "spline")
    wy = np.asarray(design.cells @ entries.rows.y).reshape(-1, design.x.size).sum(axis=0)
    w = design.w.sum(axis=1)
    for polygon, theta in zip(fits.polygons, fits.theta, strict=True):
        hats = polygon.features.x
        q = sigmoid(hats @ theta[:, 0])
        gradient = hats.T @ ((w + design.prior) * q - wy - design.prior * sigmoid(design.x))
        gradient += spline.RIDGE * (theta[:, 0] - polygon.knots)
        assert np.abs(gradient).max() < 1e-10 * n


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_segments": 0}, "n_segments must be whole numbers, at least 1; got 0"),
        ({"n_segments": (1, 2.5)}, "n_segments must be whole numbers, at least 1; got 2.5"),
        ({"n_segments": "cv"}, "n_segments must be a non-empty list"),
        ({"cv": 1}, "cv must be a whole number of folds"),
        ({"prior": 0}, "prior must be a positive finite number, got 0"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_refusals(params, message):
    y, p = noisy(60)
    with pytest.raises(ValueError, match=message):
        fot.Spline(**params).fit(p, y)
