"""The evidence of one stream."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.monitor import Monitor
from tests.monitor.conftest import monitored


def certain(y, p, **options):
    """Return the evidence of one batch."""
    return Monitor(**options).update(np.array(y), np.array(p))


def test_a_positive_row_of_score_0_refutes_exact_scores_and_stays_so():
    monitor = Monitor()
    monitor.update([0, 1, 1, 0], [0.0, 0.0, 1.0, 0.5])
    evidence = monitor.update([0, 1], [0.4, 0.6])
    assert evidence.process.refuted_by == "1 positive row of score 0 in batch 1"
    assert evidence.alarm_since == 0
    assert np.isfinite([record.log_e for record in evidence.process.records]).all()


def test_right_labels_of_certain_scores_change_nothing():
    evidence = certain([0] * 50 + [1] * 50, [0.0] * 50 + [1.0] * 50)
    assert evidence.process.refuted_by is None
    assert evidence.log_e == pytest.approx(0.0, abs=1e-6)


def test_a_mean_error_has_room_for_any_label():
    """A row that a score of 0 forbids is an error of 1 there, which a mean of many rows may hold."""
    few = certain([1] + [0] * 999, [0.0] * 1000, max_error=0.1)
    assert few.process.refuted_by is None
    assert not few.alarm
    monitor = Monitor(max_error=0.1)
    for _ in range(4):
        monitor.update([1] * 300 + [0] * 300, [0.0] * 600)
    assert monitor.alarm
    assert monitor.evidence.process.refuted_by is None


def test_a_batch_without_rows_changes_no_evidence():
    monitor = Monitor()
    before = monitor.update(*(np.array([0, 1] * 20), np.full(40, 0.4)))
    process = before.process
    after = process.after(Batch.empty(), before.settings, "none")
    assert (after.log_e, after.log_cusum, after.bettors) == (process.log_e, process.log_cusum, process.bettors)
    assert after.records[-1].n == 0
    assert after.onset == process.onset


def test_the_onset_is_the_start_of_the_largest_sum_of_log_factors():
    rng = np.random.default_rng(3)
    monitor = Monitor()
    for month in range(8):
        z = rng.normal(-1, 1, 400)
        monitor.update(rng.random(400) < 1 / (1 + np.exp(-z - 0.7 * (month >= 4))), 1 / (1 + np.exp(-z)))
    process = monitor.evidence.process
    factors = [record.log_factor for record in process.records]
    sums = [sum(factors[start:]) for start in range(len(factors))]
    assert process.onset == int(np.argmax(sums))
    assert process.log_cusum == pytest.approx(max(sums))
    assert process.since.rows.sum() == 400 * (8 - process.onset)
    assert process.before.rows.sum() == 400 * process.onset


def test_a_monitor_says_what_it_is(drifting):
    assert repr(Monitor()) == "Monitor(level=0.95, 0 batches, n=0, no alarm)"
    alarmed = monitored(drifting, families=["isotonic"])
    assert repr(alarmed) == "Monitor(level=0.95, 8 batches, n=2,400, alarm since batch 4)"


def test_families_are_refused_by_the_name_of_the_argument():
    with pytest.raises(ValueError, match=r"^each of families must be one of .* got 'spine'"):
        Monitor(families=["spine"])


@pytest.mark.parametrize("result", [ValueError("no map of these"), np.linalg.LinAlgError("singular"), np.nan])
def test_a_family_that_has_no_map_of_the_past_stays_with_the_scores(result):
    rng = np.random.default_rng(0)

    class Broken(fot.Family):
        def fit_map(self, sample):
            if isinstance(result, Exception):
                raise result
            return self

        def evaluate(self, p):
            return np.full(p.shape, result)

    fot.families.register("broken")(Broken)
    try:
        monitor, plain = Monitor(families=["broken"]), Monitor(families={"identity": 0.28})
        for _ in range(3):
            p = rng.random(60)
            y = rng.random(60) < p
            evidence, other = monitor.update(y, p), plain.update(y, p)
        assert evidence.log_e == pytest.approx(other.log_e, abs=1e-9)
        assert evidence.records[-1].log_factors["broken"] == evidence.records[-1].log_gains["broken"] == 0.0
    finally:
        fot.families.unregister("broken")
