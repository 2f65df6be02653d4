"""The two rules, on records made by hand, and on data for which the right answer is known."""

from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.evaluation.comparison.calibrators import (
    Calibrator,
    choose_best,
    choose_by,
    choose_one_se,
    list_within_one_se,
)
from fitontest.evaluation.comparison.decomposition import Parts
from fitontest.evaluation.comparison.paired import Difference, PairedScore
from fitontest.numerics.losses import log_loss


def candidate(name, score, to_best, to_identity, parameters):
    family = type("Made", (fot.families.Identity,), {"n_parameters_": parameters})().fit([0.2, 0.8], [0, 1])
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


def near(*parameters):
    """Return candidates that are all within a standard error of the first, named by their rank and parameters."""
    rows = [
        candidate(f"{chr(97 + k)}{count:g}", 0.4 + 0.001 * k, (0.001 * k, 0.01), (-0.1, 0.01), count)
        for k, count in enumerate(parameters)
    ]
    return [*rows, candidate("identity", 0.5, (0.1, 0.01), (0, 0), 0)]


def test_one_se_takes_the_simplest_within_a_standard_error():
    assert choose_one_se(near(3, 1), "identity") == "b1"
    assert choose_one_se(near(7, 4.4, 2), "identity") == "c2"
    assert choose_one_se(ranked(0.03), "identity") == "identity"
    assert [one.name for one in list_within_one_se(ranked(0.01))] == ["beta", "platt"]


def test_one_se_takes_the_smaller_loss_where_parameters_differ_by_one():
    assert choose_one_se(ranked(0.01), "identity") == "beta"  # of three parameters, platt of two
    assert choose_one_se(near(2, 2), "identity") == "a2"
    assert choose_one_se(near(9, 3, 2.6, 2), "identity") == "b3"
    assert choose_one_se(near(3.1, 3, 2), "identity") == "b3"  # no more than one
    assert choose_one_se(near(4, 3, 2), "identity") == "b3"  # counted from the fewest, not from one to the next
    assert choose_one_se(near(np.inf, np.inf), "identity") == "ainf"


def test_one_se_takes_the_identity_wherever_it_is_not_clearly_worse():
    """Not a family of one parameter with a slightly smaller loss: then there would be a map for nothing."""
    rows = [
        candidate("temperature", 0.4, (0, 0), (-0.01, 0.02), 1),
        candidate("nothing", 0.41, (0.01, 0.02), (0, 0), 0),
    ]
    assert choose_one_se(rows, "nothing") == "nothing"


def test_one_se_takes_fewer_parameters_of_equal_losses():
    rows = [candidate("b", 0.4, (0, 0), (-0.1, 0.01), 3), candidate("a", 0.4, (0, 0), (-0.1, 0.01), 2)]
    assert choose_one_se(rows, "identity") == "a"


def test_the_identity_may_be_the_best():
    rows = [candidate("identity", 0.4, (0, 0), (0, 0), 0), candidate("platt", 0.4, (0, 0), (0, 0), 2)]
    assert choose_best(rows, "identity") == choose_one_se(rows, "identity") == "identity"


def test_scores_that_may_be_calibrated_are_left_alone():
    rows = ranked(0.015)
    rows[:3] = near(3, 1)[:2]
    chosen = [
        choose_by("one_se", rows, "identity", n, rejected) for n in (499, 500) for rejected in (True, False, None)
    ]
    assert chosen == ["b1", "identity", "b1"] * 2
    assert choose_by("best", rows, "identity", 500, rejected=False) == "a3"
    assert choose_by("one_se", rows, "identity", 500, rejected=True, in_reverse=True) == "identity"


def test_auto_asks_for_no_mixture_of_few_rows():
    rows = near(3, 1)
    assert choose_by("auto", rows, "identity", 499, rejected=True) == choose_by(
        "one_se", rows, "identity", 499, rejected=True
    )
    with pytest.raises(ValueError, match="Stacking"):
        choose_by("auto", rows, "identity", 500, rejected=True)


@pytest.mark.parametrize(("n", "name"), [(499, "identity"), (500, "a2")])
def test_a_map_of_few_rows_must_be_better_by_two_standard_errors(n, name):
    rows = [candidate("a2", 0.4, (0, 0), (-0.015, 0.01), 2), candidate("identity", 0.415, (0.015, 0.01), (0, 0), 0)]
    assert choose_by("one_se", rows, "identity", n, rejected=True) == name


def test_a_map_that_changes_the_ranking_is_not_taken():
    falling = fot.families.make("platt").fit([0.1, 0.4, 0.6, 0.9], [1, 0, 1, 0])
    rows = near(3, 1)
    rows[1] = replace(rows[1], family=type("Falling", (type(falling),), {"n_parameters_": 1})(**falling.get_params()))
    rows[1].family.map_ = falling.map_
    assert not rows[1].keeps_ranking
    assert choose_one_se(rows, "identity") == "a3"


FAMILIES = ("temperature", "platt", "beta", "isotonic", fot.Flat(5), "pava_bc")  # those that cost little
GRID = (np.arange(2000) + 0.5) / 2000


def chosen_for(true, n, seed, scores):
    rng = np.random.default_rng(seed)
    p = scores(rng, n)
    y = rng.random(n) < true(p)
    return fot.compare_calibrators(y, p, families=FAMILIES, evaluators=[], random_state=seed)


def expected_loss(family, true):
    """Return the expected log loss of a map for uniform scores, by quadrature."""
    q, c = family.transform(GRID), true(GRID)
    one, zero = (log_loss(np.full(GRID.size, float(label)), q) for label in (1, 0))
    return float(np.mean(c * one + (1 - c) * zero))


def platt(p):
    return 1 / (1 + np.exp(-(1.7 * np.log(p / (1 - p)) - 0.8)))


def beta(p):
    return 1 / (1 + np.exp(-(0.4 * np.log(p) - 2.0 * np.log(1 - p) - 0.6)))


def staircase(p):
    return np.array([0.05, 0.3, 0.4, 0.75, 0.9])[np.minimum((p * 5).astype(int), 4)]


@pytest.mark.exhaustive
def test_calibrated_scores_are_left_alone():
    chosen = [chosen_for(lambda p: p, 300, seed, lambda rng, n: rng.random(n)).chosen for seed in range(20)]
    assert chosen.count("identity") >= 19


@pytest.mark.exhaustive
@pytest.mark.parametrize("true", [platt, beta, staircase])
def test_what_is_chosen_is_nearly_as_good_as_the_best(true):
    as_good = 0
    for seed in range(4):
        comparison = chosen_for(true, 5000, seed, lambda rng, n: rng.random(n))
        losses = {one.name: expected_loss(one.family, true) for one in comparison}
        as_good += losses[comparison.chosen] - min(losses.values()) <= 2e-3
    assert as_good == 4
