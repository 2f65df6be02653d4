"""Weights that flow back: the mixture over all sequences of bets, of mean 1, which never sinks far."""

from itertools import pairwise, product

import numpy as np
import pytest

from fitontest.monitor.bettors.fixed_share import FixedShare
from tests.monitor.enumeration import mean_over

PRIOR = np.array([0.5, 0.3, 0.2])


def run(shares, factors):
    """Return the logarithm of the product of mean factors."""
    log_e = 0.0
    for each in np.log(factors):
        log_e += shares.log_mean(each)
        shares = shares.after(each)
    return log_e


@pytest.mark.parametrize("share", [0.0, 0.03, 0.4, 1.0])
def test_it_is_the_mixture_over_all_sequences_of_bets(share):
    """Each step keeps the bet with probability 1 - h, and draws it anew from the prior otherwise."""
    factors = np.exp(np.random.default_rng(0).normal(size=(4, 3)))
    expected = 0.0
    for path in product(range(3), repeat=4):
        chance = PRIOR[path[0]]
        for before, after in pairwise(path):
            chance *= (1 - share) * (before == after) + share * PRIOR[after]
        expected += chance * np.prod([factors[t, k] for t, k in enumerate(path)])
    assert run(FixedShare.of(PRIOR, share), factors) == pytest.approx(np.log(expected), rel=1e-12)


def test_its_mean_is_1_over_all_labels_of_five_rows():
    """Three bets on each row, of a rate that is the score: weights depend on labels, and the mean stays 1."""
    p, q = np.array([0.1, 0.3, 0.5, 0.7, 0.2]), np.array([[0.1, 0.4, 0.9]] * 5)

    def evidence(y):
        factors = np.where(y[:, None] > 0, q / p[:, None], (1 - q) / (1 - p[:, None]))
        return np.exp(run(FixedShare.of(PRIOR, 0.1), factors))

    assert mean_over(p, evidence) == pytest.approx(1.0, abs=1e-12)


def test_weights_stay_a_distribution_after_factors_of_any_size():
    shares = FixedShare.of(PRIOR)
    for logs in ([2000.0, -2000.0, 0.0], [-5000.0, -5000.0, -5001.0], [0.0, 3000.0, 0.0]):
        shares = shares.after(np.array(logs))
        assert shares.weights.sum() == pytest.approx(1.0)
        assert (shares.weights >= shares.share * PRIOR * (1 - 1e-12)).all()


def test_beside_a_bet_of_factor_1_evidence_never_sinks_far():
    """log E >= log w + t log(1 - (1 - w) h), the path that stays with this bet; here all others lose everything."""
    shares, t = FixedShare.of([0.3, 0.7], 0.03), 200
    factors = np.tile([1.0, 1e-9], (t, 1))
    bound = np.log(0.3) + (t - 1) * np.log(1 - 0.7 * 0.03)
    assert run(shares, factors) == pytest.approx(bound, abs=1e-6)


def test_kept_weights_must_be_a_distribution():
    shares = FixedShare.of(PRIOR)
    np.testing.assert_array_equal(shares.at([0.2, 0.2, 0.6]).weights, [0.2, 0.2, 0.6])
    for bad in ([0.5, 0.5], [0.5, 0.6, -0.1], [0.5, 0.6, 0.3], [float("nan"), 0.5, 0.5]):
        with pytest.raises(ValueError, match="weights must be 3 numbers, at least 0, of sum 1; got"):
            shares.at(bad)
