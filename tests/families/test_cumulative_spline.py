"""Splines of cumulative labels against the paper's sums, ties, weights and the cases that can be told beforehand."""

import numpy as np
import pytest
from hypothesis import given
from scipy.interpolate import BSpline
from scipy.linalg import null_space
from scipy.optimize import isotonic_regression

import fitontest as fot
from tests.labellings import fit_predict_many
from tests.strategies import noisy, samples

KINDS = [("natural", 2), ("natural", 3), ("natural", 6), ("parabolic", 3), ("parabolic", 6), ("cubic", 4), ("cubic", 7)]


def splines(n_knots, kind):
    """Return the splines of a kind, made of B-splines with what the kind asks of the derivatives at the ends."""
    knots = np.linspace(0, 1, n_knots)
    free = BSpline(np.concatenate((np.zeros(3), knots, np.ones(3))), np.eye(n_knots + 2), 3)
    inside = (knots[:-1] + knots[1:]) / 2
    asked = {
        "natural": lambda: free.derivative(2)([0.0, 1.0]),
        "parabolic": lambda: free.derivative(3)(inside[[0, -1]]),
        "cubic": lambda: free.derivative(3)(inside[[0, -1]]) - free.derivative(3)(inside[[1, -2]]),
    }[kind]()
    made = null_space(asked)
    assert made.shape[1] == max(n_knots, 2) or (kind == "parabolic" and n_knots == 3)
    return lambda t: free(t) @ made, lambda t: free.derivative()(t) @ made


def paper(p, gaps, n_knots, kind="natural"):
    """Return p plus the slope at i / n of the spline of least squares through the cumulative gaps at i / n."""
    n = p.size
    t = np.arange(1, n + 1) / n
    basis, slopes = splines(n_knots, kind)
    values = np.linalg.lstsq(basis(t), np.cumsum(gaps) / n, rcond=None)[0]
    return p + slopes(t) @ values


@pytest.mark.parametrize(("kind", "n_knots"), KINDS)
def test_it_is_the_paper_for_rows_many_times_over(kind, n_knots):
    """Copies of a row, whose label is spread evenly over them, are the paper's sums drawn as integrals."""
    y, p = noisy(60)
    order, copies = np.argsort(p), 2000
    repeated, gaps = np.repeat(p[order], copies), np.repeat((y - p)[order], copies)
    expected = paper(repeated, gaps, n_knots, kind).reshape(60, copies).mean(axis=1)
    found = fot.families.CumulativeSpline(n_knots, kind=kind).fit(p, y).predict(p[order])
    np.testing.assert_allclose(found, np.clip(expected, 0, 1), rtol=0, atol=2e-4)


def test_it_is_nearly_the_paper_for_many_rows():
    y, p = noisy(5000)
    order = np.argsort(p)
    expected = np.clip(paper(p[order], (y - p)[order], 6), 0, 1)
    assert np.abs(fot.families.CumulativeSpline().fit(p, y).predict(p[order]) - expected).max() < 2e-3


def quadrature(p, y, w, n_knots, kind="natural", points=200_000):
    """Return the shift at each score by the midpoint rule, with everything as the definition has it."""
    order = np.argsort(p)
    p, y, w = p[order], y[order], w[order]
    ends = np.append(0.0, np.cumsum(w)) / w.sum()
    t = (np.arange(points) + 0.5) / points
    sums = np.interp(t, ends, np.append(0.0, np.cumsum(w * (y - p))) / w.sum())
    basis = splines(n_knots, kind)[0]
    values = np.linalg.lstsq(basis(t), sums, rcond=None)[0]
    spline = basis(ends) @ values
    return p, np.clip(p + np.diff(spline) / np.diff(ends), 0, 1)


@pytest.mark.parametrize(("kind", "n_knots"), KINDS)
def test_it_is_the_definition_whatever_the_weights(kind, n_knots):
    y, p = noisy(40)
    w = np.random.default_rng(1).random(40) ** 4 + 1e-3
    at, expected = quadrature(p, y, w, n_knots, kind)
    found = fot.families.CumulativeSpline(n_knots, kind=kind).fit(p, y, w).predict(at)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@given(data=samples())
def test_two_knots_shift_all_scores_by_one_amount(data):
    """A straight line through the cumulative gaps; the last of them need not be on it."""
    y, p, w = data
    family = fot.families.CumulativeSpline(2).fit(p, y, w)
    kept = w > 0
    shifts = family.map_.c - family.map_.x
    inside = shifts[(family.map_.c > 0) & (family.map_.c < 1)]
    assert inside.max(initial=-1.0) - inside.min(initial=1.0) < 1e-9
    assert family.map_.x.tolist() == np.unique(p[kept]).tolist()


def test_one_score_gets_its_mean_label():
    family = fot.families.CumulativeSpline().fit([0.4] * 4, [0, 0, 0, 1])
    assert family.predict([0.0, 0.4, 1.0]) == pytest.approx([0.25] * 3, abs=1e-12)


def test_a_heavy_tie_over_several_knots_has_their_mean():
    p, y = np.append(np.linspace(0, 0.9, 40), np.full(200, 1.0)), np.arange(240) % 4 != 0
    at, expected = quadrature(np.append(p[:40], 1.0), np.append(y[:40], y[40:].mean()), np.append(np.ones(40), 200), 6)
    np.testing.assert_allclose(fot.families.CumulativeSpline().fit(p, y).predict(at), expected, rtol=0, atol=1e-6)


def test_a_weight_lost_in_the_sum_is_no_row_too_many():
    y, p = noisy(50)
    w = np.ones(50)
    w[np.argsort(p)[20]] = 1e-30
    family, without = (
        fot.families.CumulativeSpline().fit(p, y, w),
        fot.families.CumulativeSpline().fit(p[w > 0.5], y[w > 0.5]),
    )
    np.testing.assert_allclose(family.predict(p[w > 0.5]), without.predict(p[w > 0.5]), rtol=0, atol=1e-12)
    assert np.isfinite(family.predict(p)).all()


def test_it_finds_the_truth():
    y, p = noisy(20_000)
    at = np.linspace(0.05, 0.95, 19)
    family = fot.families.CumulativeSpline().fit(p, y)
    assert np.abs(family.predict(at) - at**1.4).max() < 0.03
    assert family.n_parameters_ == 5


def test_on_request_its_map_never_falls():
    rng = np.random.default_rng(3)
    p, w = 0.35 + 0.3 * rng.random(400), rng.random(400) + 0.1
    y = (rng.random(400) < p).astype(float)
    order = np.argsort(p)
    free = fot.families.CumulativeSpline(9).fit(p, y, w)
    repaired = fot.families.CumulativeSpline(9, monotone=True).fit(p, y, w)
    assert np.diff(free.map_.c).min() < 0 <= np.diff(repaired.map_.c).min()
    inside = (free.map_.c > 0) & (free.map_.c < 1)
    assert inside.all()  # nothing was clipped, so that the values before it are known
    np.testing.assert_allclose(repaired.map_.c, isotonic_regression(free.map_.c, weights=w[order]).x, atol=1e-12)
    many = fit_predict_many(fot.families.CumulativeSpline(9, monotone=True), p, np.stack([1 - y, y], axis=1), w)
    np.testing.assert_allclose(many[:, 1], repaired.predict(p), atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "not-a-knot"}, "kind must be one of 'natural', 'parabolic', 'cubic'; got 'not-a-knot'"),
        ({"kind": "cubic", "n_knots": 3}, "n_knots must be a whole number from 4 to 100 with kind='cubic', got 3"),
        ({"kind": "parabolic", "n_knots": 2}, "n_knots must be a whole number from 3 to 100 with kind='parabolic'"),
        ({"monotone": 1}, "monotone must be True or False, got 1"),
    ],
)
def test_refused_kinds(settings, message):
    with pytest.raises(ValueError, match=message):
        fot.families.CumulativeSpline(**settings).fit([0.1, 0.2], [0, 1])


@pytest.mark.parametrize("n_knots", [1, 0, 6.0, True, "6", None])
def test_refusals(n_knots):
    with pytest.raises(ValueError, match="n_knots must be a whole number from 2 to 100, got"):
        fot.families.CumulativeSpline(n_knots).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match="n_knots must be a whole number from 2 to 100, got"):
        fit_predict_many(fot.families.CumulativeSpline(n_knots), [0.1, 0.2], [[0], [1]])


def test_atoms_have_no_place_in_a_monotone_map():
    with pytest.raises(ValueError, match="atoms must be False with monotone=True"):
        fot.families.CumulativeSpline(atoms=True, monotone=True).fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
