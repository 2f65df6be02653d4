"""PL_DE: sums of squares by brute force, a scan of all knots, another package's optima, and hard cases."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.ordering import DistinctScores
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import family_class
from fitontest.families.piecewise.truncated_powers import TruncatedPowers

pytestmark = pytest.mark.multiplies

BENT = [0, 0.3, 0.6, 1], [0, 0.1, 0.8, 1]


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return p, (rng.random(n) < np.interp(p, *BENT)).astype(float)


def columns(p, knots, degree, low):
    """Return 1 and max(p - t, 0)^d of the smallest score and of all knots."""
    powers = [np.maximum(p - t, 0.0) ** d for t in [low, *knots] for d in range(1, degree + 1)]
    return np.column_stack([np.ones(p.size), *powers])


def least_squares(p, y, knots, degree, w=None):
    root = np.sqrt(np.ones(p.size) if w is None else w)
    A = columns(p, knots, degree, p.min())
    found = np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]
    return float(root**2 @ (y - A @ found) ** 2), A @ found


def make(**settings):
    return fot.families.make("pl_de", **settings)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("n_knots", [0, 1, 3])
def test_sums_of_squares_are_those_of_least_squares(degree, n_knots):
    rng = np.random.default_rng(n_knots)
    p, y = rows(300)
    p, w = 0.2 + 0.5 * p.round(2), rng.random(300) + 0.1
    powers = TruncatedPowers.of(ScoreSample(y, p, w).distinct, degree)
    candidates = np.sort(rng.uniform(0.1, 0.9, (n_knots, 5)), axis=0)
    knots_of = p.min() + np.ptp(p) * candidates.T
    expected = [least_squares(p, y, knots, degree, w)[0] / w.sum() for knots in knots_of]
    np.testing.assert_allclose(powers.losses(candidates), expected, rtol=1e-8 if degree == 1 else 1e-4)  # of a ridge


@pytest.mark.parametrize("degree", [1, 2])
def test_the_map_is_the_fit_at_its_knots(degree):
    p, y = rows(400, seed=3)
    family = make(n_bins=3, degree=degree).fit(p, y)
    _, fitted = least_squares(p, y, family.knots_[1:-1], degree)
    np.testing.assert_allclose(family.predict(p), fitted, rtol=0, atol=1e-5)
    beyond = family.predict([0.0, p.min(), p.max(), 1.0])
    assert beyond[0] == beyond[1]
    assert beyond[2] == beyond[3]
    assert family.partition_.edges.tolist() == family.knots_[1:-1].tolist()
    assert family.n_parameters_ == 1 + 3 * degree + 2


@pytest.mark.parametrize("degree", [1, 2])
def test_one_segment_is_regression(degree):
    p, y = rows(100, seed=1)
    expected = np.polynomial.Polynomial.fit(p, y, degree)
    np.testing.assert_allclose(make(n_bins=1, degree=degree).fit(p, y).predict(p), expected(p), rtol=0, atol=1e-7)


def test_no_place_of_one_knot_is_better():
    for seed in range(4):
        p, y = rows(150, seed=seed)
        family = make(n_bins=2).fit(p, y)
        squares = float(((y - family.predict(p)) ** 2).sum())
        scanned = min(least_squares(p, y, [t], 1)[0] for t in np.linspace(p.min(), p.max(), 401)[1:-1])
        assert squares <= scanned + 1e-6


@pytest.mark.parametrize(
    ("n_bins", "degree", "squares"),
    [(2, 1, 123.98651834840638), (3, 1, 118.63865457982929), (5, 1, 117.13287896596242), (2, 2, 119.45336469051966)],
)
def test_it_reaches_the_optima_of_pwlf(n_bins, degree, squares):
    """Sums of squares of pwlf 2.7.0, seed=0, on these 1,000 rows."""
    p, y = rows(1000)
    family = make(n_bins=n_bins, degree=degree).fit(p, y)
    assert float(((y - family.predict(p)) ** 2).sum()) == pytest.approx(squares, abs=1e-3)


def test_cross_validation_takes_the_fewest_nearly_best():
    p, y = rows(100, seed=5)
    family = make(cv=3, max_bins=3).fit(p, y)
    scores = family.cv_scores_
    assert scores.candidates == (1, 2, 3)
    near = np.flatnonzero(scores.mean <= scores.mean.min() * 1.001)
    assert family.n_bins_ == scores.candidates[near[0]]
    assert family.map_ == make(n_bins=family.n_bins_).fit(p, y).map_
    assert not hasattr(make().fit(p[:30], y[:30]), "cv_scores_")  # twenty rows a segment


def test_weights_are_copies():
    p, y = rows(80, seed=2)
    w = np.random.default_rng(0).integers(1, 4, 80)
    one, other = make(n_bins=2).fit(p, y, w), make(n_bins=2).fit(np.repeat(p, w), np.repeat(y, w))
    np.testing.assert_allclose(one.predict(p), other.predict(p), rtol=0, atol=1e-9)


def test_few_scores():
    one = make(n_bins=4).fit([0.4] * 5, [0, 1, 1, 0, 0])
    assert one.predict([0.0, 0.9]).tolist() == pytest.approx([0.4, 0.4])
    two = make(n_bins=4).fit([0.2, 0.2, 0.8], [0, 1, 1])
    assert two.predict([0.2, 0.8]) == pytest.approx([0.5, 1.0], abs=1e-6)
    assert two.n_bins_ == 1
    three = make(n_bins=2, degree=2).fit([0.2, 0.5, 0.8] * 2, [0, 1, 1, 0, 1, 0])
    assert three.predict([0.2, 0.5, 0.8]) == pytest.approx([0, 1, 0.5], abs=1e-3)


def test_it_is_in_no_default_and_seeded():
    assert not family_class("pl_de").evaluator
    assert not family_class("pl_de").calibrator
    p, y = rows(200, seed=9)
    one, same = make(n_bins=3, random_state=4).fit(p, y), make(n_bins=3, random_state=4).fit(p, y)
    assert one.map_ == same.map_
    assert isinstance(ScoreSample(y, p).distinct, DistinctScores)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"degree": 3}, "degree must be 1 or 2, got 3"),
        ({"degree": True}, "degree must be 1 or 2, got True"),
        ({"n_bins": 0}, 'n_bins must be a whole number, at least 1, or "cv"; got 0'),
        ({"max_bins": 1.5}, "max_bins must be a whole number, at least 1, or None; got 1.5"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"cv": 1}, "cv must be"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings).fit([0.1, 0.2], [0, 1])


@pytest.mark.parametrize("degree", [1, 2])
def test_scores_that_crowd_at_the_top_are_fitted_no_worse_than_by_their_mean(degree):
    """Moments about the smallest score say nothing of scores whose distance from the largest is below rounding."""
    rng = np.random.default_rng(0)
    p = np.append(1 - 10 ** rng.uniform(-8, -4, 600), [0.3, 0.5, 0.7])
    y = (rng.random(p.size) < np.where(p > 1 - 10**-5.5, 0.95, 0.6)).astype(float)
    z = rng.normal(10, 4, 600)
    for scores, labels in ((p, y), (1 / (1 + np.exp(-z)), (rng.random(600) < 1 / (1 + np.exp(-z / 4))).astype(float))):
        for n_bins in (2, 3):
            fitted = make(n_bins=n_bins, degree=degree).fit(scores, labels).predict(scores)
            assert np.mean((labels - fitted) ** 2) <= labels.var() + 1e-12


def test_losses_of_crowded_scores_are_those_of_least_squares():
    rng = np.random.default_rng(1)
    p = np.append(1 - 10 ** rng.uniform(-3, -1, 200), [0.0, 0.2])
    y = (rng.random(p.size) < p).astype(float)
    powers = TruncatedPowers.of(ScoreSample(y, p).distinct, 1)
    knots = np.array([[0.7, 0.95, 0.999]])
    span = np.ptp(p)
    expected = [least_squares(p, y, [p.min() + span * t], 1)[0] / p.size for t in knots[0]]
    np.testing.assert_allclose(powers.losses(knots), expected, rtol=1e-7)


def test_a_seed_that_is_none_is_refused():
    p, y = rows(60)
    with pytest.raises(ValueError, match="random_state must be a whole number from 0"):
        make(n_bins=2, random_state=-1).fit(p, y)
