"""Mixtures of maps."""

import numpy as np
import pytest

import fitontest as fot

GRID = np.linspace(0, 1, 101)
FALLING = fot.maps.LogisticMap(-1.0, 0.0, "logit", 1e-16)
KNOTS = fot.maps.KnotsMap([0.2, 0.6], [0.1, 0.5])


def test_it_is_the_weighted_mean():
    mixture = fot.maps.MixtureMap([0.2, 0.8], [KNOTS, FALLING])
    np.testing.assert_allclose(mixture(GRID), 0.2 * KNOTS(GRID) + 0.8 * FALLING(GRID), atol=1e-15)
    assert mixture.kinks.tolist() == [0.2, 0.6]
    assert not mixture.shifts_bins
    assert mixture.partition is None


def test_parts_without_weight_are_left_alone():
    mixture = fot.maps.MixtureMap([1.0, 0.0], [fot.maps.IdentityMap(), KNOTS])
    np.testing.assert_array_equal(mixture(GRID), GRID)
    assert mixture.kinks.size == 0


def test_it_stays_in_the_unit_interval_unless_a_part_may_leave_it():
    thirds = fot.maps.MixtureMap([1 / 3] * 3, [fot.maps.KnotsMap([0.0], [1.0])] * 3)
    assert thirds(GRID).max() <= 1.0
    shifted = fot.maps.BinnedMap(fot.partitions.Partition([]), [0.4], [1.0])
    assert fot.maps.MixtureMap([0.5, 0.5], [shifted, fot.maps.IdentityMap()])(1.0) == pytest.approx(1.2)


def test_a_part_that_decreases_says_so_in_json():
    mixture = fot.maps.MixtureMap([0.5, 0.5], [KNOTS, FALLING])
    d = mixture.to_dict()
    assert "decreasing" not in d
    assert d["parts"][1]["decreasing"] is True
    assert fot.CalibrationMap.from_json(mixture.to_json()) == mixture
    del d["parts"][1]["decreasing"]
    with pytest.raises(ValueError, match="parts must say that it is decreasing"):
        fot.CalibrationMap.from_dict(d)


@pytest.mark.parametrize(
    ("weights", "parts", "message"),
    [
        ([0.5, 0.6], [KNOTS, FALLING], "weights must not be negative and have the sum 1"),
        ([1.5, -0.5], [KNOTS, FALLING], "weights must not be negative"),
        ([1.0], [KNOTS, FALLING], r"weights must hold one number per part \(2\)"),
        ([0.5, 0.5], [KNOTS, 3], "parts must hold calibration maps, got 3 at position 1"),
        ([1.0], [], "parts must be a non-empty list"),
    ],
)
def test_refusals(weights, parts, message):
    with pytest.raises(ValueError, match=message):
        fot.maps.MixtureMap(weights, parts)


def test_parts_of_json_must_be_maps():
    with pytest.raises(ValueError, match="kind must be one of"):
        fot.CalibrationMap.from_dict({"schema": 2, "kind": "mixture", "weights": [1.0], "parts": [{"schema": 2}]})
