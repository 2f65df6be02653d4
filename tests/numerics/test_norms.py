"""Norms: their influence against nudged weights, and norms of one's own wherever there is ``norm=``."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.numerics.norms import find_norm
from tests.strategies import noisy


def fourth(g, w):
    return float((w @ g**4 / w.sum()) ** 0.25)


def influence_of_fourth(g, w):
    mean = w @ g**4 / w.sum()
    return (g**4 - mean) / (4 * mean**0.75)


@pytest.fixture
def l4():
    yield fot.norms.register(fot.norms.Norm("l4", fourth, influence_of_fourth))
    fot.norms.unregister("l4")


def nudged(norm, g, w, i, step=1e-6):
    """Return W d value / d w_i by a difference quotient."""
    up, down = w.copy(), w.copy()
    up[i] += step
    down[i] -= step
    return w.sum() * (norm(g, up) - norm(g, down)) / (2 * step)


@given(
    g=st.lists(st.floats(0.01, 1), min_size=2, max_size=8),
    weights=st.lists(st.floats(0.5, 3), min_size=8, max_size=8),
)
def test_influence_is_the_slope_in_the_weight_of_a_row(g, weights):
    g, w = np.array(g), np.array(weights[: len(g)])
    for norm in (*map(find_norm, fot.norms.names()), fot.norms.Norm("l4", fourth, influence_of_fourth)):
        if norm.influence is not None:
            slopes = [nudged(norm, g, w, i) for i in range(g.size)]
            np.testing.assert_allclose(norm.influence(g, w), slopes, atol=1e-6)


def test_every_registered_norm_takes_signs_off():
    g, w = np.array([-0.4, 0.1, 0.3]), np.array([1.0, 2.0, 1.0])
    for norm in map(find_norm, fot.norms.names()):
        assert norm(g, w) == pytest.approx(norm(np.abs(g), w))
        if norm.influence is not None:
            np.testing.assert_allclose(norm.influence(g, w), norm.influence(np.abs(g), w))


def test_a_registered_norm_is_taken_by_name_everywhere(l4):
    y, p = noisy(300)
    by_name = fot.calibration_error(y, p, family="isotonic", norm="l4")
    c_hat = by_name.map(p)
    assert float(by_name) == pytest.approx(np.mean((c_hat - p) ** 4) ** 0.25)
    assert by_name.norm == "l4"
    assert float(fot.calibration_error(y, p, family="isotonic", norm=l4)) == float(by_name)
    assert float(fot.gce(y, p, norm="l4")) == float(fot.gce(y, p, norm=l4))
    assert fot.evaluate(y, p, families=["platt"], norm="l4")["platt"].norm == "l4"
    assert pickle.loads(pickle.dumps(l4)) == l4


def test_its_standard_error_is_that_of_its_own_influence(l4):
    """In version 0.1 a registered l4 had the standard error of "squared"; the bootstrap says what is right."""
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    c = fot.maps.BetaMap(2.0, 0.5, 0.3, 1e-16)
    found = fot.calibration_error(rng.random(2000) < 0.5, p, family=c, norm="l4")
    g = np.abs(c(p) - p)
    resampled = [fourth(g[rng.integers(0, g.size, g.size)], np.ones(g.size)) for _ in range(2000)]
    assert found.se_map_fixed == pytest.approx(np.std(resampled), rel=0.08)
    without = fot.calibration_error(rng.random(2000) < 0.5, p, family=c, norm=fot.norms.Norm("l4 alone", fourth))
    assert without.se_map_fixed is None
    assert without.se_reason == "the norm 'l4 alone' brings no influence of single rows"


@pytest.mark.parametrize(
    ("norm", "message"),
    [
        (fot.norms.Norm("nan", lambda g, w: float("nan")), "norm must return a finite number, got nan"),
        (fot.norms.Norm("text", lambda g, w: "x"), "norm must return a finite number, got 'x'"),
        (
            fot.norms.Norm("short", lambda g, w: 0.5, lambda g, w: g[:1]),
            "influence must return one number per distance",
        ),
        (7, "norm must be one of 'l1', .*'squared', or a quantile such as .*, a Norm or a callable; got 7"),
        ("unheard", "norm must be one of 'l1', .*'squared', or a quantile such as 'q50', .*; got 'unheard'"),
    ],
)
def test_refusals(norm, message):
    with pytest.raises(ValueError, match=message):
        fot.calibration_error(*noisy(50), family="platt", norm=norm)


def test_the_registry_refuses_names_that_are_taken_and_what_is_no_norm(l4):
    with pytest.raises(ValueError, match="there is a norm called 'l4' already"):
        fot.norms.register(fot.norms.Norm("l4", fourth))
    with pytest.raises(TypeError, match="norm must be a Norm"):
        fot.norms.register(fourth)
    with pytest.raises(ValueError, match="must be that of a registered norm"):
        fot.norms.unregister("l5")
