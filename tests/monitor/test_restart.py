"""Another life of a monitor, and the map that it proposes for it."""

import numpy as np
import pytest

from fitontest.monitor.monitor import Monitor


def fed(batches=6, slope=0.6, n=1500, seed=0):
    """Return a monitor that has seen batches of scores that are too extreme, and what makes another batch."""
    rng = np.random.default_rng(seed)

    def rows():
        z = rng.normal(-1.0, 1.5, n)
        return (rng.random(n) < 1 / (1 + np.exp(-slope * z))).astype(int), 1 / (1 + np.exp(-z))

    monitor = Monitor()
    for _ in range(batches):
        monitor.update(*rows())
    return monitor, rows


@pytest.fixture(scope="module")
def refuted():
    """Return a monitor whose model is refuted."""
    return fed()[0]


def test_the_gain_is_that_of_maps_that_had_not_seen_the_labels(refuted):
    proposal = refuted.propose()
    records = refuted.evidence.process.records
    gained = sum(record.log_gains["spline"] for record in records)
    assert proposal.since == "1"
    assert proposal.n == sum(record.n for record in records)
    assert proposal.gain == pytest.approx(gained / proposal.n)
    assert proposal.gain > 0.005
    assert "gained" in str(proposal)


def test_the_gain_of_a_batch_is_the_difference_of_log_losses():
    """That of the scores, less that of the map, which is followed for .8 of the way in the logit."""
    monitor, _ = fed(batches=3)
    fitted = monitor.propose().map
    y, p = np.tile([0, 0, 1], 50), np.tile([0.2, 0.4, 0.7], 50)
    monitor.update(y, p)
    z, moved = np.log(p / (1 - p)), np.log(fitted(p) / (1 - fitted(p)))
    q = 1 / (1 + np.exp(-(z + 0.8 * (moved - z))))
    gain = np.where(y == 1, np.log(q / p), np.log((1 - q) / (1 - p))).sum()
    assert monitor.evidence.process.records[-1].log_gains["spline"] == pytest.approx(gain, rel=1e-9)


def test_a_family_that_did_not_bet_has_no_gain(refuted):
    proposal = refuted.propose("beta")
    assert proposal.gain is None
    assert "not known" in str(proposal)
    assert proposal.to_dict()["map"]["kind"] == "beta"


def test_a_restarted_monitor_begins_at_one_and_knows_what_it_saw():
    monitor, _ = fed()
    assert monitor.alarm
    monitor.restart()
    assert not monitor.alarm
    assert monitor.evidence.log_e == 0.0
    assert [len(life.records) for life in monitor._state.lives] == [6]
    assert len(monitor._state.seen) == 6
    assert not monitor._state.together.past.is_enough


def test_after_the_map_maps_start_from_the_moved_past():
    monitor, rows = fed()
    proposed = monitor.propose().map
    weight = monitor._state.together.past.sums.w.sum()
    monitor.restart(map=proposed)
    past = monitor._state.together.past
    assert past.sums.w.sum() == pytest.approx(weight)
    sample = past.sample()
    assert abs(np.average(sample.y - sample.p, weights=sample.w)) < 0.01
    for _ in range(4):
        y, p = rows()
        monitor.update(y, proposed(p))
    assert not monitor.alarm


def test_a_proposal_right_after_a_restart_has_a_map_and_no_gain(refuted):
    monitor = Monitor.from_dict(refuted.to_dict())
    monitor.restart(map=refuted.propose().map)
    proposal = monitor.propose()
    assert proposal.map.evaluate(np.array([0.9])) == pytest.approx(0.9, abs=0.05)  # the scores are right now
    assert (proposal.gain, proposal.since, proposal.n) == (None, None, 0)
    assert "there is no batch yet since the restart" in str(proposal)


def test_a_batch_before_there_is_a_map_gains_just_nothing(refuted):
    assert refuted.propose().gains[0] == ("1", 0.0)


def test_nothing_else_is_a_map(refuted):
    with pytest.raises(ValueError, match="map must be a CalibrationMap or None"):
        refuted.restart(map=lambda p: p)
    with pytest.raises(ValueError, match="must have a batch since it began"):
        Monitor().restart()
    with pytest.raises(ValueError, match="needs 10 positives and 10 negatives"):
        Monitor().propose()
