"""The verdict in words, on data of known truth."""

import json
from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.interval import Interval
from fitontest.numerics.links import logit, sigmoid
from fitontest.uncertainty.joint import JointTest, joint_test
from fitontest.uncertainty.verdict import NO_DIRECTION, NOT_SHOWN, verdict_of

pytestmark = pytest.mark.multiplies


def drawn(truth, n=2000, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < truth(p), p


def evaluated(truth, families=("platt",), n=2000, seed=0, **options):
    y, p = drawn(truth, n, seed)
    return fot.evaluate(y, p, families=list(families), draws=15, null_draws=60, **options)


PLANTED = {
    "Overconfident": lambda p: sigmoid(0.6 * logit(p, 1e-9)),
    "Underconfident": lambda p: sigmoid(1.8 * logit(p, 1e-9)),
    "Scores too high": lambda p: 0.8 * p,
    "Scores too low": lambda p: 1 - 0.8 * (1 - p),
    NOT_SHOWN: lambda p: p,
    NO_DIRECTION: lambda p: p + 0.1 * (np.sin(np.pi * p) * np.cos(4 * np.pi * p) + 2 / (15 * np.pi)),
}


@pytest.mark.parametrize("headline", PLANTED)
def test_the_headline_names_what_was_planted(headline):
    verdict = evaluated(PLANTED[headline], ["spline"]).verdict
    if headline in ("Scores too high", "Scores too low"):  # a constant factor turns the line in the logit as well
        assert headline.lower() in verdict.headline.lower()
    else:
        assert headline == verdict.headline
    assert verdict.shown == (headline != NOT_SHOWN) == (verdict.p_value <= 0.05)
    assert str(verdict).startswith(f"{verdict.opening}. C{verdict.decision[1:]}; calibration error ")
    assert "calibrated" not in verdict.headline.lower().replace("miscalibrated", "")


def test_the_sentences_hold_the_numbers():
    verdict = evaluated(lambda p: 0.7 * p, ["beta"]).verdict
    estimate = verdict.estimate
    error, *others = verdict.reasons
    assert error == (
        f"Calibration is rejected (p <= 0.016); calibration error {estimate.debiased:.3f} "  # 1 / 61
        f"(95 % CI {estimate.interval.low:.3f} to {estimate.interval.high:.3f})."
    )
    assert others[0] == "P-value of each statistic by itself: spline 0.016, isotonic 0.016, pairs 0.016, line 0.016."
    residual, ends = verdict.tendency.residual, verdict.tendency.residual_interval
    assert (
        f"Mean residual {residual:#.3g} ({ends.low:#.3g} to {ends.high:#.3g}; 0 is ideal, below 0: scores too high)."
        in others
    )
    limit = estimate.limit(40)
    assert limit >= estimate.interval.high
    shape = "of any shape that persists over 1.6 % of the rows"
    assert others[-1] == f"Errors {shape}, up to {limit:.3f} cannot be ruled out."
    found = json.loads(json.dumps(verdict.to_dict()))
    assert (found["headline"], found["family"], found["p_value"]) == (verdict.headline, "spline", verdict.p_value)
    assert found["limit"]["value"] == estimate.limit(40)


@pytest.mark.exhaustive
def test_it_rests_on_the_same_statistics_whatever_is_listed():
    """A reader of two tables of one data set must not find two verdicts."""
    lists = (["platt"], ["slope1", "isotonic"], ["spline", "beta"], [fot.Flat(5)])
    verdicts = [evaluated(lambda p: p**1.1, listed, n=600).verdict for listed in lists]
    first = verdicts[0].to_dict()
    for verdict in verdicts[1:]:
        found = verdict.to_dict()
        text, expected = found.pop("text"), {name: value for name, value in first.items() if name != "text"}
        assert found == expected
        assert text.startswith(first["text"].split(" P-value")[0])
    assert verdicts[0].test.p_values == joint_test(fot.ScoreSample(*drawn(lambda p: p**1.1, 600)), 60).p_values


@pytest.mark.exhaustive
def test_with_another_norm_it_is_still_of_the_mean_distance():
    squared = evaluated(lambda p: p**1.3, ["spline"], n=600, norm="l2").verdict
    assert squared.estimate.norm == "l1"
    assert squared.estimate.interval == evaluated(lambda p: p**1.3, ["spline"], n=600).verdict.estimate.interval


def test_a_map_that_a_spline_cannot_follow_is_shown_and_measured():
    """Twenty waves average out for a spline: it finds no error, and the pair statistic does."""

    def waves(p):
        return p + 0.1 * np.sin(40 * np.pi * p) * np.clip(np.minimum(p, 1 - p) / 0.1, 0, 1)

    verdict = evaluated(waves, ["spline"], n=5000, seed=1).verdict
    true = float(np.mean(np.abs(waves(drawn(waves, 5000, seed=1)[1]) - drawn(waves, 5000, seed=1)[1])))
    assert verdict.p_values["spline"] > 0.05 >= verdict.p_value == verdict.test.smallest
    assert verdict.interval.low <= true <= verdict.interval.high
    assert verdict.estimate.limit(40) > true
    assert any(text.startswith("A spline does not fit (p = ") for text in verdict.reasons)


def test_an_interval_and_a_test_that_seem_to_differ_are_told_of():
    verdict = evaluated(lambda p: p, ["spline"], n=600).verdict
    assert (verdict.shown, verdict.interval.low) == (False, 0.0)
    high = verdict.interval.high
    assert verdict.decision.startswith("calibration is not rejected (p = ")
    assert verdict.reasons[-1].startswith(f"Errors up to {high:.3f} cannot be ruled out")
    likely = (verdict.estimate.debiased + high) / 2
    assert verdict.reasons[-1].endswith(f"with 2,400 rows about {likely:.3f} could.")
    # also where nothing is shown the direction is told
    assert {text.partition(" (")[0].rpartition(" ")[0] for text in verdict.reasons} >= {"Slope", "Mean residual"}

    def beside(low, observed):
        nulls = {name: replace(null, observed=observed) for name, null in verdict.test.nulls.items()}
        estimate = verdict.estimate.with_uncertainty(interval=replace(verdict.interval, low=low, high=0.9))
        return replace(verdict, estimate=estimate, test=replace(verdict.test, nulls=nulls)).reasons[2]

    assert beside(0.01, 0.0).startswith("The interval by itself leaves out 0;")
    assert beside(0.0, 99.0).startswith("That there is an error is surer than its size")
    assert not beside(0.01, 99.0).startswith(("The interval", "That"))


@pytest.mark.exhaustive
def test_scores_of_0_that_are_wrong_are_never_left_open():
    """One positive row with a score of 0 is impossible if the scores are calibrated, however many rows there are."""
    rng = np.random.default_rng(0)
    p = np.append(np.zeros(1000), rng.random(1000))
    y = rng.random(2000) < p
    assert not fot.evaluate(y, p, families=["spline"]).verdict.shown
    y[0] = True
    assert fot.evaluate(y, p, families=["spline"]).verdict.shown


def test_other_families_are_told_of_where_they_say_something_else():
    evaluation = evaluated(lambda p: p, ["spline", "platt"], n=600)
    spline, platt = evaluation.estimates
    far = platt.with_uncertainty(interval=replace(platt.interval, low=0.8, high=0.9))
    text = str(verdict_of([("spline", spline), ("platt", far)], evaluation.sample))
    assert "The families disagree: platt lies outside the interval above by more than noise; the size depends" in text
    small = platt.with_uncertainty(null=replace(platt.null, observed=1.0))
    text = str(verdict_of([("spline", spline), ("platt", small)], evaluation.sample))
    assert "By themselves other families have smaller p-values (platt 0.016)" in text


def test_of_confidence_it_speaks_of_accuracy():
    rng = np.random.default_rng(0)
    top = rng.uniform(0.5, 1.0, 1000)
    y = (rng.random(1000) > 0.7 * top).astype(int)  # the first class is right less often than its score says
    evaluation = fot.evaluate(
        y, np.column_stack((top, 1 - top)), families=["platt"], reduction="confidence", draws=15, null_draws=60
    )
    assert "calibration error of the confidences " in str(evaluation.verdict)
    assert evaluation.to_dict()["verdict"]["headline"] == evaluation.verdict.headline


def test_there_is_none_without_an_interval_and_it_is_printed_at_length_in_the_table():
    without = evaluated(lambda p: p, interval=None)
    assert without.verdict is None
    assert "verdict" not in without.to_dict()
    evaluation = evaluated(lambda p: p)
    assert " ".join(str(evaluation.table()).split("\n\n")[0].split()) == str(evaluation.verdict)
    assert str(evaluation).startswith(f"{evaluation.verdict.opening}. n = 2,000,")


def test_it_is_computed_only_when_it_is_asked_for(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr("fitontest.evaluation.evaluation.verdict_of", refuse)
    evaluation = evaluated(lambda p: p, n=200)
    assert evaluation["platt"].interval is not None
    with pytest.raises(AssertionError):
        str(evaluation)


@pytest.mark.exhaustive
def test_a_direction_that_is_named_beside_no_miscalibration_is_explained():
    rng = np.random.default_rng(1)
    p = rng.random(500) / 55
    verdict = fot.evaluate(np.zeros(500), p, families=["spline"]).verdict
    assert (verdict.headline, verdict.tendency.words) == (NOT_SHOWN, ["scores too high"])
    (text,) = verdict.beside_interval
    assert text == (
        "By itself the mean residual says: scores too high (p = 0.022); the statistics together do not show it."
    )
    assert text in verdict.reasons
    slope = replace(verdict.tendency, slope=0.5, slope_interval=Interval(0.2, 0.8, 0.95))
    (both,) = replace(verdict, sizes=replace(verdict.sizes, tendency=slope)).beside_interval
    assert both.startswith("By themselves slope and mean residual say: overconfident, scores too high (p = 0.022); ")


def test_a_p_value_that_no_draws_tell_from_the_level_says_so():
    verdict = evaluated(lambda p: p, ["spline"], n=600).verdict

    def of(as_large, draws):
        null = IfCalibrated(0.0, np.append(np.ones(as_large), -np.ones(draws - as_large)), refitted=True)
        return replace(verdict, test=JointTest({"spline": null})).decision

    assert of(160, 3200) == "calibration is not rejected (p = 0.050, too near 0.05 to tell from 3,200 draws)"
    assert of(140, 3200) == "calibration is rejected (p = 0.044, too near 0.05 to tell from 3,200 draws)"
    assert of(200, 3200) == "calibration is not rejected (p = 0.063)"
    assert of(0, 200) == "calibration is rejected (p <= 0.005)"
