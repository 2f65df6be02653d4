"""Runs of labels far longer than chance, which no order of independent rows makes."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.label_runs import NO_LABEL_RUNS, LabelRuns
from fitontest.data.repeated_rows import Repeats


def in_game(games=60, moments=50, seed=0):
    """Return the outcome of games and a score that comes nearer to it with each moment."""
    rng = np.random.default_rng(seed)
    drift = rng.standard_normal(games)
    steps = rng.standard_normal((games, moments)) / np.sqrt(moments)
    left = 1.0 - np.arange(1, moments + 1) / (moments + 1.0)
    ahead = drift[:, None] + steps.cumsum(axis=1)
    won = ahead[:, -1] + rng.standard_normal(games) / np.sqrt(moments) > 0
    return np.repeat(won, moments).astype(int), 1 / (1 + np.exp(-1.7 * ahead / np.sqrt(left))).ravel()


def are_there(y, p):
    return LabelRuns.of(fot.ScoreSample(y, p)).are_there


@pytest.mark.parametrize(("games", "moments"), [(60, 50), (400, 20)])
def test_moments_of_games_are_found(games, moments):
    y, p = in_game(games, moments)
    assert are_there(y, p)
    assert are_there(1 - y, 1 - p)
    order = np.random.default_rng(1).permutation(y.size)
    assert not are_there(y[order], p[order])


@pytest.mark.parametrize(
    "key",
    [
        lambda _p, y, _rng: y,
        lambda p, y, _rng: y + p / 2,
        lambda p, _y, _rng: p,
        lambda _p, _y, rng: rng.random(2000),
        lambda p, _y, rng: p + 0.02 * rng.standard_normal(2000),
    ],
    ids=["label", "label and score", "score", "chance", "near the score"],
)
def test_sorted_rows_are_not(key):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        p = rng.random(2000)
        y = (rng.random(2000) < p).astype(int)
        order = np.argsort(key(p, y, rng), kind="stable")
        assert not are_there(y[order], p[order])


@pytest.mark.parametrize("digits", [1, 2])
def test_ties_that_are_sorted_by_their_labels_are_not_runs(digits):
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = (rng.random(3000) < p).astype(int)
    p = p.round(digits)
    order = np.lexsort((y, p))
    assert not are_there(y[order], p[order])


@pytest.mark.parametrize("size", [2, 10, 50])
def test_blocks_of_one_label_in_turn_are_not(size):
    rng = np.random.default_rng(0)
    p = rng.random(6000)
    y = (rng.random(6000) < p).astype(int)
    each = [np.flatnonzero(y == label)[:2000].reshape(-1, size) for label in (0, 1)]
    order = np.stack(each, axis=1).ravel()
    assert not are_there(y[order], p[order])


def test_parts_add_up_and_one_class_tells_nothing():
    y, p = in_game()
    half = LabelRuns.of_rows(p[:1500], y[:1500].astype(float)) + LabelRuns.of_rows(p[1500:], y[1500:].astype(float))
    whole = LabelRuns.of_rows(p, y.astype(float))
    assert half.changes == pytest.approx(whole.changes, abs=1)
    assert LabelRuns.of_rows(p, np.ones(p.size)) == NO_LABEL_RUNS
    assert LabelRuns.of_rows(p[:1], np.ones(1)) == NO_LABEL_RUNS


def test_what_is_said_of_them():
    y, p = in_game()
    note = Repeats.of(fot.read(y, p)).note
    assert note.startswith("labels come in runs far longer than scores say (")
    assert "such as visits of one patient, may need groups=; intervals" in note
    assert not Repeats.of(fot.read(y, p, groups=np.repeat(np.arange(60), 50))).note
