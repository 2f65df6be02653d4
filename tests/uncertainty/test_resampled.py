"""One factor of all odds is what a training on resampled classes leaves; anything else is not asked about."""

import numpy as np
import pytest
from scipy.special import expit

import fitontest as fot
from fitontest.uncertainty.resampled import ask_if_resampled
from fitontest.uncertainty.tendency import tendency_of

ASKED = "was the model trained on resampled classes?"


def asked(y, p, **options):
    sample = fot.read(y, p, **options)
    return ask_if_resampled(sample, tendency_of(sample))


def draw(seed, shift=0.0, slope=1.0, bend=0.0, n=None):
    """Return labels of logits x, and scores whose logits are the line of these with a bend."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(200, 2000)) if n is None else n
    x = rng.normal(rng.uniform(-2, 1), rng.uniform(0.8, 2), n)
    return (rng.random(n) < expit(x)).astype(int), expit(slope * x + shift + bend * np.abs(x))


def test_a_model_of_resampled_classes_is_asked_about():
    y, p = draw(0, shift=2.0, n=2000)
    words = asked(y, p).split()
    assert words[:6] == ["Odds", "that", "are", "all", "divided", "by"]
    assert float(words[6]) == pytest.approx(np.exp(2.0), rel=0.15)
    assert asked(1 - y, 1 - p).split()[4:7] == ["multiplied", "by", words[6]]
    assert asked(y, p, sample_weight=np.full(2000, 2.5)).endswith(ASKED)
    assert sum(asked(*draw(seed, shift=2.0)) != "" for seed in range(40)) >= 32


@pytest.mark.parametrize(
    "off",
    [{}, {"shift": 0.8}, {"slope": 0.5}, {"slope": 2.0}, {"shift": 2.0, "slope": 0.5}, {"shift": 0.5, "bend": 1.5}],
    ids=str,
)
def test_others_are_not(off):
    assert [asked(*draw(seed, **off)) for seed in range(60)] == [""] * 60


@pytest.mark.exhaustive
def test_results_ask_where_miscalibration_is_shown():
    y, p = draw(3, shift=2.0, n=1000)
    evaluation = fot.evaluate(y, p, families=["spline"])
    assert [text.endswith(ASKED) for text in evaluation.verdict.causes] == [True]
    assert ASKED in str(evaluation)
    assert ASKED in str(evaluation.verdict)
    assert ASKED in str(fot.risk.validate(y, p))
    assert ASKED not in str(fot.evaluate(*draw(3, n=1000), families=["spline"]))


def test_scores_without_a_line_are_not_asked_about():
    p = np.linspace(0.01, 0.99, 60)
    assert asked((p > 0.2).astype(int), p) == ""
    assert asked([0, 1] * 30, [0.0, 1.0] * 30) == ""
