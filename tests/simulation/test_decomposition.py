"""The identities hold to rounding for every family and problem, and their terms are what they say."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.datasets import SHAPES, Derivate, Gaussian, Rare
from fitontest.simulation import decompose
from fitontest.truth import error_after_calibration, map_error

PROBLEMS = [*(Derivate(shape, 0.1) for shape in SHAPES), Gaussian(), Rare()]


@pytest.mark.parametrize("distance", ["brier", "log_loss"])
@pytest.mark.parametrize("family", ["identity", "slope1", "flat", "isotonic", "platt", "spline"])
def test_both_sides_are_equal(family, distance):
    for problem in PROBLEMS:
        y, p, _ = problem.draw(400, random_state=3)
        parts = decompose(problem, fot.families.make(family).fit(p, y), distance=distance, n=5000, random_state=4)
        assert parts.calibration + parts.grouping == pytest.approx(parts.error, rel=1e-9, abs=1e-13)
        assert parts.excess_loss == pytest.approx(parts.error, rel=1e-9, abs=1e-13)
        assert min(vars(parts).values()) >= -1e-13


def test_terms_are_those_of_the_room_of_truth():
    problem = Derivate("stairs", 0.1)
    y, p, _ = problem.draw(300)
    _, p_new, c = problem.draw(2000, random_state=7)
    isotonic = fot.families.make("isotonic").fit(p, y)
    q = isotonic.predict(p_new)
    parts = decompose(problem, isotonic.map_, n=2000, random_state=7)
    assert parts.error == pytest.approx(map_error(q, c, distance="brier"), rel=1e-12)
    assert parts.calibration == pytest.approx(error_after_calibration(q, c, distance="brier"), rel=1e-12)
    assert parts.grouping > 0


def test_a_constant_at_the_base_rate_is_calibrated_and_groups_all():
    problem = Derivate("square", 0.1)
    _, _, c = problem.draw(1000)
    parts = decompose(problem, lambda p: np.full(p.size, c.mean()), n=1000)
    assert parts.calibration < 1e-20
    assert parts.grouping == pytest.approx(c.var())


def test_the_identity_groups_nothing_and_simulated_labels_lose_as_much():
    problem = Derivate("square", 0.1)
    parts = decompose(problem, lambda p: p, n=400_000, random_state=1)
    y, p, c = problem.draw(400_000, random_state=1)
    assert parts.grouping < 1e-20
    lost = (p - y) ** 2 - (c - y) ** 2
    assert parts.excess_loss == pytest.approx(lost.mean(), abs=4 * lost.std() / np.sqrt(lost.size))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"distance": "absolute"}, "distance must be one of 'brier', 'log_loss'; got 'absolute'"),
        ({"calibration_map": 3}, "calibration_map must be a fitted family, a CalibrationMap or a callable, got int"),
        (
            {"calibration_map": lambda p: p[1:]},
            r"calibration_map must return one value for each of 50 scores, got shape \(49,\)",
        ),
        ({"calibration_map": lambda p: p * np.nan}, "calibration_map must be finite, got nan at row 1"),
        ({"n": 0}, "n must be a whole number of rows, at least 1; got 0"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ValueError, match=message):
        decompose(Derivate("square", 0.1), **{"calibration_map": lambda p: p, "n": 50, **settings})


def test_a_mean_that_is_rounded_to_1_leaves_grouping_finite():
    from fitontest.simulation.decomposition import _kullback_leibler

    c = np.array([1.0, 1.0 - 1.1e-16])
    assert np.all(_kullback_leibler(np.ones(2), c) < 1e-12)
