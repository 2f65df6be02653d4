"""Compression: what it must preserve, and when it must not compress at all."""

import numpy as np
import pytest
from hypothesis import given, settings

import fitontest as fot
from fitontest.families.piecewise.grid import EPS, Grid, grid_of
from fitontest.numerics.links import IDENTITY, LOGIT
from fitontest.numerics.random import held_out_rows
from tests.strategies import noisy, samples

pytestmark = pytest.mark.multiplies

links = pytest.mark.parametrize("link", [IDENTITY, LOGIT], ids=["identity", "logit"])


def folds_of(sample, cv=3):
    return held_out_rows(sample.n, cv, 0) if sample.n > 1 else [np.arange(sample.n)]


@links
@given(data=samples())
@settings(max_examples=50)
def test_few_scores_are_not_compressed(link, data):
    y, p, w = data
    sample = fot.ScoreSample(y, p, w)
    folds = folds_of(sample)
    grid = grid_of(sample, folds, link, 64)
    rows = sample.rows
    x = link.forward(rows.p, EPS)
    np.testing.assert_array_equal(grid.x, np.unique(x))
    for number, held_out in enumerate(folds):
        for k, label in enumerate((1, 0)):
            mine = held_out[rows.y[held_out] == label]
            expected = [rows.w[mine][x[mine] == node].sum() for node in grid.x]
            np.testing.assert_allclose(grid.mass[number, k], expected, atol=1e-12 * w.sum())


@links
@pytest.mark.parametrize("size", [16, 100, 1024])
def test_masses_and_means_are_kept(link, size):
    y, p = noisy(5000)
    w = np.random.default_rng(1).lognormal(size=p.size)
    sample = fot.ScoreSample(y, p**3, w)
    folds = folds_of(sample, 10)
    grid = grid_of(sample, folds, link, size)
    assert grid.x.size <= size
    assert np.all(np.diff(grid.x) > 0)
    x = link.forward(sample.rows.p, EPS)
    assert grid.x[0] == x[0]
    assert grid.x[-1] == x[-1]
    for number, held_out in enumerate(folds):
        for k, label in enumerate((1, 0)):
            mine = held_out[sample.rows.y[held_out] == label]
            mass = sample.rows.w[mine]
            np.testing.assert_allclose(grid.mass[number, k].sum(), mass.sum(), rtol=1e-12)
            np.testing.assert_allclose(grid.mass[number, k] @ grid.x, mass @ x[mine], rtol=1e-10)


@links
def test_a_coarser_grid_is_what_the_rows_would_have_given(link):
    y, p = noisy(3000, ties=3)
    sample = fot.ScoreSample(y, p)
    folds = folds_of(sample, 5)
    fine = grid_of(sample, folds, link, None)
    coarse = fine.coarse(50)
    assert coarse.x.size == 50
    assert set(coarse.x) <= set(fine.x)
    x = link.forward(sample.rows.p, EPS)
    for number, held_out in enumerate(folds):
        for k, label in enumerate((1, 0)):
            mine = held_out[sample.rows.y[held_out] == label]
            hats = [np.interp(x[mine], coarse.x, unit).sum() for unit in np.eye(50)]
            np.testing.assert_allclose(coarse.mass[number, k], hats, atol=1e-9)
    assert fine.coarse(10_000) is fine


@links
def test_heavy_ties_are_nodes(link):
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.random(20_000), np.full(3000, 0.123456), np.ones(3000), np.zeros(50)))
    sample = fot.ScoreSample((rng.random(p.size) < p).astype(int), p)
    grid = grid_of(sample, [np.arange(p.size)], link, 256)
    heavy = np.isin(grid.x, link.forward(np.array([0.0, 0.123456, 1.0]), EPS))
    assert heavy.sum() == 3
    assert grid.total[heavy][1] >= 3000


def test_many_folds_have_labels_of_their_own():
    y, p = noisy(300)
    sample = fot.ScoreSample(y, p)
    grid = grid_of(sample, folds_of(sample, 300), IDENTITY, None)
    assert grid.mass.shape == (300, 2, 300)
    np.testing.assert_array_equal(grid.mass.sum(axis=(1, 2)), 1)


def test_single_score():
    grid = grid_of(fot.ScoreSample([0, 1, 1], [0.3, 0.3, 0.3]), [np.array([0]), np.array([1, 2])], LOGIT, 8)
    assert isinstance(grid, Grid)
    np.testing.assert_array_equal(grid.mass[:, :, 0], [[0, 1], [2, 0]])
