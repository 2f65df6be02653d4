"""Smooth maps of cubic pieces: values, slopes, ends, and what they refuse."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, CubicSpline

import fitontest as fot


def test_a_hermite_map_is_the_cubic_hermite_spline():
    x, c, slope = np.array([0.1, 0.25, 0.6, 0.9]), np.array([-0.05, 0.3, 0.4, 1.1]), np.array([2.0, 0.5, -0.2, 3.0])
    width = np.diff(x)
    found = fot.maps.HermiteMap(x, c, slope[:-1] * width, slope[1:] * width)
    p = np.linspace(0.1, 0.9, 101)
    np.testing.assert_allclose(found(p), CubicHermiteSpline(x, c, slope)(p), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(found([0.0, 0.05, 0.95, 1.0]), [-0.05, -0.05, 1.1, 1.1])
    np.testing.assert_array_equal(found(x), c)
    np.testing.assert_array_equal(found.kinks, x)
    assert found.leaves_unit_interval


def test_flat_pieces_are_flat():
    found = fot.maps.HermiteMap([0.0, 0.3, 1.0], [0.7, 0.7, 0.7], [0.0, 0.0], [0.0, 0.0])
    np.testing.assert_array_equal(found(np.linspace(0, 1, 50)), 0.7)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (([0.5], [0.5], [0.1], [0.1]), "x must be at least two strictly increasing knots"),
        (([0.5, 0.5], [0.5, 0.5], [0.1], [0.1]), "x must be at least two strictly increasing knots"),
        (([0.5, 1.5], [0.5, 0.5], [0.1], [0.1]), "x must be at least two strictly increasing knots"),
        (([0.5, 0.6], [0.5], [0.1], [0.1]), r"c must hold one finite value per knot \(2\)"),
        (([0.5, 0.6], [0.5, 0.6], [0.1, 0.2], [0.1]), r"left must hold one finite value per piece \(1\)"),
        (([0.5, 0.6], [0.5, 0.6], [0.1], [np.nan]), "right must be finite"),
        (([0.5, 0.6], [-1e308, 1e308], [0.1], [0.1]), "c must have pieces of finite coefficients"),
    ],
)
def test_a_hermite_map_refuses(fields, message):
    with pytest.raises(ValueError, match=message):
        fot.maps.HermiteMap(*fields)


def test_a_restricted_cubic_map_is_the_natural_spline():
    x, z = np.array([-3.0, -1.0, 0.5, 2.0]), np.array([-2.0, -1.5, 1.0, 2.5])
    found = fot.maps.RestrictedCubicMap(x, z)
    spline = CubicSpline(x, z, bc_type="natural")
    t = np.linspace(-3, 2, 51)
    np.testing.assert_allclose(found(1 / (1 + np.exp(-t))), 1 / (1 + np.exp(-spline(t))), rtol=0, atol=1e-14)
    beyond = np.array([-6.0, -4.0])
    line = spline(-3.0) + spline(-3.0, 1) * (beyond + 3.0)
    np.testing.assert_allclose(found(1 / (1 + np.exp(-beyond))), 1 / (1 + np.exp(-line)), rtol=0, atol=1e-14)
    assert not found.leaves_unit_interval
    np.testing.assert_allclose(found(found.kinks), 1 / (1 + np.exp(-z)), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (([0.5], [0.5]), "x must be at least two strictly increasing knots"),
        (([0.5, 0.4], [0.5, 0.5]), "x must be at least two strictly increasing knots"),
        (([0.5, 0.6], [0.5]), r"z must hold one finite value per knot \(2\)"),
        (([0.5, 0.6], [-1e308, 1e308]), "z must have a spline whose values at the scores are finite"),
        (([0.0, 5e-324], [0.0, 1.0]), "z must have a spline whose values at the scores are finite"),
        (([0.5, 0.6], [0.5, 0.6], 0.7), "eps must be"),
    ],
)
def test_a_restricted_cubic_map_refuses(fields, message):
    with pytest.raises(ValueError, match=message):
        fot.maps.RestrictedCubicMap(*fields)


def test_knots_whose_values_leave_the_unit_interval():
    bounded, free = fot.maps.KnotsMap([0, 1], [0, 1]), fot.maps.KnotsMap([0, 1], [-0.5, 1.5], unbounded=True)
    assert fot.maps.KnotsMap([0, 1], [0, 1], unbounded=False) == bounded
    assert not bounded.leaves_unit_interval
    assert free.leaves_unit_interval
    assert free.to_dict()["unbounded"] is True
    assert "unbounded" not in bounded.to_dict()
    np.testing.assert_array_equal(free([0.0, 0.5, 1.0]), [-0.5, 0.5, 1.5])
    with pytest.raises(ValueError, match="unbounded must be True or False, got 'yes'"):
        fot.maps.KnotsMap([0, 1], [0, 1], unbounded="yes")
    with pytest.raises(ValueError, match=r"c must lie in \[0, 1\]"):
        fot.maps.KnotsMap([0, 1], [0, 1.5])
