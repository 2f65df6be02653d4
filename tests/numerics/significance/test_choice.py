"""Functions as tests: what they get, what they must return, and that a known test as one is that test."""

import numpy as np
import pytest
from scipy.stats import binomtest

import fitontest as fot
from fitontest.numerics.significance.choice import TESTS, find_test

RNG = np.random.default_rng(5)
P = RNG.random(120).round(2)
Y = RNG.random(120) < P**2


def exact(p, n, positives):
    return [binomtest(k, m, q).pvalue for k, m, q in zip(positives.tolist(), n.tolist(), p.tolist(), strict=True)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("partition", ["equal_width", "pava"])
def test_a_known_test_as_a_function_is_that_test(partition):
    ours = fot.tce(Y, P, partition=partition, null_draws=9)
    own = fot.tce(Y, P, partition=partition, null_draws=9, test=exact)
    assert float(own) == float(ours)
    assert own.null.mean == pytest.approx(ours.null.mean)
    assert own.to_dict()["bins"] == ours.to_dict()["bins"]
    assert "(exact test, alpha 0.05)" in str(own)
    assert own.to_dict()["test"] == "exact"


def test_weights_that_count_are_rows():
    w = RNG.integers(0, 4, 120)
    repeated = fot.tce(np.repeat(Y, w), np.repeat(P, w), test=exact, null_draws=0)
    assert float(fot.tce(Y, P, sample_weight=w, test=exact, null_draws=0)) == pytest.approx(float(repeated))


@pytest.mark.exhaustive
def test_single_scores_and_the_picture_take_it():
    error = fot.tce(Y, P, test=exact, null_draws=0)
    np.testing.assert_allclose(error.p_values([0.2, 0.7]), fot.tce(Y, P, null_draws=0).p_values([0.2, 0.7]))
    assert error.rejects([0.2, 0.7]).dtype == bool
    display = fot.tce(Y, P, test=exact, null_draws=0).plot()
    assert "exact test at 0.05" in display.second_.get_text()


def test_empty_bins_are_not_asked_for():
    seen = []

    def noted(p, n, positives):
        seen.append((p.tolist(), n.tolist(), positives.tolist()))
        return np.ones(p.size)

    find_test(noted).p_values([0, 2], [0, 5], [0.5, 0.25])
    assert seen == [([0.25], [5], [2])]
    assert find_test(noted).p_values([0], [0], [0.5]).tolist() == [1.0]
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda p: p[1:], r"test must return one p-value in \[0, 1\] for each score; own returned shape \(\d+,\)"),
        (lambda p: 0.5, r"own returned shape \(\) for scores of shape"),
        (lambda p: p * np.nan, "own returned nan for score .* with .* positives of .* rows"),
        (lambda p: p + 1, "own returned 1"),
        (lambda p: ["a"] * p.size, "own returned list"),
    ],
)
def test_refuses_what_is_no_p_value(returned, message):
    def own(p, n, positives):
        return returned(p)

    with pytest.raises(ValueError, match=message):
        fot.tce(Y, P, test=own, null_draws=0)


@pytest.mark.parametrize("test", ["z", "Binomial", 3, None, float])
def test_refuses_what_is_no_test(test):
    named = ", ".join(map(repr, TESTS))
    with pytest.raises(ValueError, match=rf"test must be one of {named} or a function of \(p, n, positives\); got"):
        fot.bin_losses.Rejection(test=test)
