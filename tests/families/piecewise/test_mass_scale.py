"""The quantile function on which knots move: increasing, with the right ends, near the quantiles."""

import numpy as np
import pytest
from hypothesis import given, settings

import fitontest as fot
from fitontest.families.piecewise.grid import grid_of
from fitontest.families.piecewise.mass_scale import POINTS, quantiles
from fitontest.numerics.links import IDENTITY, LOGIT
from tests.strategies import samples


def scale(p, link=IDENTITY, ends=(0.0, 1.0), w=None):
    sample = fot.ScoreSample(np.arange(len(p)) % 2, p, w)
    return quantiles(grid_of(sample, [np.arange(sample.n)], link, 4096), ends)


def test_is_close_to_the_quantiles():
    p = np.random.default_rng(0).beta(2, 5, 20_000)
    share = np.linspace(0, 1, POINTS)
    np.testing.assert_allclose(scale(p)[1:-1], np.quantile(p, share)[1:-1], atol=0.02)


@pytest.mark.exhaustive
@settings(max_examples=40)
@given(samples(min_size=2))
def test_is_increasing_between_its_ends(data):
    _, p, w = data
    for link, ends in ((IDENTITY, (0.0, 1.0)), (LOGIT, None)):
        q = scale(p, link, ends, w)
        assert q.size == POINTS
        assert np.all(np.diff(q) >= 0)  # scores 1e-300 apart may take all the shares between two of its points
        assert q[-1] > q[0]
        if ends is not None:
            assert (q[0], q[-1]) == ends


def test_a_share_that_underflows_moves_no_end():
    assert scale([0.0, 5e-324, 1.0], w=[0.0, 1.0, 1.0])[[0, -1]].tolist() == [0.0, 1.0]


def test_ties_make_a_steep_piece_and_no_jump():
    p = np.concatenate((np.linspace(0, 1, 101), np.full(2000, 0.5)))
    q = scale(p)
    assert np.all(np.diff(q) > 0)
    assert np.diff(q).min() > 1e-5
    assert np.sum(np.abs(q - 0.5) < 0.02) > 0.8 * POINTS


@pytest.mark.parametrize("p", [0.0, 0.4, 1.0])
def test_a_single_score_has_a_range_around_it(p):
    q = scale([p, p, p], LOGIT, None)
    assert q[-1] - q[0] == pytest.approx(1.0)
