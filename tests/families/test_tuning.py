"""The rule that picks a candidate, and the scores it picks by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.families.tuning import CVScores, held_out_scores
from fitontest.numerics.losses import brier, log_loss
from fitontest.numerics.random import held_out_rows
from tests.strategies import noisy


def scores_of(*means):
    return CVScores(tuple("abcdefgh"[: len(means)]), np.array([means, means]))


def test_the_first_candidate_within_the_tolerance_is_chosen():
    scores = scores_of(0.25, 0.2001, 0.21, 0.2)
    assert scores.choose(1e-3) == "b"  # although the one after it fails
    assert scores.choose(0.0) == "d"
    assert scores.choose(0.3) == "a"
    assert scores_of(0.3, 0.2, 0.2).choose(0.0) == "b"
    assert scores_of(0.3, 0.2, 0.2 * (1 - 1e-15)).choose(0.0) == "b"


def test_a_perfect_score_is_met_only_by_perfect_scores():
    assert scores_of(1e-9, 0.0, 0.0).choose(0.5) == "b"


def test_mean_and_standard_error_over_the_folds():
    folds = np.array([[1.0, 2.0], [3.0, 2.0], [5.0, 2.0]])
    scores = CVScores((1, 2), folds)
    assert scores.mean.tolist() == [3.0, 2.0]
    np.testing.assert_allclose(scores.standard_error, [2 / np.sqrt(3), 0])
    assert np.isnan(CVScores((1,), np.ones((1, 1))).standard_error).all()


@pytest.mark.parametrize(("scoring", "loss"), [("brier", brier), ("log_loss", log_loss)])
def test_held_out_scores_by_hand(scoring, loss):
    y, p = noisy(60)
    w = np.random.default_rng(0).random(60)
    sample = fot.ScoreSample(y, p, w)
    folds = held_out_rows(60, 3, 0)
    scores = held_out_scores(fot.Platt(), "smoothing", [False, True], sample, folds, scoring)
    rows = sample.rows
    for fold in range(3):
        held_out = np.isin(np.arange(60), folds[fold])
        for j, smoothing in enumerate((False, True)):
            fitted = fot.Platt(smoothing=smoothing).fit(rows.p[~held_out], rows.y[~held_out], rows.w[~held_out])
            losses = loss(rows.y[held_out], fitted.predict(rows.p[held_out]))
            assert scores.folds[fold, j] == pytest.approx(np.average(losses, weights=rows.w[held_out]), abs=1e-12)


def test_choices_of_folds_that_agree_are_the_choice():
    folds = np.tile([3.0, 1.0, 1.0005, 2.0], (5, 1))
    for tolerance in (0, 1e-3):
        scores = CVScores((1, 2, 3, 4), folds)
        assert scores.choices(tolerance) == (scores.choose(tolerance),) * 5


def test_choices_share_out_the_places_as_resampled_folds_choose():
    """Two candidates, each better in half of the folds by the same amount: resampled means are a fair coin."""
    folds = np.array([[1.0, 2.0]] * 5 + [[2.0, 1.0]] * 5)
    choices = CVScores(("few", "many"), folds).choices(0.0)
    assert len(choices) == 10
    assert choices == tuple(sorted(choices))
    assert 4 <= choices.count("few") <= 6


@given(st.integers(2, 12), st.integers(1, 8), st.integers(0, 1000))
def test_choices_are_brute_force_shares(n_folds, n_candidates, seed):
    """Every candidate gets its share of the places, rounded down or up; the first of equals is preferred."""
    folds = np.random.default_rng(seed).random((n_folds, n_candidates)).round(1)
    scores = CVScores(tuple(range(n_candidates)), folds)
    choices = scores.choices(0.05)
    weights = np.random.default_rng(0).dirichlet(np.ones(n_folds), size=200)
    votes = [0] * n_candidates
    for w in weights:
        means = [float(w @ column) for column in folds.T]
        votes[next(j for j, mean in enumerate(means) if mean <= min(means) * 1.05 * (1 + 1e-12))] += 1
    assert len(choices) == n_folds
    for j, count in enumerate(votes):
        assert abs(choices.count(j) - count * n_folds / 200) < 1
