"""Runs of nearly equal rows: found where rows come group by group, and not where a table is sorted or drifts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import expit, ndtr

import fitontest as fot
from fitontest.data.repeated_rows import Repeats
from fitontest.data.row_runs import NEAR, NO_RUNS, Runs, _split_fours

pytestmark = pytest.mark.multiplies

TOLD = "rows come in runs of nearly equal ones"


def grouped(groups=200, rows=5, icc=0.95, seed=0):
    """Return rows that come group by group, with scores that are alike in a group, and labels a little."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(groups), rows)

    def alike(share):
        return np.sqrt(share) * rng.standard_normal(groups)[of] + np.sqrt(1 - share) * rng.standard_normal(of.size)

    p = expit(1.5 * alike(icc))
    return (ndtr(alike(0.05)) < p).astype(int), p


def independent(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    p = expit(1.5 * rng.standard_normal(n))
    return (rng.random(n) < p).astype(int), p


def are_there(y, p, w=None):
    return Runs.of(fot.ScoreSample(y, p, w)).are_there


@pytest.mark.parametrize(("groups", "rows"), [(1000, 3), (200, 5), (100, 10), (100, 30)])
@pytest.mark.parametrize("icc", [0.95, 1.0])
def test_rows_that_come_group_by_group_are_found(groups, rows, icc):
    y, p = grouped(groups, rows, icc)
    assert are_there(y, p)
    assert are_there(1 - y, 1 - p)
    assert are_there(y, p.round(2))
    assert are_there(y[::-1], p[::-1].astype(np.float32))


def test_the_same_rows_in_another_order_are_not():
    y, p = grouped()
    rng = np.random.default_rng(1)
    for order in (rng.permutation(y.size), np.argsort(p), np.lexsort((p, y)), np.lexsort((rng.random(y.size), y))):
        assert are_there(y[order], p[order]) == (order is None)


ORDERS = {
    "random": lambda y, p, rng: rng.random(y.size),
    "score": lambda y, p, rng: p,
    "rounded score": lambda y, p, rng: p.round(1),
    "label": lambda y, p, rng: y,
    "label and score": lambda y, p, rng: y + p / 2,
    "loose covariate": lambda y, p, rng: p + 0.3 * rng.standard_normal(y.size),
    "close covariate": lambda y, p, rng: p + 0.02 * rng.standard_normal(y.size),
    "covariate in levels": lambda y, p, rng: np.floor(12 * p + rng.standard_normal(y.size)),
    "alternating labels": lambda y, p, rng: np.argsort(np.argsort(y, kind="stable")) % (np.sum(y == 0)),
}


@pytest.mark.parametrize("key", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("made", [lambda p: p, lambda p: p.round(1), lambda p: p**6], ids=["all", "1 digit", "rare"])
def test_sorted_tables_have_no_runs(key, n, made):
    for seed in range(5):
        rng = np.random.default_rng([seed, n])
        p = made(rng.random(n))
        y = (rng.random(n) < p).astype(int)
        order = np.argsort(key(y, p, rng), kind="stable")
        assert not are_there(y[order], p[order])


@pytest.mark.parametrize("size", [2, 5, 10, 50])
def test_blocks_of_one_label_are_no_runs(size):
    y, p = independent(4000)
    first, second = (np.flatnonzero(y == label) for label in (0, 1))
    many = min(first.size, second.size) // size
    rows = np.stack([each[: many * size].reshape(many, size) for each in (first, second)], axis=1).ravel()
    assert not are_there(y[rows], p[rows])


STREAMS = {
    "drift": lambda rng, t: 3.0 * t / t.size + rng.standard_normal(t.size) / 2,
    "season": lambda rng, t: np.sin(2 * np.pi * t / 96) + rng.standard_normal(t.size) / 4,
    "short season": lambda rng, t: np.sin(2 * np.pi * t / 24) + rng.standard_normal(t.size) / 10,
    "autoregression .5": lambda rng, t: lfilter([1.0], [1.0, -0.5], rng.standard_normal(t.size)),
    "autoregression .9": lambda rng, t: lfilter([0.5], [1.0, -0.9], rng.standard_normal(t.size)),
    "random walk": lambda rng, t: np.cumsum(rng.standard_normal(t.size)) / 20,
}


@pytest.mark.parametrize("series", STREAMS.values(), ids=STREAMS)
def test_streams_have_no_runs(series):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        p = expit(series(rng, np.arange(3000.0)))
        assert not are_there((rng.random(3000) < p).astype(int), p)


def test_constant_scores_few_rows_and_one_class_tell_nothing():
    y, p = grouped()
    assert not are_there(y, np.full(1000, 0.3))
    for n in (1, 2, 3, 5):
        assert not are_there(y[:n], p[:n])
    assert are_there(np.zeros(1000), p)  # the order of the scores tells it


def test_neighbours_are_counted_as_stated():
    """Against pairs counted one by one: nearly equal are rows of a label whose ranks differ by a twentieth at most."""
    y, p = grouped(40, 5)
    p = p.round(2)
    u = np.empty(y.size)
    for label in (0, 1):
        own = p[y == label]
        u[y == label] = [(np.sum(own < value) + np.sum(own <= value)) / 2 / own.size for value in own]
    near = (np.abs(u[:, None] - u) <= NEAR) & (y[:, None] == y)
    found = Runs.of(fot.ScoreSample(y, p))
    assert found.neighbours == y.size - 1
    assert found.alike == np.trace(near, 1)
    pairs = near[np.triu_indices(y.size, 1)]
    assert found.expected == pytest.approx(pairs.mean() * (y.size - 1), rel=1e-12)


def test_the_expected_number_is_that_of_random_order():
    y, p = grouped(60, 5)
    rng = np.random.default_rng(0)
    orders = [rng.permutation(y.size) for _ in range(400)]
    alike = [Runs.of(fot.ScoreSample(y[order], p[order])).alike for order in orders]
    expected = Runs.of(fot.ScoreSample(y, p)).expected
    assert abs(np.mean(alike) - expected) < 4 * np.std(alike) / 20


def test_splits_of_fours_are_fair_in_random_order():
    """A third of the fours that fall apart do so as (1 2 | 3 4), whatever the scores; the variance is that of draws."""
    sums, variances = [], []
    for seed in range(300):
        runs = Runs.of(fot.ScoreSample(*independent(400, seed)))
        sums.append(runs.excess)
        variances.append(runs.variance)
    assert abs(np.mean(sums)) < 4 * np.std(sums) / np.sqrt(300)
    assert 0.8 < np.var(sums) / np.mean(variances) < 1.25


def test_fours_by_hand():
    p = np.array([0.10, 0.11, 0.90, 0.91, 0.12, 0.13])
    runs = Runs.of_rows(p, np.zeros(6))
    # ranks 1 2 5 6 3 4 of 6: (1 2 5 6) and (5 6 3 4) are split in the middle, (2 5 6 3) is not; gaps of 3 and 1 of 6
    assert (runs.parted, runs.apart) == (0, 0)  # 3/6 is less than four times as wide as a pair, 1/6
    tied = Runs.of_rows(np.array([0.1, 0.1, 0.9, 0.9, 0.1, 0.1]), np.zeros(6))
    assert (tied.parted, tied.apart) == (2, 3)
    assert tied.excess == pytest.approx(2 - 3 / 3)


def test_labels_are_looked_at_by_themselves():
    """Rows of the other label between those of a run change nothing of what falls apart."""
    y, p = grouped()
    zeros, ones = (Runs.of_rows(p[y == label], np.full(np.sum(y == label), label)) for label in (0.0, 1.0))
    both = Runs.of(fot.ScoreSample(y, p))
    assert (both.parted, both.apart) == (zeros.parted + ones.parted, zeros.apart + ones.apart)
    by_label = np.argsort(y, kind="stable")
    assert Runs.of(fot.ScoreSample(y[by_label], p[by_label])).apart == both.apart


def test_absent_rows_are_not_looked_at():
    y, p = grouped()
    rng = np.random.default_rng(0)
    at = np.sort(rng.integers(0, 1000, 500))
    w = np.insert(np.ones(1000), at, 0.0)
    runs = Runs.of(fot.ScoreSample(np.insert(y, at, 1), np.insert(p, at, rng.random(500)), w))
    assert runs == Runs.of(fot.ScoreSample(y, p))


def test_of_many_rows_stretches_are_looked_at():
    y, p = grouped(50_000, 5)
    runs = Runs.of(fot.ScoreSample(y, p))
    assert runs.neighbours == 99_999
    assert runs.are_there


def test_rows_that_lost_their_order_tell_nothing():
    y, p = grouped()
    assert Runs.of(fot.ScoreSample(y, p).present) == NO_RUNS
    assert Runs.of(fot.Cells.of(y, p).sample()) == NO_RUNS


def test_parts_add_up():
    y, p = grouped(400)
    halves = [Runs.of(fot.ScoreSample(y[half], p[half])) for half in (slice(0, 1000), slice(1000, 2000))]
    both = halves[0] + halves[1]
    assert both.are_there
    assert both.neighbours == 1998
    assert NO_RUNS + both == both
    assert not NO_RUNS.are_there
    assert not replace(both, alike=int(both.expected)).are_there


CALLS = {
    "evaluate": lambda y, p: fot.evaluate(y, p, families=["platt", "isotonic"]),
    "error": lambda y, p: fot.calibration_error(y, p, family="platt", interval="always", level=0.9),
    "null": lambda y, p: fot.evaluate(y, p, measures=["ece"], null_draws=20),
    "gate": lambda y, p: fot.check_calibration(y, p, max_error=0.1, family="platt"),
    "segments": lambda y, p: fot.evaluate(y, p, families=["platt"], by=np.arange(y.size) < y.size // 2),
    "models": lambda y, p: fot.compare_errors(y, p, p**1.1),
    "calibrators": lambda y, p: fot.compare_calibrators(y, p, families=["platt"], evaluators=[]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_runs_are_told_once_where_something_is_concluded(call):
    y, p = grouped()
    with pytest.warns(fot.CalibrationWarning, match=TOLD) as caught:
        result = call(y, p)
    told = [str(one.message) for one in caught if TOLD in str(one.message)]
    assert len(told) == 1
    assert "need groups=; intervals and p-values take rows for independent" in told[0]
    assert " ".join(str(result).split()).count(TOLD) == 1 or "Comparison" in type(result).__name__


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_runs_of_several_classes_are_told_once(reduction):
    rng = np.random.default_rng(0)
    P = np.repeat(rng.dirichlet([1, 1, 1], 200), 5, axis=0)
    y = (rng.random(1000)[:, None] > P.cumsum(axis=1)[:, :2]).sum(axis=1)
    with pytest.warns(fot.CalibrationWarning, match=TOLD) as caught:
        fot.evaluate(y, P, reduction=reduction, families=["temperature"], null_draws=20)
    assert sum(TOLD in str(one.message) for one in caught) == 1


def test_copies_are_the_stronger_evidence():
    y, p = independent(300)
    note = Repeats.of(fot.ScoreSample(np.repeat(y, 4), np.repeat(p, 4))).note
    assert "look like copies" in note
    assert "leave the copies out, or name what belongs together by groups=" in note
    assert TOLD not in note


def test_nothing_is_said_where_groups_are_named():
    y, p = grouped()
    for ids in (np.repeat(np.arange(200), 5), np.arange(1000)):
        repeats = Repeats.of(fot.read(y, p, groups=ids))
        assert (repeats.note, repeats.runs) == ("", NO_RUNS)
    copies = fot.read(np.repeat(y, 3), np.repeat(p, 3), groups=np.repeat(np.arange(1000), 3))
    assert Repeats.of(copies).are_copies
    assert not Repeats.of(copies).note


def test_a_point_estimate_needs_no_note(recwarn):
    y, p = grouped()
    fot.calibration_error(y, p, family="platt")
    assert not recwarn.list


@pytest.mark.parametrize("values", [2, 3, 10, 10**6])
def test_fours_are_split_as_sorting_them_splits(values):
    u = np.random.default_rng(values).integers(0, values, 500) / values
    order = np.argsort(np.stack((u[:-3], u[1:-2], u[2:-1], u[3:]), axis=1), axis=1, kind="stable")
    low, gap, high, first = _split_fours(u)
    expected = np.diff(u[np.arange(497)[:, None] + order], axis=1)
    np.testing.assert_array_equal(np.stack((low, gap, high), axis=1), expected)
    np.testing.assert_array_equal(first, [set(lower) in ({0, 1}, {2, 3}) for lower in order[:, :2].tolist()])
