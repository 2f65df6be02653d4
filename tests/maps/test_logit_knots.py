"""The mean of polygons in logit-logit space against evaluating each polygon by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid

SCORES = np.concatenate((np.linspace(0, 1, 501), [1e-300, 1e-12, 1 - 1e-12, np.nextafter(1, 0)]))


def polygon(x, z, at):
    """Interpolate one polygon, segment by segment, straight beyond its ends."""
    out = np.empty(at.size)
    for i, t in enumerate(at):
        k = next((k for k in range(len(x) - 2) if t < x[k + 1]), len(x) - 2)
        out[i] = z[k] + (z[k + 1] - z[k]) * (t - x[k]) / (x[k + 1] - x[k])
    return out


@given(st.integers(0, 10_000), st.integers(1, 10), st.integers(2, 8))
def test_is_the_mean_of_its_polygons(seed, n_maps, n_knots):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(0, 6, (n_maps, n_knots)), axis=1) + np.arange(n_knots)
    z = rng.normal(0, 3, (n_maps, n_knots))
    t = logit(SCORES, 1e-16)
    expected = np.mean([sigmoid(polygon(a, b, t)) for a, b in zip(x, z, strict=True)], axis=0)
    np.testing.assert_allclose(fot.maps.LogitKnotsMap(x, z)(SCORES), expected, atol=1e-12)


def test_shared_knots_are_no_special_case():
    x, z = [-2.0, 0.0, 1.0], [-1.0, 0.5, 3.0]
    once, thrice = fot.maps.LogitKnotsMap([x], [z]), fot.maps.LogitKnotsMap([x] * 3, [z] * 3)
    np.testing.assert_allclose(thrice(SCORES), once(SCORES), atol=1e-15)
    np.testing.assert_allclose(once(sigmoid(np.array(x))), sigmoid(np.array(z)), atol=1e-15)


def test_a_million_scores_are_evaluated_in_blocks():
    p = np.random.default_rng(0).random(200_001)
    c = fot.maps.LogitKnotsMap([[-3.0, -1.0, 2.0], [-4.0, 0.5, 3.0]], [[-2.0, -1.5, 2.5], [-5.0, 1.0, 1.5]])
    np.testing.assert_array_equal(c(p)[::1000], c(p[::1000]))


def test_refusals():
    with pytest.raises(ValueError, match="x must have rows of at least two strictly increasing knots"):
        fot.maps.LogitKnotsMap([[0.0, 0.0]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="x must have rows of at least two"):
        fot.maps.LogitKnotsMap([[0.0]], [[1.0]])
    with pytest.raises(ValueError, match=r"z must hold one value per knot, shape \(1, 2\); got shape \(1, 3\)"):
        fot.maps.LogitKnotsMap([[0.0, 1.0]], [[1.0, 2.0, 3.0]])
    for bad in ([1.0, 2.0], [], [[1.0, 2.0], [1.0]], [[np.nan, 1.0]], None):
        with pytest.raises(ValueError, match="x must be rows of equally many finite numbers"):
            fot.maps.LogitKnotsMap(bad, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="eps must be"):
        fot.maps.LogitKnotsMap([[0.0, 1.0]], [[1.0, 2.0]], 0.7)
