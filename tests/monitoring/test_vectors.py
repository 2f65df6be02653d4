"""Evidence on whole distributions: bets on a temperature and on one class."""

from dataclasses import replace
from itertools import product
from math import exp

import numpy as np
import pytest

import fitontest as fot
from fitontest.cells.cell_sums import CellSums, Resolution
from fitontest.monitoring.batches import vector_batch
from fitontest.monitoring.batches.batch import Batch
from fitontest.monitoring.batches.vector_batch import VectorBatch
from fitontest.monitoring.batches.vector_rows import log_chance_of_vectors
from fitontest.monitoring.bettors import class_shift as class_shift_bettor
from fitontest.monitoring.bettors import temperature as temperature_bettor
from fitontest.monitoring.bettors.class_shift import ClassShiftBettor
from fitontest.monitoring.bettors.factors import log_factors
from fitontest.monitoring.bettors.of_vectors import VectorRound, log_factors_of_rows
from fitontest.monitoring.bettors.temperature import TemperatureBettor
from fitontest.monitoring.monitor import Monitor
from fitontest.monitoring.nulls.of_vectors import VectorNull
from fitontest.monitoring.nulls.tolerance import Exact, Tolerance
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.vector_process import VectorProcess, vector_null_of

NULLS = [Exact(), Tolerance(0.05), Tolerance(0.3, "logit")]
P = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.3, 0.3, 0.4]])


def settings(null):
    """Return the settings of a null hypothesis."""
    return Settings(0.05, null, None, {}, 1000.0)


def drawn(n=200, classes=3, seed=0):
    """Return distributions, and labels drawn of flatter ones."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(classes, 0.7), size=n)
    flatter = np.sqrt(p) / np.sqrt(p).sum(axis=1, keepdims=True)
    return p, (flatter.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)


def monitored(null, p, y, *, batches=3, exponents=None):
    """Return the process that has seen the rows in batches, every third one in the same."""
    process = VectorProcess.first(settings(null))
    for k in range(batches):
        rows = slice(k, None, batches)
        part = VectorBatch.of(p[rows], y[rows], None if exponents is None else exponents[rows])
        process = process.after(part, settings(null), str(k))
    return process


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_the_mean_of_the_evidence_over_all_labels_is_one_at_most(null):
    """Of two batches, the bets on the second of which depend on the labels of the first."""
    low, high = VectorNull(null).limits(P)
    farthest = np.clip(P + np.array([0.05, -0.02, -0.03]), low, high)
    farthest /= farthest.sum(axis=1, keepdims=True)
    labels = list(product(range(3), repeat=2))
    for c in (P, farthest):
        mean = 0.0
        for y in labels:
            first = VectorProcess.first(settings(null)).after(VectorBatch.of(P[:2], np.array(y)), settings(null), "1")
            for next_y in labels:
                after = first.after(VectorBatch.of(P[1:], np.array(next_y)), settings(null), "2")
                mean += c[[0, 1], y].prod() * c[[1, 2], next_y].prod() * exp(after.log_e)
        assert mean <= 1.0 + 1e-12
        if null == Exact() and c is P:
            assert mean == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_the_order_of_classes_and_rows_does_not_matter(null):
    p, y = drawn()
    process = monitored(null, p, y)
    assert abs(process.log_e) > 0.1
    order = np.array([2, 0, 1])  # the column that each new one was
    turned = monitored(null, p[:, order], np.argsort(order)[y])
    assert turned.log_e == pytest.approx(process.log_e, abs=1e-9)
    backwards = VectorProcess.first(settings(null)).after(VectorBatch.of(p[::-1], y[::-1]), settings(null), "1")
    forwards = VectorProcess.first(settings(null)).after(VectorBatch.of(p, y), settings(null), "1")
    assert backwards.log_e == pytest.approx(forwards.log_e, abs=1e-9)


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_bets_on_two_classes_are_slopes_and_levels_of_one_score(null):
    p, y = drawn(classes=2)
    vectors = VectorBatch.of(p, y)
    sums = CellSums.of_rows(p[:, 1], y.astype(float), None, Resolution(exact=True))
    scores = Batch.of(sums, exact=True)
    limits = null.limits(scores)
    slopes = log_factors(scores, limits, scores.z / temperature_bettor.CHANGED[:, None])
    tempered = temperature_bettor._log_tempered(vectors)
    ours = log_factors_of_rows(vectors, VectorNull(null), tempered).sum(axis=1)
    np.testing.assert_allclose(ours, slopes, atol=1e-8)
    turn = VectorRound(vectors, VectorNull(null))
    levels = log_factors(scores, limits, scores.z + class_shift_bettor.SHIFTS[:, None])
    gained = [
        class_shift_bettor._gains(vectors, None if turn.is_exact else turn.null.limits(p), shift)
        for shift in class_shift_bettor.SHIFTS
    ]
    np.testing.assert_allclose(np.array(gained)[:, 1], levels, atol=1e-8)
    np.testing.assert_allclose(np.array(gained)[::-1, 0], levels, atol=1e-8)


@pytest.mark.parametrize("null", NULLS[1:], ids=str)
def test_a_shift_of_one_class_is_compared_with_the_nearest_distribution(null):
    p, y = drawn(classes=4)
    vectors, vector_null = VectorBatch.of(p, y), VectorNull(null)
    for shift in (-1.0, 0.15, 0.6):
        gained = class_shift_bettor._gains(vectors, vector_null.limits(p), shift)
        for j in range(4):
            q = p * np.exp(shift * (np.arange(4) == j))
            log_q = np.log(q / q.sum(axis=1, keepdims=True))[None]
            assert gained[j] == pytest.approx(log_factors_of_rows(vectors, vector_null, log_q).sum(), abs=1e-8)


def test_bettors_learn_what_is_wrong():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), size=2000)
    wrong = p * np.exp([0.0, 0.6, 0.0])
    y = (wrong.cumsum(axis=1) / wrong.sum(axis=1, keepdims=True) > rng.random((2000, 1))).argmax(axis=1)
    _, _, shifted = monitored(Exact(), p, y).bettors
    weights = shifted.shares.weights[1:].reshape(3, -1)
    best = np.unravel_index(weights.argmax(), weights.shape)
    assert (best[0], class_shift_bettor.SHIFTS[best[1]]) == (1, 0.6)
    p, y = drawn(2000)
    _, tempered, _ = monitored(Exact(), p, y).bettors
    assert temperature_bettor.TEMPERATURES[tempered.shares.weights.argmax()] == 2.0


def test_blocks_of_rows_change_nothing(monkeypatch):
    p, y = drawn()
    whole = [monitored(null, p, y).log_e for null in NULLS]
    monkeypatch.setattr(vector_batch, "ENTRIES", 100)
    assert [monitored(null, p, y).log_e for null in NULLS] == pytest.approx(whole, abs=1e-9)


def test_an_exponent_of_two_is_the_row_twice_and_one_of_zero_no_row():
    p, y = drawn(30)
    exponents = np.tile([0.0, 1.0, 2.0], 10)
    copies = np.repeat(np.arange(30), exponents.astype(int))
    weighed = monitored(NULLS[1], p, y, batches=1, exponents=exponents)
    repeated = monitored(NULLS[1], p[copies], y[copies], batches=1)
    assert weighed.log_e == pytest.approx(repeated.log_e, abs=1e-12)
    assert (weighed.n, repeated.n) == (20, 30)


def test_a_label_of_a_class_of_score_zero_refutes_exact_scores():
    p, y = np.vstack((P, [[0.0, 0.4, 0.6], [0.0, 0.0, 1.0]])), np.array([0, 1, 2, 0, 2])
    process = monitored(Exact(), P, y[:3], batches=1).after(VectorBatch.of(p, y), settings(Exact()), "next")
    assert process.refuted_by == "1 row of a class of score 0 in batch next"
    assert process.refuted_at == 1
    assert np.isfinite(process.log_e)
    possible = VectorBatch.of(np.delete(p, 3, axis=0), np.delete(y, 3))
    assert process.log_e == monitored(Exact(), P, y[:3], batches=1).after(possible, settings(Exact()), "n").log_e
    tolerated = monitored(Tolerance(0.05), p, y, batches=1)
    assert tolerated.refuted_by is None
    assert np.isfinite(tolerated.log_e)


def test_a_batch_without_rows_is_a_record_and_nothing_else():
    process = monitored(Exact(), *drawn(20), batches=1)
    after = process.after(VectorBatch.of(np.empty((0, 3)), np.empty(0, dtype=int)), settings(Exact()), "empty")
    assert replace(after, records=()).__dict__ == replace(process, records=()).__dict__
    assert [record.n for record in after.records] == [20, 0]


def test_the_state_of_bettors_goes_through_plain_values():
    p, y = drawn(60)
    process = monitored(Exact(), p, y)
    _, tempered, shifted = process.bettors
    turn = VectorRound(VectorBatch.of(p, y), VectorNull(Exact()))
    for bettor, kind in ((tempered, TemperatureBettor), (shifted, ClassShiftBettor)):
        assert kind.from_dict(bettor.to_dict()).bet(turn)[0] == bettor.bet(turn)[0]


def test_what_is_not_known_of_whole_distributions_is_refused():
    with pytest.raises(ValueError, match=r"max_error must be left out with reduction='canonical', got 0\.1"):
        vector_null_of(replace(settings(Exact()), max_error=0.1))


def test_a_monitor_of_whole_distributions_is_its_process():
    p, y = drawn()
    names = np.array(["a", "b", "c"])[y]
    monitor = Monitor(reduction="canonical", labels=["a", "b", "c"])
    for k in range(3):
        monitor.update(names[k::3], p[k::3])
    assert monitor.evidence.log_e == monitored(Exact(), p, y).log_e
    copy = Monitor.from_json(monitor.to_json())
    assert copy.update(names[:50], p[:50]).log_e == monitor.update(names[:50], p[:50]).log_e
    with pytest.raises(ValueError, match="got those of the batch '1', which was counted before"):
        monitor.update(names[::3][::-1], p[::3][::-1])


def test_groups_and_weights_of_whole_distributions_are_exponents():
    p, y = drawn(60)
    groups = np.arange(60) // 3
    monitor = Monitor(reduction="canonical", once=True)
    monitor.update(y[:30], p[:30], groups=groups[:30])
    thirds = monitored(Exact(), p[:30], y[:30], batches=1, exponents=np.full(30, 1 / 3))
    assert monitor.evidence.log_e == pytest.approx(thirds.log_e, abs=1e-12)
    after = monitor.update(y[27:36], p[27:36], groups=groups[27:36])
    assert (after.records[1].n, after.records[1].left_out) == (6, 3)
    heavy = Monitor(reduction="canonical", max_weight=3.0).update(y[:30], p[:30], sample_weight=np.ones(30))
    assert heavy.log_e == pytest.approx(thirds.log_e, abs=1e-12)
    counted = Monitor(reduction="canonical", weights="counts").update(y, p, sample_weight=np.full(60, 2))
    assert counted.n == 120


def test_segments_of_whole_distributions_have_evidence_of_their_own():
    p, y = drawn()
    evidence = Monitor(reduction="canonical").update(y, p, by=np.where(np.arange(200) < 80, "south", "north"))
    south = monitored(Exact(), p[:80], y[:80], batches=1)
    assert evidence.segments["south"].log_e == pytest.approx(south.log_e, abs=1e-12)
    assert evidence.segments["north"].n == 120


def test_a_batch_without_rows_may_come_first():
    p, y = drawn(20)
    monitor = Monitor(reduction="canonical")
    monitor.update([], [])
    assert monitor.update(y, p).log_e == monitored(Exact(), p, y, batches=1).log_e


def test_what_needs_one_score_is_refused():
    p, y = drawn(20)
    monitor = Monitor(reduction="canonical")
    monitor.update(y, p)
    with pytest.raises(ValueError, match="a map is proposed for one score"):
        monitor.propose()
    with pytest.raises(ValueError, match="map must be None with reduction='canonical'"):
        monitor.restart(map=fot.families.make("platt").fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]).map_)
    with pytest.raises(ValueError, match="reference must be left out with reduction='canonical'"):
        Monitor(reduction="canonical", reference=([0, 1] * 20, np.tile([0.4, 0.5], 20)))


@pytest.mark.parametrize(
    ("moved", "words"),
    [
        (lambda p: p**0.75, "overconfident (a temperature of about 1.33)"),
        (lambda p: p**1.33, "underconfident (a temperature of about 0.75)"),
        (lambda p: p * np.exp([0.0, 0.6, 0.0]), "class 'b' is more frequent than its scores say (by about 0.6 logits)"),
        (
            lambda p: p * np.exp([0.0, 0.0, -0.6]),
            "class 'c' is less frequent than its scores say (by about 0.6 logits)",
        ),
    ],
)
def test_the_sentence_says_in_which_direction_distributions_are_wrong(moved, words):
    rng = np.random.default_rng(3)
    monitor = Monitor(reduction="canonical", labels=["a", "b", "c"])
    for _ in range(3):
        p = rng.dirichlet(np.ones(3), size=1500)
        truth = moved(p) / moved(p).sum(axis=1, keepdims=True)
        y = (truth.cumsum(axis=1) < rng.random((1500, 1))).sum(axis=1).clip(max=2)
        evidence = monitor.update(np.array(["a", "b", "c"])[y], p)
    assert evidence.direction.detail == words
    assert f": {words}. Refit" in evidence.headline


def test_the_chance_of_labels_counts_the_ways_in_which_equal_rows_have_them():
    p = np.array([[0.5, 0.3, 0.2], [0.9, 0.1, 0.0], [0.5, 0.3, 0.2]])
    chance = log_chance_of_vectors(fot.read([0, 0, 1], p, reduction="canonical", labels=[0, 1, 2]))
    assert exp(chance) == pytest.approx(max(2 * 0.5 * 0.3 * 0.9, 2 * (2 / 3) ** 2 * (1 / 3)))
