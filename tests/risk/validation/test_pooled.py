"""Centres pooled: the effects and errors that go in, the scales that come out, and what a centre does not have."""

import numpy as np
import pytest
from scipy.special import expit, logit

import fitontest as fot
from fitontest.numerics.random_effects import RandomEffects

pytestmark = pytest.mark.exhaustive


def centres(sizes, spread=0.3, seed=0):
    """Return labels, risks and centres whose levels and slopes differ."""
    rng = np.random.default_rng(seed)
    centre = np.repeat([f"centre {k}" for k in range(len(sizes))], sizes)
    level = np.repeat(rng.normal(0.0, spread, len(sizes)), sizes)
    x = rng.normal(-0.5, 1.3, centre.size)
    return (rng.random(centre.size) < expit(0.8 * x + level)).astype(int), expit(x), centre


@pytest.fixture(scope="module")
def validations():
    y, p, centre = centres([300, 250, 400, 300, 200, 350])
    return fot.risk.validate(y, p, by=centre, family="platt")


def test_what_goes_in_is_what_each_centre_shows(validations):
    found = validations.pooled.statistics
    ratios = [validations[key]["observed_expected"] for key in validations]
    expected = RandomEffects.of([np.log(float(r)) for r in ratios], [r.evidence.standard_error**2 for r in ratios])
    assert found["observed_expected"].effects == expected
    assert found["observed_expected"].value == pytest.approx(np.exp(expected.mean))
    assert found["observed_expected"].interval == pytest.approx(tuple(np.exp(expected.interval(0.95))))
    slopes = [validations[key]["calibration_slope"] for key in validations]
    expected = RandomEffects.of([float(s) for s in slopes], [s.evidence.standard_error**2 for s in slopes])
    assert found["calibration_slope"].effects == expected
    areas = [validations[key]["auc"] for key in validations]
    errors = [a.evidence.standard_error / (float(a) * (1 - float(a))) for a in areas]
    expected = RandomEffects.of([logit(float(a)) for a in areas], np.square(errors))
    assert found["auc"].effects.mean == pytest.approx(expected.mean)
    assert found["auc"].prediction == pytest.approx(tuple(expit(expected.prediction(0.95))))


def test_it_is_printed_recorded_and_quoted(validations):
    ratio = validations.pooled.statistics["observed_expected"]
    record = validations.pooled.rows()[0]
    assert (record["value"], record["low"], record["tau2"]) == (ratio.value, ratio.interval[0], ratio.effects.tau2)
    assert (record["tau2_of"], record["centres"], record["left_out"]) == ("log O:E", 6, None)
    text = str(validations)
    assert "Pooled over 6 segments (random effects, REML, Hartung-Knapp):" in text
    assert "95 % prediction" in text
    assert validations.to_dict()["pooled"] == validations.pooled.rows()
    quoted = f"O:E {ratio.value:.2f} (95 % CI {ratio.interval[0]:.2f} to {ratio.interval[1]:.2f}; tau^2 of log O:E"
    assert quoted in validations.text()


def test_a_centre_without_events_counts_and_one_without_a_slope_is_left_out():
    y, p, centre = centres([300, 300, 300, 12])
    y[centre == "centre 3"] = 0
    pooled = fot.risk.validate(y, p, by=centre, family="platt").pooled
    expected = p[centre == "centre 3"].sum()
    assert pooled.statistics["observed_expected"].effects.centres == 4
    assert pooled.statistics["calibration_slope"].left_out == ("centre 3",)
    assert pooled.statistics["auc"].left_out == ("centre 3",)
    assert "slope: without centre 3." in str(pooled)
    assert "A prediction interval takes 5 segments." in str(pooled)
    others = fot.risk.validate(*(part[centre != "centre 3"] for part in (y, p)), by=centre[centre != "centre 3"])
    ratios = [others[key]["observed_expected"] for key in others]
    effects = [*(np.log(float(r)) for r in ratios), np.log(0.5 / expected)]
    variances = [*(r.evidence.standard_error**2 for r in ratios), 2.0]
    assert pooled.statistics["observed_expected"].effects.mean == pytest.approx(
        RandomEffects.of(effects, variances).mean
    )


def test_few_events_have_the_usual_error():
    y, p, centre = centres([60, 60, 60])
    validations = fot.risk.validate(y, p, by=centre, family="platt")
    counts = [validations[key]["observed_expected"].evidence for key in validations]
    assert all(known.standard_error is None for known in counts)
    events = [known.observed for known in counts]
    errors = [np.sqrt((1 - o / 60) / o) for o in events]
    expected = RandomEffects.of([np.log(known.ratio) for known in counts], np.square(errors))
    assert validations.pooled.statistics["observed_expected"].effects.mean == pytest.approx(expected.mean)


def test_the_spread_between_centres_is_found():
    alike = fot.risk.validate(*centres([800] * 8, spread=0.0)[:2], by=centres([800] * 8)[2], family="platt")
    apart = fot.risk.validate(*centres([800] * 8, spread=0.8)[:2], by=centres([800] * 8)[2], family="platt")
    ratio = [each.pooled.statistics["observed_expected"] for each in (alike, apart)]
    assert ratio[0].effects.tau2 < 0.005 < 0.02 < ratio[1].effects.tau2
    assert ratio[1].prediction[0] < 0.8 < 1.2 < ratio[1].prediction[1]


def test_nothing_is_pooled_of_models_or_of_one_segment():
    y, p, _ = centres([300])
    assert fot.risk.validate(y, {"a": p, "b": p**2}, family="platt").pooled is None
    one = fot.risk.validate(y, p, by=np.repeat("here", 300), family="platt")
    assert one.pooled is None
    assert "Pooled" not in str(one)
