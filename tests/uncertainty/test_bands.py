"""Bands of the true map: redrawn from a smooth truth, refitted, and the same for rows in any order."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.uncertainty.bands import confidence_bands, read_band
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

GRID = np.linspace(0, 1, 21)
DRAWS, LEVEL = 20, 0.8


def bands(y, p, family, w=None, x=GRID, draws=DRAWS, level=LEVEL, random_state=0):
    """Return the estimate, the pointwise and the simultaneous band."""
    sample = fot.ScoreSample(y, p, w)
    estimate = fot.calibration_error(y, p, family=family, sample_weight=w)
    return estimate, *confidence_bands(estimate, sample, x, draws, level, random_state)


@pytest.mark.parametrize("family", [fot.Slope1(3), fot.Platt()])
def test_by_hand(family):
    """What the docstring says, from the same draws: distances from the truth that labels were drawn from."""
    y, p = noisy(150, power=2.0)
    _, pointwise, at_once = bands(y, p, family)
    x = np.concatenate(([p.min()], GRID[(p.min() < GRID) & (p.max() > GRID)], [p.max()]))
    g, c_hat = fot.Spline().fit(p, y), type(family)(**family.get_params()).fit(p, y).predict(x)
    entries = np.sort(p)
    (labels,) = ScoreRedraws.of(fot.ScoreSample(y, p)).draw([g.predict(entries)], range(DRAWS), (0, 2))
    maps = np.array([type(family)(**family.get_params()).fit(entries, each).predict(x) for each in labels.T])
    misses = maps - g.predict(x)
    reach = np.quantile(np.abs(misses), LEVEL, axis=0)
    np.testing.assert_array_equal(pointwise.x, x)
    np.testing.assert_allclose(pointwise.lower, np.maximum(c_hat - reach, 0), atol=1e-12)
    np.testing.assert_allclose(pointwise.upper, np.minimum(c_hat + reach, 1), atol=1e-12)
    sigma = np.sqrt(g.predict(x) * (1 - g.predict(x)))
    s = np.maximum(misses.std(axis=0), sigma * np.median(misses.std(axis=0) / sigma))
    reach = s * np.quantile(np.max(np.abs(misses) / s, axis=1), LEVEL)
    np.testing.assert_allclose(at_once.lower, np.maximum(c_hat - reach, 0), atol=1e-12)
    np.testing.assert_allclose(at_once.upper, np.minimum(c_hat + reach, 1), atol=1e-12)


def test_of_a_single_score_it_is_the_interval_of_a_mean():
    y, p = np.repeat([0, 1], [300, 100]), np.full(400, 0.3)
    estimate, pointwise, at_once = bands(y, p, fot.Flat(1), draws=400, level=0.9)
    half = 1.645 * np.sqrt(0.25 * 0.75 / 400)
    assert pointwise.x.tolist() == [0.3]
    assert estimate.map([0.3]) == pytest.approx(0.25)
    np.testing.assert_allclose([pointwise.lower[0], pointwise.upper[0]], [0.25 - half, 0.25 + half], atol=0.1 * half)
    np.testing.assert_allclose([at_once.lower, at_once.upper], [pointwise.lower, pointwise.upper])  # no other score


@pytest.mark.parametrize("family", [fot.Slope1(8), fot.Isotonic(), fot.Spline()])
def test_bands_are_probabilities_and_that_of_all_scores_is_the_wider_one(family):
    y, p = noisy(120, ties=2)
    _, pointwise, at_once = bands(y, p, family)
    for band in (pointwise, at_once):
        assert (band.lower >= 0).all()
        assert (band.upper <= 1).all()
        assert (band.lower <= band.upper).all()
    assert (at_once.lower <= pointwise.lower).all()
    assert (at_once.upper >= pointwise.upper).all()
    assert (at_once.upper - at_once.lower).sum() > (pointwise.upper - pointwise.lower).sum()


@pytest.mark.parametrize("weights", ["unit", "whole", "other"])
def test_the_order_of_the_rows_does_not_change_a_bit(weights):
    y, p = noisy(160, ties=1)
    w = {"unit": None, "whole": 1.0 + np.arange(160) % 3, "other": np.linspace(0.1, 2, 160)}[weights]
    order = np.random.default_rng(1).permutation(160)
    for one, other in zip(
        bands(y, p, "isotonic", w)[1:],
        bands(y[order], p[order], "isotonic", None if w is None else w[order])[1:],
        strict=True,
    ):
        np.testing.assert_array_equal(one.lower, other.lower)
        np.testing.assert_array_equal(one.upper, other.upper)


class Slow(fot.Family):
    """Platt scaling that may be fitted only once."""

    fits = 0

    def fit_map(self, sample):
        assert self.fits == 0
        self.fits += 1
        return fot.Platt().fit_map(sample)

    def stand_in(self):
        return fot.Spline(2)


def test_slow_families_are_stood_in_for():
    y, p = noisy(200, power=1.2)
    slow, pointwise, at_once = bands(y, p, Slow())
    own, spline, _ = bands(y, p, fot.Spline(2))
    assert (pointwise.stand_in, at_once.stand_in, spline.stand_in) == ("spline", "spline", None)
    inside = (pointwise.upper < 1) & (spline.upper < 1)
    reach = (pointwise.upper - slow.map(pointwise.x))[inside]
    np.testing.assert_allclose(reach, (spline.upper - own.map(spline.x))[inside], atol=1e-12)
    assert inside.sum() > 10


@pytest.mark.parametrize("y", [np.zeros(40, dtype=int), np.ones(40, dtype=int)])
def test_one_class_only(y):
    p = np.linspace(0, 1, 40)
    for band in bands(y, p, "isotonic")[1:]:
        assert np.isfinite([band.lower, band.upper]).all()
        assert ((band.lower <= y[0]) & (y[0] <= band.upper)).all()


def test_it_reaches_as_far_as_the_scores():
    y, p = noisy(100)
    p = 0.2 + 0.5 * p
    for x in (GRID, np.array([0.3, 0.4])):
        band = bands(y, p, "platt", x=x)[1]
        assert (band.x[0], band.x[-1]) == (max(p.min(), x[0]), min(p.max(), x[-1]))
        assert set(band.x[1:-1]) == set(x[(x > band.x[0]) & (x < band.x[-1])])


def test_seeds():
    y, p = noisy(80)
    one, same, other = (bands(y, p, "platt", random_state=seed)[1].upper for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    state = bands(y, p, "platt", random_state=np.random.RandomState(3))[1].upper
    assert (one != state).any()
    for seed in ("a", -1):
        with pytest.raises(ValueError, match="random_state must be a whole number"):
            bands(y, p, "platt", random_state=seed)


@pytest.mark.parametrize("family", ["spline", "isotonic", "pl"])  # pl has a stand-in
def test_the_next_band_of_an_error_takes_the_maps_of_the_last(family, monkeypatch):
    """A page draws it on two scales; what it is does not depend on what was drawn before."""
    y, p = noisy(120, ties=2)
    estimate, sample, drawn = fot.calibration_error(y, p, family=family), fot.ScoreSample(y, p), []
    draw = ScoreRedraws.draw

    def counted(redraws, truths, block, seed):
        drawn.append(seed)
        return draw(redraws, truths, block, seed)

    for random_state, x in [(0, GRID), (0, GRID**3), (1, GRID), (0, GRID)]:
        expected = confidence_bands(estimate, fot.ScoreSample(y, p), x, DRAWS, LEVEL, random_state)
        with monkeypatch.context() as patch:
            patch.setattr(ScoreRedraws, "draw", counted)
            found = confidence_bands(estimate, sample, x, DRAWS, LEVEL, random_state, tested=False)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal([one.x, one.lower, one.upper], [other.x, other.lower, other.upper])
    assert drawn == [(0, 2), (1, 2), (0, 2)]


def test_which_band_is_meant():
    assert read_band(None, 0, 0.9) == (None, 0)
    assert read_band("auto", 0, 0.95) == ("auto", 0)
    assert read_band("auto", 0, 0.9) == ("confidence", 200)
    assert read_band("auto", 20, 0.9) == ("confidence", 20)
    assert read_band("consistency", 3, 0.9) == ("consistency", 3)
    assert read_band("confidence", 0, 0.9) == ("confidence", 200)
    assert read_band("simultaneous", 10, 0.9) == ("simultaneous", 10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("both", 9, 0.9), "band must be one of 'consistency', 'confidence', 'simultaneous', 'new group'; got 'both'"),
        ((None, 7, 0.9), "band_draws must be 0 with band=None, which draws no band; got 7"),
        (("confidence", 9, 0.9), "band_draws must be at least 10 for a confidence band of 90 %, got 9"),
        (("simultaneous", 0, 0.999), "band_draws must be at least 1000 for a simultaneous band of 99.9 %, got 200"),
        (("confidence", -1, 0.9), "band_draws must be a whole number, at least 0; got -1"),
        (("confidence", 0, 1.5), r"band_level must be a number in \[0.5, 1\) such as 0.95, got 1.5"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        read_band(*arguments)
