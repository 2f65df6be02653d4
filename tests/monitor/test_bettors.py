"""What each bettor bets on, and that it is fixed before the labels are seen."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fitontest.monitor.bettors import bands as band_bettor
from fitontest.monitor.bettors import level as level_bettor
from fitontest.monitor.bettors import line as line_bettor
from fitontest.monitor.bettors.bands import BandBettor, edges_of
from fitontest.monitor.bettors.base import Round
from fitontest.monitor.bettors.family import FamilyBettor
from fitontest.monitor.bettors.fixed_share import FixedShare
from fitontest.monitor.bettors.identity import IdentityBettor
from fitontest.monitor.bettors.level import LevelBettor
from fitontest.monitor.bettors.line import LineBettor, centre_of
from fitontest.monitor.nulls.rates import Exact, Tolerance
from tests.monitor.enumeration import batch_of

P = np.array([0.02, 0.1, 0.11, 0.3, 0.5, 0.8, 0.95])
Y = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
Z = np.log(P / (1 - P))


def turn_of(p=P, y=Y, null=None, **logits):
    batch = batch_of(p, y)
    return Round(batch, (null or Exact()).limits(batch), logits)


def gain(z, rows=slice(None)):
    """Return the log likelihood of logits less that of the scores."""
    return np.sum((Y * (z - Z) - np.logaddexp(0, z) + np.logaddexp(0, Z))[rows])


def test_the_identity_bets_the_scores():
    assert IdentityBettor().bet(turn_of()) == (0.0, IdentityBettor())


def test_the_level_bettor_is_a_mixture_of_shifts():
    first = LevelBettor.first()
    gains = np.array([gain(Z + shift) for shift in level_bettor.SHIFTS])
    factor, learnt = first.bet(turn_of())
    assert factor == pytest.approx(np.log(first.shares.weights @ np.exp(gains)), rel=1e-12)
    np.testing.assert_allclose(learnt.shares.weights, first.shares.after(gains).weights, rtol=1e-10)
    assert first.shares.weights[level_bettor.SHIFTS == 0.0] == 0.5
    np.testing.assert_allclose(first.shares.weights, first.shares.weights[::-1])


def test_the_line_bettor_is_a_mixture_of_lines_about_the_first_mean():
    first = LineBettor.first(batch_of(P, Y))
    assert first.centre == pytest.approx(Z.mean())
    grid = [*product(line_bettor.SHIFTS, line_bettor.SLOPES)]
    gains = np.array([gain(first.centre + shift + slope * (Z - first.centre)) for shift, slope in grid])
    assert first.bet(turn_of())[0] == pytest.approx(np.log(first.shares.weights @ np.exp(gains)), rel=1e-12)
    assert first.shares.weights[grid.index((0.0, 1.0))] == pytest.approx(0.3)


def test_the_band_bettor_is_a_product_of_mixtures():
    first = BandBettor(np.array([0.105, 0.5]), (FixedShare.of(band_bettor.PRIOR),) * 3)
    bands = [slice(0, 2), slice(2, 4), slice(4, 7)]
    gains = [np.array([gain(Z + shift, rows) for shift in band_bettor.SHIFTS]) for rows in bands]
    expected = sum(np.log(band_bettor.PRIOR @ np.exp(each)) for each in gains)
    factor, learnt = first.bet(turn_of())
    assert factor == pytest.approx(expected, rel=1e-12)
    for shares, each in zip(learnt.shares, gains, strict=True):
        np.testing.assert_allclose(shares.weights, FixedShare.of(band_bettor.PRIOR).after(each).weights, rtol=1e-10)


def test_a_family_is_followed_most_of_the_way_and_not_far():
    away = np.array([0.5, -0.5, 3.0, -3.0, 0.0, 1.0, 40.0])
    factor, _ = FamilyBettor("any").bet(turn_of(any=Z + away))
    assert factor == pytest.approx(gain(Z + 0.8 * np.clip(away, -2, 2)), rel=1e-12)
    turn = turn_of()
    assert FamilyBettor("any").bet(replace(turn, logits={"any": turn.batch.z}))[0] == 0.0


def test_within_a_tolerance_a_bet_wins_and_loses_nothing():
    turn = turn_of(null=Tolerance(0.5, "logit"), any=Z + np.where(np.arange(7) % 2, 0.4, -0.6) / 0.8)
    below = np.arange(7) % 2 == 0
    q, p0 = (1 / (1 + np.exp(-(Z - out))) for out in (0.6, 0.5))
    expected = np.where(Y > 0, np.log(q / p0), np.log((1 - q) / (1 - p0)))[below].sum()
    assert FamilyBettor("any").bet(turn)[0] == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_what_is_fixed_by_the_first_batch_does_not_depend_on_its_labels(seed):
    rng = np.random.default_rng(seed)
    p = np.concatenate((rng.random(40), [0.0, 1.0]))
    one, other = (batch_of(p, rng.integers(0, 2, 42)) for _ in range(2))
    np.testing.assert_array_equal(edges_of(one), edges_of(other))
    assert centre_of(one) == centre_of(other)


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=10, deadline=None)
def test_without_a_share_the_level_bettor_does_not_care_how_rows_are_cut_into_batches(seed, batches):
    rng = np.random.default_rng(seed)
    p = rng.random(60)
    y = (rng.random(60) < p**2).astype(float)
    cuts = np.sort(rng.integers(0, 60, batches - 1))
    assert level_evidence(np.split(p, cuts), np.split(y, cuts)) == pytest.approx(level_evidence([p], [y]), abs=1e-9)


def level_evidence(scores, labels):
    """Return the log evidence of the plain mixture over shifts."""
    first = LevelBettor.first()
    bettor, log_e = replace(first, shares=replace(first.shares, share=0.0)), 0.0
    for p, y in zip(scores, labels, strict=True):
        if p.size:
            factor, bettor = bettor.bet(turn_of(p, y))
            log_e += factor
    return log_e


def test_bettors_lose_little_on_scores_that_are_certain_and_right():
    p, y = np.array([0.0, 0.0, 0.3, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])
    for bettor in (LevelBettor.first(), LineBettor.first(batch_of(P, Y)), BandBettor.first(batch_of(P, Y))):
        with_certain, without = bettor.bet(turn_of(p, y))[0], bettor.bet(turn_of(p[2:3], y[2:3]))[0]
        assert with_certain == pytest.approx(without, abs=1e-14)
