"""Restricted cubic splines against R's numbers, against R's basis, and the rules by which knots are chosen."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.entries import labelled_entries
from fitontest.families.restricted_cubic import harrell_knots
from tests.families.valprob import assert_agrees, errors, sets
from tests.labellings import fit_predict_many
from tests.strategies import aggregated, noisy


def hmisc(x, k):
    """Return R's columns: a constant, x, and the truncated cubes that Hmisc::rcspline.eval makes of the knots k."""
    scale = (k[-1] - k[0]) ** (2 / 3)

    def cube(knot):
        return np.maximum((x - knot) / scale, 0) ** 3

    cubes = [
        cube(knot) + ((k[-2] - knot) * cube(k[-1]) - (k[-1] - knot) * cube(k[-2])) / (k[-1] - k[-2]) for knot in k[:-2]
    ]
    return np.column_stack((np.ones(x.size), x, *cubes))


def knots_of(x, n_knots):
    values, counts = np.unique(x, return_counts=True)
    return harrell_knots(values, np.cumsum(counts), n_knots)


@pytest.mark.parametrize("name", sets())
@pytest.mark.parametrize("n_knots", [3, 5])
def test_it_is_what_r_fits(name, n_knots):
    """Scores of 0 and 1 left out, as R leaves them out, and logits as they are."""
    y, p, expected = sets()[name]
    inside, key = (p > 0) & (p < 1), f"rcs{n_knots}"
    family = fot.families.RestrictedCubicSpline(n_knots, eps=1e-300).fit(p[inside], y[inside])
    c = np.full(p.size, np.nan)
    c[inside] = family.predict(p[inside])
    np.testing.assert_allclose(family.knots_, expected[key]["knots"], rtol=1e-13, atol=1e-13)
    found = np.linalg.solve(hmisc(family.knots_, family.knots_), family.map_.z)
    np.testing.assert_allclose(found, expected[key]["coef"], rtol=1e-5)
    for statistic, value in errors(c[inside], p[inside]).items():
        assert value == pytest.approx(expected[key][statistic], abs=1e-7), statistic
    if inside.all():
        assert_agrees(c, p, expected, key, 1e-7)


def test_it_maximises_the_likelihood_of_truncated_cubes():
    y, p = noisy(300)
    family = fot.families.RestrictedCubicSpline(4).fit(p, y)
    x = hmisc(np.log(p) - np.log1p(-p), family.knots_)
    gradient = x.T @ (family.predict(p) - y) / p.size
    assert np.abs(gradient).max() < 1e-10 * np.abs(x).max()
    outside = np.log([[1e-4, 1e-5, 1e-6]]) - np.log1p([[-1e-4, -1e-5, -1e-6]])
    values = family.predict([1e-4, 1e-5, 1e-6])
    z = np.log(values) - np.log1p(-values)
    assert np.diff(z)[0] / np.diff(outside[0])[0] == pytest.approx(np.diff(z)[1] / np.diff(outside[0])[1], rel=1e-9)


def test_knots_at_quantiles():
    x = np.random.default_rng(0).normal(size=400)
    np.testing.assert_allclose(knots_of(x, 3), np.quantile(x, [0.1, 0.5, 0.9]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(knots_of(x, 4), np.quantile(x, [0.05, 0.35, 0.65, 0.95]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(knots_of(x, 5), np.quantile(x, [0.05, 0.275, 0.5, 0.725, 0.95]), rtol=0, atol=1e-14)


def test_knots_of_few_rows_and_of_ties():
    x = np.random.default_rng(0).normal(size=50)
    few = np.sort(x)
    np.testing.assert_allclose(knots_of(x, 5), [few[4], *np.quantile(x, [0.275, 0.5, 0.725]), few[-5]], atol=1e-14)
    values = np.arange(5.0)
    np.testing.assert_array_equal(knots_of(values, 3), values[1:-1])
    x = np.random.default_rng(1).normal(size=300)
    tied = np.concatenate((x, np.full(30, -5.0), np.full(30, 6.0)))  # knots beside the ties, the others between them
    inner = np.sort(x)
    expected = [inner[0], *np.quantile(inner[1:-1], [0.1, 0.5, 0.9]), inner[-1]]
    found = knots_of(tied, 5)
    assert found[0] == expected[0]
    assert found[-1] == expected[-1]
    np.testing.assert_allclose(found[1:-1], np.quantile(inner[1:-1], np.linspace(0.05, 0.95, 3)), atol=1e-14)


def test_few_scores_are_a_straight_line():
    p, y = np.repeat([0.2, 0.4, 0.6, 0.8], 20), np.random.default_rng(0).random(80) < 0.5
    family = fot.families.RestrictedCubicSpline().fit(p, y)
    assert family.n_parameters_ == 2
    np.testing.assert_allclose(family.predict(p), fot.Platt().fit(p, y).predict(p), rtol=0, atol=1e-9)
    assert fot.families.RestrictedCubicSpline().fit([0.3, 0.3], [0, 1]).predict([0.9])[0] == 0.5
    assert fot.families.RestrictedCubicSpline().fit([0.3, 0.3], [0, 1]).n_parameters_ == 1


def test_certain_scores_count_and_are_cut_as_platt_cuts_them():
    y, p = noisy(500)
    p[:40], y[:40] = 1.0, 1
    y[:4] = 0
    p[40:60], y[40:60] = 0.0, 0
    family, platt = fot.families.RestrictedCubicSpline(3).fit(p, y), fot.Platt().fit(p, y)
    assert family.map_.eps == platt.map_.eps
    cut = np.clip(p, family.map_.eps, 1 - family.map_.eps)
    again = fot.families.RestrictedCubicSpline(3).fit(cut, y)
    np.testing.assert_allclose(family.predict(p), again.predict(cut), rtol=0, atol=1e-9)


def test_weights_and_cells_are_rows():
    y, p = noisy(400, ties=2)
    expected = fot.families.RestrictedCubicSpline().fit(p, y).predict(p)
    for values in (
        fot.families.RestrictedCubicSpline().fit_map(aggregated(y, p))(p),
        fot.families.RestrictedCubicSpline().fit(p, y, np.full(400, 0.37)).predict(p),
    ):
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


def test_many_labellings_at_once():
    y, p = noisy(300)
    entries, positives = labelled_entries(fot.ScoreSample(y, p))
    labels = np.stack((positives, 1 - positives, np.ones_like(positives), (entries.p > 0.5).astype(int)), axis=1)
    fits = fot.families.RestrictedCubicSpline().fit_many(entries, labels)
    assert fits.shared
    at = np.linspace(0.01, 0.99, 7)
    with pytest.warns(fot.results.SeparableDataWarning):
        expected = [c(at) for c in fits.maps()]
    with pytest.warns(fot.results.SeparableDataWarning):
        np.testing.assert_allclose(fits.at(at).T, expected, rtol=0, atol=1e-8)
    constant = fit_predict_many(fot.families.RestrictedCubicSpline(), [0.3, 0.3], [[0, 1], [1, 1]])
    np.testing.assert_array_equal(constant, [[0.5, 1.0], [0.5, 1.0]])


def test_separable_labels_are_warned_of():
    p = np.linspace(0.1, 0.9, 50)
    with pytest.warns(fot.results.SeparableDataWarning, match="rcs: the scores separate the labels"):
        family = fot.families.RestrictedCubicSpline().fit(p, p > 0.5)
    np.testing.assert_allclose(family.predict(p), p > 0.5, rtol=0, atol=1e-3)


@pytest.mark.parametrize("n_knots", [2, 6, 3.5, "five", True])
def test_settings_are_checked(n_knots):
    with pytest.raises(ValueError, match="n_knots must be 3, 4 or 5, got"):
        fot.families.RestrictedCubicSpline(n_knots).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match="n_knots must be 3, 4 or 5, got"):
        fit_predict_many(fot.families.RestrictedCubicSpline(n_knots), [0.1, 0.2], [[0], [1]])
    with pytest.raises(ValueError, match="eps must be"):
        fot.families.RestrictedCubicSpline(eps=2).fit([0.1, 0.2], [0, 1])
