"""The calibration error: definitions by hand, the door, what the result tells."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from tests.quick_families import quick
from tests.strategies import noisy, samples


def by_hand(y, p, w, norm, n_bins):
    """Return the binned error by looping over bins of equal width."""
    index = [min(int(np.floor(v * n_bins + 1e-12 * (v * n_bins % 1 > 0.5))), n_bins - 1) for v in p]
    gaps, shares = [], []
    for b in set(index):
        rows = (np.array(index) == b) & (w > 0)
        if rows.any():
            gaps.append(abs(np.average(y[rows], weights=w[rows]) - np.average(p[rows], weights=w[rows])))
            shares.append(w[rows].sum() / w.sum())
    gaps, shares = np.array(gaps), np.array(shares)
    return {
        "l1": gaps @ shares,
        "squared": gaps**2 @ shares,
        "l2": np.sqrt(gaps**2 @ shares),
        "max": gaps.max(),
    }[norm]


@pytest.mark.parametrize("norm", ["l1", "l2", "squared", "max"])
def test_norms_of_binned_errors_by_hand(norm):
    y, p = noisy(300, seed=3)
    w = np.random.default_rng(0).integers(0, 4, 300).astype(float)
    found = fot.calibration_error(y, p, family=fot.Slope1(7, "equal_width"), norm=norm, sample_weight=w)
    assert float(found) == pytest.approx(by_hand(y, p, w, norm, 7), abs=1e-12)


@pytest.mark.parametrize("family", fot.families.names("two"))
def test_every_family_is_the_norm_of_the_distances(family):
    y, p = noisy(300)
    w = np.random.default_rng(0).random(300) * (np.arange(300) % 5 > 0)
    found = fot.calibration_error(y, p, family=quick(family), norm="l2", sample_weight=w)
    g = np.abs(found.map(p) - p)[w > 0]
    share = w[w > 0] / w.sum()
    assert float(found) == pytest.approx(np.sqrt(g**2 @ share), abs=1e-12)
    for norm, expected in {"l1": g @ share, "squared": g**2 @ share, "max": g.max()}.items():
        of_map = fot.calibration_error(y, p, family=found.map, norm=norm, sample_weight=w)
        assert float(of_map) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(data=samples(weights=st.integers(0, 4).map(float)), norm=st.sampled_from(["l1", "l2", "squared", "max"]))
def test_weight_is_repetition_for_every_norm(data, norm):
    y, p, w = data
    k = w.astype(int)
    for family in (fot.Slope1(4), fot.Flat(3, "equal_width"), fot.Isotonic()):
        measure = fot.measures.PlugIn(family, norm=norm)
        weighted = measure.estimate(fot.ScoreSample(y, p, w))
        repeated = measure.estimate(fot.ScoreSample(np.repeat(y, k), np.repeat(p, k)))
        assert float(weighted) == pytest.approx(float(repeated), abs=1e-12)
        assert weighted.n <= repeated.n


def test_identity_has_no_error():
    y, p = noisy(50)
    for norm in ("l1", "l2", "squared", "max"):
        assert float(fot.calibration_error(y, p, family="identity", norm=norm)) == 0.0


def test_a_fitted_family_is_cloned_and_fitted_again_a_map_is_not():
    y, p = noisy(300)
    other_y, other_p = noisy(300, seed=8, power=0.5)
    fitted = fot.Beta().fit(other_p, other_y)
    before = fitted.map_
    refitted = fot.calibration_error(y, p, family=fitted)
    assert fitted.map_ is before
    assert refitted.fitted_on_these_rows
    assert float(refitted) == float(fot.calibration_error(y, p, family="beta"))
    used = fot.calibration_error(y, p, family=fitted.map_)
    assert not used.fitted_on_these_rows
    assert used.family == "beta"
    assert float(used) == pytest.approx(np.mean(np.abs(before(p) - p)))


def test_the_default_is_the_spline_and_that_of_version_0_1_a_word_away():
    y, p = noisy(500)
    found = fot.calibration_error(y, p)
    assert (found.family, found.norm, found.debias) == ("spline", "l1", False)
    assert (
        float(found)
        == float(fot.calibration_error(y, p, family=fot.Spline()))
        == float(fot.measures.PlugIn().estimate(fot.ScoreSample(y, p)))
    )
    found = fot.calibration_error(y, p, family="slope1")
    assert found.n_bins == fot.Slope1().fit(p, y).n_bins_
    assert found.partition == found.map.partition


def test_what_the_result_tells():
    y, p = noisy(200)
    found = fot.calibration_error(y, p, family=fot.Slope1(5), norm="l2", debias=True)
    assert found.value == float(found)
    assert found.base_rate == pytest.approx(y.mean())
    assert f"{found:.3f}" == f"{found.value:.3f}"
    assert f"{found}" == str(found) == f"{found.headline()}\nno interval: the value is debiased already"
    assert found.n == 200
    assert repr(found) == f"Estimate({found.value:.6g}, family='slope1', norm='l2', debias=True, n_bins=5, n=200)"
    d = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert d["value"] == found.value
    assert d["edges"] == found.partition.edges.tolist()
    assert fot.CalibrationMap.from_dict(d["map"]) == found.map
    without_bins = fot.calibration_error(y, p, family="platt")
    assert repr(without_bins).endswith("norm='l1', n=200)")
    assert (without_bins.n_bins, without_bins.partition, without_bins.to_dict()["edges"]) == (None, None, None)
    assert ", debiased=" in repr(without_bins)  # now it is known


def test_pos_label_and_orientation():
    y, p = noisy(200)
    names = np.where(y == 1, "click", "none")
    assert float(fot.calibration_error(names, p, pos_label="click")) == float(fot.calibration_error(y, p))
    # the other class with the other probability is the same question
    flipped = fot.calibration_error(names, 1 - p, pos_label="none", family="platt")
    assert float(flipped) == pytest.approx(float(fot.calibration_error(y, p, family="platt")), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"norm": "unheard"}, "norm must be one of 'l1', .*'squared', or a quantile .*; got 'unheard'"),
        ({"family": "cubic"}, "family must be one of"),
        ({"family": 3}, "family must be a name, a Family or a CalibrationMap, got 3"),
        ({"family": fot.Beta}, "family must be a name, a Family or a CalibrationMap"),
        ({"debias": "yes"}, "debias must be True or False, got 'yes'"),
        ({"debias": True, "family": "flat"}, "debias must be False unless family is slope1"),
        ({"debias": True, "family": fot.maps.IdentityMap()}, "debias must be False unless family is slope1"),
        ({"debias": True, "norm": "max"}, "debias must be False unless norm is one of"),
        ({"debias": True, "family": "spline"}, "debias must be False unless family is slope1, or another that shifts"),
        (
            {"debias": True, "family": "slope1", "sample_weight": [0.5, 1, 1]},
            "debias must be False unless weights are counts",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        fot.calibration_error([0, 1, 1], [0.2, 0.4, 0.9], **options)


def test_swapped_arguments_are_noticed():
    y, p = noisy(50)
    with pytest.raises(ValueError, match="y_true and y_prob look swapped"):
        fot.calibration_error(p, y)


def test_arithmetic_gives_plain_numbers():
    error = fot.calibration_error([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], family=fot.Slope1(2))
    value = float(error)
    for found, expected in (
        (error + 1, value + 1),
        (1 + error, 1 + value),
        (error - 0.1, value - 0.1),
        (0.1 - error, 0.1 - value),
        (error - error, 0.0),
        (2 * error, 2 * value),
        (sum([error, error]), 2 * value),
    ):
        assert type(found) is float
        assert found == expected
    for other in ("0.1", None, [0.1]):
        with pytest.raises(TypeError):
            error + other
        with pytest.raises(TypeError):
            other - error
