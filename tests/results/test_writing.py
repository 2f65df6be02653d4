"""Files are written whole or not at all, with the permissions of the file that they replace."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import fitontest as fot
from fitontest.results.writing import is_special, write_text, written_whole
from tests.strategies import noisy


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("given", [0o600, 0o640, 0o664, 0o755])
def test_the_new_file_has_the_permissions_of_the_one_that_it_replaces(tmp_path, given):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a.txt").chmod(given)
    with written_whole(tmp_path / "a.txt") as written:
        written.write_text("new")
        assert mode(written.parent) == 0o700  # nobody else may look at it before it has its permissions
    assert mode(tmp_path / "a.txt") == given
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_new_file_has_the_permissions_that_the_process_gives(tmp_path):
    (tmp_path / "plain.txt").write_text("")
    write_text(tmp_path / "a.txt", "new")
    assert mode(tmp_path / "a.txt") == mode(tmp_path / "plain.txt")


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "a.txt").write_text("old")

    def fail():
        with written_whole(tmp_path / "a.txt") as written:
            written.write_text("ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_what_a_link_leads_to_is_replaced(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a.txt").chmod(0o600)
    (tmp_path / "link.txt").symlink_to("a.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "a.txt").read_text() == "new"
    assert mode(tmp_path / "a.txt") == 0o600


def test_a_read_only_file_is_left(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a.txt").chmod(0o444)
    monkeypatch.setattr("os.access", lambda *_: False)  # which is never so for root
    with pytest.raises(PermissionError, match=r"Permission denied: '.*a\.txt'"):
        write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.parametrize("name", ["a[1].csv", "a*b.csv.gz", "?.parquet", ".csv", "x.y.z é.csv"])
def test_the_path_to_write_to_ends_alike_and_is_no_pattern(tmp_path, name):
    with written_whole(tmp_path / name) as written:
        written.write_text("new")
        assert not set(written.name) & set("*?[")
        assert written.name.endswith(name[name.index(".") :].replace(" é", "__"))
    assert (tmp_path / name).read_text() == "new"


def test_a_pipe_gets_what_is_written_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe.txt").read_text()))
    reader.start()
    write_text(tmp_path / "pipe.txt", "new")
    reader.join(10)
    assert found == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["pipe.txt"]
    assert stat.S_ISFIFO((tmp_path / "pipe.txt").stat().st_mode)


def test_devices_and_streams_are_written_to():
    code = (
        "from pathlib import Path; from fitontest.results.writing import write_text;"
        "write_text(Path('/dev/stdout'), 'one\\n'); write_text(Path('/dev/null'), 'two')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "one\n"
    assert is_special(Path("/dev/null"))


FULL_DISK = """
import json, resource, sys
from pathlib import Path
import numpy as np
from click.testing import CliRunner
import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.apps.reporting import figures
from fitontest.uncertainty import bands

figures.inline_svg = lambda figure, name, text: text  # what is written does not matter, but that it is not
bands.QUICK_DRAWS = 20
rng = np.random.default_rng(0)
y, p = rng.integers(0, 2, 200), rng.random(200)
report = fot.report(y, p, families=["platt"], compare=False)
report.html
display = report.evaluation.diagrams()
commands, found = json.loads(sys.argv[1]), {}
resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
for name, arguments in commands.items():
    result = CliRunner().invoke(main, arguments)
    found[name] = result.exit_code, result.stderr.splitlines()[-1]
for name, save in (("save.html", report.save), ("save.svg", display.save), ("save.png", display.save)):
    try:
        save(name)
    except OSError as error:
        found[name] = 0, str(error)
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path):
    """Return a folder with scores, a map, and old outputs."""
    y, p = noisy(60)
    rows = "".join(f"{a},{b}\n" for a, b in zip(y, p, strict=True))
    (tmp_path / "scores.csv").write_text(f"y,p\n{rows}")
    (tmp_path / "map.json").write_text(fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16).to_json())
    return tmp_path


@pytest.mark.exhaustive
def test_a_full_disk_leaves_the_old_files(folder):
    scores = ["scores.csv", "--label", "y", "--prob", "p"]
    quick = ["--evaluator", "none", "--rule", "best"]
    commands = {
        "apply.csv": ["apply", "map.json", "scores.csv", "--prob", "p", "-o", "apply.csv"],
        "apply.parquet": ["apply", "map.json", "scores.csv", "--prob", "p", "-o", "apply.parquet"],
        "check.xml": ["check", *scores, "--max-error", "0.2", "--format", "junit", "-o", "check.xml"],
        "report.html": ["report", *scores, "--family", "platt", "--no-compare", "-o", "report.html"],
        "plot.pdf": ["plot", *scores, "-o", "plot.pdf"],
        "compare.json": ["compare", *scores, "--family", "platt", *quick, "--save", "compare.json"],
        "compare.svg": ["compare", *scores, "--family", "platt", *quick, "--plot", "compare.svg"],
    }
    saved = ["save.html", "save.svg", "save.png"]
    for name in (*commands, *saved):
        (folder / name).write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    arguments = [sys.executable, "-c", FULL_DISK, json.dumps(commands)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=folder)
    found = json.loads(result.stdout)
    for name, (code, message) in found.items():
        assert code == (0 if name in saved else 2)
        assert "File too large" in message
        assert ".fitontest-" not in message or "apply" in name  # DuckDB names what it writes
    assert sorted(path.name for path in folder.iterdir()) == before
    assert {(folder / name).read_text() for name in found} == {"old"}
