"""The state of a monitor as JSON: read back it goes on bit by bit, and what is no such state is refused."""

import json
from copy import deepcopy
from dataclasses import fields, replace
from datetime import date, datetime, timedelta

import numpy as np
import pytest

import fitontest as fot
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.bettors.kinds import BETTORS
from fitontest.monitor.monitor import Monitor
from fitontest.monitor.process import Process
from fitontest.monitor.state import MonitorState, Seen, Update
from fitontest.monitor.stored.state import state_of_dict, state_to_dict

from .conftest import monitored, stream


@pytest.fixture(scope="module")
def some():
    """Return a monitor of three batches, one of them without rows."""
    monitor = monitored(stream(n=200, batches=2), tolerance=0.01, tolerance_unit="probability")
    silent = Update(Batch.empty(), {}, Seen("silent", "2026-02-01", ""))
    monitor._state = monitor._state.after(silent)
    return monitor


@pytest.fixture(scope="module")
def kept(some):
    return json.loads(some.to_json())


@pytest.mark.parametrize(
    "settings", [{}, {"max_error": 0.02}, {"tolerance": 0.1, "tolerance_unit": "logit", "families": {"platt": 0.2}}]
)
def test_what_is_read_back_goes_on_bit_by_bit(settings):
    drawn = stream(n=200, batches=4, shift=0.5)
    monitor = monitored(drawn[:2], **settings)
    again = Monitor.from_json(monitor.to_json())
    assert again.to_json() == monitor.to_json()
    for each in (monitor, again):
        each.update(*drawn[2])
        each.restart(fot.maps.KnotsMap([0, 1], [0.05, 0.8]))
        each.update(*drawn[3])
    assert again.to_json() == monitor.to_json()
    assert again.evidence.rows() == monitor.evidence.rows()


def test_the_band_of_a_reference_is_read_back(drifting, calibrated):
    monitor = Monitor(reference=calibrated[0])
    monitor.update(*drifting[0])
    assert Monitor.from_json(monitor.to_json()).to_json() == monitor.to_json()
    with pytest.raises(ValueError, match=r"settings\.null must be a hypothesis: "):
        Monitor.from_dict(changed(monitor.to_dict(), "settings", "null", "lows", to=[0.5]))


def test_a_new_monitor_is_read_back_too(drifting):
    again, monitor = Monitor.from_json(Monitor().to_json()), Monitor()
    assert again.update(*drifting[0]).rows() == monitor.update(*drifting[0]).rows()


def test_segments_are_read_back_by_what_they_are_called(some):
    state = some._state
    keys = ("north", 3, True, ("a", 2.5), date(2026, 1, 1), datetime(2026, 1, 1), (datetime(2026, 1, 2, 3, 4), "b"))
    held = replace(state, segments=dict.fromkeys(keys, state.together), priors=dict.fromkeys(keys, 0.2))
    again = state_of_dict(json.loads(json.dumps(state_to_dict(held))))
    assert list(again.segments) == list(again.priors) == list(keys)
    assert list(map(type, again.segments)) == list(map(type, keys))
    assert state_to_dict(again) == state_to_dict(held)
    hours = {timedelta(hours=1): state.together}
    with pytest.raises(ValueError, match="segments must be called by texts, numbers, booleans, dates or times"):
        state_to_dict(replace(state, segments=hours, priors=dict.fromkeys(hours, 0.5)))


@pytest.mark.parametrize("key", [{"date": "2026-13-01"}, {"day": "2026-01-01"}, {}, {"date": 3}])
def test_a_segment_of_another_kind_of_date_is_refused(some, key):
    state = some._state
    values = state_to_dict(replace(state, segments={"a": state.together}, priors={"a": 0.2}))
    values["segments"][0]["key"] = key
    with pytest.raises(ValueError, match=r"^segments\[0\].key"):
        state_of_dict(values)


def test_a_refuted_model_has_a_finite_state():
    p = np.linspace(0.0, 1.0, 60)
    monitor = monitored([(np.arange(60) % 3 == 0, p)])
    text = monitor.to_json()
    assert "Infinity" not in text
    again = Monitor.from_json(text)
    assert again.alarm
    assert again._state.together.refuted_by == monitor._state.together.refuted_by


def test_everything_that_is_known_is_kept(kept):
    """Another field must be kept too, or what is read back is something else."""
    assert {field.name for field in fields(MonitorState)} - {"priors"} <= set(kept)
    assert {field.name for field in fields(Process)} | {"of"} == set(kept["together"])
    assert {bettor["kind"] for bettor in kept["together"]["bettors"]} == set(BETTORS)


def test_a_thousand_batches_take_less_than_a_megabyte(some):
    """Records are all that grows; cells of the past are as many as there are ranges of scores."""
    z = np.random.default_rng(0).normal(-3.4, 1.0, 20_000)
    p = 1 / (1 + np.exp(-z))
    process = monitored([(np.arange(z.size) % 20 == 0, p)], families=("isotonic",))._state.together
    record = replace(
        some._state.together.records[1],
        batch="batch of 2026-01-01",
        time="2026-01-01T00:00:00",
        level=(-0.05000000000000004, 0.05000000000000004),
        slope=(0.8794531251, 1.1291),
    )
    long = replace(process, records=(record,) * 1000)
    seen = replace(some._state.seen[0], name=record.batch, time=record.time, digest="0" * 64)
    state = replace(some._state, together=long, log_es=(record.log_e,) * 1000, seen=(seen,) * 1000)
    assert 300_000 < len(json.dumps(state_to_dict(state))) < 1_000_000


def changed(kept, *path, to):
    values = deepcopy(kept)
    at = values
    for key in path[:-1]:
        at = at[key]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return values


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("schema",), 2, r"schema must be 1, got 2, written by version '"),
        (("kind",), "report", 'state must be that of a monitor, with "kind": "monitor"'),
        (("extra",), 1, "state must be an object with the keys .*; 'extra' is unknown"),
        (("seen",), None, "state must be an object with the keys .*; 'seen' is missing"),
        (("settings", "alpha"), "0.05", r"settings.alpha must be a number in \(0, 1\), got '0.05'"),
        (("settings", "alpha"), 5, r"settings.alpha must be a number in \(0, 1\), got 5"),
        (("settings", "max_error"), 0.0123, "together.capital.errors must hold the max_error of the settings, 0.0123"),
        (
            ("settings", "families"),
            {"spline": 0.28},
            "together.bettors must be on the families of the settings, spline;",
        ),
        (
            ("together", "capital", "families"),
            ["a", "b"],
            "capital.families must be those of the settings, got",
        ),
        (("settings", "families"), {"my_own": 0.1}, "each of families must be one of .* got 'my_own'"),
        (("settings", "null", "null"), "none", "null must be one of 'exact'"),
        (("together", "of"), "classes", "together.of must be one of 'scores'; got 'classes'"),
        (("together", "log_e"), 3.0, "together.log_e must be that of the last record, got 3.0"),
        (("together", "records", "n"), [200, 200], "together.records.n must be a list of 3 values, got 2 values"),
        (("together", "records", "n", 0), -1, r"together.records.n\[0\] must be a whole number, at least 0; got -1"),
        (("together", "records", "level", 0), [1], r"together.records.level\[0\] must be a list of 2 values"),
        (("together", "bettors", 1, "kind"), "shift", r"together.bettors\[1\].kind must be one of"),
        (("together", "bettors", 1, "weights"), [0.5, 0.5], r"bettors\[1\] must be the state of .* weights must be 19"),
        (("together", "bettors", 3, "edges"), [0.5], r"bettors\[3\] must be the state of .* edges must be"),
        (("together", "bettors", 0, "more"), 1, r"bettors\[0\] must be the state of a bettor of kind 'identity', got"),
        (("together", "shares", "weights", 0), 2.0, "together.shares.weights must be 6 numbers, at least 0, of sum 1"),
        (("together", "capital", "logs"), [[0.0]], r"together.capital.logs must hold \d+ numbers"),
        (("together", "lines", "centre"), True, "together.lines.centre must be a finite number, got True"),
        (("together", "past", "rows_1", 0), 10**6, "together.past must hold cells: "),
        (("together", "since", "whole"), 1, "together.since must hold cells: whole must be True or False"),
        (
            ("together", "refuted_at"),
            1,
            "together.refuted_at must be the place of a record, -1 without refuted_by; got 1",
        ),
        (("together", "shares", "weights"), [1e400] * 6, r"shares.weights must be a finite number, got inf"),
        (("log_es"), [], "log_es must be a list of 3 values, got 0 values"),
        (("seen", "digest", 0), 7, r"seen.digest\[0\] must be a text, got 7"),
    ],
)
def test_what_is_no_state_is_refused_by_the_place_of_the_fault(kept, path, to, message):
    path = (path,) if isinstance(path, str) else path
    with pytest.raises(ValueError, match=message):
        Monitor.from_dict(changed(kept, *path, to=to))


def test_a_monitor_of_whole_distributions_which_an_earlier_version_kept_is_refused_with_the_reason():
    values = changed(Monitor().to_dict(), "settings", "layout", "reduction", to="canonical")
    rule = "reduction must be one of 'confidence', 'classwise', 'binary'; got 'canonical'"
    with pytest.raises(ValueError, match=f"settings.layout must be that of a monitor: {rule}"):
        Monitor.from_dict(changed(values, "together", "of", to="classes"))


@pytest.mark.parametrize("values", [[], "monitor", {}, {"kind": "identity", "schema": 2}])
def test_states_of_another_kind_are_refused(values):
    with pytest.raises(ValueError, match="state must be that of a monitor"):
        Monitor.from_dict(values)


def test_a_text_that_is_cut_off_or_edited_is_refused(some):
    text = some.to_json()
    for part, message in (
        (text[: len(text) // 2], "text must be JSON"),
        (text.replace('"log_e": ', '"log_e": NaN, "was": ', 1), "numbers must be finite, got NaN"),
        (text.replace('"kind"', '"schema"', 1), "a key must occur once in its object, got 'schema' 2 times"),
    ):
        with pytest.raises(ValueError, match=message):
            Monitor.from_json(part)


def test_families_of_ones_own_bet_by_their_names(drifting):
    """A state names them, so that it can be read where they are registered, and nowhere else."""

    @fot.families.register("own_platt")
    class OwnPlatt(fot.Platt):
        pass

    try:
        text = monitored(drifting[:3], families=("own_platt",)).to_json()
        assert Monitor.from_json(text).to_json() == text
    finally:
        fot.families.unregister("own_platt")
    with pytest.raises(ValueError, match=r"each of families must be one of .* got 'own_platt'"):
        Monitor.from_json(text)
