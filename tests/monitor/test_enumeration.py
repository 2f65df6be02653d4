"""The evidence has a mean of at most 1 under each null: over all labels of a few rows, whatever was before."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st
from scipy.special import logit

import fitontest as fot
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.bettors.base import Round
from fitontest.monitor.bettors.factors import log_factors
from fitontest.monitor.nulls.hypothesis import read_band_of
from fitontest.monitor.nulls.rates import Exact, Tolerance
from fitontest.monitor.process import Process
from fitontest.monitor.state import MonitorState, Seen, Update
from tests.monitor.enumeration import Stream, batch_of, labels, mean_evidence, mean_over, settings_of

ROUNDED = 1 + 1e-12
SCORES = np.array([1e-12, 0.02, 0.021, 0.3, 0.9])


def past(null, max_error=None, n=400, seed=0):
    """Return a stream with a batch behind it whose rates are far from its scores, so that all bettors bet."""
    rng = np.random.default_rng(seed)
    p = np.concatenate((rng.random(n), [0.0, 0.0, 1.0, 1.0]))
    y = np.concatenate((rng.random(n) < 0.7 * p[:n] + 0.2, [0, max_error is not None, 1, 1])).astype(float)
    settings = settings_of(null, max_error)
    return Stream(Process.first(settings), settings).after(batch_of(p, y, exact=False))


def relative(stream):
    """Return the stream with an evidence of 1, and without intervals, which take time."""
    return Stream(replace(stream.process, log_e=0.0, lines=None), stream.settings)


@pytest.fixture(scope="module")
def exact():
    """Return a stream under the exact null."""
    return relative(past(Exact()))


def test_of_exact_rates_the_mean_is_1_over_two_batches(exact):
    assert mean_evidence(exact, [(SCORES[:3], SCORES[:3]), (SCORES[3:], SCORES[3:])]) == pytest.approx(1, abs=1e-12)


def test_of_exact_rates_the_mean_is_1_from_the_first_batch_on():
    settings = settings_of(Exact())
    first = Stream(Process.first(settings), settings)
    batches = [(SCORES[1:3], SCORES[1:3]), (SCORES[3:], SCORES[3:]), (SCORES[3:4], SCORES[3:4])]
    assert mean_evidence(first, batches) == pytest.approx(1, abs=1e-12)


def test_each_bettor_has_a_mean_of_1_or_less(exact):
    for null in (Exact(), Tolerance(0.03), Tolerance(0.5, "logit"), Tolerance(0.1, "ratio")):
        limits = null.limits(batch_of(SCORES, np.zeros(5)))
        for c in (limits.low, limits.high, SCORES):
            for bettor, mean in means_of_bettors(exact.process, null, c).items():
                assert mean <= ROUNDED, (null, bettor)
                if null == Exact():
                    assert mean == pytest.approx(1, abs=1e-12), bettor


def means_of_bettors(process, null, c):
    """Return the mean factor of each bettor on the five scores."""
    logits = process.past.logits(("isotonic",), batch_of(SCORES, np.zeros(5)))
    means = {}
    for y, chance in labels(c):
        batch = batch_of(SCORES, y)
        turn = Round(batch, null.limits(batch), logits)
        for bettor in process.bettors:
            means[bettor.name] = means.get(bettor.name, 0.0) + chance * np.exp(bettor.bet(turn)[0])
    return means


@pytest.mark.parametrize("null", [Tolerance(0.03), Tolerance(0.5, "logit"), Tolerance(0.1, "ratio")], ids=str)
def test_of_rates_at_the_ends_of_a_tolerance_the_mean_is_at_most_1(null):
    stream, scores = relative(past(null)), SCORES[1:]
    limits = null.limits(batch_of(scores, np.zeros(4)))
    for c in (limits.low, limits.high, np.where([1, 0, 1, 0], limits.low, limits.high)):
        assert mean_evidence(stream, [(scores, c)]) <= ROUNDED


@pytest.fixture(scope="module")
def near():
    """Return a stream under the default null, whose bettors have learnt of rates far outside."""
    return relative(past(Tolerance(0.1, "ratio")))


@pytest.mark.exhaustive
@tried(max_examples=20, deadline=None)
@given(data=st.data())
def test_of_any_rates_within_a_ratio_the_mean_is_at_most_1(near, data):
    """Rates are drawn for each row of two batches, whose scores may share cells, beside all their ends at once."""
    batches = []
    for rows in (3, 2):
        at = data.draw(st.floats(1e-4, 0.99))
        scores = np.array([data.draw(st.floats(at, min(at * 1.004, 1.0 - 1e-6))) for _ in range(rows)])
        away = np.array([data.draw(st.sampled_from((-1.0, 1.0)) | st.floats(-1.0, 1.0)) for _ in range(rows)])
        batches.append((scores, np.clip(scores + 0.1 * away * np.minimum(scores, 1.0 - scores), 0.0, 1.0)))
    for exact in (True, False):
        assert mean_evidence(near, batches, exact=exact) <= ROUNDED


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_bet_gains_beyond_the_ratio_alone(sign):
    p, null = 0.2, Tolerance(0.1, "ratio")
    z = logit([[p * (1.0 + 0.3 * sign)]])

    def mean(c):
        batches = {y: batch_of([p], [y]) for y in (0.0, 1.0)}
        return mean_over([c], lambda y: np.exp(log_factors(batches[y[0]], null.limits(batches[y[0]]), z)[0]))

    assert mean(p * (1.0 + 0.1 * sign)) == pytest.approx(1.0, abs=1e-12)
    assert mean(p * (1.0 + 0.12 * sign)) > 1.0005
    assert mean(p) < 0.999


def test_of_rates_at_the_ends_of_a_band_the_mean_is_at_most_1():
    rng = np.random.default_rng(1)
    p = rng.random(3000)
    null = read_band_of(((rng.random(3000) < p).astype(float), p), 0.025)
    scores = np.array([0.31, 0.311, 0.312, 0.8])  # three of them in one cell
    for c in (null.lower(scores), null.upper(scores)):
        assert mean_evidence(relative(past(null)), [(scores, c)], exact=False) <= ROUNDED


@pytest.mark.parametrize("rates", [[1.0, 1.0, 1.0, 1.0], [0.9, 1.1, 0.8, 1.2], [0.0, 2.0, 1.9, 0.1]])
def test_in_a_cell_the_mean_of_the_rates_is_all_that_matters(exact, rates):
    """Four scores are in one cell; the rates have their mean, and differ from them."""
    scores = np.array([0.301, 0.302, 0.303, 0.3035])
    assert len(batch_of(scores, np.zeros(4), exact=False)) == 1
    rates = np.array(rates) * scores.mean()
    mean = mean_evidence(exact, [(scores, rates)], exact=False)
    assert mean <= ROUNDED
    assert mean > 0.9


def test_segments_that_appear_later_leave_the_mean_at_1():
    settings = settings_of(Exact())
    first, second = {"a": [0.1], "b": [0.7]}, {"c": [0.5], "d": [0.3]}

    def after(state, segments, y):
        rows = np.split(y, np.cumsum([len(p) for p in segments.values()])[:-1])
        parts = {key: batch_of(p, labels) for (key, p), labels in zip(segments.items(), rows, strict=True)}
        whole = batch_of(np.concatenate([*segments.values()]), y)
        return state.after(Update(whole, parts, Seen("batch", None, "")))

    def of_second(state):
        c = np.concatenate([*second.values()])
        return mean_over(c, lambda y: np.exp(after(state, second, y).log_e))

    start = MonitorState.first(settings)
    c = np.concatenate([*first.values()])
    assert mean_over(c, lambda y: of_second(after(start, first, y))) == pytest.approx(1, abs=1e-12)


def test_an_exponent_of_1_over_the_size_bears_rows_of_a_group_with_one_label(exact):
    """Two groups of two rows, whose labels are always the same; rows taken for independent gain on average."""
    p, size = np.array([0.3, 0.3001, 0.6, 0.6001]), 2.0

    def mean(exponent):
        return mean_over(
            p[::2], lambda y: np.exp(exact.after(batch_of(p, np.repeat(y, 2), [exponent] * 4)).process.log_e)
        )

    assert mean(1.0 / size) <= ROUNDED
    assert mean(1.0) > 1.001


EDGES = {  # scores and rates whose mean distance is .2
    "one row is far off": ([0.2, 0.5, 0.9, 0.91], [1.0, 0.5, 0.9, 0.91]),
    "all are off": ([0.2, 0.5, 0.9, 0.91], [0.4, 0.7, 0.7, 0.71]),
    "scores of 0 are right": ([0.0, 0.0, 0.2, 0.5], [0.0, 0.0, 0.6, 0.9]),
    "scores of 0 are hardly off": ([0.0, 0.0, 0.2, 0.5], [0.2, 0.2, 0.4, 0.7]),
    "scores of 1 are off": ([1.0, 1.0, 0.2, 0.5], [0.6, 1.0, 0.4, 0.7]),
}


@pytest.fixture(scope="module")
def small_errors():
    """Return a stream under the null of a mean error of at most .2."""
    return relative(past(Exact(), max_error=0.2))


@pytest.mark.parametrize(("p", "c"), EDGES.values(), ids=EDGES)
def test_of_mean_errors_at_the_limit_the_mean_is_at_most_1(small_errors, p, c):
    assert np.abs(np.subtract(p, c)).mean() == pytest.approx(0.2)
    assert mean_evidence(small_errors, [(p, c)]) <= ROUNDED


def test_no_label_is_impossible_where_the_mean_error_is_tested(small_errors):
    """Rows of score 0 with both labels stay in the capital: without those that are negative it would gain."""
    both = small_errors.after(batch_of([0.0] * 40 + [0.5] * 40, [1.0] + [0.0] * 39 + [1.0] * 40)).log_e
    fewer = small_errors.after(batch_of([0.0] + [0.5] * 40, [1.0] + [1.0] * 40)).log_e
    assert both < fewer - 0.1


def test_a_batch_without_rows_changes_no_evidence(exact):
    after = exact.after(Batch.empty()).process
    assert after.log_e == exact.log_e
    assert after.shares is exact.process.shares
    assert after.bettors is exact.process.bettors


def test_exact_cells_are_their_rows_in_any_order():
    rng = np.random.default_rng(3)
    monitors = [fot.monitor.Monitor(exact=True, families=["isotonic"]) for _ in range(3)]
    for _ in range(3):
        p = rng.choice([0.02, 0.021, 0.3, 0.7, 0.9], 200)
        y, order = (rng.random(200) < p**0.7).astype(float), rng.permutation(200)
        monitors[0].update(y, p)
        monitors[1].update(y[order], p[order])
        monitors[2].update(fot.Cells.of(y, p, exact=True))
    log_es = [monitor.evidence.log_es for monitor in monitors]
    np.testing.assert_allclose(log_es[1:], [log_es[0]] * 2, atol=1e-9)
