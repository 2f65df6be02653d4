"""What every calibration map promises, and the formula of each."""

import copy
import json
import pickle

import numpy as np
import pytest

import fitontest as fot
from fitontest.maps.atoms import AtomsMap

MAPS = {
    "identity": fot.maps.IdentityMap(),
    "binned": fot.maps.BinnedMap(fot.partitions.Partition([0.2, 0.7], "right"), [0.1, 0.5, -0.1], [1.0, 0.0, 1.0]),
    "binned-equal-width": fot.maps.BinnedMap(
        fot.partitions.Partition([0.25, 0.5, 0.75]), [0.1, 0.5, -0.1, 0.0], [1.0, 0.0, 1.0, 0.5]
    ),
    "constant": fot.maps.BinnedMap(fot.partitions.Partition([]), [0.3], [0.0]),
    "knots": fot.maps.KnotsMap([0.1, 0.3, 0.8], [0.0, 0.2, 0.9]),
    "steps": fot.maps.StepsMap([0.1, 0.5, 0.8], [0.0, 0.4, 0.2, 0.9], [0.1, 0.3, 0.6]),
    "steps-none": fot.maps.StepsMap([], [0.3], []),
    "logistic": fot.maps.LogisticMap(1.3, -0.2, "logit", 1e-16),
    "logistic-identity": fot.maps.LogisticMap(4.0, -2.0, "identity", 1e-16),
    "beta": fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16),
    "logit-knots": fot.maps.LogitKnotsMap([[-3.0, -1.0, 2.0], [-4.0, 0.5, 3.0]], [[-2.0, -1.5, 2.5], [-5.0, 1.0, 1.5]]),
    "logit-knots-line": fot.maps.LogitKnotsMap([[-3.0, 3.0]], [[-1.0, 2.0]]),
    "atoms": AtomsMap([0.0, 0.5], [0.2, 0.4], fot.maps.KnotsMap([0.1, 0.3, 0.8], [0.0, 0.2, 0.9])),
}
every_map = pytest.mark.parametrize("c", MAPS.values(), ids=MAPS)
GRID = np.concatenate((np.linspace(0, 1, 201), [5e-324, 1e-300, np.nextafter(1, 0)]))


@every_map
def test_total_vectorised_and_shape_preserving(c):
    values = c(GRID)
    assert values.shape == GRID.shape
    assert values.dtype == np.float64
    assert np.isfinite(values).all()
    np.testing.assert_array_equal([c(p) for p in GRID], values)
    np.testing.assert_array_equal(c(GRID[:200].reshape(10, 20)), values[:200].reshape(10, 20))
    assert np.ndim(c(0.25)) == 0
    assert c([]).size == 0
    np.testing.assert_array_equal(c(GRID.astype(np.float32)), c(GRID.astype(np.float32).astype(np.float64)))


@every_map
@pytest.mark.parametrize("p", [[1.5], [-1e-5], [np.nan], [np.inf], ["a"], [None]])
def test_refuses_what_is_no_score(c, p):
    with pytest.raises(ValueError, match="p must"):
        c(p)


@every_map
def test_round_trips_bit_by_bit(c):
    d = json.loads(json.dumps(c.to_dict(), allow_nan=False))
    for again in (fot.CalibrationMap.from_dict(d), type(c).from_dict(d), pickle.loads(pickle.dumps(c))):
        assert again == c
        assert hash(again) == hash(c)
        np.testing.assert_array_equal(again(GRID), c(GRID))


@every_map
def test_is_frozen(c):
    for name in c.to_dict():
        if name in ("schema", "kind"):
            continue
        with pytest.raises(AttributeError):
            setattr(c, name, 0)
        value = getattr(c, name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 0.0


@pytest.mark.parametrize(
    ("offset", "slope"), [(1.5, 0.0), (-1e-300, 0.0), (0.0, 1.5), (0.75, 0.5), (0.5, -0.75), (1e308, 1e308)]
)
def test_only_bins_of_slope_1_may_leave_the_unit_interval(offset, slope):
    bins = fot.partitions.Partition([0.5])
    assert fot.maps.BinnedMap(bins, [0.0, 1.5], [0.0, 1.0])([0.9]) > 1
    with pytest.raises(
        ValueError, match=r"offset must keep the lines .* in bin 2 \(bins counted from 1; 1 such bins\)"
    ):
        fot.maps.BinnedMap(bins, [0.0, offset], [1.0, slope])


def test_lines_within_the_unit_interval_are_no_concern():
    c = fot.maps.BinnedMap(fot.partitions.Partition([0.5]), [1.0, 2.0], [-2.0, -2.0])  # slopes that no fit gives
    assert c([0.0, 0.25, 0.5, 0.75, 1.0]).tolist() == [1.0, 0.5, 1.0, 0.5, 0.0]


def test_maps_differ():
    maps = list(MAPS.values())
    for i, a in enumerate(maps):
        assert [a == b for b in maps] == [i == j for j in range(len(maps))]
    assert fot.maps.KnotsMap([0, 1], [0, 1]) != fot.maps.KnotsMap([0, 1], [0, 0.9])


@pytest.mark.parametrize(
    ("d", "message"),
    [
        ({}, "schema 2, got none"),
        ({"schema": 3, "kind": "identity"}, "schema 2, got 3"),
        ({"schema": 2}, "kind must be one of .*; got ''"),
        ({"schema": 2, "kind": "os.system"}, "kind must be one of .*; got 'os.system'"),
        ({"schema": 2, "kind": "identity", "extra": 1}, "must have the fields"),
        ({"schema": 2, "kind": "knots", "x": [0, 1]}, "must have the fields"),
        ({"schema": 2, "kind": "knots", "x": [1, 0], "c": [0, 1]}, "x must be strictly increasing"),
        ({"schema": 2, "kind": "knots", "x": [0, 1], "c": [0]}, "c must hold one finite value per knot"),
        ({"schema": 2, "kind": "steps", "x": [0.5], "c": [0], "at": [0]}, "c must hold one value in"),
        ({"schema": 2, "kind": "steps", "x": [[]], "c": [0], "at": []}, "x must"),
        ({"schema": 2, "kind": "steps", "x": "", "c": [0], "at": []}, "x must"),
        ({"schema": 2, "kind": "beta", "a": "1", "b": 1, "intercept": 0, "eps": 1e-16}, "a must be a finite number"),
        (
            {"schema": 2, "kind": "logistic", "slope": 1, "intercept": 0, "eps": 1e-16, "link": "probit"},
            "link must be one of",
        ),
        (
            {"schema": 2, "kind": "binned", "bins": {"edges": [0.5]}, "offset": [0, 0], "slope": [1, 1]},
            "a partition must have the fields",
        ),
        (
            {"schema": 2, "kind": "binned", "bins": {"edges": [0.5], "closed": "left"}, "offset": [0], "slope": [1, 1]},
            "offset must hold one finite number per bin",
        ),
        ("identity", "schema 2, got 'identity'"),
        (
            {"schema": 2, "kind": "beta", "a": 0, "b": 1, "intercept": 0, "eps": 0},
            r"eps must be a number in \(0, 0.5\)",
        ),
        ({"schema": 2, "kind": "beta", "a": 10**400, "b": 1, "intercept": 0, "eps": 1e-9}, "a must be a finite number"),
        ({"schema": 2, "kind": "binned", "bins": [0.5], "offset": [0, 0], "slope": [1, 1]}, "bins must be a Partition"),
        ({"schema": 2, "kind": "knots", "x": ["0", "1"], "c": [0, 1]}, "x must hold real numbers"),
        ({"schema": 2, "kind": "knots", "x": [[0], [1, 2]], "c": [0, 1]}, "x must"),
        ({"schema": 2, "kind": "identity", 3: 4}, "must have the fields"),
        (
            {"schema": 2, "kind": "logistic", "slope": 1, "intercept": 0, "eps": 1e-9, "link": []},
            "link must be one of",
        ),
    ],
)
def test_from_dict_refuses_what_it_does_not_know(d, message):
    with pytest.raises(ValueError, match=message):
        fot.CalibrationMap.from_dict(d)


def test_from_dict_of_a_class_reads_only_its_own_kind():
    with pytest.raises(ValueError, match="kind must be one that BetaMap can read, got 'identity'"):
        fot.maps.BetaMap.from_dict(fot.maps.IdentityMap().to_dict())


def test_formulas():
    p = np.linspace(0.01, 0.99, 99)
    np.testing.assert_array_equal(fot.maps.IdentityMap()(p), p)
    logit = np.log(p / (1 - p))
    np.testing.assert_allclose(MAPS["logistic"](p), 1 / (1 + np.exp(-(1.3 * logit - 0.2))), rtol=1e-12)
    np.testing.assert_allclose(MAPS["logistic-identity"](p), 1 / (1 + np.exp(-(4 * p - 2))), rtol=1e-12)
    z = 0.7 * np.log(p) - 1.9 * np.log(1 - p) + 0.1
    np.testing.assert_allclose(MAPS["beta"](p), 1 / (1 + np.exp(-z)), rtol=1e-12)


def test_a_binned_map_uses_the_closure_of_its_partition():
    c = MAPS["binned"]
    np.testing.assert_allclose(c([0.0, 0.2, 0.21, 0.7, 0.71]), [0.1, 0.3, 0.5, 0.5, 0.61])
    assert c.partition == fot.partitions.Partition([0.2, 0.7], "right")


def test_knots_closer_than_an_overflowing_slope():
    c = fot.maps.KnotsMap([0.0, 1e-309, 1.0], [0.0, 0.5, 1.0])
    assert c([0.0, 1e-309, 1.0]).tolist() == [0.0, 0.5, 1.0]
    assert 0.0 <= c(5e-310) <= 1.0
    assert fot.maps.IdentityMap().partition is None


@every_map
def test_copies_are_as_frozen_as_the_original(c):
    for again in (pickle.loads(pickle.dumps(c)), copy.deepcopy(c)):
        assert again == c
        for name in c.to_dict().keys() - {"schema", "kind"}:
            if isinstance(getattr(again, name), np.ndarray):
                assert not getattr(again, name).flags.writeable


def test_equal_maps_have_equal_hashes():
    a, b = (fot.maps.BinnedMap(fot.partitions.Partition([]), [zero], [1.0]) for zero in (0.0, -0.0))
    assert a == b
    assert hash(a) == hash(b)
