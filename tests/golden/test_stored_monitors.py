"""Every version reads the monitors that version 0.2 wrote, writes them as they were, and goes on as they would.

``python -m tests.golden.write_monitors`` wrote the file.
"""

import json

import pytest

import fitontest as fot
from tests.golden.write_monitors import FILE, SETTINGS, evidence_of

STORED = {each["name"]: each for each in json.loads(FILE.read_text(encoding="utf-8"))}


def test_each_kind_is_there():
    assert STORED.keys() == SETTINGS.keys()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_stored_monitor_is_read_and_goes_on(name):
    monitor = fot.monitor.Monitor.from_json(STORED[name]["text"])
    assert json.loads(monitor.to_json()) == json.loads(STORED[name]["text"])
    assert_same(evidence_of(monitor, name), STORED[name]["evidence"])


def assert_same(found, stored):
    """Assert that records agree, numbers but for the last digits of other releases of numpy and scipy."""
    if isinstance(stored, dict):
        assert found.keys() == stored.keys()
        for key in stored:
            assert_same(found[key], stored[key])
    elif isinstance(stored, list):
        assert len(found) == len(stored)
        for one, other in zip(found, stored, strict=True):
            assert_same(one, other)
    elif isinstance(stored, float):
        assert found == pytest.approx(stored, rel=1e-6, abs=1e-9)
    else:
        assert found == stored
