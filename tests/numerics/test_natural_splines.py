"""Natural splines against scipy's, and lines, which they leave alone."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from fitontest.numerics.natural_splines import natural_basis, slopes_at_knots


@pytest.mark.parametrize("n_knots", [3, 4, 5, 9])
def test_they_are_scipys(n_knots):
    rng = np.random.default_rng(n_knots)
    x = np.cumsum(rng.random(n_knots) + 0.1)
    spline = CubicSpline(x, np.eye(n_knots), bc_type="natural")
    t = np.linspace(x[0], x[-1], 57)
    np.testing.assert_allclose(natural_basis(x, t), spline(t), rtol=0, atol=1e-13)
    np.testing.assert_allclose(slopes_at_knots(x), spline(x, 1), rtol=0, atol=1e-12)
    beyond = np.array([x[0] - 3.0, x[-1] + 5.0])
    ends = spline(x[[0, -1]]) + (beyond - x[[0, -1]])[:, None] * spline(x[[0, -1]], 1)
    np.testing.assert_allclose(natural_basis(x, beyond), ends, rtol=0, atol=1e-12)


def test_lines_stay_lines():
    x, t = np.array([-1.0, 0.5, 4.0]), np.linspace(-9, 9, 40)
    np.testing.assert_allclose(natural_basis(x, t) @ (2 * x + 1), 2 * t + 1, rtol=0, atol=1e-13)
    np.testing.assert_allclose(natural_basis(x, t).sum(axis=1), 1.0, rtol=0, atol=1e-13)
