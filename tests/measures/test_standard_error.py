"""The standard error with the map held fixed, against its definition and against fresh draws."""

import numpy as np
import pytest

import fitontest as fot
from tests.strategies import noisy


def influence(found, p, w, norm):
    """Return the standard error by nudging the weight of one row after another, with the map held fixed."""
    g = np.abs(found.map(p) - p)

    def error(weights):
        mean = weights @ (g if norm == "l1" else g**2) / weights.sum()
        return np.sqrt(mean) if norm == "l2" else mean

    moves = []
    for i in range(p.size):
        nudged = w.copy()
        nudged[i] *= 1 + 1e-6
        moves.append((error(nudged) - error(w)) / 1e-6)
    return np.sqrt(np.sum(np.square(moves)))


@pytest.mark.parametrize("norm", ["l1", "l2", "squared"])
@pytest.mark.parametrize("family", ["slope1", "flat", "platt", "isotonic"])
def test_it_is_the_influence_of_single_rows(family, norm):
    y, p = noisy(150, power=2)
    w = np.random.default_rng(0).exponential(size=150)
    made = fot.Slope1(4) if family == "slope1" else family
    found = fot.calibration_error(y, p, family=made, norm=norm, sample_weight=w)
    assert found.se_reason == ""
    assert found.se_map_fixed == pytest.approx(influence(found, p, w, norm), rel=1e-4)


def test_it_is_the_spread_over_fresh_scores_for_a_map_that_was_given():
    rng = np.random.default_rng(0)
    c = fot.maps.BetaMap(2.0, 0.5, 0.3, 1e-16)
    errors = []
    for _ in range(600):
        p = rng.random(300)
        errors.append(fot.calibration_error(rng.random(300) < 0.5, p, family=c))
    spread = np.std([float(e) for e in errors])
    assert np.mean([e.se_map_fixed for e in errors]) == pytest.approx(spread, rel=0.1)
    assert not any(e.fitted_on_these_rows for e in errors)


def test_slope1_from_bins_is_slope1_from_rows():
    y, p = noisy(200)
    w = np.random.default_rng(0).random(200)
    for weights in (None, w):
        from_bins = fot.calibration_error(y, p, family=fot.Slope1(6), sample_weight=weights)
        from_rows = fot.calibration_error(y, p, family=from_bins.map, sample_weight=weights)
        assert from_bins.se_map_fixed == pytest.approx(from_rows.se_map_fixed, rel=1e-9)
        assert float(from_bins) == pytest.approx(float(from_rows), abs=1e-12)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"norm": "max"}, "not a mean over rows"),
        ({"debias": True}, "a debiased error corrects for the fit of the map"),
        ({"family": fot.Slope1(1)}, "all distances are equal"),
        ({"family": "identity"}, "the map is the identity at every row: the error is 0"),
        ({"family": fot.maps.IdentityMap(), "norm": "l2"}, "the square root has no slope at 0"),
        ({"sample_weight": [0, 0, 1, 0]}, "a single row does not vary"),
        ({"sample_weight": [0, 0, 0.3, 0]}, "a single row does not vary"),
    ],
)
def test_where_there_is_none_the_reason_is_told(options, reason):
    found = fot.calibration_error([0, 1, 0, 1], [0.2, 0.4, 0.7, 0.9], **{"family": fot.Slope1(2), **options})
    assert found.se_map_fixed is None
    assert reason in found.se_reason
    assert found.to_dict()["se_map_fixed"] is None


def test_a_given_map_with_equal_distances_has_none_left_to_vary():
    shift = fot.maps.BinnedMap(fot.partitions.Partition([]), [0.1], [1.0])
    found = fot.calibration_error([0, 1], [0.2, 0.4], family=shift)
    assert found.se_map_fixed == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("family", [fot.Flat(3), "isotonic", fot.Slope1(3), fot.maps.BetaMap(2.0, 1.0, 0.0, 1e-9)])
def test_whole_weights_are_rows_repeated(family):
    y, p = noisy(60, ties=1)
    w = np.random.default_rng(0).integers(0, 4, 60)
    for norm in ("l1", "squared"):
        weighted = fot.calibration_error(y, p, family=family, norm=norm, sample_weight=w)
        repeated = fot.calibration_error(np.repeat(y, w), np.repeat(p, w), family=family, norm=norm)
        assert weighted.se_map_fixed == pytest.approx(repeated.se_map_fixed, rel=1e-9)
