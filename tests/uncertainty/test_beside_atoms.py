"""The direction beside atoms: it has levels where they are real, and the spline without levels elsewhere."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.uncertainty.ladder import Ladder


def ladder_of(p, c, seed=3):
    y = np.random.default_rng(seed).random(p.size) < c
    return Ladder.of(fot.ScoreSample(y, p), 0)


def test_without_atoms_the_direction_is_the_spline():
    p = np.random.default_rng(0).random(500)
    ladder = ladder_of(p, p**2)
    np.testing.assert_array_equal(ladder.direction, ladder.smooth)


def test_a_level_far_from_its_neighbours_stays_and_calibrated_rows_beside_it_go_back():
    rng = np.random.default_rng(3)
    p = np.append(np.full(1600, 0.5), rng.random(2400))
    ladder = ladder_of(p, np.where(p == 0.5, 0.2, p))
    p, g, direction = ladder.entries.p, ladder.smooth, ladder.direction
    atom = p == 0.5
    assert direction[atom] == pytest.approx(g[atom], abs=0.01)
    assert np.abs(direction - p)[~atom].mean() < 0.8 * np.abs(g - p)[~atom].mean()  # most of that distance is noise


@pytest.mark.exhaustive
def test_levels_of_an_error_of_one_sign_are_noise():
    """Eleven scores with an error of .3 p (1 - p): the direction is nearer the truth than levels of a hundred rows."""
    rng = np.random.default_rng(11)
    nearer = []
    for _ in range(10):
        p = np.round(rng.random(1000), 1)
        ladder = Ladder.of(fot.ScoreSample(rng.random(1000) < 0.7 * p + 0.3 * p**2, p), 0)
        truth, w = 0.7 * ladder.entries.p + 0.3 * ladder.entries.p**2, ladder.entries.w
        far, near = (w @ (g - truth) ** 2 for g in (ladder.smooth, ladder.direction))
        nearer.append(near / far)
    assert np.mean(nearer) < 0.7


@pytest.mark.parametrize("count", [1, 4])
def test_scores_that_are_all_atoms_have_a_direction_within_the_unit_interval(count):
    p = np.repeat(np.linspace(0.0, 1.0, count + 2)[1:-1], 100)
    direction = ladder_of(p, p).direction
    assert np.isfinite(direction).all()
    assert ((direction >= 0) & (direction <= 1)).all()
