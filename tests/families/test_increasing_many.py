"""Fits whose parameters must not decrease: brute force, and the rule itself."""

import numpy as np
import pytest
from scipy.optimize import minimize

import fitontest as fot
from fitontest.data.entries import entries_of_rows
from fitontest.families.increasing_many import minimise_increasing
from fitontest.families.newton_many import Features, minimise_columns

KNOTS = np.linspace(-3.0, 3.0, 8)


def problem(seed, columns, slope=0.3, rows=120):
    rng = np.random.default_rng(seed)
    x = np.clip(np.sort(rng.normal(0, 2, rows)), KNOTS[0], KNOTS[-1])
    hats = np.maximum(0.0, 1.0 - np.abs(x[:, None] - KNOTS) / (KNOTS[1] - KNOTS[0]))
    w = rng.integers(1, 9, (rows, 1)).astype(float)
    positives = rng.binomial(w.astype(int), 1.0 / (1.0 + np.exp(-slope * x[:, None])), (rows, columns)).astype(float)
    return Features(hats, 0.001, KNOTS), w, positives, np.repeat(KNOTS[:, None], columns, axis=1)


def by_brute_force(features, w, positives):
    def loss(steps):
        theta = np.cumsum(steps)
        z = features.x @ theta
        value = w @ np.logaddexp(0.0, z) - positives @ z + features.ridge / 2 * ((theta - KNOTS) ** 2).sum()
        slope = features.x.T @ (w / (1.0 + np.exp(-z)) - positives) + features.ridge * (theta - KNOTS)
        return value, np.cumsum(slope[::-1])[::-1]

    bounds = [(None, None)] + [(0.0, None)] * (KNOTS.size - 1)
    start = np.concatenate((KNOTS[:1], np.diff(KNOTS)))
    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-11}
    return np.cumsum(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)


@pytest.mark.parametrize("slope", [0.3, 0.0, -0.5])
def test_the_minimum_is_that_of_a_bounded_search(slope):
    features, w, positives, start = problem(0, 6, slope)
    theta, converged = minimise_increasing(features, w, positives, start, 1e-11)
    assert converged.all()
    assert (np.diff(theta, axis=0) >= 0.0).all()
    for column, found in zip(positives.T, theta.T, strict=True):
        np.testing.assert_allclose(found, by_brute_force(features, w[:, 0], column), atol=2e-5)


def test_without_a_violation_it_is_the_unbounded_minimum():
    features, w, positives, start = problem(1, 60, slope=3.0)
    free, _ = minimise_columns(features, w, positives, start, 1e-11)
    theta, converged = minimise_increasing(features, w, positives, start, 1e-11)
    increasing = (np.diff(free, axis=0) >= 0.0).all(axis=0)
    assert converged.all()
    assert increasing.sum() > 3
    np.testing.assert_allclose(theta[:, increasing], free[:, increasing], atol=1e-7)


@pytest.mark.parametrize("stated", [False, True])
def test_a_monotone_spline_keeps_the_ranking_where_a_free_one_does_not(stated):
    rng = np.random.default_rng(2)
    p = rng.choice([0.1, 0.3, 0.5, 0.7, 0.9], 2000) if stated else rng.random(2000)
    y = rng.random(2000) < np.clip(p + 0.3 * np.sin(12.0 * p), 0.0, 1.0)
    at = np.linspace(0.0, 1.0, 1001)
    free, monotone = (fot.families.make("spline", monotone=flag).fit(p, y).predict(at) for flag in (False, True))
    assert np.diff(free).min() < -1e-3
    assert np.diff(monotone).min() >= -1e-15


def test_many_labellings_are_fitted_as_each_alone():
    rng = np.random.default_rng(3)
    p = rng.random(300)
    sample = fot.read(rng.random(300) < p, p)
    spline = fot.families.make("spline", monotone=True)
    entries = entries_of_rows(sample)
    labels = (rng.random((len(entries), 5)) < 0.4 + 0.2 * np.sin(9.0 * entries.p[:, None])).astype(np.intp)
    together = spline.fit_many(entries, labels).at()
    for column, values in zip(labels.T, together.T, strict=True):
        alone = spline.fit_many(entries, column[:, None]).at()[:, 0]
        np.testing.assert_allclose(values, alone, atol=1e-9)


def test_monotone_must_be_a_flag():
    with pytest.raises(ValueError, match="monotone must be True or False"):
        fot.families.make("spline", monotone="yes").fit([0.2, 0.8], [0, 1])
