"""FILE from standard input and from pipes: read as the file would be, called by its name, and gone at the end."""

import gzip
import os
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

COLUMNS = ("--label", "y", "--prob", "p")
QUICK = (*COLUMNS, "--family", "platt", "--interval", "none", "--format", "json")
COMMANDS = {
    "evaluate": ("evaluate", "FILE", *QUICK),
    "segments": ("evaluate", "FILE", *QUICK, "--by", "g"),
    "check": ("check", "FILE", *COLUMNS, "--max-error", "0.2", "--format", "json"),
    "plot": ("plot", "FILE", *COLUMNS, "-o", "o.svg"),
    "compare": ("compare", "FILE", *COLUMNS, "--family", "platt", "--evaluator", "none", "--save", "o.json"),
    "apply": ("apply", "map.json", "FILE", "--prob", "p", "-o", "o.csv"),
    "plan": ("plan", "FILE", "--prob", "p", "--family", "platt", "--draws", "20", "--n", "50", "--format", "json"),
    "report": ("report", "FILE", *COLUMNS, "--family", "platt", "--no-compare", "--title", "a", "-o", "o.html"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder with scores in all formats, and with one for temporary files in it."""
    y, p = noisy(120)
    frame = pd.DataFrame({"y": y, "p": p, "g": np.where(np.arange(120) % 2, "a", "b\nc, d")})
    frame.to_csv(tmp_path / "s.csv", index=False)
    frame.to_csv(tmp_path / "s.csv.gz", index=False)
    frame.to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "s.parquet")
    (tmp_path / "map.json").write_text(fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16).to_json())
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, stdin=b""):
    return CliRunner().invoke(main, [*map(str, arguments)], input=stdin)


def outcome(folder, arguments, file, stdin=b""):
    result = run(*(file if one == "FILE" else one for one in arguments), stdin=stdin)
    assert result.exit_code == 0, result.output
    assert list((folder / "temporary").iterdir()) == []
    written = [(path.name, path.read_bytes()) for path in sorted(folder.glob("o.*"))]
    if "compare" in arguments or "report" in arguments:  # which say the seconds it took, or nothing
        return written
    assert result.stdout
    return result.stdout, written


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_standard_input_as_the_file(folder, command):
    arguments = COMMANDS[command]
    expected = outcome(folder, arguments, "s.csv")
    found = outcome(folder, arguments, "-", (folder / "s.csv").read_bytes())
    if command == "report":  # whose page says what was read
        expected = [(name, page.replace(b"s.csv", b"standard input")) for name, page in expected]
        assert b"standard input" in found[0][1]
    assert found == expected


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("s.csv.gz", ()),
        ("s.csv.gz", ("--input-format", "csv")),
        ("s.tsv", ("--input-format", "tsv")),
        ("s.tsv", ()),
        ("s.parquet", ()),
        ("s.parquet", ("--input-format", "parquet")),
        ("s.parquet", ("--cells", "always")),
    ],
)
def test_formats_of_standard_input(folder, name, options):
    arguments = (*COMMANDS["evaluate"], *options)
    own = [one for one in options if one in ("--cells", "always")]
    expected = outcome(folder, (*COMMANDS["evaluate"], *own), name)
    assert outcome(folder, arguments, "-", (folder / name).read_bytes()) == expected


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.parquet"])
def test_a_named_pipe_has_the_format_of_its_ending(folder, name):
    (folder / "pipes").mkdir()
    os.mkfifo(folder / "pipes" / name)
    raw = (folder / name).read_bytes()
    writer = threading.Thread(target=(folder / "pipes" / name).write_bytes, args=(raw,))
    writer.start()
    found = outcome(folder, COMMANDS["evaluate"], folder / "pipes" / name)
    writer.join(10)
    assert found == outcome(folder, COMMANDS["evaluate"], name)


@pytest.mark.exhaustive
def test_the_shell_substitutes_processes_and_redirects(folder):
    """`<(...)` is a pipe without a name; /dev/stdin may lead to a file, also to one without an ending."""
    (folder / "plain").write_bytes((folder / "s.csv").read_bytes())
    fitontest = f"{sys.executable} -m fitontest compare"
    options = f"{' '.join(COLUMNS)} --family platt --evaluator none --save"
    script = (
        f"set -e; {fitontest} <(cat s.csv) --test <(cat s.csv.gz) {options} a.json\n"
        f"{fitontest} /dev/stdin --test s.csv.gz {options} b.json < plain\n"
        "cmp a.json b.json"
    )
    subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, check=True)
    run("compare", "s.csv", "--test", "s.csv.gz", *options.split(), "c.json")
    assert (folder / "a.json").read_bytes() == (folder / "c.json").read_bytes()


EVALUATE = ("evaluate", "-", *QUICK)
LIMITED = (*EVALUATE, "--max-unpacked", "4")
AS_CSV = ("--input-format", "csv")


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (EVALUATE, b"", "FILE must not be empty, got - (standard input) of 0 bytes"),
        (EVALUATE, b"y,p\n1\n", "got - (standard input) with 1 at line 2"),
        (("evaluate", "-", "--label", "z", "--prob", "p"), b"y,p\n1,0\n", "a column of - (standard input), got 'z'"),
        ((*EVALUATE, "--input-format", "parquet"), b"y,p\n", "as parquet, got - (standard input): "),
        (EVALUATE, b"\x1f\x8bno", "FILE must be readable as gzip, got - (standard input): "),
        (EVALUATE, b"PAR1\0\0PAR1", "FILE must be readable as parquet, got - (standard input): "),
        (LIMITED, b"y,p\n1", "FILE must have at most 4 bytes, got - (standard input), which is larger"),
        (LIMITED, gzip.compress(b"y,p\n1", mtime=0), "--max-unpacked gives another limit"),
        (("evaluate", "s.csv", *QUICK, *AS_CSV), b"", "--input-format must be left out unless FILE is -"),
        (("plan", *AS_CSV), b"", "--input-format must be left out unless FILE is - or a pipe, got csv"),
        (("compare", "-", "--test", "/dev/stdin", *COLUMNS), b"", "--test must be another file than FILE, got stand"),
        (("apply", "map.json", "-", "--prob", "q", "-o", "o.csv"), b"p\n1\n", "column of - (standard input), got 'q'"),
    ],
)
def test_messages_call_the_stream_by_its_name(folder, arguments, stdin, message):
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "temporary" not in result.stderr
    assert list((folder / "temporary").iterdir()) == []


@pytest.mark.exhaustive
def test_a_signal_deletes_the_copy(folder):
    ended = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "import fitontest.apps.cli.scores as scores\n"
        "from fitontest.apps.cli.main import main\n"
        "def end(*arguments, **named):\n"
        "    print(len(list(Path('temporary').glob('*/standard input.csv'))), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "scores.read = end\n"
        "main(['evaluate', '-', '--label', 'y', '--prob', 'p'])\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", ended],
        cwd=folder,
        input=(folder / "s.csv").read_bytes(),
        env=os.environ | {"TMPDIR": str(folder / "temporary")},
        capture_output=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (143, b"1\n")
    assert list((folder / "temporary").iterdir()) == []


@pytest.mark.exhaustive
def test_closed_standard_input_is_refused(folder):
    command = f"{sys.executable} -m fitontest check - --label y --prob p --max-error .1 <&-"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "Error: FILE must be readable, got - (standard input), which is closed\n"
