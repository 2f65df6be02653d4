"""The options of commands that say how a CSV file is written, and the limit on the size of maps."""

import json
import re

import pandas as pd
import pytest

import fitontest as fot
from tests.apps.cli.test_evaluate_and_plot import run
from tests.strategies import noisy

LAYOUT = ("--sep", ";", "--decimal", ",", "--encoding", "cp1252")
COLUMNS = ("--label", "y", "--prob", "p")


@pytest.fixture
def file(tmp_path):
    y, p = noisy(200)
    frame = pd.DataFrame({"name": ["größe"] * 200, "y": y, "p": p**4})
    frame.to_csv(tmp_path / "a.csv", sep=";", decimal=",", encoding="cp1252", index=False)
    frame.to_csv(tmp_path / "plain.csv", index=False)
    return tmp_path / "a.csv"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("command", "options", "written"),
    [
        ("evaluate", ("--measure", "none", "--format", "json"), None),
        ("compare", ("--evaluator", "none", "--cv", "2"), "map.json"),
        ("plot", (), "a.svg"),
    ],
)
def test_every_command_reads_semicolons_decimal_commas_and_other_encodings(file, tmp_path, command, options, written):
    if written:
        options = (*options, {"compare": "--save", "plot": "-o"}[command], tmp_path / written)
    results = []
    for path, layout in ((file.with_name("plain.csv"), ()), (file, LAYOUT)):
        found = run(command, path, *COLUMNS, "--family", "platt", *options, *layout)
        assert found.exit_code == 0
        results.append((tmp_path / written).read_bytes() if written else found.stdout)
        assert len(results[-1]) > 80  # more than the identity map
    assert results[0] == results[1]


def test_test_files_have_the_layout_too(file):
    file.with_name("b.csv").write_bytes(file.read_bytes())
    options = (*COLUMNS, "--family", "platt", "--evaluator", "none", "--cv", "2")
    assert run("compare", file, "--test", file.with_name("b.csv"), *options, *LAYOUT).exit_code == 0


@pytest.mark.exhaustive
def test_apply_writes_the_layout_and_reads_it_again(file, tmp_path):
    c_hat = fot.maps.LogisticMap(0.5, 0.1, "logit", 1e-16)
    (tmp_path / "map.json").write_text(c_hat.to_json())
    assert run("apply", tmp_path / "map.json", file, "--prob", "p", "-o", tmp_path / "o.csv", *LAYOUT).exit_code == 0
    before, after = file.read_text(encoding="cp1252"), (tmp_path / "o.csv").read_text(encoding="utf-8")
    assert re.sub(";[^;]*\n", "\n", after) == before
    rows = [line.replace(",", ".").split(";") for line in after.splitlines()[1:]]
    assert [float(row[3]) for row in rows] == [float(c_hat(float(row[2]))) for row in rows]
    assert run("evaluate", tmp_path / "o.csv", "--label", "y", "--prob", "calibrated", *LAYOUT[:4]).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sep", ";;"), "--sep must be one character, no quote, backslash or newline, got ';;'"),
        (("--decimal", "x"), "--decimal must be '.' or ',', got 'x'"),
        (("--encoding", "none"), "--encoding must be a text encoding, got 'none': unknown encoding"),
        (("--encoding", "ascii"), "text in ascii, got A with the byte 0xf6 at line 2 (the header is line 1); --enc"),
        (
            (),
            "text in utf-8, got A with the byte 0xf6 at line 2 (the header is line 1); --encoding names its encoding",
        ),
        (("--encoding", "cp1252"), "got str values such as '0,"),
        (
            ("--encoding", "cp1252", "--sep", ","),
            "--label must be a column of A, got 'y'; its columns are ['name;y;p']",
        ),
    ],
)
def test_layouts_are_refused_in_one_line(file, options, message):
    for command in (("evaluate",), ("compare",), ("plot", "-o", file.with_name("a.png"))):
        found = run(*command, file, *COLUMNS, *options)
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
        assert message in found.stderr.replace(str(file), "A")


def test_maps_beyond_the_limit_are_not_read(tmp_path):
    text = fot.maps.KnotsMap([0.0, 1.0], [0.0, 1.0]).to_json() + " " * 1000
    (tmp_path / "map.json").write_text(text)
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    command = ("apply", tmp_path / "map.json", tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv")
    found = run(*command, "--max-bytes", len(text) - 1)
    assert f"MAP must have at most {len(text) - 1} bytes, got" in found.stderr
    assert f"allow them by --max-bytes {len(text)}\n" in found.stderr
    assert not (tmp_path / "o.csv").exists()
    assert run(*command, "--max-bytes", len(text)).exit_code == 0
    (tmp_path / "map.json").write_text(text + " " * 10_000_000)
    assert "MAP must have at most 10000000 bytes" in run(*command).stderr


def test_a_decreasing_map_that_does_not_say_so_is_refused(tmp_path):
    values = fot.maps.LogisticMap(-2.0, 0.0, "logit", 1e-16).to_dict()
    del values["decreasing"]
    (tmp_path / "map.json").write_text(json.dumps(values))
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    found = run("apply", tmp_path / "map.json", tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv")
    assert found.exit_code == 2
    assert "text must say that it is decreasing" in found.stderr
