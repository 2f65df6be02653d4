"""Splines of cumulative labels against the paper's sums, ties, weights and the cases that can be told beforehand."""

import numpy as np
import pytest
from hypothesis import given
from scipy.interpolate import CubicSpline

import fitontest as fot
from tests.strategies import noisy, samples


def paper(p, gaps, n_knots):
    """Return p plus the slope at i / n of the natural spline of least squares through the cumulative gaps at i / n."""
    n = p.size
    t = np.arange(1, n + 1) / n
    basis = CubicSpline(np.linspace(0, 1, n_knots), np.eye(n_knots), bc_type="natural")
    values = np.linalg.lstsq(basis(t), np.cumsum(gaps) / n, rcond=None)[0]
    return p + basis.derivative()(t) @ values


@pytest.mark.parametrize("n_knots", [2, 3, 6, 9])
def test_it_is_the_paper_for_rows_many_times_over(n_knots):
    """Copies of a row, whose label is spread evenly over them, are the paper's sums drawn as integrals."""
    y, p = noisy(60)
    order, copies = np.argsort(p), 2000
    repeated, gaps = np.repeat(p[order], copies), np.repeat((y - p)[order], copies)
    expected = paper(repeated, gaps, n_knots).reshape(60, copies).mean(axis=1)
    found = fot.CumulativeSpline(n_knots).fit(p, y).predict(p[order])
    np.testing.assert_allclose(found, np.clip(expected, 0, 1), rtol=0, atol=2e-4)


def test_it_is_nearly_the_paper_for_many_rows():
    y, p = noisy(5000)
    order = np.argsort(p)
    expected = np.clip(paper(p[order], (y - p)[order], 6), 0, 1)
    assert np.abs(fot.CumulativeSpline().fit(p, y).predict(p[order]) - expected).max() < 2e-3


def quadrature(p, y, w, n_knots, points=200_000):
    """Return the shift at each score by the midpoint rule, with everything as the definition has it."""
    order = np.argsort(p)
    p, y, w = p[order], y[order], w[order]
    ends = np.append(0.0, np.cumsum(w)) / w.sum()
    t = (np.arange(points) + 0.5) / points
    sums = np.interp(t, ends, np.append(0.0, np.cumsum(w * (y - p))) / w.sum())
    basis = CubicSpline(np.linspace(0, 1, n_knots), np.eye(n_knots), bc_type="natural")
    values = np.linalg.lstsq(basis(t), sums, rcond=None)[0]
    spline = basis(ends) @ values
    return p, np.clip(p + np.diff(spline) / np.diff(ends), 0, 1)


@pytest.mark.parametrize("n_knots", [2, 5, 6])
def test_it_is_the_definition_whatever_the_weights(n_knots):
    y, p = noisy(40)
    w = np.random.default_rng(1).random(40) ** 4 + 1e-3
    at, expected = quadrature(p, y, w, n_knots)
    found = fot.CumulativeSpline(n_knots).fit(p, y, w).predict(at)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@given(data=samples())
def test_two_knots_shift_all_scores_by_one_amount(data):
    """A straight line through the cumulative gaps; the last of them need not be on it."""
    y, p, w = data
    family = fot.CumulativeSpline(2).fit(p, y, w)
    kept = w > 0
    shifts = family.map_.c - family.map_.x
    inside = shifts[(family.map_.c > 0) & (family.map_.c < 1)]
    assert inside.max(initial=-1.0) - inside.min(initial=1.0) < 1e-9
    assert family.map_.x.tolist() == np.unique(p[kept]).tolist()


def test_one_score_gets_its_mean_label():
    family = fot.CumulativeSpline().fit([0.4] * 4, [0, 0, 0, 1])
    assert family.predict([0.0, 0.4, 1.0]) == pytest.approx([0.25] * 3, abs=1e-12)


def test_a_heavy_tie_over_several_knots_has_their_mean():
    p, y = np.append(np.linspace(0, 0.9, 40), np.full(200, 1.0)), np.arange(240) % 4 != 0
    at, expected = quadrature(np.append(p[:40], 1.0), np.append(y[:40], y[40:].mean()), np.append(np.ones(40), 200), 6)
    np.testing.assert_allclose(fot.CumulativeSpline().fit(p, y).predict(at), expected, rtol=0, atol=1e-6)


def test_a_weight_lost_in_the_sum_is_no_row_too_many():
    y, p = noisy(50)
    w = np.ones(50)
    w[np.argsort(p)[20]] = 1e-30
    family, without = fot.CumulativeSpline().fit(p, y, w), fot.CumulativeSpline().fit(p[w > 0.5], y[w > 0.5])
    np.testing.assert_allclose(family.predict(p[w > 0.5]), without.predict(p[w > 0.5]), rtol=0, atol=1e-12)
    assert np.isfinite(family.predict(p)).all()


def test_it_finds_the_truth():
    y, p = noisy(20_000)
    at = np.linspace(0.05, 0.95, 19)
    family = fot.CumulativeSpline().fit(p, y)
    assert np.abs(family.predict(at) - at**1.4).max() < 0.03
    assert family.n_parameters_ == 5


@pytest.mark.parametrize("n_knots", [1, 0, 6.0, True, "6", None])
def test_refusals(n_knots):
    with pytest.raises(ValueError, match="n_knots must be a whole number from 2 to 100, got"):
        fot.CumulativeSpline(n_knots).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match="n_knots must be a whole number from 2 to 100, got"):
        fot.CumulativeSpline(n_knots).fit_predict_many([0.1, 0.2], [[0], [1]])
