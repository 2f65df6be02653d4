"""A signal that ends a command leaves the old output and nothing half-written."""

import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.apps.cli.signals import ending_on_signals
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

SCORES = ("scores.csv", "--label", "y", "--prob", "p")
COMMANDS = {
    "apply.csv": ("apply", "map.json", "scores.csv", "--prob", "p", "-o", "apply.csv"),
    "check.json": ("check", *SCORES, "--max-error", "0.2", "--format", "json", "-o", "check.json"),
    "report.html": ("report", *SCORES, "--family", "platt", "-o", "report.html"),
    "plot.svg": ("plot", *SCORES, "-o", "plot.svg"),
    "compare.json": ("compare", *SCORES, "--family", "platt", "--evaluator", "none", "--save", "compare.json"),
    "compare.svg": ("compare", *SCORES, "--family", "platt", "--evaluator", "none", "--plot", "compare.svg"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder, with scores, a map, and old outputs."""
    y, p = noisy(60)
    rows = "".join(f"{a},{b}\n" for a, b in zip(y, p, strict=True))
    (tmp_path / "scores.csv").write_text(f"y,p\n{rows}")
    (tmp_path / "map.json").write_text(fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16).to_json())
    for name in COMMANDS:
        (tmp_path / name).write_text("old")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_in_the_middle_of_writing(folder, monkeypatch, name):
    """It comes when the new file is there and has not taken its place yet."""
    before, seen = names(folder), []

    def end(written, target):
        seen.append((written.stat().st_size, len(names(folder)) - len(before)))
        os.kill(os.getpid(), signal.SIGTERM)
        return original(written, target)

    original = pathlib.Path.replace
    monkeypatch.setattr(pathlib.Path, "replace", end)
    result = CliRunner().invoke(main, COMMANDS[name])
    ((size, new),) = seen
    assert size > 3
    assert new == 1  # the folder with the new file
    assert result.exit_code == 128 + signal.SIGTERM
    assert names(folder) == before
    assert (folder / name).read_text() == "old"


@pytest.mark.exhaustive
@pytest.mark.parametrize(("number", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_the_exit_code_is_that_of_a_shell(folder, number, code):
    """The signal comes while the table is written, to a process of its own."""
    before = names(folder)
    ended = (
        "import os, signal, fitontest.data.files.copies as copies\n"
        "from fitontest.apps.cli.main import main\n"
        f"signal.signal(signal.{number}, signal.SIG_DFL)\n"  # which nohup has these tests ignore
        "def end(*arguments):\n"
        f"    os.kill(os.getpid(), signal.{number})\n"
        "    return original(*arguments)\n"
        "original, copies._copy = copies._copy, end\n"
        f"main({COMMANDS['apply.csv']!r})\n"
    )
    found = subprocess.run([sys.executable, "-c", ended], cwd=folder, capture_output=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (code, b"", b"")
    assert names(folder) == before
    assert (folder / "apply.csv").read_text() == "old"


def test_a_signal_that_becomes_another_error_ends_the_command_all_the_same():
    """DuckDB raises an error of its own where a query was interrupted."""

    def run():
        with ending_on_signals():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except SystemExit:
                raise RuntimeError("Query interrupted") from None

    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 143


def test_a_second_signal_does_not_disturb_the_cleaning_up():
    cleaned = []

    def run():
        with ending_on_signals():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)
                cleaned.append(True)

    with pytest.raises(SystemExit):
        run()
    assert cleaned == [True]


def test_handlers_are_given_back_and_those_of_others_are_left():
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with ending_on_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, former)


def test_other_threads_are_left_alone():
    found = []

    def run():
        with ending_on_signals():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.SIG_DFL]
