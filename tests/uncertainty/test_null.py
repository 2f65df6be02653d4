"""The error to expect of calibrated scores: redrawn labels, refitted partitions, reproducible draws."""

import warnings

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.ordering import Rows
from fitontest.uncertainty.null import estimate_of, redrawn
from tests.strategies import noisy


def test_redrawn_labels_follow_the_scores():
    rng = np.random.RandomState(0)
    p = np.array([0.0, 0.2, 0.2, 0.7, 1.0])
    w = np.array([2.0, 0.0, 3.0, 4.0, 1.0])
    total = np.zeros(4)
    for _ in range(4000):
        groups = redrawn(fot.Sample([0, 1, 1, 0, 1], p, w), rng).groups
        assert groups.p.tolist() == [0.0, 0.2, 0.7, 1.0]
        assert groups.w.tolist() == [2.0, 3.0, 4.0, 1.0]
        total += groups.wy
    np.testing.assert_allclose(total / 4000, [0.0, 0.6, 2.8, 1.0], atol=0.06)


@pytest.mark.parametrize("ties", [None, 1])
@pytest.mark.parametrize("weights", ["unit", "whole", "other"])
def test_a_redrawn_sample_is_a_sample(ties, weights):
    y, p = noisy(200, ties=ties)
    w = {"unit": None, "whole": np.arange(200) % 3, "other": np.linspace(0, 2, 200)}[weights]
    drawn = redrawn(fot.Sample(y, p, w), np.random.RandomState(0))
    again = fot.Sample(drawn.y, drawn.p, drawn.w)  # through the door, sorted and pooled anew
    for name in ("p", "n", "w", "wy"):
        np.testing.assert_allclose(getattr(drawn.groups, name), getattr(again.groups, name), rtol=1e-14)
    np.testing.assert_array_equal(drawn.rows.y, again.rows.y)
    assert drawn.total == pytest.approx(fot.Sample(y, p, w).total)
    assert drawn.unit == (weights == "unit")


def test_entries_of_many_rows_have_the_null_of_their_rows():
    p, y, n = np.array([0.2, 0.2, 0.7]), np.array([0.0, 1.0, 1.0]), np.array([30, 10, 60])
    cells = fot.Sample.of_rows(Rows(p, y, 0.5 * n, n, 0.25 * n), whole=False)
    drawn = redrawn(cells, np.random.RandomState(0))
    assert (drawn.n, drawn.total) == (100, 50.0)
    np.testing.assert_allclose(drawn.groups.w2, [10.0, 15.0])
    rows = fot.Sample(np.repeat(y, n), np.repeat(p, n), np.full(100, 0.5))
    nulls = [estimate_of(fot.Binned(), sample, null_draws=2000).null for sample in (cells, rows)]
    assert nulls[0].mean == pytest.approx(nulls[1].mean, abs=4 * np.hypot(nulls[0].sd, nulls[1].sd) / np.sqrt(2000))
    assert nulls[0].sd == pytest.approx(nulls[1].sd, rel=0.1)


def test_the_mean_under_calibration_is_that_of_calibrated_data():
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 2, 3000)
    errors = [float(fot.tce(rng.random(3000) < p, p)) for _ in range(200)]
    null = fot.tce(rng.random(3000) < p, p, null_draws=200).null
    spread = np.hypot(np.std(errors), null.sd) / np.sqrt(200)
    assert null.refitted
    assert abs(null.mean - np.mean(errors)) < 4 * spread
    assert null.sd == pytest.approx(np.std(errors, ddof=1), rel=0.3)


def test_reference_value_of_calibrated_beta_scores():
    """Perfect scores from Beta(0.5, 2) have a TCE of about 81 % at a million rows, because bins get wide."""
    p = np.random.default_rng(0).beta(0.5, 2, 1_000_000)
    error = fot.tce(np.random.default_rng(1).random(p.size) < p, p, null_draws=3)
    assert error.null.mean == pytest.approx(0.809, abs=0.02)
    assert float(error) == pytest.approx(error.null.mean, abs=0.05)


def test_draws_are_reproducible_and_weights_are_repetition():
    y, p = noisy(300, ties=2)
    w = np.arange(300) % 3
    first = fot.tce(y, p, sample_weight=w, null_draws=5).null.values
    np.testing.assert_array_equal(first, fot.tce(y, p, sample_weight=w, null_draws=5).null.values)
    repeated = fot.tce(np.repeat(y, w), np.repeat(p, w), null_draws=5).null.values
    np.testing.assert_array_equal(first, repeated)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(first, fot.tce(y[order], p[order], sample_weight=w[order], null_draws=5).null.values)
    assert not np.array_equal(first, fot.tce(y, p, sample_weight=w, null_draws=5, random_state=1).null.values)


def test_what_is_refitted():
    y, p = noisy(400)
    assert not fot.tce(y, p, null_draws=2, partition=fot.Isotonic().fit(p, y)).null.refitted
    assert not fot.tce(y, p, null_draws=2, partition=[0.2, 0.8]).null.refitted
    by_name = fot.tce(y, p, null_draws=9, partition="pava").null.values
    here = fot.tce(y, p, null_draws=9, partition=fot.FamilyBins(fot.Isotonic()))
    assert here.null.refitted
    np.testing.assert_array_equal(here.null.values, by_name)


def test_calibrated_scores_have_ordinary_p_values():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(60):
        p = rng.random(300)
        found.append(fot.gce(rng.random(300) < p, p, null_draws=19).null.p_value)
    assert 0.3 < np.mean(found) < 0.7
    y, p = noisy(1000)
    assert fot.tce(y, p, null_draws=19).null.p_value == pytest.approx(1 / 20)


def test_heavy_ties_are_told_once():
    p = np.repeat([0.1, 0.5], [50, 50]) + np.tile([0.0, 0.001], 50) * (np.arange(100) > 60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fot.tce(np.arange(100) % 2, p, null_draws=5)
    assert [w.category for w in caught] == [fot.BlockSizeWarning]


def test_a_single_draw_has_no_spread():
    null = fot.gce([0, 1], [0.2, 0.7], null_draws=1).null
    assert np.isnan(null.sd)
    assert null.to_dict()["sd"] is None
    assert "draws=1" in repr(null)
    assert fot.gce([0, 1], [0.2, 0.7]).null is None
