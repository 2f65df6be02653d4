"""Planted errors: of exactly the wanted size, with the mean of the scores, wherever one can be."""

import numpy as np
import pytest

from fitontest.numerics.links import logit
from fitontest.simulation.distortions import DISTORTIONS

SCORES = {
    "uniform": lambda rng: rng.random(400),
    "rare": lambda rng: rng.beta(1, 99, 400),
    "ties": lambda rng: np.round(rng.random(400), 1),
    "ends": lambda rng: rng.choice([0.0, 0.2, 0.7, 1.0], 400),
}


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("name", DISTORTIONS)
def test_the_error_is_exactly_as_wanted_and_the_mean_is_kept(name, scores):
    rng = np.random.default_rng(1)
    p, w = SCORES[scores](rng), rng.integers(1, 4, 400).astype(float)
    distortion = DISTORTIONS[name]
    for share in (0.0, 0.01, 0.3, 0.999):
        error = share * distortion.largest_error(p, w)
        c = distortion.plant(p, w, error)
        assert abs(float(w @ abs(c - p) / w.sum()) - error) < 1e-9
        assert abs(float(w @ (c - p) / w.sum())) < 1e-9
        assert c.min() >= 0
        assert c.max() <= 1


@pytest.mark.parametrize("name", DISTORTIONS)
def test_an_error_out_of_reach_is_none(name):
    p, w = np.random.default_rng(0).beta(1, 99, 300), np.ones(300)
    largest = DISTORTIONS[name].largest_error(p, w)
    assert DISTORTIONS[name].plant(p, w, largest * 1.001) is None
    assert largest < 0.02 < 0.3 * DISTORTIONS[name].largest_error(np.linspace(0.01, 0.99, 99), np.ones(99))


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_scores_that_are_all_alike_have_no_error_of_mean_0(value):
    for distortion in DISTORTIONS.values():
        assert distortion.plant(np.full(5, value), np.ones(5), 1e-6) is None


def test_shapes():
    """Overconfident scores have a truth on a line in the logit; the wave crosses the scores, up, down and up."""
    p, w = np.linspace(0.01, 0.99, 197), np.ones(197)
    line = logit(DISTORTIONS["overconfident"].plant(p, w, 0.05), 0)
    slope = np.diff(line) / np.diff(logit(p, 0))
    np.testing.assert_allclose(slope, slope[0], rtol=1e-9)
    assert 0 < slope[0] < 1
    above = DISTORTIONS["wavy"].plant(p, w, 0.03) > p
    assert above[[0, 40, 98, 156, 196]].tolist() == [False, True, False, True, False]
    assert np.count_nonzero(np.diff(above)) == 4
