"""The rule that picks a candidate, and the scores it picks by."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.families.tuning import CVScores, held_out_scores
from fitontest.folds import held_out_rows
from fitontest.losses import brier, log_loss
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
    sample = fot.Sample(y, p, w)
    folds = held_out_rows(60, 3, 0)
    found = held_out_scores(fot.Platt(), "smoothing", [False, True], sample, folds, scoring)
    rows = sample.rows
    for fold in range(3):
        held_out = np.isin(np.arange(60), folds[fold])
        for j, smoothing in enumerate((False, True)):
            fitted = fot.Platt(smoothing=smoothing).fit(rows.p[~held_out], rows.y[~held_out], rows.w[~held_out])
            losses = loss(rows.y[held_out], fitted.predict(rows.p[held_out]))
            assert found.folds[fold, j] == pytest.approx(np.average(losses, weights=rows.w[held_out]), abs=1e-12)
