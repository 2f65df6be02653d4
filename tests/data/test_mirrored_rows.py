"""Two rows of one event: found by scores and labels, within groups and without, and not found by chance."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.mirrored_rows import MirroredRows, mirrored_rows
from fitontest.data.repeated_rows import Repeats


def events(n=300, days=1, seed=0):
    """Return calibrated labels and scores of both rows of events, on some days, with the number of the event."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.standard_normal(n)
    won = np.repeat(rng.random(n) < 1 / (1 + np.exp(-logits)), days)
    p = 1 / (1 + np.exp(-np.repeat(logits, days) - 0.2 * rng.standard_normal(n * days) * (days > 1)))
    event = np.repeat(np.arange(n), days)
    return np.r_[won, ~won].astype(int), np.r_[p, 1 - p], np.r_[event, event]


def found(y, p, group=None, n=None):
    order = np.argsort(p, kind="stable")
    chosen = [None if each is None else each[order] for each in (group, n)]
    return mirrored_rows(p[order], y[order], *chosen)


@pytest.mark.parametrize("days", [1, 10])
@pytest.mark.parametrize("made", [lambda p: p, lambda p: p.round(4), lambda p: p.round(2), np.float32])
def test_both_rows_of_events_are_found(days, made):
    y, p, event = events(60 if days > 1 else 300, days)
    p = np.asarray(made(p), dtype=np.float64)
    assert found(y, p) is not None
    mirrored = found(y, p, event)
    assert mirrored.events == y.size // 2
    assert mirrored.kept.size == y.size // 2


def test_each_lower_row_has_one_partner_of_its_group_with_the_mirrored_score():
    y, p, event = events(40, 5)
    order = np.argsort(p)
    lower, upper = found(y, p, event).pairs
    assert np.unique(np.r_[lower, upper]).size == y.size
    np.testing.assert_array_equal(event[order][lower], event[order][upper])
    np.testing.assert_allclose(p[order][lower], 1 - p[order][upper], atol=1e-12)


def test_rows_whose_mirror_was_dropped_are_kept():
    y, p, event = events()
    chosen = np.random.default_rng(1).random(y.size) < 0.8
    mirrored = found(y[chosen], p[chosen], event[chosen])
    both = np.count_nonzero(np.bincount(event[chosen]) == 2)
    assert mirrored.events == chosen.sum() - both


def test_scores_of_one_half_are_on_both_sides():
    p = np.array([0.5, 0.5, 0.5, 0.5, 0.2, 0.8])
    rows = MirroredRows.of(p, np.array([0, 0, 1, 1, 2, 2]))
    assert rows.upper.sum() == 3
    assert rows.pairs[0].size == 3


def test_two_rows_alone_in_their_group_may_have_a_margin():
    y, p, event = events()
    odds = np.clip(1.05 * p, 0.0, 1.0)
    assert found(y, odds) is None
    mirrored = found(y, odds, event)
    assert mirrored.events == 300
    assert found(y, np.clip(2 * p, 0.0, 1.0), event) is None


def test_entries_mirror_entries_of_as_many_rows():
    p, group = np.array([0.2, 0.3, 0.7, 0.8]), np.zeros(4, dtype=int)
    assert MirroredRows.of(p, group, np.array([2, 1, 1, 2])).pairs[0].tolist() == [0, 1]
    assert MirroredRows.of(p, group, np.array([2, 1, 2, 2])).pairs[0].tolist() == [0]


@pytest.mark.parametrize(
    "scores",
    [
        lambda rng, n: rng.random(n),
        lambda rng, n: rng.random(n).round(1),
        lambda rng, n: rng.random(n).round(2),
        lambda _, n: np.linspace(0.01, 0.99, n),
        lambda rng, n: rng.choice([0.2, 0.3, 0.5, 0.7, 0.8], n),
    ],
)
@pytest.mark.parametrize("n", [60, 1000])
def test_independent_rows_are_none(scores, n):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p = scores(rng, n)
        y = (rng.random(n) < p).astype(int)
        for group in (None, rng.integers(0, n // 2, n), rng.integers(0, n // 20, n)):
            assert found(y, p, group) is None


def test_outcomes_that_exclude_each_other_by_three_are_none():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([2, 2, 2], 200)
    y = np.eye(3, dtype=int)[(rng.random(200)[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1)]
    assert found(y.ravel(), p.ravel(), np.repeat(np.arange(200), 3)) is None


def test_what_is_said_of_them():
    y, p, event = events()
    order = np.random.default_rng(2).permutation(y.size)
    alone = Repeats.of(fot.read(y[order], p[order]))
    assert alone.is_doubt
    assert alone.note == (
        "600 rows look like two rows of one event each, p and 1 - p with opposite labels: intervals and p-values are "
        "too sure; give one row of each event, or name what belongs together by groups="
    )
    named = Repeats.of(fot.read(y, p, groups=event))
    assert (named.is_doubt, named.note, named.events) == (False, "", 300)
    assert not Repeats.of(fot.read(y[:300], p[:300])).note
    copied = Repeats.of(fot.read(np.tile(y, 3), np.tile(p, 3)))
    assert "look like copies" in copied.note
    assert copied.note.endswith("rows also look like two rows of one event each, p and 1 - p with opposite labels")
