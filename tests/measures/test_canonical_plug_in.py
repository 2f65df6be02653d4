"""The plug-in error of whole distributions: its formula, maps and families, and what every door gives."""

import json

import numpy as np
import pytest

import fitontest as fot
from tests.measures.test_simplex_ece import canonical, drawn

pytestmark = pytest.mark.multiplies


@pytest.mark.parametrize("distance", ["total_variation", "cityblock", "squared_euclidean"])
@pytest.mark.parametrize("norm", ["l1", "l2", "squared", "max"])
def test_the_formula(distance, norm):
    y, P = drawn(150, 3)
    w = np.random.default_rng(0).random(150)
    g = fot.families.Vector().fit(P, y, sample_weight=w)
    error = canonical(fot.calibration_error, y, P, sample_weight=w, distance=distance, norm=norm)
    difference = g.predict_proba(P) - P
    d = {
        "total_variation": np.abs(difference).sum(axis=1) / 2,
        "cityblock": np.abs(difference).sum(axis=1),
        "squared_euclidean": (difference**2).sum(axis=1),
    }[distance]
    share = w / w.sum()
    expected = {"l1": share @ d, "l2": np.sqrt(share @ d**2), "squared": share @ d**2, "max": d.max()}[norm]
    assert float(error) == pytest.approx(expected, abs=1e-12)
    assert error.map == g.map_
    assert (error.se_map_fixed is None) == (norm == "max")
    assert error.fitted_on_these_rows


@pytest.mark.parametrize("family", fot.families.names("any"))
def test_every_family(family):
    y, P = drawn(120, 3)
    error = canonical(fot.calibration_error, y, P, family=family)
    assert 0 <= float(error) < 0.5
    assert (float(error) == 0) == (family == "identity")
    again = canonical(fot.calibration_error, y, P, family=error.map)
    assert float(again) == pytest.approx(float(error), abs=1e-12)
    assert not again.fitted_on_these_rows
    assert error.measure.name == family
    assert f"family {family}, distance total_variation" in str(error)
    json.loads(error.to_json())


def test_weights_order_and_classes():
    y, P = drawn(150, 3)
    rng = np.random.default_rng(1)
    w, order = rng.integers(0, 3, 150), rng.permutation(150)
    error = float(canonical(fot.calibration_error, y, P, sample_weight=w))
    repeated = canonical(fot.calibration_error, np.repeat(y, w), np.repeat(P, w, axis=0))
    assert float(repeated) == pytest.approx(error, abs=1e-9)
    again = canonical(fot.calibration_error, y[order], P[order], sample_weight=w[order])
    assert float(again) == pytest.approx(error, abs=1e-9)
    classes = [2, 0, 1]
    turned = canonical(fot.calibration_error, np.argsort(classes)[y], P[:, classes], sample_weight=w)
    assert float(turned) == pytest.approx(error, abs=1e-9)


def test_a_map_has_a_null_without_fitting():
    y, P = drawn(150, 3)
    g = fot.families.Vector().fit(P, y).map_
    null = canonical(fot.calibration_error, y, P, family=g, null_draws=3).null
    assert np.ptp(null.values) == 0  # nothing is fitted to the labels
    assert null.held_fixed == "map"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"family": "unheard"}, "family must be one of"),
        ({"family": fot.Beta}, "family must be the name of a family, a family or a MulticlassMap"),
        ({"family": fot.maps.IdentityMap()}, "family must be the name of a family, a family or a MulticlassMap"),
        ({"family": fot.maps.SoftmaxMap([1, 1], [0, 0])}, "y_prob must have a column for each of the map's 2"),
        ({"debias": True}, "debias must be left at False with reduction='canonical'"),
        ({"norm": "l0"}, "norm must be one of"),
    ],
)
def test_refusals(settings, message):
    y, P = drawn(60, 3)
    with pytest.raises(ValueError, match=message):
        canonical(fot.calibration_error, y, P, **settings)


def test_maps_of_several_classes_need_the_reduction():
    y, P = drawn(60, 2)
    for family in (fot.maps.MulticlassIdentityMap(), fot.families.Vector()):
        with pytest.raises(ValueError, match="reduction must be 'canonical' for a family or map of several classes"):
            fot.calibration_error(y, P[:, 1], family=family)
    with pytest.raises(ValueError, match="distance must be left at 'total_variation' unless reduction='canonical'"):
        fot.calibration_error(y, P[:, 1], distance="cityblock")


def test_a_map_that_is_given_is_no_worse_than_it_would_be_by_chance():
    """Its error does not depend on the labels; sums in another order of the rows differ by a rounding."""
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 200)
    y = rng.integers(0, 3, 200)
    with pytest.warns(fot.CalibrationWarning, match="slope of 0 or less"):
        g = fot.families.make("matrix").fit(P, y).map_
    for _ in range(4):
        order = rng.permutation(200)
        e = fot.calibration_error(y[order], P[order], reduction="canonical", family=g, null_draws=20)
        assert e.null.p_value == 1.0


def test_a_map_is_not_measured_on_data_of_other_classes():
    y, P = drawn(150, 3)
    g = fot.families.Vector().fit(P, np.array(["a", "b", "c"])[y]).map_
    assert g.classes == ("a", "b", "c")
    letters = np.array(["a", "b", "c"])[y]
    canonical(fot.calibration_error, letters, P, family=g, labels=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"the classes of y_prob must be .* \['a', 'b', 'c'\]; got \[0, 1, 2\]"):
        canonical(fot.calibration_error, y, P, family=g)
    with (
        pytest.warns(fot.CalibrationWarning, match=r"They seem to be in that of \['a', 'b', 'c'\]"),
        pytest.raises(ValueError, match=r"in their order, .*; got \['b', 'a', 'c'\]"),
    ):
        canonical(fot.calibration_error, letters, P, family=g, labels=["b", "a", "c"])
    canonical(fot.calibration_error, y, P, family=g.for_classes(None))


def test_labels_that_no_map_can_hold_are_left_out():
    y, P = drawn(150, 3)
    days = np.array(["2026-01-01", "2026-01-02", "2026-01-03"], dtype="datetime64[D]").astype(object)
    assert fot.families.Vector().fit(P, days[y]).map_.classes is None


@pytest.mark.parametrize(
    "family", ["platt", fot.Platt(), fot.families.OneVsRest("platt")], ids=["name", "two", "one_vs_rest"]
)
def test_a_family_of_two_classes_is_fitted_to_each_against_the_rest(family):
    y, P = drawn(150, 3)
    error = canonical(fot.calibration_error, y, P, family=family)
    q = fot.families.OneVsRest("platt").fit(P, y).predict_proba(P)
    assert float(error) == pytest.approx(np.abs(q - P).sum(axis=1).mean() / 2, abs=1e-12)
    assert "family one_vs_rest(platt)" in str(error)
    assert error.measure.settings()["family"] == "one_vs_rest(platt)"
    table = canonical(fot.evaluate, y, P, families=[family])
    assert table.names == ["one_vs_rest(platt)"]
    named = fot.compare_calibrators(y, P, reduction="canonical", families=[family], evaluators=[])
    assert "one_vs_rest(platt)" in [one.name for one in named]


def test_the_seed_reaches_a_family_of_two_classes():
    y, P = drawn(150, 3)
    kernel = {"family": "slope1", "random_state": 5}
    assert canonical(fot.calibration_error, y, P, **kernel).estimator.families_[0].random_state == 5
    inner = canonical(fot.calibration_error, y, P, family=fot.Slope1(random_state=3), random_state=5)
    assert inner.estimator.families_[0].random_state == 3


def test_two_classes_are_those_of_two_class_families_without_mixture_and_penalty():
    y, P = drawn(300, 2)
    two = float(fot.calibration_error(y, P[:, 1], family="temperature"))
    plain = canonical(fot.calibration_error, y, P, family=fot.families.Temperature(mix=False))
    assert float(plain) == pytest.approx(two, abs=1e-9)
    assert abs(float(canonical(fot.calibration_error, y, P, family="temperature")) - two) > 1e-6
    platt = canonical(fot.calibration_error, y, P, family=fot.families.BiasCorrected(penalty=None))
    assert float(platt) == pytest.approx(float(fot.calibration_error(y, P[:, 1], family="platt")), abs=1e-8)


def test_records_have_no_fields_that_mean_nothing_for_several_classes():
    y, P = drawn(150, 3)
    table = canonical(fot.evaluate, y, P, families=["temperature"], measures=["simplex_ece"])
    assert not {"base_rate", "stand_in"} & set(table.to_frame().columns)
    assert {"base_rate", "stand_in"} <= set(fot.evaluate(y == 1, P[:, 1], families=["platt"]).to_frame().columns)
