"""Coarse cells: the usual ones lie inside them, and sums over them are those of the rows themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.cells.cell_sums import CellSums, Resolution

NEXT = [np.nextafter(k / 64, side) for k in (1, 31, 32, 33, 63) for side in (0, 1)]
SCORES = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, -0.0, 1.0, 0.5, 5e-324, 1e-300, 1e-17, np.nextafter(1, 0), *NEXT])
)
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.sampled_from([0.3, 1.0, 7.5])), min_size=1, max_size=30)
MADE = {
    "usual": {},
    "exact": {"exact": True},
    "edges": {"edges": [0.1, 0.29, 0.5]},
    "by group": {"groups": True},
}


def columns_of(rows):
    y, p, w = zip(*rows, strict=True)
    return np.array(y, dtype=float), np.array(p), np.array(w)


@pytest.mark.parametrize("kind", MADE)
@given(ROWS, st.sampled_from([2, 16, 32, 128, 1024]))
@settings(max_examples=25, deadline=None)
def test_pooled_cells_are_those_made_of_the_rows(kind, rows, coarse):
    y, p, w = columns_of(rows)
    options = dict(MADE[kind])
    if options.get("groups"):
        options["groups"] = np.array(["a", "b", "c"])[np.arange(y.size) % 3]
    found = fot.Cells.of(y, p, w, **options).sums.pooled(Resolution(coarse=coarse))
    expected = CellSums.of_rows(p, y, w, Resolution(coarse=coarse))
    for name in ("key", "low", "high", "rows"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for name in ("w", "w2", "wp", "p"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-13, atol=1e-300)
    assert found.whole == expected.whole
    assert found.group is None
    assert found.ids is None


@given(st.lists(SCORES, min_size=2, max_size=50))
@settings(max_examples=50, deadline=None)
def test_keys_are_nested_and_ordered(scores):
    p = np.sort(np.array(scores))
    finer = Resolution().keys(p)
    for coarse in (2, 16, 32, 128, 1024):
        keys = Resolution(coarse=coarse).keys(p)
        assert np.all(np.diff(keys) >= 0)
        assert not np.any((np.diff(finer) == 0) & (np.diff(keys) != 0))
        finer = keys


def test_certain_scores_have_cells_of_their_own():
    p = np.array([0.0, 5e-324, 1.0 - 2.0**-53, 1.0])
    assert np.unique(Resolution(coarse=1024).keys(p)).size == 4


def test_widths_are_those_that_are_asked_for():
    p = np.linspace(0.26, 0.74, 4001)  # where a step of 1/64 in probability is the narrower of both
    assert np.unique(np.floor(64 * p)).size <= np.unique(Resolution(coarse=16).keys(p)).size <= 4 * 64
    sums = CellSums.of_rows(p, np.zeros(p.size), None, Resolution(coarse=16))
    assert (sums.high - sums.low).max() <= 1 / 64
    logits = np.log(p / (1 - p))
    assert all(
        np.ptp(logits[(p >= low) & (p <= high)]) <= 1 / 64 for low, high in zip(sums.low, sums.high, strict=True)
    )


def test_pooling_twice_is_pooling_once_and_no_cells_stay_none():
    rng = np.random.default_rng(0)
    p, y = rng.beta(1, 8, 500), rng.integers(0, 2, 500).astype(float)
    fine = CellSums.of_rows(p, y, None, Resolution())
    once, twice = fine.pooled(Resolution(coarse=32)), fine.pooled(Resolution(coarse=16)).pooled(Resolution(coarse=32))
    np.testing.assert_array_equal(once.key, twice.key)
    np.testing.assert_array_equal(once.rows, twice.rows)
    np.testing.assert_allclose(once.wp, twice.wp, rtol=1e-13)
    assert len(once) < len(fine)
    assert len(CellSums.none().pooled(Resolution(coarse=16))) == 0
