"""The probabilistic Kendall tau against its definition, pair by pair, and the worked values of the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from tests.strategies import SCORES, WHOLE_WEIGHTS, samples


def tau(p, eta, w=None):
    return fot.measures.ProbabilisticKendallTau(eta).estimate(fot.ScoreSample(np.arange(len(p)) % 2, p, w)).value


def definition(p, eta, w):
    """Return 1 - 2 P[discordant | x != x'] over pairs of rows; each copy of a row is a row."""
    discordant = (p[:, None] - p) * (eta[:, None] - eta) < 0
    off = ~np.eye(p.size, dtype=bool)
    pairs = np.outer(w, w)
    copies = (w * (w - 1)).sum() if np.all(w == np.floor(w)) else 0.0
    return 1 - 2 * (pairs * discordant)[off].sum() / (pairs[off].sum() + copies)


@pytest.mark.parametrize(
    ("cell", "before", "after"), [([0.1, 0.1, 0.1, 1.0], 5 / 7, 1 / 7), ([0.1, 0.3, 0.3, 1.0], 1 / 7, 5 / 7)]
)
def test_observation_9(cell, before, after):
    """Assigning mean labels may lower the correlation, and may raise it."""
    eta = np.array([*cell, 0.2, 0.2, 0.2, 0.2])
    assert tau([0.3] * 4 + [0.6] * 4, eta) == pytest.approx(before, abs=1e-15)
    assert tau([np.mean(cell)] * 4 + [0.2] * 4, eta) == pytest.approx(after, abs=1e-15)


@given(samples(min_size=2), st.data())
def test_it_is_the_definition(data, more):
    _, p, w = data
    w = w + (w == 0)
    eta = np.array(more.draw(st.lists(SCORES, min_size=p.size, max_size=p.size)))
    p, eta = np.round(p, 12), np.round(eta, 12)  # products of differences underflow below
    assert tau(p, eta, w) == pytest.approx(definition(p, eta, w), abs=1e-12)


@given(samples(weights=WHOLE_WEIGHTS, min_size=2), st.randoms(use_true_random=False))
def test_a_weight_is_a_repetition(data, random):
    _, p, w = data
    eta = np.array([random.choice([0.1, 0.2, 0.4, 0.9]) for _ in p])
    if w.sum() < 2:
        return
    copies = w.astype(int)
    again = tau(np.repeat(p, copies), np.repeat(eta, copies))
    assert tau(p, eta, w) == pytest.approx(again, abs=1e-12)


def test_its_ends_and_a_function():
    p = np.linspace(0.1, 0.9, 30)
    assert tau(p, p**2) == 1
    assert tau(p, 1 - p) == -1
    assert tau(np.full(30, 0.3), p) == 1  # ties are not discordant
    assert tau(p, np.sqrt) == 1
    assert fot.measures.ProbabilisticKendallTau(p).name == "probabilistic_kendall_tau"


def test_the_weight_of_pairs_does_not_cancel():
    w = np.array([1e9, 1e-3, 0.5e-3, 1.5e-3])
    p, eta = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.4, 0.3, 0.2, 0.1])
    assert tau(p, eta, w) == pytest.approx(-1, abs=1e-12)  # every pair is discordant
    assert tau(p, p, w) == 1


def test_each_class_has_its_own_truth():
    rng = np.random.default_rng(0)
    P, truth, y = rng.dirichlet([1] * 3, 40), rng.dirichlet([1] * 3, 40), np.arange(40) % 3
    with pytest.raises(ValueError, match=r"truth must have a column for each of the 3 classes .* got shape \(40,\)"):
        fot.evaluate(
            y, P, measures=[fot.measures.ProbabilisticKendallTau(truth[:, 0])], reduction="classwise", interval=None
        )
    measure = fot.measures.ProbabilisticKendallTau(truth)
    found = fot.evaluate(y, P, measures=[measure], reduction="classwise", interval=None).estimates[0]
    assert [float(one) for one in found.classes.values()] == [tau(P[:, k], truth[:, k]) for k in range(3)]
    assert found.measure is measure
    with pytest.raises(ValueError, match="truth must be a function of the score, or one true probability for each row"):
        measure.estimate(fot.ScoreSample(y == 0, P[:, 0]))
    function = fot.evaluate(
        y, P, measures=[fot.measures.ProbabilisticKendallTau(np.square)], reduction="classwise", interval=None
    )
    assert float(function.estimates[0]) == 1


def test_it_is_a_value():
    eta = np.linspace(0, 1, 1000)
    one, other = fot.measures.ProbabilisticKendallTau(eta), fot.measures.ProbabilisticKendallTau(eta.tolist())
    assert one == other
    assert hash(one) == hash(other)
    assert one != fot.measures.ProbabilisticKendallTau(eta[::-1])
    assert one != fot.measures.ProbabilisticKendallTau(np.sqrt)
    assert fot.measures.ProbabilisticKendallTau(np.sqrt) == fot.measures.ProbabilisticKendallTau(np.sqrt)
    assert repr(one) == "ProbabilisticKendallTau(truth=array of shape (1000,))"
    assert repr(fot.measures.ProbabilisticKendallTau()) == "ProbabilisticKendallTau(truth=None)"
    eta[:] = 0.5
    assert one == other  # it has a copy
    sample = fot.ScoreSample([0, 1], [0.7, 0.2])
    with pytest.raises(ValueError, match="truth must be a function here"):
        fot.measures.ProbabilisticKendallTau([0.1, 0.2]).estimate(sample.take(np.array([0, 1])))


def test_refusals():
    sample = fot.ScoreSample([0, 1], [0.2, 0.7])
    for truth, words in ((None, "got None"), ([0.1], r"got shape \(1,\) for 2 rows"), ([0.1, 1.2], "truth must")):
        with pytest.raises(ValueError, match=words):
            fot.measures.ProbabilisticKendallTau(truth).estimate(sample)
    with pytest.raises(ValueError, match="y_prob must have at least two rows for a Kendall tau, got 1"):
        fot.measures.ProbabilisticKendallTau([0.5]).estimate(fot.ScoreSample([1], [0.2]))
    with pytest.raises(ValueError, match="truth must be a function of the score, or one true probability"):
        fot.evaluate([0, 1], [0.2, 0.7], measures=["probabilistic_kendall_tau"])


def test_the_truth_may_be_a_fact_of_the_rows():
    rng = np.random.default_rng(0)
    p, truth, y = rng.random(50), rng.random(50), np.arange(50) % 2
    sample = fot.ScoreSample(y, p)
    given = fot.measures.ProbabilisticKendallTau(truth).estimate(sample).value
    known = sample.with_facts(truth=truth)
    for rows in (known, known.present):  # sorted rows keep what is known of them
        assert fot.measures.ProbabilisticKendallTau().estimate(rows).value == given
