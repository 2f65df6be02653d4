"""The file of a monitor: a crash leaves the old one, and of two processes that add a batch both are counted."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import fitontest as fot
from fitontest.monitor.monitor import Monitor
from fitontest.monitor.stored import file as state_file
from fitontest.monitor.stored.file import STALE, locked

pytestmark = pytest.mark.multiplies

Y, P = np.arange(40) % 2, np.linspace(0.1, 0.9, 40)


@pytest.fixture
def path(tmp_path):
    """Return the file of a monitor of one batch."""
    with Monitor.updating(tmp_path / "churn.json", level=0.99) as monitor:
        monitor.update(Y, P, batch="first")
    return tmp_path / "churn.json"


def names(path):
    return [record["batch"] for record in Monitor.load(path).evidence.rows()]


def only(path):
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_is_made_and_read_back(path):
    loaded = Monitor.load(str(path))
    loaded.save(path.with_name("copy.json"))
    assert path.read_bytes() == path.with_name("copy.json").read_bytes()
    with Monitor.updating(path) as monitor:
        evidence = monitor.update(1 - Y, P, batch="second")
    assert names(path) == ["first", "second"]
    assert loaded.update(1 - Y, P, batch="second").log_e == evidence.log_e == Monitor.load(path).evidence.log_e


def test_an_error_while_it_is_used_or_written_leaves_the_old_file(path, monkeypatch):
    old = path.read_bytes()
    with pytest.raises(ValueError, match="same number of rows"), Monitor.updating(path) as monitor:
        monitor.update(Y[: 10 * len(monitor.update(1 - Y, P, batch="second").rows())], P)
    assert path.read_bytes() == old

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(state_file.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"), Monitor.updating(path) as monitor:
        monitor.update(1 - Y, P, batch="second")
    assert path.read_bytes() == old
    assert only(path)


@pytest.mark.parametrize("has_locks", [True, False])
def test_of_two_that_add_a_batch_at_once_both_are_counted(path, monkeypatch, has_locks):
    if not has_locks:
        monkeypatch.setattr(state_file, "fcntl", None)
    inside = threading.Event()

    def add():
        inside.wait()
        with Monitor.updating(path) as monitor:
            monitor.update(1 - Y, P, batch="second")

    other = threading.Thread(target=add)
    other.start()
    with Monitor.updating(path) as monitor:
        inside.set()
        time.sleep(0.1)  # the other one waits
        assert names(path) == ["first"]
        monitor.update(Y * (P > 0.5), P, batch="third")
    other.join()
    assert names(path) == ["first", "third", "second"]
    assert only(path)


def test_who_waits_too_long_is_told_so(path):
    message = r"churn.json must not be changed by others .* waited 0 sec"
    with locked(path), pytest.raises(TimeoutError, match=message), locked(path, patience=0.0):
        pytest.fail("two hold the lock")


HOLDER = """
import importlib.util, os, signal, sys, types
sys.modules["fitontest"] = types.ModuleType("fitontest")  # the file alone: importing the package takes a second
sys.modules["fitontest"].__path__ = [sys.argv[1]]
from fitontest.monitor.stored.file import locked
with locked(sys.argv[2]):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_the_lock_of_a_killed_process_counts_for_nothing(path):
    source = Path(fot.__file__).parent
    killed = subprocess.run([sys.executable, "-c", HOLDER, source, path], check=False)
    assert killed.returncode == -9
    assert path.with_name("churn.json.lock").exists()
    with locked(path, patience=0.0):
        pass
    assert only(path)


def test_without_locks_of_the_system_an_old_one_counts_for_nothing(path, monkeypatch):
    monkeypatch.setattr(state_file, "fcntl", None)
    lock = path.with_name("churn.json.lock")
    lock.touch()
    with pytest.raises(TimeoutError), locked(path, patience=0.0):
        pytest.fail("a new one counts")
    old = time.time() - STALE - 1
    state_file.os.utime(lock, (old, old))
    with locked(path, patience=1.0):
        assert lock.exists()
    assert only(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": 0.95}, "level must be as the monitor was made, 0.99; got 0.95"),
        ({"max_error": 0.02}, "max_error must be left out, as when it was made; got 0.02: what is tested"),
        ({"tolerance": 0.02}, "tolerance must be as the monitor was made, 0.1 in ratio; got 0.02 in ratio"),
        (
            {"reference": (Y, P)},
            "reference must be as the monitor was made, 0.1 in ratio; got the band of a reference of 40 rows",
        ),
        ({"families": ("beta",)}, "families must be as the monitor was made"),
    ],
)
def test_what_a_monitor_was_made_with_cannot_change(path, settings, message):
    with pytest.raises(ValueError, match=message), Monitor.updating(path, **settings):
        pytest.fail("another monitor")
    with Monitor.updating(path, level=0.99, tolerance=0.1, run_length=1000.0) as monitor:
        assert not monitor.alarm


def test_what_is_no_file_of_a_monitor_is_refused(path, tmp_path):
    missing, other = tmp_path / "missing.json", tmp_path / "other.json"
    with pytest.raises(ValueError, match=r"path must be an existing file, got '.*missing.json'"):
        Monitor.load(missing)
    other.write_bytes(path.read_bytes()[:100])
    with pytest.raises(
        ValueError, match=r"path must hold the state of a monitor, got '.*other.json': text must be JSON"
    ):
        Monitor.load(other)
    other.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"path must hold the state of a monitor, got '.*other.json': 'utf-8' codec"):
        Monitor.load(other)
    for wrong in (tmp_path / "none" / "churn.json", tmp_path):
        with pytest.raises(ValueError, match="path must be a file in a folder that exists"):
            Monitor().save(wrong)
    with pytest.raises(ValueError, match="path must be that of a file, got 3"):
        Monitor.load(3)


@pytest.mark.parametrize("has_locks", [True, False])
def test_a_folder_of_others_is_refused_by_the_name_of_the_path(path, monkeypatch, has_locks):
    def refuse(*_):
        raise PermissionError(13, "Permission denied", "a lock")

    if not has_locks:
        monkeypatch.setattr(state_file, "fcntl", None)
    monkeypatch.setattr(state_file.os, "open", refuse)
    with (
        pytest.raises(ValueError, match=r"^path must be in a folder where .* can be made, got .*: Permission denied"),
        Monitor.updating(path),
    ):
        pass
