"""Gates of whole distributions: the ECE on the simplex decides."""

import numpy as np
import pytest

import fitontest as fot

pytestmark = pytest.mark.multiplies


def three_classes(n=3000, power=1.0, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 1, 1], n)
    truth = p**power / (p**power).sum(axis=1, keepdims=True)
    return (rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1), p


@pytest.mark.parametrize(
    ("power", "limit", "outcome"), [(1.0, 0.06, "pass"), (3.0, 0.05, "fail"), (1.0, 0.005, "undecided")]
)
def test_the_interval_of_the_ece_on_the_simplex_decides(power, limit, outcome):
    y, p = three_classes(power=power)
    check = fot.check_calibration(y, p, reduction="canonical", max_error=limit)
    (gate,) = check.gates
    assert check.outcome == outcome
    alone = fot.gce(y, p, reduction="canonical", interval="always")
    assert (gate.interval.low, gate.interval.high) == (alone.interval.low, alone.interval.high)
    assert gate.p_value == alone.null.p_value
    assert "; p-value " in str(gate)
    assert "by simplex_ece" in str(gate)


@pytest.mark.exhaustive
def test_segments_and_few_rows():
    y, p = three_classes(600)
    check = fot.check_calibration(y, p, by=np.arange(600) < 30, reduction="canonical", max_error=0.2)
    assert {gate.name: gate.outcome for gate in check.gates}["True"] == "undecided"
    with pytest.raises(ValueError, match="family must be left at 'isotonic' with reduction='canonical'"):
        fot.check_calibration(y, p, reduction="canonical", max_error=0.2, family="beta")
    segmented = fot.evaluate(y, p, by=np.arange(600) < 300, reduction="canonical")
    assert segmented.names == ["simplex_ece"]
    assert segmented[True].estimates[0].interval_reason is not None or segmented[True].estimates[0].null is not None


@pytest.mark.exhaustive
def test_classes_of_segments():
    y, p = three_classes(600)
    half = np.arange(600) < 300
    segmented = fot.evaluate(y, p, by=half, reduction="classwise", families=["beta"])
    for segment in (False, True):
        alone = fot.evaluate(y[half == segment], p[half == segment], reduction="classwise", families=["beta"])
        assert segmented[segment].means == alone.means
        assert [*segmented[segment].classes] == [0, 1, 2]
    assert "mean" not in segmented.rows()[0]["segment"]
    assert segmented.adjusted_p_values() == {}


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_large_whole_weights_are_refused_until_they_are_named(reduction):
    y, P = three_classes(300)
    weights = np.ceil(np.random.default_rng(0).lognormal(3, 1, 300))
    settings = {"reduction": reduction, "max_error": 0.2, "sample_weight": weights}
    with pytest.raises(ValueError, match="weights must be 'counts' or 'import"):
        fot.check_calibration(y, P, **settings)
    assert fot.check_calibration(y, P, weights="importances", **settings).outcome in ("pass", "undecided")
