"""The two rules, on records made by hand, and on data for which the right answer is known."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.comparison.calibrators import Calibrator, choose_best, choose_one_se, list_within_one_se
from fitontest.comparison.decomposition import Parts
from fitontest.comparison.paired import Difference, PairedScore
from fitontest.numerics.losses import log_loss


def candidate(name, score, to_best, to_identity, parameters):
    family = type("Made", (fot.Identity,), {"n_parameters_": parameters})()
    held_out = PairedScore(score, Difference(*to_best), Difference(*to_identity))
    return Calibrator(name, family, held_out, None, Parts(0, score), {}, None, 0.0, 0.0)


def ranked(gain_se):
    """Return three candidates; the best gains .02 over the identity, with that standard error."""
    return [
        candidate("beta", 0.48, (0, 0), (-0.02, gain_se), 3),
        candidate("platt", 0.481, (0.001, 0.0012), (-0.019, 0.01), 2),
        candidate("temperature", 0.483, (0.003, 0.0012), (-0.017, 0.01), 1),
        candidate("identity", 0.5, (0.02, gain_se), (0, 0), 0),
    ]


def test_best_takes_the_smallest_loss_unless_the_identity_is_within_a_standard_error():
    assert choose_best(ranked(0.0199), "identity") == "beta"
    assert choose_best(ranked(0.02), "identity") == "identity"  # not more than one standard error
    assert choose_best(ranked(0.03), "identity") == "identity"


def test_one_se_takes_the_simplest_within_a_standard_error():
    assert choose_one_se(ranked(0.01), "identity") == "platt"
    assert choose_one_se(ranked(0.03), "identity") == "identity"
    assert [one.name for one in list_within_one_se(ranked(0.01))] == ["beta", "platt"]


def test_the_identity_may_be_the_best():
    rows = [candidate("identity", 0.4, (0, 0), (0, 0), 0), candidate("platt", 0.4, (0, 0), (0, 0), 2)]
    assert choose_best(rows, "identity") == choose_one_se(rows, "identity") == "identity"


FAMILIES = ("temperature", "platt", "beta", "isotonic", "flat", "slope1", "pava_bc")  # those that cost little


def chosen_for(true, n, seed, scores):
    rng = np.random.default_rng(seed)
    p = scores(rng, n)
    y = rng.random(n) < true(p)
    return fot.compare_calibrators(y, p, families=FAMILIES, evaluators=[], random_state=seed)


def expected_loss(family, true):
    """Return the expected log loss of a map for uniform scores, by quadrature."""
    p = (np.arange(20_000) + 0.5) / 20_000
    q, c = family.transform(p), true(p)
    one, zero = (log_loss(np.full(p.size, float(label)), q) for label in (1, 0))
    return float(np.mean(c * one + (1 - c) * zero))


def platt(p):
    return 1 / (1 + np.exp(-(1.7 * np.log(p / (1 - p)) - 0.8)))


def beta(p):
    return 1 / (1 + np.exp(-(0.4 * np.log(p) - 2.0 * np.log(1 - p) - 0.6)))


def staircase(p):
    return np.array([0.05, 0.3, 0.4, 0.75, 0.9])[np.minimum((p * 5).astype(int), 4)]


def test_calibrated_scores_are_left_alone():
    chosen = [chosen_for(lambda p: p, 300, seed, lambda rng, n: rng.random(n)).chosen for seed in range(40)]
    assert chosen.count("identity") >= 32


@pytest.mark.parametrize("true", [platt, beta, staircase])
def test_what_is_chosen_is_nearly_as_good_as_the_best(true):
    near = 0
    for seed in range(20):
        comparison = chosen_for(true, 5000, seed, lambda rng, n: rng.random(n))
        losses = {one.name: expected_loss(one.family, true) for one in comparison}
        near += losses[comparison.chosen] - min(losses.values()) <= 2e-3
    assert near >= 18
