"""The band of a new group, and the curves of groups: closed forms, brute force, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr, ndtri
from scipy.stats import norm
from scipy.stats import t as student

import fitontest as fot
from fitontest.data.dependence import Dependence
from fitontest.maps.identity import IdentityMap
from fitontest.uncertainty import group_maps as group_maps_module
from fitontest.uncertainty import new_group as new_group_module
from fitontest.uncertainty.bands import confidence_bands
from fitontest.uncertainty.group_maps import group_maps
from fitontest.uncertainty.new_group import new_group_bands, rho_at, spread

GRID = np.linspace(0, 1, 21)
MIDDLE = np.array([0.1, 0.3, 0.5, 0.8])


def rows_of_groups(several=12, size=9, rho=0.2, seed=0):
    """Return labels, scores and groups, of which each group has a curve of its own."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(several), size)
    p = rng.beta(1, 1, group.size)
    shared = rng.standard_normal(several)[group]
    latent = np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.standard_normal(group.size)
    return (latent < ndtri(p)).astype(int), p, group


def known(monkeypatch, sample, rho0=0.2, rho1=0.0):
    """Let the dependence of the rows be known."""
    groups = sample.groups
    dependence = Dependence(
        len(groups), int(groups.rows.sum()), groups.effective, groups.several, rho0, 0.05, rho0, rho1, 0.1, 1.5
    )
    monkeypatch.setattr(new_group_module, "dependence_of", lambda _: dependence)
    return dependence


def test_the_spread_is_the_closed_form():
    lower, upper = spread(MIDDLE, np.full(4, 0.2), 0.9)
    for c, low, high in zip(MIDDLE, lower, upper, strict=True):
        z = norm.ppf(0.95)
        assert low == pytest.approx(ndtr((ndtri(c) - z * np.sqrt(0.2)) / np.sqrt(0.8)), abs=1e-14)
        assert high == pytest.approx(ndtr((ndtri(c) + z * np.sqrt(0.2)) / np.sqrt(0.8)), abs=1e-14)


def test_the_spread_holds_that_share_of_curves_whose_mean_is_the_map():
    c, rho, level = 0.3, 0.15, 0.8

    def curve(z):
        return ndtr((ndtri(c) - np.sqrt(rho) * z) / np.sqrt(1 - rho))

    mean, _ = quad(lambda z: curve(z) * norm.pdf(z), -10, 10)
    assert mean == pytest.approx(c, abs=1e-9)
    ((low,), (high,)) = spread(np.array([c]), np.array([rho]), level)
    curves = curve(np.random.default_rng(0).standard_normal(200_000))
    assert np.mean((curves >= low) & (curves <= high)) == pytest.approx(level, abs=0.004)


def test_without_dependence_the_band_is_the_confidence_band_and_without_that_the_map():
    lower, upper = spread(MIDDLE, np.zeros(4), 0.9)
    np.testing.assert_allclose([lower, upper], [MIDDLE, MIDDLE], atol=1e-14)
    reach = (MIDDLE - 0.05, MIDDLE + 0.1)
    np.testing.assert_allclose(spread(MIDDLE, np.zeros(4), 0.9, 11.0, reach), reach, atol=1e-14)


def test_the_reach_of_the_map_and_the_spread_add_as_squares_on_probits():
    reach = (MIDDLE - 0.05, MIDDLE + 0.1)
    rho, t = 0.2, student.ppf(0.95, 11.0)
    lower, upper = spread(MIDDLE, np.full(4, rho), 0.9, 11.0, reach)
    q, first, last = ndtri(MIDDLE), *map(ndtri, reach)
    np.testing.assert_allclose(lower, ndtr((q - np.hypot(t * np.sqrt(rho), q - first)) / np.sqrt(1 - rho)), atol=1e-14)
    np.testing.assert_allclose(upper, ndtr((q + np.hypot(t * np.sqrt(rho), last - q)) / np.sqrt(1 - rho)), atol=1e-14)


@pytest.mark.parametrize("ends", [[0.0, 1.0], [-0.2, 1.3]])
def test_maps_that_reach_or_leave_the_ends_have_a_band(ends):
    lower, upper = spread(np.array(ends), np.full(2, 0.3), 0.9, 9.0, (np.zeros(2), np.ones(2)))
    assert np.isfinite([lower, upper]).all()
    assert (lower >= 0).all()
    assert (upper <= 1).all()
    assert (lower <= upper).all()


def test_the_bands_of_a_fitted_map(monkeypatch):
    y, p, group = rows_of_groups()
    sample = fot.read(y, p, groups=group)
    dependence = known(monkeypatch, sample, 0.2, 0.05)
    estimate = fot.calibration_error(sample, family="platt", interval=None)
    confidence, band = new_group_bands(estimate, sample, GRID, 20, 0.9, 0)
    alone = confidence_bands(estimate, sample, GRID, 20, 0.9, 0)[0]
    np.testing.assert_array_equal([confidence.lower, confidence.upper], [alone.lower, alone.upper])
    assert (band.kind, band.level, band.dependence, confidence.dependence) == ("new group", 0.9, dependence, None)
    np.testing.assert_array_equal(band.x, confidence.x)
    logits = np.log(p / (1 - p))
    h = np.clip((np.log(band.x / (1 - band.x)) - logits.mean()) / logits.std(), -2, 2)
    np.testing.assert_allclose(rho_at(band.x, sample, dependence), 0.2 + 0.05 * h**2, atol=1e-9)
    expected = spread(estimate.map.evaluate(band.x), 0.2 + 0.05 * h**2, 0.9, 11.0, (confidence.lower, confidence.upper))
    np.testing.assert_allclose([band.lower, band.upper], expected, atol=1e-9)
    assert (band.lower <= confidence.lower + 1e-9).all()
    assert (band.upper >= confidence.upper - 1e-9).all()
    assert np.median(band.upper - band.lower) > 1.5 * np.median(confidence.upper - confidence.lower)


def test_of_a_given_map_it_is_the_spread_alone(monkeypatch):
    y, p, group = rows_of_groups()
    sample = fot.read(y, p, groups=group)
    dependence = known(monkeypatch, sample)
    estimate = fot.calibration_error(sample, family=IdentityMap(), interval=None)
    confidence, band = new_group_bands(estimate, sample, GRID, 20, 0.9, 0)
    assert confidence is None
    np.testing.assert_allclose([band.lower, band.upper], spread(GRID, np.full(21, 0.2), 0.9, dependence.degrees))


def test_rows_without_groups_and_few_groups_are_refused():
    y, p, group = rows_of_groups()
    for groups, rule in (
        (None, "groups must be given, with several rows in a group, for band='new group'; got none"),
        (np.arange(y.size), "got 108 groups of one row each"),
        (
            group % 9,
            "groups must be at least 10 .* fewer than 10 groups, got 9, which tell as much as 8 of equal weight",
        ),
    ):
        sample = fot.read(y, p, groups=groups)
        estimate = fot.calibration_error(fot.ScoreSample(y, p), family="platt", interval=None)
        with pytest.raises(ValueError, match=rule):
            new_group_bands(estimate, sample, GRID, 20, 0.9, 0)
        with pytest.raises(ValueError, match=rule.replace("band='new group'", "curves of groups")):
            group_maps(estimate.map, sample)


def brute_force(maps, number):
    """Return the mode of a group by a general optimiser, of the density as it is defined."""
    sample, dependence = maps.sample, maps.dependence
    own = maps.groups.code == number
    p, y, w = sample.rows.p[own], sample.rows.y[own], sample.rows.w[own] / sample.row_weight
    logits = np.log(sample.rows.p / (1 - sample.rows.p))
    weight = sample.rows.w / sample.rows.w.sum()
    centre = weight @ logits
    h = np.clip((logits - centre) / np.sqrt(weight @ (logits - centre) ** 2), -2, 2)[own]
    rho = dependence.intercept + dependence.slope * h**2

    def loss(z):
        a = (
            ndtri(maps.map.evaluate(p)) - np.sqrt(dependence.intercept) * z[0] - np.sqrt(dependence.slope) * h * z[1]
        ) / (np.sqrt(1 - rho))
        return 0.5 * z @ z - w @ log_ndtr(np.where(y > 0, a, -a))

    return minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("rho1", [0.0, 0.06])
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_are_those_of_the_largest_posterior_density(monkeypatch, rho1, weighted):
    y, p, group = rows_of_groups(several=11, size=30)
    w = np.random.default_rng(1).uniform(0.5, 2.0, y.size) if weighted else None
    sample = fot.read(y, p, groups=group, sample_weight=w)
    known(monkeypatch, sample, 0.2, rho1)
    maps = group_maps(fot.Platt().fit(p, y).map_, sample)
    for number in (0, 4, 9):
        np.testing.assert_allclose(maps.mode[number], brute_force(maps, number), atol=2e-5)
    if not rho1:
        assert not maps.mode[:, 1].any()
        c = ndtr((ndtri(maps.map.evaluate(MIDDLE)) - np.sqrt(0.2) * maps.mode[4, 0]) / np.sqrt(0.8))
        np.testing.assert_allclose(maps.curves(np.array([4]), MIDDLE)[0], c, atol=1e-12)


def test_bounds_and_shrinkage_are_those_of_the_posterior(monkeypatch):
    """Of a group of many rows the posterior is normal: against quadrature."""
    y, p, group = rows_of_groups(several=10, size=40)
    sample = fot.read(y, p, groups=group)
    known(monkeypatch, sample, 0.2)
    maps = group_maps(IdentityMap(), sample)
    own = maps.groups.code == 3
    z = np.linspace(-6, 6, 4001)
    a = (ndtri(sample.rows.p[own])[:, None] - np.sqrt(0.2) * z) / np.sqrt(0.8)
    density = np.exp(log_ndtr(np.where(sample.rows.y[own][:, None] > 0, a, -a)).sum(axis=0) - z**2 / 2)
    density /= density.sum()
    mean = density @ z
    variance = density @ (z - mean) ** 2
    assert maps.mode[3, 0] == pytest.approx(mean, abs=0.03)
    assert maps.shrunk[3] == pytest.approx(variance, rel=0.1)
    lower, upper = maps.bounds(np.array([3]), MIDDLE, 0.9)
    reach = norm.ppf(0.95) * np.sqrt(0.2 * maps.covariance[3, 0, 0])
    centre = ndtri(maps.curves(np.array([3]), MIDDLE)) * np.sqrt(0.8)
    np.testing.assert_allclose(lower, ndtr((centre - reach) / np.sqrt(0.8)), atol=1e-12)
    np.testing.assert_allclose(upper, ndtr((centre + reach) / np.sqrt(0.8)), atol=1e-12)


def test_without_dependence_every_curve_is_the_shared_map(monkeypatch):
    y, p, group = rows_of_groups()
    sample = fot.read(y, p, groups=group)
    known(monkeypatch, sample, 0.0)
    maps = group_maps(IdentityMap(), sample)
    np.testing.assert_allclose(maps.curves(np.arange(12), MIDDLE), np.tile(MIDDLE, (12, 1)), atol=1e-12)
    np.testing.assert_array_equal(maps.shrunk, 1.0)
    np.testing.assert_allclose(maps.offsets, 0.0, atol=1e-12)


def test_groups_of_many_rows_are_shrunk_less(monkeypatch):
    y, p, _ = rows_of_groups(several=10, size=120)
    sizes = np.repeat(np.arange(12), [5, 10, 20, 40, 80, 160, 320, 365, 50, 50, 50, 50])
    sample = fot.read(y, p, groups=sizes)
    known(monkeypatch, sample)
    monkeypatch.setattr(Dependence, "too_few", False)
    maps = group_maps(IdentityMap(), sample)
    order = np.argsort(maps.groups.rows)
    assert maps.groups.rows[order][[0, -1]].tolist() == [5, 365]
    assert maps.shrunk[order[0]] > 0.3
    assert maps.shrunk[order[-1]] < 0.03


def test_whole_weights_are_rows_and_the_order_of_rows_does_not_matter(monkeypatch):
    y, p, group = rows_of_groups()
    w = np.random.default_rng(2).integers(1, 4, y.size)
    copies = np.repeat(np.arange(y.size), w)
    shuffled = np.random.default_rng(3).permutation(y.size)
    results = []
    for sample in (
        fot.read(y, p, groups=group, sample_weight=w),
        fot.read(y[copies], p[copies], groups=group[copies]),
        fot.read(y[shuffled], p[shuffled], groups=group[shuffled], sample_weight=w[shuffled]),
    ):
        known(monkeypatch, sample)
        maps = group_maps(IdentityMap(), sample)
        by_name = np.argsort(maps.groups.ids)
        signed, absolute = maps.offsets
        results.append([maps.mode[by_name, 0], maps.shrunk[by_name], signed[by_name], absolute[by_name]])
    np.testing.assert_allclose(results[0][:2], results[1][:2], atol=1e-9)
    np.testing.assert_allclose(results[0], results[2], atol=1e-12)
    np.testing.assert_allclose(results[0][2:], results[1][2:], atol=1e-9)


def test_curves_are_compared_over_the_rows_in_blocks(monkeypatch):
    y, p, group = rows_of_groups()
    sample = fot.read(y, p, groups=group)
    known(monkeypatch, sample)
    whole = group_maps(IdentityMap(), sample).offsets
    monkeypatch.setattr(group_maps_module, "BLOCK", 5)
    np.testing.assert_array_equal(group_maps(IdentityMap(), sample).offsets, whole)
    maps = group_maps(IdentityMap(), sample)
    gaps = maps.curves(np.arange(12), np.sort(p)) - np.sort(p)
    np.testing.assert_allclose(whole[0], gaps.mean(axis=1), atol=2e-3)  # 200 quantiles of 108 scores
    np.testing.assert_allclose(whole[1], np.abs(gaps).mean(axis=1), atol=2e-3)
