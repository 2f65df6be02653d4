"""The verdict in words, on data of known truth."""

import json
from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid
from fitontest.uncertainty.verdict import NO_DIRECTION, verdict_of


def drawn(truth, n=2000, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < truth(p), p


def evaluated(truth, families=("platt",), n=2000, **options):
    y, p = drawn(truth, n)
    return fot.evaluate(y, p, families=list(families), draws=15, null_draws=60, **options)


PLANTED = {
    "Too bold": lambda p: sigmoid(0.6 * logit(p, 1e-9)),
    "Too timid": lambda p: sigmoid(1.8 * logit(p, 1e-9)),
    "Too high": lambda p: 0.8 * p,
    "Too low": lambda p: 1 - 0.8 * (1 - p),
    "Calibrated within noise": lambda p: p,
    NO_DIRECTION: lambda p: p + 0.15 * (np.sin(np.pi * p) * np.cos(4 * np.pi * p) + 2 / (15 * np.pi)),
}


@pytest.mark.parametrize("headline", PLANTED)
def test_the_headline_names_what_was_planted(headline):
    verdict = evaluated(PLANTED[headline], ["spline"]).verdict
    if headline in ("Too high", "Too low"):  # a constant factor turns the line in the logit as well
        assert headline.lower() in verdict.headline.lower()
    else:
        assert headline == verdict.headline
    assert verdict.calibrated == (headline == "Calibrated within noise")
    assert str(verdict).startswith(verdict.headline + f": the calibration error by {verdict.family} is ")


def test_the_sentences_hold_the_numbers():
    evaluation = evaluated(lambda p: 0.7 * p, ["beta"])
    verdict, estimate = evaluation.verdict, evaluation["beta"]
    error, *directions = verdict.reasons
    assert f"{estimate.debiased:#.3g} (95 % interval {estimate.interval.low:#.3g} to" in error
    assert error.endswith("in at most 1.6 % of cases.")  # 1 / 61
    assert any(
        f"the mean score is {-verdict.tendency.residual:#.3g} (" in text and "above the share of positives" in text
        for text in directions
    )
    found = json.loads(json.dumps(verdict.to_dict()))
    assert (found["headline"], found["family"], found["p_value"]) == (verdict.headline, "beta", estimate.null.p_value)


def test_a_p_value_that_draws_reach_is_no_upper_bound():
    estimate = evaluated(lambda p: p).estimates[0]
    null = replace(estimate.null, values=np.array([0.0, 2.0] * 30), observed=1.0)
    verdict = verdict_of([("platt", replace(estimate, null=null))], fot.Sample(*drawn(lambda p: p)))
    assert verdict.p_value == pytest.approx(31 / 61)
    assert "as large an error in 51 % of cases." in verdict.reasons[0]


def test_it_quotes_the_family_that_is_best_for_it():
    assert evaluated(lambda p: p, ["platt", "isotonic"]).verdict.family == "isotonic"
    assert evaluated(lambda p: p, ["platt", "isotonic", "spline"]).verdict.family == "spline"
    assert evaluated(lambda p: p, [fot.Flat(5)]).verdict.family == "flat"


def test_of_confidence_it_speaks_of_accuracy():
    rng = np.random.default_rng(0)
    top = rng.uniform(0.5, 1.0, 1000)
    y = (rng.random(1000) > 0.7 * top).astype(int)  # the first class is right less often than its score says
    evaluation = fot.evaluate(
        y, np.column_stack((top, 1 - top)), families=["platt"], reduction="confidence", draws=15, null_draws=60
    )
    assert "above the accuracy." in str(evaluation.verdict)
    assert evaluation.to_dict()["verdict"]["headline"] == evaluation.verdict.headline


def test_there_is_none_without_an_interval_and_it_is_printed_last():
    without = evaluated(lambda p: p, interval=None)
    assert without.verdict is None
    assert "verdict" not in without.to_dict()
    evaluation = evaluated(lambda p: p)
    assert " ".join(str(evaluation).split("\n\n")[-1].split()) == str(evaluation.verdict)


def test_it_is_computed_only_when_it_is_asked_for(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr("fitontest.evaluation.verdict_of", refuse)
    evaluation = evaluated(lambda p: p, n=200)
    assert evaluation["platt"].interval is not None
    with pytest.raises(AssertionError):
        str(evaluation)
