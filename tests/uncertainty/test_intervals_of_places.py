"""Debiased values and intervals of quantiles of the distances and of their maximum."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.plug_in import PlugIn
from fitontest.uncertainty.intervals import NO_PLACES_OF_LEVELS
from fitontest.uncertainty.inversion import invert
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.uncertainty.test_ladder import drawn, waves

pytestmark = pytest.mark.multiplies


@pytest.mark.parametrize(
    ("family", "norm"), [("platt", "q50"), ("loess", "q90"), ("loess", "max"), ("isotonic", "max")]
)
def test_they_have_intervals_of_the_error(family, norm):
    y, p = drawn(lambda p: p**1.5, 1000)
    error = fot.calibration_error(y, p, family=family, norm=norm, interval="always")
    true = fot.norms.make(norm)(np.abs(p**1.5 - p), np.ones(p.size))
    assert error.interval.low <= true <= error.interval.high
    assert error.interval.low <= error.debiased <= error.interval.high
    assert error.interval.target == "true error"
    assert error.null.values.size == 200
    assert error.null.p_value < 0.05
    assert f"norm {norm}" in str(error)
    assert "interval: for the error of these scores" in str(error)


def test_of_calibrated_scores_noise_is_taken_off():
    y, p = drawn(lambda p: p, 1000, seed=1)
    error = fot.calibration_error(y, p, family="loess", norm="max", interval="always")
    assert error.interval.low == 0.0
    assert error.debiased < error.value
    assert error.null.p_value > 0.05


def test_a_quantile_may_be_asked_of_a_table_and_says_what_it_is():
    y, p = drawn(lambda p: p**1.5, 500)
    table = fot.evaluate(y, p, families=["platt", "loess"], norm="q90", interval="always")
    assert table["loess"].norm == "q90"
    assert table["loess"].interval is not None
    assert "q90" in str(table)
    without = fot.calibration_error(y, p, family="platt", norm="q90", interval=None)
    assert "interval='always' gives the corrected value and an interval" in str(without)


@pytest.mark.parametrize("norm", ["q90", "max"])
def test_a_limit_is_of_the_root_mean_square(norm):
    y, p = drawn(lambda p: p, 300)
    error = fot.calibration_error(y, p, family="platt", norm=norm, interval="always")
    assert error.limits is None
    with pytest.raises(ValueError, match=f"it bounds the root mean square of an error, not its {norm}"):
        error.limit()


@pytest.mark.parametrize("norm", ["q50", "max"])
def test_of_levels_there_is_none(norm):
    """Levels have noise of their own: their median is too small and their maximum too large."""
    y, p = drawn(lambda p: waves(p, 20), seed=4)
    error = fot.calibration_error(y, p, family="platt", norm=norm, interval="always")
    assert error.interval is None
    assert error.debiased is None
    assert error.null.values.size == 200
    assert error.interval_reason == NO_PLACES_OF_LEVELS
    assert f"no interval: {NO_PLACES_OF_LEVELS}" in " ".join(str(error).split())


def test_where_most_rows_are_calibrated_the_median_has_none():
    y, p = drawn(lambda p: p, 500)
    upper = fot.maps.KnotsMap([0.0, 0.8, 1.0], [0.0, 0.8, 0.9])
    redrawing = Redrawing.at(0.95, direction=upper)
    median, mean = (estimate_of(PlugIn("platt", norm), fot.read(y, p), redrawing=redrawing) for norm in ("q50", "l1"))
    assert median.interval is None
    assert median.interval_reason == "the q50 of the distances is 0 on the whole way to the fitted map"
    assert mean.interval is not None


def test_the_low_end_allows_for_skewness_and_the_high_end_stays():
    noise = np.random.default_rng(0).exponential(0.02, 200)
    errors = np.array([0.0, 0.05, 0.1, 0.2])
    redrawn = errors[:, None] + noise
    plain, skewed = (invert(0.12, errors, redrawn, 0.95, skewed=skewed) for skewed in (False, True))
    assert skewed.low < plain.low
    assert (skewed.estimate, skewed.high) == (plain.estimate, plain.high)
    left = invert(0.12, errors, errors[:, None] - noise, 0.95, skewed=True)
    assert left == invert(0.12, errors, errors[:, None] - noise, 0.95)
