"""Evidence by segment: the list of one report, alarms that stay, and the evidence of all together."""

from itertools import product
from math import exp, inf, log

import numpy as np
import pytest

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.evidence.evidence import MonitorEvidence
from fitontest.monitor.monitor import Monitor
from fitontest.monitor.nulls.rates import Exact
from fitontest.monitor.segments import list_segments, log_mean_of_segments, prior_weights
from fitontest.monitor.settings import Settings
from fitontest.monitor.state import MonitorState, Seen, Update

ALPHA = 0.05
SETTINGS = Settings(ALPHA, Exact(), None, {"isotonic": 0.28}, 1000.0)


def batch_of(y, p):
    """Return a batch of rows."""
    sums = CellSums.of_rows(np.asarray(p, dtype=float), np.asarray(y, dtype=float), None, Resolution())
    return Batch.of(sums)


def updated(state, name, rows):
    """Return a state after a batch of labels and scores by segment."""
    together = batch_of(*(np.concatenate(column) for column in zip(*rows.values(), strict=True)))
    return state.after(Update(together, {key: batch_of(*each) for key, each in rows.items()}, Seen(name, None, name)))


def rows_of(n, events, p):
    """Return labels and scores of n rows of one score."""
    return np.arange(n) < events, np.full(n, p)


def named_by_brute_force(es, alpha):
    """Return the largest set of which every member has at least S / (size alpha)."""
    keys = list(es)
    sets = [{key for key, is_in in zip(keys, taken, strict=True) if is_in} for taken in product([0, 1], repeat=len(es))]
    fitting = [each for each in sets if all(es[key] >= len(es) / (len(each) * alpha) for key in each)]
    return max(fitting, key=len)


def test_the_list_is_the_largest_set_that_reaches_its_own_limit():
    values = (0.0, 1.0, 24.0, 26.0, 34.0, 55.0, 110.0, inf)
    for es in product(values, repeat=4):
        by_key = dict(zip("abcd", es, strict=True))
        logs = {key: log(e) if e else -inf for key, e in by_key.items()}
        named = list_segments(logs, ALPHA)
        assert set(named) == named_by_brute_force(by_key, ALPHA)
        assert [logs[key] for key in named] == sorted((logs[key] for key in named), reverse=True)


def test_more_evidence_takes_no_name_off_the_list():
    es = {"a": 4.7, "b": 4.0, "c": 3.0, "d": 0.0}
    before = set(list_segments(es, ALPHA))
    assert before == {"a", "b"}
    assert all(before <= set(list_segments(es | {key: es[key] + 2.0}, ALPHA)) for key in es)


def test_lists_of_one_segment_and_of_none():
    assert list_segments({}, ALPHA) == ()
    assert list_segments({"a": -log(ALPHA) + 1e-12}, ALPHA) == ("a",)
    assert list_segments({"a": -log(ALPHA) - 1e-12}, ALPHA) == ()


def test_prior_weights_sum_to_one_at_most_however_many_segments_appear():
    for first in (1, 2, 8):
        priors = prior_weights(list(range(first)), 0)
        for later in range(first, 1000):
            priors |= prior_weights([later], later)
        assert sum(priors.values()) == pytest.approx(1.0 - 1.0 / 1001)
        assert priors[0] == 1.0 / (first + 1)


def test_segments_that_have_not_appeared_count_one():
    assert log_mean_of_segments({"a": log(9.0)}, {"a": 0.25}) == pytest.approx(log(0.25 * 9.0 + 0.75))


def test_the_evidence_of_all_is_half_of_all_rows_and_half_of_the_mean_of_segments():
    state = updated(MonitorState.first(SETTINGS), "1", {"a": rows_of(60, 30, 0.2), "b": rows_of(60, 12, 0.2)})
    state = updated(state, "2", {"b": rows_of(50, 10, 0.2), "c": rows_of(40, 8, 0.2)})
    e = {key: exp(process.log_e) for key, process in state.segments.items()}
    mean = e["a"] / 3 + e["b"] / 3 + e["c"] / 12 + 1 / 4
    assert exp(state.log_e) == pytest.approx((exp(state.together.log_e) + mean) / 2)
    assert state.log_e == state.log_es[-1]
    assert state.named == ("a",)
    segments = MonitorEvidence.of(state).segments
    assert [segments[key].log_limit for key in "abc"] == pytest.approx(np.log([3 / ALPHA, 3 / ALPHA, 12 / ALPHA]))
    assert [segments[key].alarm_since for key in "abc"] == [0, None, None]


def test_a_segment_without_rows_costs_nothing_and_stays_as_it_was():
    state = updated(MonitorState.first(SETTINGS), "1", {"a": rows_of(60, 30, 0.2), "b": rows_of(60, 12, 0.2)})
    later = updated(state, "2", {"b": rows_of(50, 10, 0.2)})
    assert later.segments["a"] is state.segments["a"]
    assert [record.batch for record in later.segments["b"].records] == ["1", "2"]
    empty = Update(batch_of([1.0], [0.5]), {"new": Batch.empty()}, Seen("3", None, "3"))
    assert list(later.after(empty).segments) == ["a", "b"]


def test_a_refuted_segment_has_infinite_evidence_and_no_infinity_in_the_state():
    state = updated(MonitorState.first(SETTINGS), "1", {"a": rows_of(60, 12, 0.2), "b": rows_of(60, 12, 0.2)})
    state = updated(state, "2", {"b": rows_of(60, 12, 0.2)})
    state = updated(state, "3", {"a": ([0, 1, 1], [0.2, 0.0, 0.0]), "b": rows_of(60, 12, 0.2)})
    assert state.log_e == state.log_e_of("a") == inf
    assert state.refuted_by == "2 positive rows of score 0 in batch 3"
    assert state.refuted_at == 2
    assert state.named == ("a",)
    evidence = MonitorEvidence.of(state)
    assert evidence.e_value == evidence.segments["a"].e_value == inf
    assert (evidence.alarm_since, evidence.p_value) == (2, 0.0)
    assert evidence.segments["a"].alarm_since == 1  # its second batch
    assert not evidence.segments["b"].alarm
    assert np.isfinite(state.log_es).all()


def test_the_mean_of_the_evidence_of_all_classes_is_one_at_most():
    """Entries of one row depend on each other; of all classes together each counts 1 / K."""
    p = np.array([[0.6, 0.3, 0.1], [0.05, 0.15, 0.8]])
    means = np.zeros(3)
    for y in product(range(3), repeat=2):
        monitor = Monitor(tolerance=0, reduction="classwise", labels=[0, 1, 2], families=["isotonic"])
        evidence = monitor.update(y, p)
        first = evidence.segments[0]
        means += p[[0, 1], y].prod() * np.exp([evidence.log_e, evidence.process.log_e, first.log_e])
    assert list(evidence.segments) == [0, 1, 2]
    assert (means[:2] < 1.0).all()
    assert means[2] == pytest.approx(1.0, abs=1e-9)
