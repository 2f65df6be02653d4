"""The norm that is a quantile of distances: against numpy of the repeated rows, weights, names, and refusals."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.numerics.quantiles import quantiles_of_columns
from tests.strategies import noisy

SHARES = st.sampled_from([0.05, 1 / 3, 0.5, 0.75, 0.9, 0.975])
DISTANCES = st.lists(st.integers(-8, 8).map(lambda k: k / 10), min_size=1, max_size=12)


def weights_for(g, weights):
    w = np.array((weights * len(g))[: len(g)], dtype=float)
    return np.where(w.sum() > 0, w, w + 1.0)


@given(g=DISTANCES, weights=st.lists(st.integers(0, 4), min_size=1, max_size=12), share=SHARES)
def test_of_counts_it_is_that_of_the_repeated_rows(g, weights, share):
    g, w = np.array(g), weights_for(g, weights)
    repeated = np.repeat(np.abs(g), w.astype(int))
    norm = fot.norms.Quantile(share)
    expected = np.quantile(repeated, share)
    assert norm(g, w, counts=True) == pytest.approx(expected, abs=1e-12)
    assert norm(g, w) == norm(g, w, counts=True)
    assert norm(repeated, np.ones(repeated.size)) == pytest.approx(expected, abs=1e-12)


@given(
    g=DISTANCES,
    weights=st.lists(st.integers(0, 4), min_size=1, max_size=12),
    share=SHARES,
    scale=st.sampled_from([0.1, 1.0, 3.0, 1e-7]),
)
def test_of_importances_it_is_the_inverse_of_the_step_function(g, weights, share, scale):
    g, w = np.array(g), weights_for(g, weights)
    reached = [x for x in np.unique(np.abs(g)) if w[np.abs(g) <= x].sum() >= share * w.sum() * (1 - 1e-9)]
    assert fot.norms.Quantile(share)(g, scale * w, counts=False) == reached[0]


@given(g=DISTANCES, weights=st.lists(st.integers(0, 4), min_size=1, max_size=12), share=SHARES, counts=st.booleans())
def test_equal_distances_may_be_pooled(g, weights, share, counts):
    g, w = np.array(g), weights_for(g, weights)
    distances, place = np.unique(np.abs(g), return_inverse=True)
    norm = fot.norms.Quantile(share)
    pooled = norm(distances, np.bincount(place, w), counts=counts)
    assert pooled == pytest.approx(norm(g, w, counts=counts), abs=1e-12)


def test_columns_are_each_by_itself():
    rng = np.random.default_rng(0)
    g, norm = rng.normal(size=(40, 5)), fot.norms.Quantile(0.9)
    for w in (np.ones(40), rng.integers(0, 4, 40).astype(float), rng.random(40)):
        counts = bool((w % 1 == 0).all())
        expected = [norm(column, w) for column in g.T]
        np.testing.assert_array_equal(norm.of_columns(g, w), expected)
        np.testing.assert_array_equal(quantiles_of_columns(np.abs(g), w, 0.9, counts=counts), expected)


@pytest.mark.parametrize(
    ("name", "share"), [("q90", 0.9), ("q50", 0.5), ("q97.5", 0.975), ("q99.9", 0.999), ("q05", 0.05), ("q.5", 0.005)]
)
def test_names(name, share):
    norm = fot.norms.make(name)
    for same in (fot.norms.Quantile(share), fot.norms.make(norm.name), pickle.loads(pickle.dumps(norm))):
        assert norm == same
        assert hash(norm) == hash(same)
    assert repr(norm) == f"Quantile({share})"
    assert name in fot.norms.registry
    assert norm != fot.norms.Quantile(0.123)


@pytest.mark.parametrize("family", ["isotonic", "platt", fot.Slope1(4)])
def test_of_a_map_it_is_the_quantile_of_the_rows(family):
    """E50 and E90 of any family, whatever the weights; bins pool their rows."""
    y, p = noisy(200, ties=1)
    e90 = fot.calibration_error(y, p, family=family, norm="q90")
    assert float(e90) == pytest.approx(np.quantile(np.abs(e90.map.evaluate(p) - p), 0.9), abs=1e-12)
    assert e90.norm == "q90"
    assert e90.se_map_fixed is None
    assert "density" in e90.se_reason
    w = np.arange(200) % 4
    rows = np.repeat(np.arange(200), w)
    weighted = fot.calibration_error(y, p, family=family, norm="q90", sample_weight=w)
    repeated = fot.calibration_error(y[rows], p[rows], family=family, norm="q90")
    assert float(weighted) == pytest.approx(float(repeated), abs=1e-9 if family == "platt" else 1e-12)


def test_importances_have_no_scale():
    y, p = noisy(200)
    w = 1.0 + np.arange(200) % 3
    values = []
    for scale in (1.0, 2.0, 4.0):
        sample = fot.read(y, p, sample_weight=scale * w, weights="importances")
        values.append(float(fot.calibration_error(sample, family="platt", norm="q50")))
    assert np.ptp(values) < 1e-9


def test_bins_have_quantiles_too():
    y, p = noisy(300)
    rows = [row for row in fot.ece(y, p, n_bins=10).rows() if row["n"]]
    gaps = np.repeat([row["loss"] for row in rows], [row["n"] for row in rows])
    assert float(fot.ece(y, p, n_bins=10, norm="q90")) == pytest.approx(np.quantile(np.abs(gaps), 0.9), abs=1e-12)


@pytest.mark.parametrize("name", ["q0", "q100", "q0.0", "q-5", "q", "q101", "q9O", "Q90"])
def test_other_names_are_refused(name):
    with pytest.raises(
        ValueError, match=r"norm must be one of .*'squared', or a quantile such as 'q50'.* than 100 percent"
    ):
        fot.calibration_error([0, 1], [0.2, 0.7], norm=name)
    assert name not in fot.norms.registry


@pytest.mark.parametrize("share", [0, 1, 1.0, -0.1, 90, "q90", None, True, float("nan")])
def test_other_shares_are_refused(share):
    with pytest.raises(ValueError, match=r"share must be a number in \(0, 1\), got"):
        fot.norms.Quantile(share)


def test_the_largest_distance_has_a_norm_of_its_own():
    with pytest.raises(ValueError, match="the largest distance is norm='max'"):
        fot.norms.Quantile(1)
    with pytest.raises(ValueError, match="did you mean 'max', the largest distance"):
        fot.calibration_error([0, 1], [0.2, 0.7], norm="q100")


def test_names_of_quantiles_are_taken():
    with pytest.raises(ValueError, match="name must not be that of a quantile, such as 'q90'; got 'q42'"):
        fot.norms.register(fot.norms.Norm("q42", lambda g, w: 0.0))
