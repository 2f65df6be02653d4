"""Finding places among knots: numpy's answers to the last bit, whatever the scores and the knots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fitontest.numerics import search
from fitontest.numerics.search import BLOCK

RNG = np.random.default_rng(0)
MANY = RNG.random(30_000)
SCORES = {
    "uniform": MANY,
    "sorted": np.sort(MANY),
    "sorted but for the end": np.append(np.sort(MANY), 0.0),
    "at cells": np.round(MANY * search.CELLS) / search.CELLS,
    "at 0 and 1": np.round(MANY),
    "small": MANY * 1e-12,
    "few": MANY[:50],
    "none": MANY[:0],
    "matrix": MANY.reshape(300, 100),
    "several blocks": RNG.random(2 * BLOCK + 3),
    "outside": np.append(MANY * 3 - 1, [-np.inf, np.inf]),
    "every second": np.repeat(MANY, 2)[::2],
}
KNOTS = {
    "one": np.array([0.5]),
    "ends": np.array([0.0, 1.0]),
    "some": np.sort(RNG.random(60)),
    "at cells": np.arange(0, search.CELLS + 1, 7) / search.CELLS,
    "too many in a cell": np.concatenate((np.linspace(0, 1e-4, 30), [0.5])),
    "neighbouring floats": np.array([0.3, np.nextafter(0.3, 1), np.nextafter(np.nextafter(0.3, 1), 1), 0.9]),
    "denormal apart": np.array([0.0, 1e-309, 0.5]),
    "scores themselves": np.unique(MANY[:200]),
}


@pytest.mark.parametrize("p", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("knots", KNOTS.values(), ids=KNOTS)
def test_positions_are_numpys(p, knots):
    for side in ("left", "right"):
        indices = search.positions(knots, p, side)
        assert indices.dtype == np.intp
        np.testing.assert_array_equal(indices, np.searchsorted(knots, p, side=side))


@pytest.mark.parametrize("p", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("knots", KNOTS.values(), ids=KNOTS)
def test_interpolation_is_numpys(p, knots):
    values = np.random.default_rng(1).random(knots.size)
    np.testing.assert_array_equal(search.interpolated(p, knots, values), np.interp(p, knots, values))


@pytest.mark.parametrize("values", [[0.2, 0.6, 0.9], [0.9, 0.6, 0.1]])
def test_between_knots_too_close_for_a_slope_values_stay_between_theirs(values):
    """numpy's value there is infinite, and its mean over folds was one of no map."""
    knots, p = np.array([0.0, 1e-309, 0.5]), np.array([0.0, 5e-324, 5e-310, 1e-309, 0.25])
    found = search.interpolated(p, knots, np.array(values))
    assert found[[0, 3]].tolist() == values[:2]
    assert np.all((found[1:3] >= min(values[:2])) & (found[1:3] <= max(values[:2])))
    assert found[4] == pytest.approx((values[1] + values[2]) / 2)


def test_no_knots():
    np.testing.assert_array_equal(search.positions(np.empty(0), MANY, "left"), np.zeros(MANY.size))


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40, unique=True), st.integers(0, 1000))
def test_any_knots(knots, seed):
    knots = np.sort(knots)
    rng = np.random.default_rng(seed)
    p = np.concatenate((rng.random(search.FEW), rng.choice(knots, 500), [0.0, 1.0]))
    for side in ("left", "right"):
        np.testing.assert_array_equal(search.positions(knots, p, side), np.searchsorted(knots, p, side=side))
    values = rng.random(knots.size)
    np.testing.assert_array_equal(search.interpolated(p, knots, values), np.interp(p, knots, values))
